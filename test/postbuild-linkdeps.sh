#!/bin/sh
# The linker's dependency file (CMake asks for it) names the output and what the build has made, not what the link itself makes: a
# build that looks at it would else link again.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1 && host 1
objects k1 host
for form in '-Wl,--dependency-file=a.d' '-Wl,--as-needed,-dependency-file=a.d' '-Wl,--dependency-file,a.d' '-Xlinker --dependency-file=a.d' \
  '-Wl,--dependency-file -Wl,a.d'; do
  rm -f a.d
  # shellcheck disable=SC2086 # words
  link liba.so k1.o host.o -fuse-ld=bfd $form
  [ -s a.d ] || fail "$form: no dependency file"
  grep -q '^liba.so:' a.d || fail "$form: not for the output: $(head -n 2 a.d)"
  grep -q 'host.o' a.d || fail "$form: what the build has made is missing: $(cat a.d)"
  lacks "$form: what is ours" "$work" a.d -e ckjit-tmp
  grep -q '^  k1.o' a.d || fail "$form: an object with records is missing: $(cat a.d)"
  make -r -q -f a.d liba.so || fail "$form: make would link again"
done
right liba.so 1
