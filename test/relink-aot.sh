#!/bin/sh
# relink --aot-list: the kernels of the list are linked, compiled, in place of their stubs; beside them the runtime's tables, which
# name those that are linked, are compiled, no other kernel and not the runtime. Lists are plain names in any form, a capture, or lines of one. `quick` keeps what is linked.
# tier: all
# seconds: 30
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1 && kernel 2 && kernel 3 && host 1 2 3
objects k1 k2 k3 host
ar rcs libk3.a k3.o
echo k1.o k2.o host.o >objects.rsp
link liba.so @objects.rsp -Wl,--whole-archive libk3.a -Wl,--no-whole-archive
rm objects.rsp # as ninja does
relink() {
  "$B/bin/ckjit-build" relink --tmp-dir "$work" "$@" >out 2>&1 || fail "relink $*: $(cat out)"
}
# linked N...: these need neither compiler nor cache, the others do
linked() {
  rm -rf cache
  for n in 1 2 3; do
    CK_JIT_HIPCC=/bin/false calls liba.so $n >got
    case " $* " in
    *" $n "*) grep -q "^$((100 * n + 1)) kernel $n" got || fail "kernel $n is not linked: $(cat got)" ;;
    *) grep -q '^-2 ' got || fail "kernel $n is linked" ;;
    esac
  done
  [ -z "$(ls cache)" ] || fail "in the cache: $(ls cache)"
  right liba.so 1 2 3
}
linked
printf '# what we use\n\n  k1  \n' >list
# in the shell of the build as well
(
  # shellcheck disable=SC1091 # of the fake home
  . "$T/exports"
  relink --aot-list list
)
grep -q '; 1 compile, 2 kept' out || fail "$(cat out)"
grep -q '2 blobs are lazy (6 functions in 1 unit), 1 compiled ahead of time' out || fail "$(cat out)"
linked 1
echo "$T/k3.cpp" | relink --aot-list list --aot-list -
grep -q '; 1 compile, 3 kept' out || fail "$(cat out)"
linked 1 3
# the three columns and the name of a capture, its first line cut off; names twice
printf '# ckjit-capture 1: calls, processes, seconds of the compile, kernel\n2\t1\t0.500\tk2\n10\t3\t-\tk1\n' >capture
sort -rn capture | head -n 1 >top
relink --aot-list top --aot-list list
linked 1
relink --aot-list capture
linked 1 2
"$B/bin/ckjit-build" quick --tmp-dir "$work" >out 2>&1 || fail "quick: $(cat out)"
linked 1 2
"$B/bin/ckjit-prebuild" list --json --manifest "$work/liba/ck_jit_manifest.json" >list.json
grep -q '^{"stem":"k2",.*"state":"linked","size":null' list.json || fail "list does not say what is linked: $(cat list.json)"
grep -q '^{"stem":"k3",.*"state":"cached"' list.json || fail "list: $(cat list.json)"
# Another link of the build itself knows no list.
sed -i 's/\* 1 + /* 7 + /' k1.cpp && objects k1
relink --aot-list capture
[ "$(CK_JIT_HIPCC=/bin/false calls liba.so 1 | cut -d' ' -f1)" = 701 ] || fail 'the old kernel is linked'
sed -i 's/\* 7 + /* 1 + /' k1.cpp && objects k1
relink
linked
: >empty
relink --aot-list empty
linked
