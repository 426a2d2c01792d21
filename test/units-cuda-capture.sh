#!/bin/sh
# What test/units-capture.sh and test/units-prebuild.sh say of HIP, for CUDA: CK_JIT_CAPTURE names the kernels of lazy units that were launched; such a
# list builds these and no others; packed, they are found without a compiler; as --aot-list it brings their unit into the library, which then needs neither
# cache nor text. A launch is in CK_JIT_TRACE with its kernel, and `ckjit-prebuild status` goes through such a library.
# tier: all
# seconds: 8
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
cat >a.cu <<'C'
template <int N> __global__ void times(int *p) { p[threadIdx.x] *= N; }
__global__ void reset(int *p) { *p = 0; }
extern "C" int run() {
  times<3><<<1, 1>>>(nullptr);
  return cudaGetLastError();
}
extern "C" int other() {
  reset<<<1, 1>>>(nullptr);
  return cudaGetLastError();
}
C
as_build nvcc -O2 -Xcompiler -fPIC -arch=sm_90 -cudart shared -c a.cu -o a.o || fail "a: $(cat err)"
as_build nvcc -shared -arch=sm_90 -cudart none -o lib.so a.o -Lcudart -lcudart || fail "link: $(cat err)"
loading_main
sed 's/"run"/"other"/' main.cpp >other.cpp
g++ other.cpp -o other -ldl -Lcudart -lcudart
export CK_JIT_MANIFEST="$T/home/work/lib/ck_jit_manifest.json" CK_JIT_WARM=0

CK_JIT_CAPTURE=list CK_JIT_TRACE=$T/trace run ./main >got 2>err || fail "capture: $(cat err)"
is 'it runs' 0 "$(cat got)"
grep -q '^1	1	[0-9]*\.[0-9]*	a-[0-9a-f]\{12\}\.[0-9a-f]\{16\}	void times<3>(int\*)$' list || fail "capture: $(cat list)"
cp trace traced
has 'the trace' '_Z5timesILi3EEvPi' traced
"$B/bin/ckjit-prebuild" status >out 2>&1 || fail "status: $(cat out)"

rm -r cache
"$B/bin/ckjit-prebuild" build --blob-list list >out 2>&1 || fail "build: $(cat out)"
has 'build' '1 compiled, 0 in the cache already, 0 failed' out
CK_JIT_ON_MISS=error CK_JIT_NVCC=/nonexistent run ./main >got 2>err || fail "after build: $(cat err)"
is 'after build' 0 "$(cat got)"
CK_JIT_ON_MISS=error CK_JIT_NVCC=/nonexistent run ./other >got 2>err || :
[ "$(cat got)" != 0 ] || fail 'the other kernel is there'
"$B/bin/ckjit-prebuild" pack --blob-list list -o a.pack >out 2>&1 || fail "pack: $(cat out)"
mkdir -m 700 image
"$B/bin/ckjit-prebuild" unpack --cache-dir "$T/image" a.pack >out 2>&1 || fail "unpack: $(cat out)"
CK_JIT_CACHE_DIR=$T/image CK_JIT_ON_MISS=error CK_JIT_NVCC=/nonexistent run ./main >got 2>err || fail "unpacked: $(cat err)"
is 'unpacked' 0 "$(cat got)"

"$B/bin/ckjit-build" relink --tmp-dir home/work --aot-list list >out 2>&1 || fail "relink: $(cat out)"
has 'relink' 'ahead of time: 1 ordinary unit of the list' out
rm -r cache
mv home/work/.units gone
for program in main other; do
  CK_JIT_ON_MISS=error CK_JIT_NVCC=/nonexistent run ./$program >got 2>err || fail "ahead: $(cat err)"
  is "ahead of time: $program" 0 "$(cat got)"
done
