#!/bin/sh
# A blob is not compiled at the link to ask what it needs because a sibling's function, in their archive, has a name that ends in one of the headers': each
# of flash-attention's 72 blobs was, for at::check_generator (15check_generator) of flash_api.cpp and check (5check) of cutlass's headers. For a
# function of exactly that name they are asked, in a namespace whose name ends in a digit, too.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >>api.hpp <<'END'
template <class T> struct probed { static int check(T); };
template <class T> int probe(T x) { return static_cast<int>(sizeof(probed<T>::check(x))); }
END
for n in 1 2; do kernel $n && sed -i "s/return x.n \* $n/return probe(x.n) * 0 + x.n * $n/" k$n.cpp; done
host 1 2
objects k1 k2 host

# linked NAME NAMESPACE: the number of compiles of the link, whose sibling instantiates NAME<int> of NAMESPACE
linked() {
  printf 'namespace %s { template <class T> int %s(T x) { return x; }\ntemplate int %s<int>(int); }\n' "$2" "$1" "$1" >sibling.cpp
  objects sibling
  rm -rf home/work/lib*
  rm -f libk.a
  ar rc libk.a k1.o k2.o sibling.o
  link "lib$1$2.so" host.o libk.a
  says '2 blobs are lazy (4 functions in'
  compiles=$(sed -n 's/.*; \([0-9]*\) compiles, .*/\1/p' err)
}

linked check_generator at
[ "$compiles" ] || fail "no number of compiles in: $(cat err)"
asked=$((compiles + 1)) # two more, and the first link compiled the runtime
linked check at
[ "$compiles" = $asked ] || fail "check: $compiles compiles, expected $asked"
linked check at2
[ "$compiles" = $asked ] || fail "at2::check: $compiles compiles, expected $asked"
right libcheckat.so 1 2
