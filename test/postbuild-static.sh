#!/bin/sh
# A static program is made as without ckjit, and a warning says so, on AArch64 and here: what it would load at a first call needs the shared libraries
# that it is not to need. It has nothing of ckjit, and neither cache nor compiler at its calls. The same program with shared libraries is lazy, whatever
# else its link asks for: another code model, no PLT, no PIC, early binding, sections that are dropped or folded.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
need clang++ aarch64-linux-gnu-g++ qemu-aarch64 readelf ld.lld
. "$here/unit/aarch64_home_fixture.sh"
printf '#pragma once\ntemplate <int N> int f(int x);\n' >api.hpp
printf '#include "api.hpp"\ntemplate <> int f<1>(int x) { return x + 1; }\n' >k1.cpp
printf '#include "api.hpp"\n#include <cstdio>\nint main() { for (int i = 0; i < 2; i++) printf("%%d\\n", f<1>(i)); }\n' >main.cpp
root=/usr/aarch64-linux-gnu/lib
# run PROGRAM
run() {
  case $machine in
  aarch64) if readelf -lW "$1" | grep -q INTERP; then qemu-aarch64 -L / $root/ld-linux-aarch64.so.1 --library-path $root "$1"; else qemu-aarch64 -L / "$1"; fi ;;
  *) "$1" ;;
  esac
}
# build OPTIONS LINK-OPTIONS: prog
build() {
  rm -rf cache ./*.o prog
  for f in k1 main; do
    # shellcheck disable=SC2086
    as_build hipcc -O1 $1 -x c++ -c $f.cpp -o $f.o || fail "$f.cpp with $1: $(cat err)"
  done
  # shellcheck disable=SC2086
  as_build hipcc $2 k1.o main.o -o prog || fail "link with $2: $(cat err)"
  got=$(run ./prog 2>&1) || fail "$machine, $1, $2: $got"
  is "calls on $machine, $1, $2" '1
2' "$got"
}
for machine in aarch64 native; do
  if [ $machine = native ]; then
    sed -i 's/ --target=aarch64-linux-gnu//' rocm/bin/hipcc
    rm -rf home
    "$B/bin/ckjit-build" home --rocm "$T/rocm" --dir "$T/home" >exports 2>home.log || fail "no fake home: $(cat home.log)"
  fi
  for how in '-static' '-fPIE:-static-pie'; do
    build "$(echo "$how" | sed -n 's/:.*//p')" "${how#*:}"
    has "$how on $machine" 'prog: it is built without ckjit, with no kernel lazy: it is linked statically' err
    readelf -sW prog | lacks "$how on $machine: the runtime is in it" ckjit_resolve -
    [ ! -e cache ] || fail "$how on $machine: something was cached"
  done
  for how in '-mcmodel=large:-no-pie' '-fno-plt:' '-fno-pic:-no-pie' '-ffunction-sections:-Wl,-z,now -Wl,-Bsymbolic -Wl,--gc-sections' '-ffunction-sections:-fuse-ld=lld -Wl,--icf=all'; do
    build "${how%%:*}" "${how#*:}"
    has "$how on $machine" '1 blob is lazy' err
  done
done
exit 0
