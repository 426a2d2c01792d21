#!/bin/bash
# Options of nvcc that cicc gets in words of its own: the front end and the back end get them at a launch in theirs, and a kernel's code is nvcc's. A unit
# with one that is not known is the real compiler's, also if the build needs no cicc: its launches would fail.
# tier: all
# seconds: 30
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
export PYTHONDONTWRITEBYTECODE=1 CUDART_CODE=$T/code
cat >a.cu <<'C'
__global__ void k(const float *a, const float *b, float *p, int n) {
  float s[40];
#pragma unroll
  for (int i = 0; i < 40; i++) s[i] = a[i * n + threadIdx.x] * b[i];
  for (int r = 0; r < n; r++) {
    p[r] = s[r & 3] / a[r];
#pragma unroll
    for (int i = 0; i < 40; i++) s[i] = s[i] * s[(i * 7 + 3) % 40] + a[r];
  }
#pragma unroll
  for (int i = 0; i < 40; i++) p[i * n + threadIdx.x] = s[i];
}
extern "C" int run() {
  k<<<1, 32>>>(nullptr, nullptr, nullptr, 3);
  return cudaGetLastError();
}
C
loading_main
kind() { tail -n 1 home/work/manifest.json.ndjson | sed 's/.*"kind":"\([a-z]*\)".*/\1/'; }
texts() { "$here/cuda/cubin_text.py" "$@" | tee -a all; }
for words in '' -w -maxrregcount=32 --restrict '--use_fast_math --maxrregcount 40' '--ptxas-options=-O1 -lineinfo'; do
  # shellcheck disable=SC2086 # words
  as_build nvcc $words -O2 -arch=sm_90 -Xcompiler -fPIC -c a.cu -o a.o || fail "$words: $(cat err)"
  is "$words: lazy" unit "$(kind)"
  as_build c++ -shared -o lib.so a.o -Lcudart -lcudart || fail "$words: link: $(cat err)"
  rm -rf cache code
  mkdir code
  is "$words: launch" 0 "$(run ./main 2>said)" || fail "$(cat said)"
  # shellcheck disable=SC2086 # words
  "$cuda/bin/nvcc" $words -O2 -arch=sm_90 -cubin a.cu -o stock.cubin 2>/dev/null
  is "$words: code" "$(texts stock.cubin)" "$(texts code/*.cubin)"
done
is 'the options make other code' 5 "$(sort -u all | grep -c .)"

as_build nvcc --extra-device-vectorization -O2 -arch=sm_90 -Xcompiler -fPIC -c a.cu -o a.o || fail "not known: $(cat err)"
tail -n 1 home/work/manifest.json.ndjson >last
lacks 'an option that is not known' '"kind":"unit"' last
has 'why' 'an unknown option of cicc' last
