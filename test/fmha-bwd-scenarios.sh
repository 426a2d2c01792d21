#!/bin/sh
# examples/fmha-bwd in each kind of workspace: right against the double precision reference, with ckjit to the same bits as
# without; 108 blobs are recorded, and none is compiled before it is needed. A wrong kernel is noticed.
# tier: long
# seconds: 69
. "${0%/*}/common.sh"
. "$here/unit/fmha_bwd_fixture.sh"
lazy
[ "$(grep -c '"kind":"blob"' "$lazy/work/manifest.json.ndjson")" = 108 ] || fail 'not 108 blobs were recorded'
[ "$(grep -c '"kind":"dispatcher"' "$lazy/work/manifest.json.ndjson")" = 1 ] || fail 'not one dispatcher was recorded'
grep -q 'libfmha_bwd.so: 108 blobs are lazy .* 0 compiled ahead of time, 1 dispatcher (3 helpers erased, 3 tables of 80 rows)' \
  "$lazy/work/libfmha_bwd/summary.txt" || fail "$(cat "$lazy/work/libfmha_bwd/summary.txt")"

warm
ends 0 "$bwd" scenarios
mv "$T/out" "$T/lazy"
[ "$(grep -c ' right$' "$T/lazy")" = 6 ] || fail "$(cat "$T/lazy")"

# Without ckjit, only the kernels that these need; the program is the same.
build "$T/stock" "$T/stock/libfmha_bwd.so" TARGETS=gfx9 DTYPES=fp32 HDIMS=32 \
  FILTER='*group*maxq16_nmask*,*batch*maxq0_nmask*,*group*maxq0_nmask*,*group*maxq0_mask_det*' >"$T/log" 2>&1 ||
  fail "$(tail -n 20 "$T/log")"
cp "$bwd" "$T/stock/"
ends 0 "$T/stock/fmha-bwd" scenarios
cmp -s "$T/out" "$T/lazy" || fail "$(diff "$T/out" "$T/lazy")"

# More of each: GQA, padding, empty and single sequences, windows, other head dimensions, bf16; queries that see nothing.
for words in '-b=1 -s=1 -s_k=1' '-h=4 -h_k=2 -s=33 -s_k=65 -d=24 -d_v=17' '-h=6 -h_k=1 -mask=t -deterministic=1' \
  '-mode=group -b=4 -s=40,0,17,33 -s_k=70,5,0,16 -deterministic=1' '-mode=group -b=4 -s=40,0,17,33 -s_k=70,5,0,16' \
  '-mode=group -b=3 -h=2 -h_k=1 -s=40,7,33 -s_k=70,16,1 -s_qpad=45,20,33 -s_kpad=100,16,40 -deterministic=1' \
  '-mode=group -b=3 -s=40,7,33 -s_k=70,16,1 -s_qpad=45,20,33 -s_kpad=100,16,40 -mask=b -deterministic=1' \
  '-mode=group -b=3 -s=16,5,9 -s_k=40,0,7 -s_qpad=16,16,10 -s_kpad=50,3,7 -mask=b' \
  '-s=50 -s_k=20 -mask=b' '-s=20 -s_k=50 -mask=t:3,2 -deterministic=1' '-s=0 -s_k=9' '-s=40 -s_k=0 -deterministic=1' \
  '-prec=bf16 -d=64 -s=70 -s_k=130 -mask=b -deterministic=1'; do
  # shellcheck disable=SC2086 # words
  ends 0 "$bwd" $words
  says right
done
FMHA_BWD_NUM_CUS=3 ends 0 "$bwd" -deterministic=1 -h=3 -s_k=70 # as many splits as workers for a head
says right

# One sign in the kernel's header, and the check fails.
cp -r "$example" "$T/wrong"
sed -i 's/p \* (dp - d)/p * (dp + d)/' "$T/wrong/include/ck_tile/fmha_bwd_kernel.hpp"
cmp -s "$example/include/ck_tile/fmha_bwd_kernel.hpp" "$T/wrong/include/ck_tile/fmha_bwd_kernel.hpp" && fail 'no such sign'
example=$T/wrong
lazily "$T/w" "$T/w/build/libfmha_bwd.so" TARGETS=gfx9 DTYPES=fp32 HDIMS=32 FILTER='*batch*maxq0_nmask_ndet*' >"$T/log" 2>&1 || fail "$(cat "$T/log")"
cp "$bwd" "$T/w/build/"
CK_JIT_CACHE_DIR=$T/cache ends 1 "$T/w/build/fmha-bwd"
says WRONG
