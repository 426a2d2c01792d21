#!/bin/sh
# A blob is not compiled at the link to ask what it needs because a thread-local variable of a sibling has a name that ends in one of its
# own words. For a variable of exactly that name it is asked.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
for n in 1 2; do kernel $n && sed -i "s/return x.n \* $n/int depth = 0; return depth + x.n * $n/" k$n.cpp; done
host 1 2
objects k1 k2 host

# linked NAME: the number of compiles of the link, whose sibling has the thread-local variable NAME
linked() {
  echo "namespace at { thread_local int $1 = 1; }" >sibling.cpp
  objects sibling
  rm -rf home/work/lib*
  link "lib$1.so" k1.o k2.o host.o sibling.o
  says '2 blobs are lazy (4 functions in 1 unit), 0 compiled ahead of time'
  compiles=$(sed -n 's/.*; \([0-9]*\) compiles, .*/\1/p' err)
}

linked in_depth
[ "$compiles" ] || fail "no number of compiles in: $(cat err)"
asked=$((compiles + 2))
linked depth
[ "$compiles" = $asked ] || fail "depth: $compiles compiles, expected $asked"
right libdepth.so 1 2
