#!/bin/sh
# relink and --aot-list with what they cannot use: each said with its place, status 1 (2 for the command line), and the library is as it was.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1 && kernel 2 && host 1 2
objects k1 k2 host
link liba.so k1.o k2.o host.o
sum=$(sha256sum liba.so)
# refuses STATUS TEXT ARGUMENT...
refuses() {
  status_=0 wanted_=$1 text_=$2
  shift 2
  "$B/bin/ckjit-build" relink "$@" >out 2>&1 </dev/null || status_=$?
  [ $status_ = "$wanted_" ] || fail "relink $*: status $status_: $(cat out)"
  grep -qF -e "$text_" out || fail "relink $*: no '$text_' in: $(cat out)"
  [ "$sum" = "$(sha256sum liba.so)" ] || fail "relink $*: the library was changed"
}
printf 'k1\nk3\nk2\nno_such_kernel\n' >list
refuses 1 "--aot-list list:2: unknown kernel 'k3': no library in this work directory has it" --tmp-dir "$work" --aot-list list
grep -qF "list:4: unknown kernel 'no_such_kernel'" out || fail "only the first is named: $(cat out)"
grep -qF '2 of the 4 kernels of the list are unknown: nothing was linked' out || fail "$(cat out)"
printf '# ckjit-capture 7: calls, smells\n1\tsour\tk1\n' >seven
refuses 1 "--aot-list seven: a capture of another version of ckjit: expected '# ckjit-capture 1', found '# ckjit-capture 7: calls, smells'" \
  --tmp-dir "$work" --aot-list seven
refuses 1 '--aot-list nothing: cannot read it: No such file' --tmp-dir "$work" --aot-list nothing
refuses 1 '--aot-list .: cannot read it: Is a directory' --tmp-dir "$work" --aot-list .
refuses 2 '--tmp-dir DIR is missing' --aot-list list
refuses 2 "--jobs: expected a number from 1 to 65535, found 'x'" --tmp-dir "$work" --jobs x
refuses 2 "unexpected argument 'k1'" --tmp-dir "$work" k1
refuses 1 'no library was built here' --tmp-dir "$T"
echo k1 >list
# a kernel that does not compile, which its record does not tell
sed -i 's/return/retrun/' k1.cpp
objects k1
refuses 1 "k1.cpp: the compiler ended with status" --tmp-dir "$work" --aot-list list
sed -i 's/retrun/return/' k1.cpp
objects k1
mv k2.o elsewhere.o
refuses 1 'k2.o' --tmp-dir "$work" --aot-list list
mv elsewhere.o k2.o
sed -i '/"cwd"/d' "$work/liba/ck_jit_quick_rebuild.json"
refuses 1 'does not say how' --tmp-dir "$work" --aot-list list
