#!/bin/sh
# CUDA libraries with lazy units, a late unit, and units with -rdc=true, carry their texts, sources and the
# headers of other packages, and none of CUDA's. Where they are used, the only nvcc is pip's, in
# site-packages beside them: kernels are compiled with that, and have the build's own ids although
# the toolkit is at another place. So it is with conda's: of the active environment, and of the one
# that the library is in.
# tier: all
# seconds: 20
# serial
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
[ "$(id -u)" = 0 ] || skip "needs root, to hide the build's CUDA"
unshare -m true 2>/dev/null || skip "no mounts can be made here"
echo keep=bundle >>home/ckjit.conf
unset CK_JIT_ARCH
export CK_JIT_ARCH=sm_90
mkdir build other site-packages site-packages/k
cd build || exit
echo '#define SCALE 3' >../other/scale.h
ln -s "$(command -v g++)" ../other/g++ # a host compiler that only this machine has
cat >unit.cu <<'C'
#include <scale.h>
static int before = SCALE;
struct counted { counted() { before++; } } at_load; /* so the unit is not late */
__global__ void scaled(int *p) { p[0] *= SCALE; }
extern "C" int unit(int *p) { scaled<<<1, 1>>>(p); return cudaGetLastError(); }
C
cat >late.cu <<'C'
#include <scale.h>
#include <cuda_fp16.h>
__global__ void half_of(int *p) { p[0] = (int)__half2float(__float2half(SCALE)); }
extern "C" int late(int *p) { half_of<<<1, 1>>>(p); return cudaGetLastError(); }
C
printf 'extern "C" int unit(int *), late(int *);\nextern "C" int run() { static int p[1]; return 10 * unit(p) + late(p); }\n' >run.cpp
for u in unit late; do
  as_build nvcc -arch=sm_90 -O1 -I"$T/other" -Xcompiler -fPIC -c $u.cu -o $u.o || fail "$u: $(cat "$T/err")"
done
g++ -fPIC -c run.cpp
as_build nvcc -shared -arch=sm_90 -cudart=none unit.o late.o run.o -o lib.so -L"$T/cudart" -lcudart || fail "$(cat "$T/err")"
has "the units" '"kind":"unit","stem":"unit"' "$T/home/work/manifest.json.ndjson"
cp lib.so "$T/site-packages/k/lib.so"
# the same sources again are the same bytes, but for nvcc's process id in the names of local symbols
rm unit.o late.o lib.so
for u in unit late; do
  as_build nvcc -arch=sm_90 -O1 -I"$T/other" -Xcompiler -fPIC -c $u.cu -o $u.o || fail "$u: $(cat "$T/err")"
done
as_build nvcc -shared -arch=sm_90 -cudart=none unit.o late.o run.o -o lib.so -L"$T/cudart" -lcudart || fail "$(cat "$T/err")"
strip -o again lib.so && strip -o before "$T/site-packages/k/lib.so" || fail strip
cmp again before || fail "two builds are different bytes"
# a kernel whose device function is in another unit; libnvJitLink links them
printf '__device__ int twice(int);\n__global__ void far(int *p) { p[0] = twice(p[0]); }\nextern "C" int run() { far<<<1, 1>>>((int *)0); return cudaGetLastError(); }\n' >far.cu
printf '#include <scale.h>\n__device__ int twice(int x) { return x * SCALE; }\n__global__ void other(int *p) { p[0] = twice(p[0]); }\n' >twice.cu
for u in far twice; do
  as_build nvcc -ccbin "$T/other/g++" -rdc=true -arch=sm_90 -O1 -I"$T/other" -Xcompiler -fPIC -c $u.cu -o $u.o || fail "$u: $(cat "$T/err")"
done
as_build nvcc -shared -rdc=true -arch=sm_90 -cudart=none far.o twice.o -o rdc.so -L"$T/cudart" -lcudart || fail "$(cat "$T/err")"
has "units with -rdc=true" '2 ordinary units, lazy' "$T/err"
mkdir "$T/site-packages/rdc"
cp rdc.so "$T/site-packages/rdc/lib.so"
cd "$T" || exit
"$B/bin/ckjit" bundle --list site-packages/k/lib.so >list
for name in '+[0-9]/scale.h' '+1/[0-9a-f]*\.text' late.cu; do
  grep -q "^carried	$name\$" list || fail "not carried: $name: $(cat list)"
done
grep -q '^toolkit	.*/cuda_fp16.h$' list || fail "no header of CUDA: $(cat list)"
grep -q '^system	/usr/include/' list || fail "no header of the system: $(cat list)"
lacks "what is carried" '^carried	.*cuda' list
loading_main
cp main site-packages/k/
cp main site-packages/rdc/
rm -rf build other home

