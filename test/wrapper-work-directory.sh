#!/bin/sh
# The work directory is made when it is needed. Where nothing can be recorded a blob is an error that names the file and the
# setting, with nothing left behind; a call that the compiler makes goes on.
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
  status=0
  CK_JIT_TMP_DIR=$work "$T/h/bin/hipcc" -MMD -c x.cu 2>err || status=$?
  test $status = 1 || fail "$work: status $status"
  grep -q "$work/manifest.json.ndjson.*CK_JIT_TMP_DIR" err || fail "$work: $(cat err)"
  test ! -e x.o || fail "$work: an object was left"
  test ! -e x.d || fail "$work: a depfile was left"
  CK_JIT_TMP_DIR=$work "$T/h/bin/hipcc" -c host.cu 2>err || fail "$work: a host source does not compile"
  test ! -s err || fail "$work: noise: $(cat err)"
done
