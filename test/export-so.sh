#!/bin/sh
# export --format so: a shared object that a C program loads and calls without ckjit, with code for each architecture; of
# several kernels one. It is no entry of a cache.
# tier: check
# seconds: 32
. "${0%/*}/common.sh"
. "$here/unit/export_fixture.sh"
export_ k64 --format so --arch "$arch" --output k64.so
[ "$(cat "$T/export.out")" = "$PWD/k64.so" ] || fail "it printed $(cat "$T/export.out")"
[ "$(dlopen "$PWD/k64.so" $count64 3)" = 192 ] || fail 'it does not compute'
[ "$(readelf -d k64.so | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')" = k64.so ] || fail 'not its own SONAME'
nm -D k64.so | lacks 'there is something of ckjit in it' ckjit - -i -e ck_jit
readelf -n k64.so | grep -q 'Build ID: [0-9a-f]\{40\}$' || fail 'not the build id of any library'
[ "$(tail -c 24 k64.so | head -c 8)" != ckjitEN1 ] || fail 'it is sealed like a cache entry'
mkdir -m 700 "$T/cache" && cp k64.so "$T/cache/"
[ "$("$B/bin/ckjit-prebuild" list k64)" = "$(printf 'k64\tknown\tabsent')" ] || fail 'it is taken for a cache entry'
# Again, it is the same to the byte.
export_ k64 --format so --arch "$arch" --output "$T/k64.so"
cmp k64.so "$T/k64.so" || fail 'a second export is another file'

export_ k64 k128 --format so --arch 'gfx90a;gfx908' --symbol "$count64=count_64" --symbol $count128=count_128 --output both.so
[ "$(dlopen "$PWD/both.so" count_64 3) $(dlopen "$PWD/both.so" count_128 3)" = '192 384' ] || fail 'both.so does not compute'
nm -D both.so | lacks 'the old names are there' $count64 - -e $count128
readelf -x .hip_fatbin both.so >/dev/null
objcopy --dump-section .hip_fatbin=fat both.so "$T/rest"
"$llvm/clang-offload-bundler" -list -type=o -input=fat >"$T/list"
grep -q gfx90a "$T/list" && grep -q gfx908 "$T/list" || fail "code for: $(cat "$T/list")"
# As a library to be linked with, found by its name.
printf 'int count_64(int);\nint main(void) { return count_64(2) != 128; }\n' >"$T/main.c"
gcc "$T/main.c" -o "$T/main" -L. -l:both.so -Wl,-rpath,"$PWD" && env -i "$T/main" || fail 'a C program cannot be linked with it'
# The libraries and options of the library's link are those of its own.
"$B/bin/ckjit-compile" --blob-source "$demo/k64.cu" --blob-flags "-O3 -std=c++17 -I$demo" --link-flags -Wl,-rpath,/opt/of-the-link \
  --arch "$arch" --format so --output "$PWD/linked.so" || fail 'a compile by hand failed'
readelf -d linked.so | grep -q 'R.*PATH.*/opt/of-the-link' || fail "the link's flags are lost: $(readelf -d linked.so)"
