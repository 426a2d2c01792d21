#!/bin/bash
# Units with different tags define one kernel of C linkage, as cuVS's scans do: a program requests it by its name and a tag, and gets that unit's kernel. Without
# a tag, or by a launch, nobody could say which is meant: an error, whose message has the tags.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
[ -e "$cuda/lib64/libnvJitLink.so" ] || skip "$cuda has no libnvJitLink.so"
cat >search.h <<'C'
namespace search {
struct tag_f {};
struct tag_d {};
template <class Tag, int Capacity, bool Ascending> struct fragment_tag_scan {};
struct euclidean {};
template <class T> __device__ T distance_of(T a, T b);
}
C
# scan TYPE NAME PARAMETERS
scan() {
  printf '%s\n' '#include "search.h"' "using ckjit_fragment = search::fragment_tag_scan<search::tag_$2, ${#3}, true>;" 'namespace search {' \
    "extern \"C\" __global__ void scan($1 *p, $3) { p[0] = distance_of<$1>(p[0], p[1]); }" '}' >"$2_${#3}.cu"
}
scan float f 'int n'
scan float f 'int  n' # the same parameters
scan double d 'int n, double *q'
echo 'extern "C" int run(float *p) { search::scan<<<1, 1>>>(p, 1); return cudaGetLastError(); }' >>f_6.cu
printf '%s\n' '#include "search.h"' 'using ckjit_fragment = search::euclidean;' 'namespace search {' \
  'template <> __device__ float distance_of<float>(float a, float b) { return a - b; }' 'template <> __device__ double distance_of<double>(double a, double b) { return a - b; }' '}' >euclidean.cu
flags='-std=c++17 -O2 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
for u in f_5 f_6 d_16 euclidean; do
  # shellcheck disable=SC2086 # words
  as_build nvcc -rdc=true $flags -c $u.cu -o $u.o || fail "$u: $(cat err)"
done
loading_main
as_build nvcc -shared -rdc=true -gencode arch=compute_90,code=sm_90 -o lib.so f_5.o f_6.o d_16.o euclidean.o -cudart=shared -Lcudart || fail "link: $(cat err)"
has 'lazy' '4 ordinary units, lazy' err

cat >ask.c <<'C'
#include "ckjit.h"
#include <stdio.h>
int main(int n, char **v) {
  ckjit_library *l;
  ckjit_combination *c;
  char *error = NULL;
  void *p = NULL, *args[] = {&p, &p, &p};
  struct ckjit_launch how = {.size = sizeof how, .grid = {1, 1, 1}, .block = {n, 1, 1}};
  if (ckjit_open("./lib.so", 0, &l, &error) || ckjit_combine(l, "scan", (const char *const *)v + 1, n - 1, NULL, &c, &error) ||
      ckjit_combination_launch(c, &how, args, &error))
    return printf("%s\n", error), 1;
  return printf("launched %s\n", ckjit_combination_symbol(c)), 0;
}
C
# shellcheck disable=SC2086 # words
gcc ${LIB_CFLAGS-} -I"$B/include" ask.c -o ask "$B/lib/libckjit.so" -Wl,-rpath,"$B/lib" -Lcudart -lcudart
# asked WHAT SIZE TAG…: the kernel with these tags has parameters of SIZE bytes after the 0x210 that sm_90 has before them
asked() {
  what=$1 size=$2
  shift 2
  rm -rf code && mkdir code
  CUDART_CODE=$T/code run ./ask "$@" >out 2>said || fail "$what: $(cat out said)"
  is "$what" "launched scan" "$(cat out)"
  is "$what: parameters" "$size" "$(readelf -SW code/scan.cubin 2>/dev/null | sed -n 's/.*\.nv\.constant0\.scan *PROGBITS *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/\1/p')"
}
refused() {
  what=$1
  shift
  run ./ask "$@" >out 2>said && fail "$what: $(cat out)"
  cat out
}
export CK_JIT_WARM=1
asked float 00021c 'search::fragment_tag_scan<search::tag_f, 5, true>' euclidean
asked double 000228 'fragment_tag_scan<search::tag_d, 16, true>' euclidean

# what was asked for is recorded, with its tags; `warm` compiles it again
rm cache/*.so
rm -rf cache/.fragments
CK_JIT_ON_MISS=error refused 'nothing is compiled' 'fragment_tag_scan<search::tag_d, 16, true>' euclidean >why
has 'how it is built' 'to build it: run the program once without CK_JIT_ON_MISS=error' why
"$B/bin/ckjit" warm --manifest home/work/lib/ck_jit_manifest.json --wait >out 2>&1 || fail "warm: $(cat out)"
has 'warm' '2 compiled, 0 in the cache already, 0 failed' out
export CK_JIT_ON_MISS=error
asked 'float, warmed' 00021c 'search::fragment_tag_scan<search::tag_f, 5, true>' euclidean
asked 'double, warmed' 000228 'fragment_tag_scan<search::tag_d, 16, true>' euclidean
unset CK_JIT_ON_MISS
export CK_JIT_WARM=0
refused 'no tag' euclidean >why
has 'no tag' 'several units define the kernel scan; request it with one of their tags: search::fragment_tag_scan<search::tag_' why
refused 'two tags' 'search::fragment_tag_scan<search::tag_f, 5, true>' 'search::fragment_tag_scan<search::tag_f, 6, true>' euclidean >why
has 'two tags' 'both define scan' why
run ./main >out 2>said || fail "main: $(cat out said)"
is 'a launch' 98 "$(cat out)"
has 'a launch' 'several units define the kernel scan' said
CK_JIT_PER_KERNEL=0 run ./main >out 2>said || fail "main: $(cat out said)"
is 'a launch of whole units' 98 "$(cat out)"