# pip's nvcc, and no other
real=$(realpath "$cuda")
mkdir -p site-packages/nvidia/cu13
cp -rl "$real"/bin "$real"/nvvm "$real"/include "$real"/lib* site-packages/nvidia/cu13/ 2>/dev/null ||
  cp -r "$real"/bin "$real"/nvvm "$real"/include site-packages/nvidia/cu13/
[ ! -d "$real/targets" ] || ln -s "$real/targets" site-packages/nvidia/cu13/targets.gone
hidden() {
  unshare -m sh -c 'real=$1; shift
    mount -t tmpfs none "$real" && cd "site-packages/${in:-k}" && exec "$@"' - "$real" "$@"
}
PATH=/usr/bin:/bin
CK_JIT_VERBOSE=1 hidden env CUDART_LOG="$T/log" LD_LIBRARY_PATH="$T/cudart" ./main >out 2>&1 || fail "$(cat out)"
hidden sh -c '! command -v nvcc' >out2 || fail "there is another nvcc: $(cat out2)"
is "both launched" 0 "$(tail -n 1 out)"
CK_JIT_VERBOSE=1 hidden env CUDART_LOG="$T/log" LD_LIBRARY_PATH="$T/cudart" ./main >out 2>&1 || fail "$(cat out)"
is "again" 0 "$(tail -n 1 out)"
lacks "another process" 'compiled in' out
# so does `ckjit build`, which makes what a call finds
rm -rf cache
hidden "$B/bin/ckjit" build --all --cache-dir "$T/cache" lib.so >out 2>&1 || fail "build: $(cat out)"
CK_JIT_ON_MISS=error hidden env CUDART_LOG="$T/log" LD_LIBRARY_PATH="$T/cudart" ./main >out 2>&1 || fail "after build: $(cat out)"
is "after build" 0 "$(tail -n 1 out)"

# an nvcc of another release
mv site-packages/nvidia/cu13/bin/nvcc site-packages/nvidia/cu13/bin/nvcc.real
cat >site-packages/nvidia/cu13/bin/nvcc <<'END'
#!/bin/sh
"$0.real" "$@" | sed 's/release 13\.[0-9]*, V13/release 12.4, V12/'
END
chmod +x site-packages/nvidia/cu13/bin/nvcc
mv cache cache.before
hidden env CUDART_LOG="$T/log" LD_LIBRARY_PATH="$T/cudart" ./main >out 2>&1 && fail "another release: $(cat out)"
has "another release" "is nvcc of release 12.4, and lib.so takes release 13" out
mv -f site-packages/nvidia/cu13/bin/nvcc.real site-packages/nvidia/cu13/bin/nvcc
rm -rf cache
mv cache.before cache

# conda's cuda-nvcc, of an environment that is active, and of the one that the library is in
toolkit=site-packages/nvidia/cu13
mkdir -p conda/targets/x86_64-linux conda/lib/python3.12
mv $toolkit/bin $toolkit/nvvm conda/
mv $toolkit/include $toolkit/lib conda/targets/x86_64-linux/
rm -rf site-packages/nvidia
from_conda() { # WHAT COMMAND…
  rm -rf cache
  what=$1
  shift
  for miss in compile error; do # the build's own ids are found without a compiler
    CK_JIT_ON_MISS=$miss hidden env CUDART_LOG="$T/log" LD_LIBRARY_PATH="$T/cudart" "$@" ./main >out 2>&1 || fail "$what: $(cat out)"
    is "$what" 0 "$(tail -n 1 out)"
  done
}
from_conda "of an active environment" env CONDA_PREFIX="$T/conda"
mv site-packages conda/lib/python3.12/
ln -s conda/lib/python3.12/site-packages site-packages
from_conda "of the library's environment" env

# a header of the toolkit that pip has not installed
find conda -name cuda_fp16.h -exec rm {} +
rm -f cache/late*
hidden env CUDART_LOG="$T/log" LD_LIBRARY_PATH="$T/cudart" ./main >out 2>&1 && fail "without cuda_fp16.h: $(cat out)"
has "which header" "cuda_fp16.h, which the library was built with" out
has "of which package" "pip: nvidia-cuda-runtime" out

# -rdc=true
CK_JIT_VERBOSE=1 in=rdc hidden env CUDART_LOG="$T/log" LD_LIBRARY_PATH="$T/cudart" ./main >out 2>&1 || fail "$(cat out)"
is "with -rdc=true: $(cat out)" 0 "$(tail -n 1 out)"
has "the kernel" 'launch _Z3farPi 1 1' log
