#!/bin/bash
# Units of CUDA with -rdc=true and a toolkit without libnvJitLink.so: a kernel is linked by nvlink, with the same code; what nvJitLink linked before is not
# taken for it. Without both the units are nvcc's, and the message says what to install.
# tier: long
# seconds: 40
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
. "$here/unit/bare_toolkit_fixture.sh"
bare_toolkit "$T/toolkit"
[ -n "$nvvm" ] || skip "$cuda has no libnvvm.so, which nvlink links LTO-IR by"
cat >k.cu <<'C'
__device__ float part(float);
__global__ void k(float *p) { p[0] = part(p[1]) / p[3] + sqrtf(p[2]); }
__global__ void asks(int *p) { p[0] = (int)part(3) + cudaGetLastError(); }
extern "C" int run() {
  float *p = 0;
  k<<<1, 1>>>(p);
  asks<<<1, 1>>>((int *)p);
  return cudaGetLastError();
}
C
echo '__device__ float part(float x) { return x * 1e-3f + x / 3; }' >part.cu
loading_main
mkdir code
export CUDART_CODE=$T/code
# A library by the fake home in force, FLAGS of nvcc's and its kernels, launched; their code is in code/.
launch() {
  rm -f code/* lib.so k.o part.o
  for u in k part; do
    # shellcheck disable=SC2086 # words
    as_build nvcc -rdc=true -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 $1 -c $u.cu -o $u.o || fail "$u: $(cat err)"
  done
  # shellcheck disable=SC2086 # words
  as_build nvcc -shared $1 -gencode arch=compute_90,code=sm_90 k.o part.o -o lib.so -cudart=shared -Lcudart || fail "link: $(cat err)"
  has 'the summary' '2 ordinary units, lazy' err
  rm -f nvlinks # nvcc's own, which had nothing to link
  run ./main >out 2>said || fail "run: $(cat out said)"
  is "$1: result" 0 "$(cat out)"
}
# The code of KERNEL, as text; nothing in it is open.
code_of() {
  found=$(find code -name "*$1*.cubin")
  [ -n "$found" ] || fail "no code of $1: $(ls code) $(cat said)"
  readelf -x ".text.$2" "$found" 2>/dev/null
  readelf -sW "$found" 2>/dev/null | lacks "open in the code of $1" ' UND _Z\| UND __cudaCDP2' -
}
# nvlink as before, and a line in a log for each of its runs
shim_nvlink() {
  rm "$T/toolkit/bin/nvlink"
  printf '#!/bin/sh\necho run >>%s\nexec %s "$@"\n' "$T/nvlinks" "$cuda/bin/nvlink" >"$T/toolkit/bin/nvlink"
  chmod +x "$T/toolkit/bin/nvlink"
}
# How many there were since this was asked.
nvlinks() {
  [ ! -e "$T/nvlinks" ] || wc -l <"$T/nvlinks"
  [ -e "$T/nvlinks" ] || echo 0
  rm -f "$T/nvlinks"
}
links() { find cache/.fragments -name '*.linked' | wc -l; }

# by nvJitLink if it is there; of the toolkit that has none the kernels have other keys and are linked by nvlink
[ ! -e "$cuda/lib64/libnvJitLink.so" ] || {
  launch ''
  code_of 1kPf _Z1kPf >by_library
  is 'links of the first' 2 "$(links)"
}
shim_nvlink
home_of "$T/toolkit"
for flags in '' '-use_fast_math' '-prec-sqrt=false -lineinfo'; do
  launch "$flags"
  is "$flags: links by nvlink" 4 "$(nvlinks)" # one; one that lacks the runtime, and two with it
  code_of 1kPf _Z1kPf >by_nvlink
  code_of 4asksPi _Z4asksPi >asks
  [ -n "$flags" ] || [ ! -e by_library ] || cmp by_library by_nvlink || fail 'nvlink makes other code of it'
  [ -z "$flags" ] || ! cmp -s by_nvlink plain || fail "$flags says nothing to nvlink"
  [ -n "$flags" ] || cp by_nvlink plain
done
run ./main >out 2>said || fail "again: $(cat out said)"
is 'a second process' 0 "$(nvlinks)"

# nvJitLink is installed later: the library goes on by what its keys say
if [ -e "$cuda/lib64/libnvJitLink.so" ]; then
  rm -rf cache
  ln -s "$cuda/lib64/libnvJitLink.so" "$T/toolkit/lib64/libnvJitLink.so"
  run ./main >out 2>said || fail "installed: $(cat out said)"
  is 'installed later' 4 "$(nvlinks)"
  # a library linked with it, from which it is taken away: another build id
  launch ''
  is 'linked with it there' 0 "$(nvlinks)"
  rm -rf "$T/toolkit/lib64/libnvJitLink.so" cache
  run ./main >out 2>said || fail "taken away: $(cat out said)"
  is 'taken away' 0 "$(cat out)"
  is 'links then' 4 "$(nvlinks)"
fi

# nvlink fails: its words are told
printf '#!/bin/sh\necho "nvlink: told to fail" >&2\nexit 3\n' >"$T/toolkit/bin/nvlink"
chmod +x "$T/toolkit/bin/nvlink"
rm -rf cache
run ./main >out 2>said && is failing 98 "$(cat out)"
has 'its words' 'nvlink: told to fail' said

# neither: at the launch, and at the build
rm -rf cache "$T/toolkit/bin/nvlink"
run ./main >out 2>said && is 'without both' 98 "$(cat out)"
has 'what to install' 'install libnvJitLink.so, or nvlink and libnvvm.so' said
: >home/work/manifest.json.ndjson
as_build nvcc -rdc=true -gencode arch=compute_90,code=sm_90 -c part.cu -o part.o || fail "stock: $(cat err)"
lacks 'lazy without both' '"kind":"unit"' home/work/manifest.json.ndjson
"$B/bin/ckjit-build" explain home >said 2>&1 || fail "explain: $(cat said)"
has 'why' 'install libnvJitLink.so, or nvlink and libnvvm.so' said
