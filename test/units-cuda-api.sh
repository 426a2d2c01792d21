#!/bin/bash
# libckjit.so and a library of lazy units of CUDA: it lists the units, compiles, exports and prewarms each with all its kernels, by the unit's name or
# that of one of its kernels; a launch then finds them, without a compiler. The mangled name of a kernel is none of a function. One that is
# gone, and a miss that may not be compiled, are errors.
# tier: all
# seconds: 30
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
for n in a b; do
  cat >$n.cu <<C
template <int N> __global__ void times_$n(int *p) { p[threadIdx.x] *= N; }
__global__ void first_$n(int *p) { *p = 0; }
extern "C" int $n(int which) {
  if (which) times_$n<3><<<1, 1>>>(nullptr); else first_$n<<<1, 1>>>(nullptr);
  return cudaGetLastError();
}
C
  as_build nvcc -O2 -Xcompiler -fPIC -arch=sm_90 -c $n.cu -o $n.o || fail "$n: $(cat err)"
done
as_build c++ -shared -o libunits.so a.o b.o -Lcudart -lcudart || fail "link: $(cat err)"
has 'the summary' '2 ordinary units, lazy' err
cat >main.cpp <<'C'
#include <cstdio>
#include <cstdlib>
extern "C" int a(int), b(int);
int main(int, char **v) {
  while (*++v) printf("%s %d ", *v, **v == 'a' ? a(atoi(*v + 1)) : b(atoi(*v + 1)));
}
C
g++ main.cpp -o main -L. -lunits -Lcudart -lcudart -Wl,-rpath,"$T"
gcc -std=gnu11 -O1 -g -I"$here/.." "$here/unit/runtime_api.c" -L"$B/lib" -lckjit -ldl -pthread -Wl,-rpath,"$B/lib" -o apiprogram
export CK_JIT_MANIFEST=$T/home/work/libunits/ck_jit_manifest.json
"$B/bin/ckjit-prebuild" list --kernels >kernels
tab=$(printf '\t')
kernel=$(sed -n "s/${tab}first_a(int\*)//p" kernels) other=$(sed -n "s/${tab}void times_b<3>(int\*)//p" kernels)
unit=${kernel%.*} second=${other%.*}
unset CK_JIT_MANIFEST
# told COMMAND…: what ./apiprogram prints of libunits.so, in one line
told() {
  CUDART_LOG=$T/log LD_LIBRARY_PATH=$T/cudart ./apiprogram "open:$T/libunits.so" "$@" 2>&1 | tr '\n' ' ' | sed 's/ $//'
}
# launched KERNEL…: what is launched without a compiler
launched() {
  CK_JIT_ON_MISS=error CK_JIT_NVCC=/nonexistent run ./main "$@" 2>err
}

is list "$unit absent 0 $second absent 0" "$(told list)"
is 'its text, architecture and build id' "home/work/.units/$(cd home/work/.units && ls "${unit#a-}"*.text) sm_90 ${unit#a-}" \
  "$(told "info:$unit" | sed 's,^[^ ]*/\(home/work/.units\),\1,; s/\( [0-9a-f]\{12\}\)[0-9a-f]\{36\}$/\1/')"
is 'by its name' "$unit -1" "$(told "find:$unit")"
is 'a kernel means its unit' "$unit -1" "$(told "find:$kernel")"
told find:_Z7first_aPi >none
case $(cat none) in "CKJIT_E_NOT_FOUND: $T/libunits.so: there is no kernel '_Z7first_aPi'"*) ;; *) fail "a mangled name: $(cat none)" ;; esac
CK_JIT_ON_MISS=error told "compile:$unit" >none
case $(cat none) in CKJIT_E_MISS:*) ;; *) fail "a miss: $(cat none)" ;; esac

# compiled by the API, found by a launch
is compile 'absent stored cached' "$(told "state:$unit" "compile:$unit:store" "state:$unit")"
is 'each kernel of the unit' 'a0 0 a1 0 b0 98 ' "$(launched a0 a1 b0)"
is 'a handle' 'handle 0' "$(told "compile:$unit")"

# a list of CK_JIT_CAPTURE, which names kernels
CK_JIT_CAPTURE=$T/used run ./main b1 >got 2>err || fail "capture: $(cat err)"
has capture "$other" used
rm -r cache
told prewarm:"$T/used" >prewarmed
is "prewarmed ($(cat prewarmed))" 'b1 0 b0 0 a0 98 ' "$(launched b1 b0 a0)"

# exported: the bytes are those of the kernels, which need no ckjit
told "export:$unit:code-object:unit.cubin" >exported
is export "$(stat -c %s unit.cubin) bytes" "$(cat exported)"
readelf -sW unit.cubin >symbols
has 'both kernels' '_Z7first_aPi' symbols
has 'both kernels' '_Z7times_aILi3EEvPi' symbols

# without the text, which lies beside the kept sources as well
text=$(told "info:$unit" | cut -d ' ' -f 1)
mv "$text" gone
rm -rf cache
told "compile:$unit" >none
case $(cat none) in CKJIT_E_FAILED:*"$unit"*) ;; *) fail "no text: $(cat none)" ;; esac
mv gone "$text"
is 'with it again' 'handle 0' "$(told "compile:$unit")"
