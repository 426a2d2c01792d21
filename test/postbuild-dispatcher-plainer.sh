#!/bin/sh
# A dispatcher becomes a table from C++11 on, which is what hipcc compiles for if a build names no standard. One that does not compile
# rewritten is rewritten less far: with its helper erased and no table, if a word of the chain is a macro; not at all, if a macro has a
# name that the helper needs. It is compiled for the host alone all the same, without a warning, and chooses the same kernels.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
. "$here/unit/chooser_fixture.sh"
for n in 1 2 3 4; do kernel $n; done
chain 2 1 2 3 4 >chooser.cpp
chooser_host

# rewritten HELPERS TABLES ROWS FLAG...: how far it is, if it is compiled with these flags
rewritten() {
  [ "$1" = 1 ] && one_="1 helper" || one_="$1 helpers"
  says_="($one_ erased, $2 $([ "$2" = 1 ] && echo table || echo tables) of $3 rows)"
  shift 3
  as_build hipcc -x c++ -fPIC -fvisibility=hidden -I. "$@" -c chooser.cpp -o chooser.o || fail "chooser.cpp $*: $(cat err)"
  link liba.so k1.o k2.o chooser.o k3.o k4.o host.o
  says "4 blobs are lazy (8 functions in 1 unit), 0 compiled ahead of time, 1 dispatcher $says_"
  lacks "a warning, with $*" warning err
  right liba.so 1 2 3 4
}
objects k1 k2 k3 k4 host
rewritten 1 1 4 -std=c++17
rewritten 1 1 4 -std=c++11 -Wall -Wextra
rewritten 1 1 4 -std=c++14
rewritten 1 1 4
rewritten 1 0 0 -std=c++17 -Dtraits=traits
rewritten 0 0 0 -std=c++17 -Dc_str=c_str
