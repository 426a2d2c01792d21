#!/bin/sh
# AArch64: a library of lazy blobs with -mbranch-protection=standard is linked with -z force-bti and -z pac-plt, by GNU's linker and LLVM's, as one without ckjit is: without a
# warning of its own, with the property and the PLT that were asked for; its pages are guarded, and calls through them arrive. By qemu-user, which enforces it:
# a stub without its `bti c` ends the program.
# tier: all
# seconds: 9
. "${0%/*}/common.sh"
need clang++ aarch64-linux-gnu-g++ qemu-aarch64 readelf ld.lld
. "$here/unit/aarch64_home_fixture.sh"
printf '#pragma once\ntemplate <int N> int f(int x);\ntemplate <int N> int thrower(int x);\n' >api.hpp
for n in 1 2; do
  printf '#include "api.hpp"\ntemplate <> int f<%d>(int x) { return x * %d; }\ntemplate <> int thrower<%d>(int x) { throw x; }\n' $n $n $n >k$n.cpp
done
# by pointers, that is by `blr`, which arrives only at a `bti c` if the page is guarded; and by the PLT, from another library
cat >host.cpp <<'END'
#include "api.hpp"
#include <cstdio>
int (*volatile by_pointer[])(int) = {f<1>, f<2>};
extern "C" int call() {
  int caught = 0;
  for (int i = 0; i < 2; i++) {
    try { thrower<1>(5); } catch (int x) { caught += x; }
    printf("%d %d %d %d\n", by_pointer[0](21), by_pointer[1](21), f<2>(4), caught);
  }
  return 0;
}
END
cat >main.cpp <<'END'
#include "api.hpp"
#include <cstdio>
extern "C" int call();
int main() { return call() + (f<1>(7) != 7); }
END
options='-O1 -mbranch-protection=standard -fPIC'
for f in k1 k2 host; do
  # shellcheck disable=SC2086
  as_build hipcc $options -x c++ -c $f.cpp -o $f.o || fail "$f.cpp: $(cat err)"
  # shellcheck disable=SC2086
  rocm/bin/hipcc $options -x c++ -c $f.cpp -o $f.stock.o
done
echo 'void *__dso_handle __attribute__((visibility("hidden"))) = 0;' >start.c # that of crtbeginS.o
# shellcheck disable=SC2086
aarch64-linux-gnu-gcc $options -c start.c
root=/usr/aarch64-linux-gnu/lib
run() {
  qemu-aarch64 -cpu "$1" -L / $root/ld-linux-aarch64.so.1 --library-path $root:"$2":. "$2/main"
}
# warnings FILE: what is said of objects other than the compiler's and libc's own, which promise nothing in Debian 12
warnings() {
  sed '/^$/d; /crt[in]\.o: \|crt[a-zA-Z]*S\.o: \|libc_nonshared\.a/d; /^ckjit-link: libk.so: 2 /d' "$1"
}
property() {
  readelf -nW "$1" | sed -n 's/.*Properties: //p'
}
for linker in bfd lld; do
  mkdir $linker $linker/stock
  set -- -shared -fuse-ld=$linker -mbranch-protection=standard -Wl,-z,force-bti -Wl,-z,pac-plt
  rocm/bin/hipcc "$@" -o $linker/stock/libk.so k1.stock.o k2.stock.o host.stock.o 2>$linker/stock/said || fail "stock's link by $linker: $(cat $linker/stock/said)"
  as_build hipcc "$@" -o $linker/libk.so k1.o k2.o host.o || fail "link by $linker: $(cat err)"
  has 'what is lazy' '2 blobs are lazy (4 functions' err
  cat err;   warnings err >warned
  warnings $linker/stock/said | diff - warned || fail "$linker warns of what stock's link has not"
  property $linker/stock/libk.so >$linker/stock/property
  has "property of stock's" BTI $linker/stock/property
  is "property, $linker" "$(cat $linker/stock/property)" "$(property $linker/libk.so)"
  for tag in BTI_PLT PAC_PLT; do
    readelf -dW $linker/stock/libk.so | grep -q "AARCH64_$tag" || continue
    readelf -dW $linker/libk.so | grep -q "AARCH64_$tag" || fail "no $tag by $linker: $(readelf -dW $linker/libk.so)"
  done
  # Debian 12's crti.o begins without `bti c`, so that a library of it ends at once where pages are guarded: these have nothing of it. Its dynamic linker
  # signs no addresses, so it is not for libraries with -z pac-plt.
  as_build hipcc -shared -fuse-ld=$linker -nostartfiles -mbranch-protection=standard -Wl,-z,force-bti -o $linker/libk.so k1.o k2.o host.o start.o || fail "link by $linker: $(cat err)"
  has 'what is lazy' '2 blobs are lazy (4 functions' err
  clang++ --target=aarch64-linux-gnu -fuse-ld=$linker main.cpp -o $linker/main -L$linker -lk
  for processor in max cortex-a72; do
    rm -rf cache
    is "calls, $linker, $processor" '21 42 8 5
21 42 8 10' "$(run $processor $linker 2>&1)"
  done
  # another instruction in the place of `bti c`: the first call by a pointer does not arrive
  # shellcheck disable=SC2046 # the offset and the size of .text
  python3 - $linker/libk.so $(readelf -SW $linker/libk.so | sed -n 's/.* \.text *PROGBITS *[0-9a-f]* \([0-9a-f]*\) \([0-9a-f]*\).*/\1 \2/p') <<'END'
import sys
begin, size = (int(x, 16) for x in sys.argv[2:])
data = bytearray(open(sys.argv[1], "rb").read())
hint, load, nop = (bytes.fromhex(x) for x in ("5f2403d5", "11fedfc8", "1f2003d5"))  # bti c; ldar x17, [x16] of a stub
found = [i for i in range(begin, begin + size - 16, 4) if data[i : i + 4] == hint and data[i + 12 : i + 16] == load]
assert len(found) == 4, found
for i in found:
    data[i : i + 4] = nop
open(sys.argv[1], "wb").write(data)
END
  run cortex-a72 $linker >got 2>&1 || fail "a processor that guards nothing minds: $(cat got)"
  if run max $linker >got 2>&1; then
    fail "pages of the library are not guarded: $(cat got)"
  fi
  has 'what ends it' 'Illegal instruction' got
done
