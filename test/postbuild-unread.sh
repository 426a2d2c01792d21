#!/bin/sh
# A link with a response file that gcc and clang read differently is made as stock makes it: what the stubs stand for is compiled into
# their places, in an archive, with two members of one name, and in an object of ld -r too, and the compiler runs the command as it was given. A second link finds no stub.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
need ld
for n in 1 2 3 4 5 6 7; do kernel $n; done
host 1 2 3 4 5 6 7
mkdir -p d
stubs() {
  objects k1 k2 k3 k4 k5 k6 k7 host
  rm -f libk.a liba.so
  mv k5.o d/k2.o # another member of one name
  ld -r k6.o k7.o -o joined.o
  ar rc libk.a k2.o joined.o
  ar q libk.a d/k2.o
  ld -r k3.o k4.o -o both.o
}
for words in '\357\273\277-shared k1.o both.o host.o libk.a -o liba.so' '-shared -DX=a\014b k1.o both.o host.o libk.a -o liba.so'; do
  stubs
  # shellcheck disable=SC2059 # escapes
  printf -- "$words" >words
  as_build hipcc @words || fail "$words: $(cat err)"
  says 'ckjit-link: warning: '
  says 'liba.so: it is built without ckjit, with no kernel lazy: a response file of this link has'
  CK_JIT_HIPCC=/bin/false right liba.so 1 2 3 4 5 6 7
  [ ! -e cache ] || [ -z "$(ls cache)" ] || fail "lazy: $(ls cache)"
  readelf -SW k1.o both.o libk.a | lacks 'a stub is left' ckjit.record -
  rm liba.so
  as_build hipcc @words || fail "again: $(cat err)"
  lacks 'nothing is left to do for ckjit' ckjit-link err
  CK_JIT_HIPCC=/bin/false right liba.so 1 2 3 4 5 6 7
done

# Code that ld -r put beside stubs stays.
stubs
ld -r k3.o k4.o host.o -o both.o
printf -- '\357\273\277-shared k1.o both.o libk.a -o liba.so' >words
as_build hipcc @words || fail "beside code: $(cat err)"
CK_JIT_HIPCC=/bin/false right liba.so 1 2 3 4 5 6 7
ld -r k4.o host.o -o one.o
objects k4 k3
printf -- '\357\273\277-shared k1.o k3.o one.o libk.a -o liba.so' >words
as_build hipcc @words || fail "one beside code: $(cat err)"
CK_JIT_HIPCC=/bin/false right liba.so 1 2 3 4 5 6 7

# what stock refuses is refused, in the compiler's words
stubs
printf '\357\273\277-shared k1.o none.o host.o -o liba.so' >words
as_build hipcc @words && fail 'an object that is not there'
says 'none.o'
