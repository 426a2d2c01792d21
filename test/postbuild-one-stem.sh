#!/bin/sh
# Sources with one base name in one link are lazy, each with a stem of its own: two blobs, dispatchers, and a source whose stem
# looks like a number's.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
mkdir a b c
kernel 1 && kernel 2 && kernel 3 && kernel 4 && mv k1.cpp a/k.cpp && mv k2.cpp b/k.cpp && mv k3.cpp c/k.cpp && mv k4.cpp k-2.cpp
host 1 2 3 4
objects a/k b/k c/k k-2 host
link liba.so c/k.o b/k.o k-2.o a/k.o host.o
says '4 blobs are lazy'
right liba.so 1 2 3 4
[ "$(cd cache && echo *.so)" = 'k-2.so k-3.so k-4.so k.so' ] || fail "cache: $(ls cache)"

# a path means its source, whatever its stem
manifest=$work/liba/ck_jit_manifest.json
source_of() {
  "$B/bin/ckjit-prebuild" list --json --manifest "$manifest" "$1" | sed -n 's/.*"stem": *"\([^"]*\)".*/\1/p'
}
is "by path" "k k-3 k-4 k-2" "$(source_of "$T/a/k.cpp") $(source_of "$T/b/k.cpp") $(source_of c/k.cpp) $(source_of k-2)"

# one is compiled ahead of its call by its stem
echo k-3 >list
"$B/bin/ckjit-build" relink --tmp-dir "$work" --aot-list list >out 2>&1 || fail "relink: $(cat out)"
lacks relink 'stays lazy' out
rm -r cache
right liba.so 1 2 3 4
[ "$(cd cache && echo *.so)" = 'k-2.so k-4.so k.so' ] || fail "cache after relink: $(ls cache)"
