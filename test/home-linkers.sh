#!/bin/sh
# Homes for HIP and CUDA have the same host compilers, and any of them may link: gcc or cc links a C
# program whose kernels are recorded. There is no clang in a home if the machine has none.
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
