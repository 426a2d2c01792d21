#!/bin/sh
# TransformerEngine's list of kernels against CK's generator at receipt 600, fwd and bwd: `ckjit-prebuild list --blob-list` says of each line whether
# there is such a kernel. They are counted, and those that are missing are named, by the build they would be missing from. TE_LIST=FILE
# is the list, ci/ck_jit_prebuild.txt of its repository, CKJIT_CORPUS_CK the checkout of CK that it is for; without the list one is
# made of the generator's own names, every seventeenth, with comments, and three that are not there.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
need python3
ck=${CKJIT_CORPUS_CK-}
if [ -z "$ck" ]; then
  "$here/toolchain/ck-source" "$B/toolchain/ck" || skip "CK's source cannot be fetched here, see $B/toolchain/ck/log"
  ck=$B/toolchain/ck/composable_kernel
fi
cd "$T"
for api in fwd bwd; do
  python3 "$ck/example/ck_tile/01_fmha/generate.py" -d $api --receipt 600 --list_blobs "$T/$api" >log 2>&1 || fail "CK's generator: $(tail -n 1 log)"
done
# the names that have a kernel: all but the dispatchers
cat fwd bwd | sed 's|.*/||; s|\.cpp$||' | grep -vE '_api$' | sort -u >names
[ "$(wc -l <names)" -gt 1000 ] || fail "CK's generator names $(wc -l <names) kernels"
python3 - names >ck_jit_manifest.json <<'P'
import json, sys
names = open(sys.argv[1]).read().split()
json.dump({"ckjit": 1, "libraries": ["lib.so"], "root": "", "compiler": "/usr/bin/hipcc",
           "groups": [{"flags": [], "link": [], "archs": ["gfx942", "gfx950"]}],
           "blobs": {n: {"source": "{root}/%s.cpp" % n, "group": 0, "functions": ["f"], "key": "%032x" % (i + 1)} for i, n in enumerate(names)}}, sys.stdout)
P
list=${TE_LIST-}
if [ -z "$list" ]; then
  list=$T/made.txt
  {
    echo '# what the tests call'
    awk 'NR % 17 == 1' names
    printf '\n%s\n' fmha_fwd_of_another_ck fmha_bwd_of_another_ck fmha_bwd_of_another_ck_gfx950
  } >"$list"
fi
[ -s "$list" ] || fail "TE_LIST=$list: there is no such list"
sed 's/[[:space:]]*$//; /^#/d; /^$/d' "$list" | sort -u >wanted
CK_JIT_CACHE_DIR=$T/none "$B/bin/ckjit-prebuild" list --manifest ck_jit_manifest.json --arch gfx942 --blob-list "$list" >said 2>err || [ -s said ] || fail "list: $(cat err)"
awk -F '\t' '$2 == "known" { print $1 }' said | sort -u >matched
awk -F '\t' '$2 == "unknown" { print $1 }' said | sort -u >missing
sort -u matched missing | cmp -s - wanted || fail "not each line has an answer: $(sort -u matched missing | diff - wanted | head)"
# by hand: what it says is so
comm -12 wanted names | cmp -s - matched || fail "it says known of what CK has not: $(comm -12 wanted names | diff - matched | head)"
for api in fwd bwd; do
  echo "$api: $(grep -c "^fmha_$api" wanted || :) in the list, $(grep -c "^fmha_$api" matched || :) matched"
done
echo "$(wc -l <wanted) kernels in the list, $(wc -l <names) of CK: $(wc -l <matched) matched, $(wc -l <missing) missing"
sed 's/^/missing: /' missing
[ -n "${TE_LIST-}" ] || is "missing" "fmha_bwd_of_another_ck fmha_bwd_of_another_ck_gfx950 fmha_fwd_of_another_ck " "$(tr '\n' ' ' <missing)"
# nothing is built of a list with a name that is not there
if [ -s missing ]; then
  status=0
  CK_JIT_CACHE_DIR=$T/none "$B/bin/ckjit-prebuild" build --manifest ck_jit_manifest.json --arch gfx942 --blob-list "$list" >said 2>err || status=$?
  is "build: status" 1 "$status"
  has "build names it" "$(head -n 1 missing)" err
  [ ! -e "$T/none" ] || fail "something was built"
fi
