#!/bin/bash
# A kernel of CUDA with -rdc=true whose linker misses something that its bitcode did not name: the link is made again with all that its units name, once, and the launch
# works. If the linker still misses it, or there was nothing more to add, the launch fails in the linker's words.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
. "$here/unit/bare_toolkit_fixture.sh"
bare_toolkit "$T/toolkit"
[ -n "$nvvm" ] || skip "$cuda has no libnvvm.so, which nvlink links LTO-IR by"
# an nvlink that misses something unless it has $T/wanted parts
rm "$T/toolkit/bin/nvlink"
cat >"$T/toolkit/bin/nvlink" <<END
#!/bin/sh
n=0
for word; do case \$word in *.ltoir) n=\$((n + 1)) ;; esac; done
[ \$n = 0 ] || echo \$n >>'$T/links'
[ \$n = 0 ] || [ \$n -ge "\$(cat '$T/wanted')" ] || { echo "nvlink error: Undefined reference to 'hidden'" >&2; exit 255; }
exec '$cuda/bin/nvlink' "\$@"
END
chmod +x "$T/toolkit/bin/nvlink"
home_of "$T/toolkit"
cat >k.cu <<'C'
__device__ int near(int);
__device__ int far(int);
__global__ void some(int *p) { p[0] = near(p[1]); }
__global__ void all(int *p) { p[0] = near(p[1]) + far(p[2]); }
void launch(int n) {
  int *p = nullptr;
  void (*const kernels[])(int *) = {some, all};
  kernels[n]<<<1, 1>>>(p);
}
C
# not in k.cu: cudaGetLastError is the device runtime's as well, with which a link that fails is tried again
cat >run.cpp <<'C'
#include <cstdlib>
#include <cuda_runtime_api.h>
void launch(int n);
extern "C" int run() { return launch(atoi(getenv("KERNEL"))), cudaGetLastError(); }
C
echo '__device__ int near(int x) { return x + 1; }' >near.cu
echo '__device__ int behind(int); __device__ int far(int x) { return behind(x); }' >far.cu
echo '__device__ int behind(int x) { return x + 2; }' >behind.cu
loading_main
flags='-Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
for u in k near far behind; do
  # shellcheck disable=SC2086 # words
  as_build nvcc -rdc=true $flags -c $u.cu -o $u.o || fail "$u: $(cat err)"
done
as_build g++ -fPIC "-I$cuda/include" -c run.cpp -o run.o || fail "run: $(cat err)"
# shellcheck disable=SC2086 # words
as_build nvcc -shared $flags k.o near.o far.o behind.o run.o -o lib.so -cudart=shared -Lcudart || fail "link: $(cat err)"
has 'the summary' '4 ordinary units, lazy' err

# Launch kernel N with a linker that wants WANTED parts: RESULT, and so many parts in each of its links
launch() {
  echo "$2" >wanted
  : >links
  KERNEL=$1 run ./main >out 2>said || fail "kernel $1 by $2: $(cat out said)"
  is "kernel $1 by $2" "$3" "$(cat out)"
  is "links of kernel $1 by $2" "$4" "$(tr '\n' ' ' <links)"
}
units() { find cache -name '*.so' -exec sh -c 'readelf -SW "$1" | grep -q "\.ckjit\.ltoir" && basename "$1" | sed "s/[-.].*//"' - {} \; | sort | tr '\n' ' '; }
launch 0 2 0 '2 '
is 'the units of what it reaches' 'k near ' "$(units)"

# the linker misses something: whatever the units name comes to it, and what that needs
rm -rf cache
launch 0 4 0 '2 4 '
is 'the units in the cache' 'k near ' "$(units)" # the others were made in the directory of this link
is 'one entry of both links' 1 "$(find cache -name '*.linked' | wc -l)"
launch 0 4 0 ''

# it misses it still: two links, its words, and no entry; and again in the next process
rm -rf cache
for _ in 1 2; do
  launch 0 5 98 '2 4 '
  has 'its words' "Undefined reference to 'hidden'" said
done
is 'what was linked' 0 "$(find cache -name '*.linked' | wc -l)"
# there is nothing to add
launch 1 5 98 '4 '
has 'its words of all' "Undefined reference to 'hidden'" said
# and nothing of that is in the way of a linker that misses nothing
launch 0 2 0 '2 '
launch 1 4 0 '4 '
