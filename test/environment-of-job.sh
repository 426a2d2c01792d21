#!/bin/sh
# What a job has set does not change what is kept for all: a compiler is given the variables of the library's link, and nothing of the
# job's but what CK_JIT_COMPILE_ENV names, whose results are stored apart. Its temporary directory goes with the compile.
# tier: check
# seconds: 31
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
unset HIPCC_COMPILE_FLAGS_APPEND CCC_OVERRIDE_OPTIONS CPATH LIBRARY_PATH LD_LIBRARY_PATH CK_JIT_COMPILE_ENV
mkdir evil tmp
printf '#pragma once\n#define times(n) 7 *\n' >evil.h
for n in 1 2 3 4 5 6; do
  kernel $n
  sed -i 's/x\.n \* /x.n * times() /; 1i #ifndef times\n#define times(n)\n#endif' k$n.cpp
done
host 1 2 3 4 5 6
objects k1 k2 k3 k4 k5 k6 host
link liba.so k1.o k2.o k3.o k4.o k5.o k6.o host.o
says ' 6 blobs are lazy'

# poisoned NAME VALUE: the real compiler, given it, makes other code
poisoned() {
  hipcc -x c++ -O1 -fPIC -shared -I. k1.cpp -o clean.so 2>/dev/null || fail "hipcc: it does not compile"
  env "$1=$2" hipcc -x c++ -O1 -fPIC -shared -I. k1.cpp -o poisoned.so 2>/dev/null && cmp -s clean.so poisoned.so && fail "$1 does not change the code"
  return 0
}
id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
# keys: the build ids in the cache
ids() { for entry_ in "$T"/cache/*.so; do id "$entry_"; done | sort; }

# ---- first with the variable, then without it: one entry, the library's ----
poisoned HIPCC_COMPILE_FLAGS_APPEND "-include $T/evil.h"
poisoned CCC_OVERRIDE_OPTIONS "# +-include +$T/evil.h"
HIPCC_COMPILE_FLAGS_APPEND="-include $T/evil.h" CCC_OVERRIDE_OPTIONS="# +-include +$T/evil.h" TMPDIR="$T/tmp" right liba.so 1
right liba.so 1
[ -z "$(ls -A tmp)" ] || fail "left in TMPDIR: $(ls -A tmp)"
first=$(sha256sum <cache/k1.so)
rm -r cache
right liba.so 1
[ "$(sha256sum <cache/k1.so)" = "$first" ] || fail "the entry is not that of a compile without the variables"
[ "$(ids | wc -l)" = 1 ] || fail "there is more than the one entry: $(ls cache)"
own=$(ids)

# ---- what CK_JIT_COMPILE_ENV lets through is stored apart, by name and value ----
rm -r cache
export HIPCC_COMPILE_FLAGS_APPEND="-include $T/evil.h"
[ "$(CK_JIT_COMPILE_ENV=:HIPCC_COMPILE_FLAGS_APPEND: calls liba.so 1 | cut -d' ' -f1)" = 701 ] || fail "it was not let through"
let=$(ids)
[ "$let" != "$own" ] && [ "${let%????????????????01000000}" = "${own%????????????????01000000}" ] || fail "not stored apart: $own, $let"
made=$(ls -i cache/*.so)
CK_JIT_COMPILE_ENV=HIPCC_COMPILE_FLAGS_APPEND:NOT_SET calls liba.so 1 >got
grep -q '^701 ' got && [ "$(ls -i cache/*.so)" = "$made" ] || fail "it is not found again: $(cat got)"
right liba.so 1 # who does not let it through gets the library's own
[ "$(ids)" = "$(printf '%s\n' "$own" "$let" | sort)" ] || fail "not beside it: $(ids)"
HIPCC_COMPILE_FLAGS_APPEND=-DOTHER CK_JIT_COMPILE_ENV=HIPCC_COMPILE_FLAGS_APPEND right liba.so 2
two=$(id cache/k2.so)
rm cache/k2.so
HIPCC_COMPILE_FLAGS_APPEND=-DANOTHER CK_JIT_COMPILE_ENV=HIPCC_COMPILE_FLAGS_APPEND right liba.so 2
[ "$(id cache/k2.so)" != "$two" ] || fail "another value, the same build id"
unset HIPCC_COMPILE_FLAGS_APPEND
rm cache/k2.so
CK_JIT_COMPILE_ENV=HIPCC_COMPILE_FLAGS_APPEND right liba.so 2 # it is not set: that is the library's own
plain=$(id cache/k2.so)
rm cache/k2.so
right liba.so 2
[ "$(id cache/k2.so)" = "$plain" ] || fail "a name that is not set has a build id of its own"
CK_JIT_COMPILE_ENV='A B:C' calls liba.so 3 >got
grep -q "CK_JIT_COMPILE_ENV='A B:C': 'A B' is not the name of a variable; expected NAME:NAME" got || fail "of a bad name: $(cat got)"

# ---- a variable of the toolchain: the link's value. If the compile fails, the message has the name ----
grep -qa '^env PATH=' "$work"/liba/ck_jit_inputs/* || fail "the list of inputs does not have the PATH"
lacks "the fake home is in the list of inputs" "$T/home/bin" "$work/liba/ck_jit_inputs" -rF
printf 'no library' >evil/libLLVM-15.so.1
for file in $(ldd "$(dirname "$(readlink -f /usr/bin/clang++-15 2>/dev/null || command -v clang++)")/clang" | sed -n 's/^[[:space:]]*\(lib\(LLVM\|clang-cpp\)[^ ]*\) .*/\1/p'); do
  printf 'no library' >"evil/$file"
done
if LD_LIBRARY_PATH=$T/evil hipcc -x c++ -O1 -fPIC -shared -I. k1.cpp -o poisoned.so 2>/dev/null; then :; else
  LD_LIBRARY_PATH=$T/evil right liba.so 3
fi
# shellcheck disable=SC2016 # expanded by the script
printf '#!/bin/sh\necho "$LD_LIBRARY_PATH" >%s/seen\nexit 3\n' "$T" >broken
chmod +x broken
LD_LIBRARY_PATH=$T/evil CK_JIT_HIPCC=$T/broken calls liba.so 4 >got
[ "$(cat seen)" = "" ] || fail "the compiler was given $(cat seen)"
tr '\n' ' ' <got | grep -q 'note: .*CK_JIT_COMPILE_ENV=LD_LIBRARY_PATH' || fail "no word of LD_LIBRARY_PATH: $(cat got)"
LD_LIBRARY_PATH=$T/evil CK_JIT_COMPILE_ENV=LD_LIBRARY_PATH CK_JIT_HIPCC=$T/broken calls liba.so 4 >got
[ "$(cat seen)" = "$T/evil" ] || fail "CK_JIT_COMPILE_ENV does not override what the link had: $(cat seen)"
lacks 'a note of what was let through' 'note: ' got
CK_JIT_HIPCC=$T/broken calls liba.so 4 >got
lacks 'a note where nothing differs' 'note: ' got
printf '#!/bin/sh\necho "k4.cpp:3:1: error: unknown type name" >&2\nexit 1\n' >refuses
chmod +x refuses
LD_LIBRARY_PATH=$T/evil CK_JIT_HIPCC=$T/refuses calls liba.so 4 >got
grep -q 'error: unknown type name' got || fail "the error is not shown: $(cat got)"
lacks 'variables are blamed for an error in the source' COMPILE_ENV got
right liba.so 4
