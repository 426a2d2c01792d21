#!/bin/sh
# A home for HIP and one for CUDA have the same compilers of the host, any of which may link: a C program whose kernels are recorded is
# linked by gcc or cc. One that the machine has not is not made, but for those that any build may ask for.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/line_fixture.sh"
for k in $kinds; do
  kind "$k"
  printf 'int run1(int) __asm__("_Z3runILi1EEii");\nint main(void) { return run1(3) == 31 ? 0 : 1; }\n' >main.c
  gcc -c main.c -o c.o
  for name in gcc cc c++ g++ clang++ clang "$(gcc -dumpmachine)-gcc" "$(gcc -dumpmachine)-g++"; do
    command -v "$name" >/dev/null || continue
    in_home "$name" c.o k1.o -lstdc++ -o app || fail "$k: $name: $(cat err)"
    ./app || fail "$k: what $name has linked ends with $?"
  done
  grep '^cxx=' "$T/home.$k/ckjit.conf" >"$T/$k.cxx"
  command -v clang >/dev/null || [ ! -e "$T/home.$k/bin/clang" ] || fail "$k: a clang that is not there"
  cd "$T"
done
[ "$kinds" = hip ] || [ "$kinds" = ' cuda' ] || cmp hip.cxx cuda.cxx || fail 'the homes have other compilers'
