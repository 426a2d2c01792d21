#!/bin/sh
# The work directory is made when it is needed. If nothing can be recorded there, the compiler gets a
# blob, with a warning that names the file and the setting; any other call goes on.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
rm -r h/wdir
blob x.cu
echo 'int f() { return 0; }' >host.cu
"$T/h/bin/hipcc" -c x.cu
test "$(kinds h)" = blob || fail "the work directory was not made"
CK_JIT_TMP_DIR=$T/other/deep "$T/h/bin/hipcc" -c x.cu
test -s other/deep/manifest.json.ndjson || fail "CK_JIT_TMP_DIR"
rm x.o
touch file
for work in "$T/file" "$T/file/below" /proc/none; do
  rm -f h/real.log
  CK_JIT_TMP_DIR=$work "$T/h/bin/hipcc" -MMD -c x.cu 2>err || fail "$work: status $?"
  grep -qx '<x.cu>' h/real.log || fail "$work: the compiler was not called: $(cat err)"
  grep -q "$work/manifest.json.ndjson.*CK_JIT_TMP_DIR" err || fail "$work: $(cat err)"
  test ! -e x.o || fail "$work: an object was left"
  test ! -e x.d || fail "$work: a depfile was left"
  CK_JIT_TMP_DIR=$work "$T/h/bin/hipcc" -c host.cu 2>err || fail "$work: a host source does not compile"
  test ! -s err || fail "$work: noise: $(cat err)"
done
