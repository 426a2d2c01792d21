#!/bin/sh
# Two trees with one cache have the same kernel. Who waits for a compile of the other tree is told if the compiler refuses the kernel, which it would do
# again. Of an edit of that tree, a compiler that was killed, a full disk or a time limit he is told nothing: he compiles from his own
# tree. Who waits for a compile of his own tree is told of anything but an edit that was
# over when he looked.
# tier: check
# seconds: 8
. "${0%/*}/common.sh"
. "$here/unit/changes_fixture.sh"
restore
cp -a base two && ln -s "$B/bin/ckjit-compile" two/ckjit-compile # restore leaves it alone

# meet TREE [VARIABLE=VALUE]: a process compiles, from the tree base and with VARIABLE, and one that waits for it would from TREE. What they print comes to
# the files first and other
meet() {
  rm -rf cache ran
  : >ran
  : >hold
  env "${2-_=}" ./main "$T/libnumber.so" >first 2>&1 &
  await 'nothing is compiled' test -s ran
  CK_JIT_ROOT=$T/$1 ./main "$T/libnumber.so" >other 2>&1 &
  await 'it does not wait' waiting 1 "$T/cache"
}
got() {
  grep -qF -e "$2" "$1" || fail "$row: $1 got no '$2', but: $(cat "$1")"
}
# told TEXT OTHER COMPILES: the first was told TEXT, and the other one got what stands there, in so many compiles
told() {
  rm -f hold
  wait
  got first "$1"
  got other "$2"
  [ "$(wc -l <ran)" = "$3" ] || fail "$row: $(wc -l <ran) compiles"
  restore
}

changed='changed while it was compiled'
row='an edit'
meet two
header base/common/leaf.hpp 1 LEAF
told "$changed" 100 2

row='an edit of the tree of both'
meet base
header base/common/leaf.hpp 1 LEAF
told "$changed" 'changed while another process compiled it' 1

row='an edit of the tree of both, before the other one looked at it'
rm -rf cache ran
: >ran
: >hold
./main "$T/libnumber.so" >first 2>&1 &
await 'nothing is compiled' test -s ran
header base/common/leaf.hpp 1 LEAF
cp -p base.kept/common/leaf.hpp base/common/leaf.hpp
./main "$T/libnumber.so" >other 2>&1 &
await 'it does not wait' waiting 1 "$T/cache"
told "$changed" 100 2

row='an edit that does not compile'
meet two
header base/common/leaf.hpp 1 LEAF
echo 'k1.cpp:1:1: error: half a header' >fail
told 'half a header' 100 2

row='a kernel that does not compile'
meet two
echo 'k1.cpp:1:1: error: refused' >fail
told 'error: refused' 'error: refused' 1

row='a full disk'
meet two
echo 'error: cannot write k1.o: No space left on device' >fail
told 'No space left on device' 100 2

row='a compiler that is killed'
meet two
kill -9 "$(cat ran)"
told 'killed by signal 9' 100 2

row='a time limit'
meet two CK_JIT_COMPILE_TIMEOUT=1
await 'it is not ended' grep -q 'CK_JIT_COMPILE_TIMEOUT' first
told 'was killed after 1 s' 100 2
