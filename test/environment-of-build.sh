#!/bin/sh
# A library is compiled, whenever that is, with the variables of its build: options as options, once, and the toolchain's variables as they
# were at the link. Those that change the code are in the key, and no others.
# tier: long
# seconds: 40
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
unset HIPCC_COMPILE_FLAGS_APPEND CPATH CPLUS_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH LD_RUN_PATH SOURCE_DATE_EPOCH CK_JIT_COMPILE_ENV
list() { cat "$work"/liba/ck_jit_inputs/*; }
keys() { grep -o '"key": "[0-9a-f]*"' "$work/liba/ck_jit_manifest.json"; }
# linked VARIABLE…: the library, linked with them; its keys, in $keys
linked() {
  rm -rf "$work/liba" liba.so cache
  as_build env "$@" hipcc -shared -o liba.so k1.o k2.o host.o || fail "$*: $(cat err)"
  says ' 2 blobs are lazy'
  keys=$(keys)
}

# ---- options ----
mkdir conda spack
echo '#define FROM_CONDA 3' >conda/conda.hpp
echo '#define FROM_SPACK 2' >spack/spack.hpp
kernel 1 '(FROM_CONDA - FROM_SPACK) * FROM_FLAGS' && kernel 2 && host 1 2
sed -i '1i #include <conda.hpp>\n#include <spack.hpp>' k1.cpp
CPATH="$T/conda" CPLUS_INCLUDE_PATH="$T/spack" HIPCC_COMPILE_FLAGS_APPEND=-DFROM_FLAGS=1 as_build \
  hipcc -x c++ -fPIC -I. -c k1.cpp -o k1.o || fail "$(cat err)"
objects k2 host
linked NONE=1
plain=$keys
right liba.so 1
first=$(sha256sum <cache/k1.so)
rm -r cache
CPATH="$T/spack" HIPCC_COMPILE_FLAGS_APPEND=-DFROM_FLAGS=1 right liba.so 1 2
[ "$(sha256sum <cache/k1.so)" = "$first" ] || fail "set again at the first call, they make another entry"

rm -r cache
printf '#!/bin/sh\necho "$@" >%s/seen\nenv >>%s/seen\nexit 3\n' "$T" "$T" >dump
chmod +x dump
CPATH="$T/spack" HIPCC_COMPILE_FLAGS_APPEND=-DFROM_FLAGS=1 CK_JIT_HIPCC=$T/dump calls liba.so 1 >got
[ "$(grep -o 'FROM_FLAGS=1' seen | wc -l)" = 1 ] || fail "given twice, or not at all: $(cat seen)"

# ---- the toolchain's variables, by value ----
linked LD_RUN_PATH="$T/run" PATH="bin::$T/home/bin:$PATH"
[ "$keys" != "$plain" ] || fail "LD_RUN_PATH is not in the key"
list | grep -qxF "env LD_RUN_PATH=$T/run" || fail "not in the list: $(list | grep ^env)"
list | grep -q "^env PATH=$T/bin:/[^:]" || fail "the PATH in the list: $(list | grep ^env)"
right liba.so 1
first=$(sha256sum <cache/k1.so)
readelf -d cache/k1.so | grep -q "\[$T/run" || fail "the compiler was not given the link's LD_RUN_PATH: $(readelf -d cache/k1.so)"
rm -r cache
LD_RUN_PATH=/elsewhere right liba.so 1
[ "$(sha256sum <cache/k1.so)" = "$first" ] || fail "with another LD_RUN_PATH of the job the entry is another"
for variable in LD_RUN_PATH= PATH="$T/home/bin:$T/bin:$PATH" LD_LIBRARY_PATH="$T/bin" SOURCE_DATE_EPOCH=1 CPATH="$T/spack" UNKNOWN=1 LANG=C; do
  linked "$variable"
  [ "$keys" = "$plain" ] || fail "$variable is in the key"
done
list | lacks 'in the list' '^env LANG\|^env UNKNOWN' -
for variable in LIBRARY_PATH="$T/run" COMPILER_PATH="$T/run" HIPCC_LINK_FLAGS_APPEND=-g; do
  linked "$variable"
  [ "$keys" != "$plain" ] || fail "$variable is not in the key"
done

# ---- the date, where it is in what is compiled ----
sed -i '1i static const char date[] = __DATE__;' k2.cpp && objects k2
linked NONE=1
plain=$keys
linked SOURCE_DATE_EPOCH=1
[ "$keys" != "$plain" ] || fail "the date is in a source, and SOURCE_DATE_EPOCH is not in the key"
one=$keys
linked SOURCE_DATE_EPOCH=2000000000
[ "$keys" != "$one" ] || fail "another SOURCE_DATE_EPOCH, the same key"

# ---- a list of an earlier version has no variables ----
sed -i '/^env /d' "$work"/liba/ck_jit_inputs/*
SOURCE_DATE_EPOCH=7 CK_JIT_HIPCC=$T/dump calls liba.so 1 >got
grep -qxF 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' seen || fail "without a recorded PATH: $(cat seen)"
lacks "the job's" '^SOURCE_DATE_EPOCH' seen
exit 0
