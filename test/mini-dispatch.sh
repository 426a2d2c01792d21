#!/bin/sh
# The dispatchers of mini-aiter, all variants, helper in the dispatcher or in the header, launcher: tables choose what the
# stock ones choose, for random arguments. And a table with a wrong row is noticed.
# tier: long
. "${0%/*}/common.sh"
need hipcc ninja python3
export PYTHONDONTWRITEBYTECODE=1
"$B/bin/ckjit-build" full --aiter-dir "$here/../examples/mini-aiter" --gpu-archs gfx90a --tmp-dir "$T/w" >"$T/log" 2>&1 ||
  fail "the build: $(tail -n 5 "$T/log")"
grep -q 'libmha_fwd.so: .* 2 dispatchers (1 helper erased, 2 tables of 70 rows)' "$T/log" || fail "fwd: $(cat "$T/log")"
grep -q 'libmha_bwd.so: .* 2 dispatchers (3 helpers erased, 2 tables of 43 rows)' "$T/log" || fail "bwd: $(cat "$T/log")"

seed
mkdir "$T/out"
# pair FAMILY STEM API [CALLS]: build the stock and the rewritten dispatcher STEM of libmha_API and compare them
pair() {
  src=$(find "$T/w/src_$3" -path '*/build/srcs/*' -name "$2.cu" | head -n 1)
  python3 "$here/dispatch/real.py" build "$1" "$T/out" --source "$src" --work "$T/w/libmha_$3" -- \
    hipcc --offload-host-only --offload-arch=gfx90a -DWITH_HIP -O2 -fPIC -fvisibility=hidden -std=c++20 -w \
    -DCK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=3 "-I${src%/libmha*}/ck/include" "-I${src%/srcs/*}/include" -x hip
  python3 "$here/dispatch/real.py" compare "$1" "$T/out" 100000 2>"$T/err" || { # the launcher says so for each call that matches nothing
    sort -u "$T/err"
    return 1
  }
}
pair fwd fmha_fwd_api fwd
pair splitkv fmha_fwd_splitkv_api fwd
pair bwd fmha_bwd_api bwd
pair launcher fmha_bwd_launcher_api bwd

# Two rows that changed places.
row=$T/w/libmha_fwd/units/fmha_fwd_api.cu
awk '/^static constexpr .* ckjit_t0 = / {print; getline a; getline b; print b; print a; next} 1' "$row" >"$T/swapped.cu"
cmp -s "$row" "$T/swapped.cu" && fail 'the rows of the table are written in another way'
src=$(find "$T/w/src_fwd" -path '*/build/srcs/*' -name fmha_fwd_api.cu | head -n 1)
hipcc --offload-host-only --offload-arch=gfx90a -DWITH_HIP -O2 -fPIC -fvisibility=hidden -std=c++20 -w -x hip \
  "-I${src%/libmha*}/ck/include" "-I${src%/srcs/*}/include" -c "$T/swapped.cu" -o "$T/w/libmha_fwd/objs/near-dispatcher-fmha_fwd_api.o"
if pair fwd fmha_fwd_api fwd >"$T/wrong" 2>&1; then
  fail 'two rows that changed places were not noticed'
fi
grep -q 'ckjit differs in [1-9]' "$T/wrong" || fail "$(cat "$T/wrong")"
