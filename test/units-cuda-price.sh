#!/bin/bash
# A unit of CUDA for one architecture whose headers are the host's for the most part saves the build little: the real compiler gets it before
# anything is run, and explain says so. Several architectures, headers of a device, many kernels or cases of a switch in the
# source, or units=all make it lazy.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"

mkdir host device
yes '// of the host, and of nothing else; a comment weighs as much' | head -n 50000 >host/heavy.h
{
  echo '#define MINE_DEVICE'
  cat host/heavy.h
} >device/heavy.h
cat >u.cu <<'C'
#include "heavy.h"
__global__ void k(int *p) { p[0] = 1; }
void call(int *p) { k<<<1, 1>>>(p); }
C
# kind_of WORDS…: what the call was recorded as
kind_of() {
  as_build nvcc "$@" -c u.cu -o u.o || fail "nvcc $*: $(cat err)"
  sed -n '$s/.*"kind":"\([a-z]*\)".*/\1/p' home/work/manifest.json.ndjson
}

is 'one architecture' host "$(kind_of -Ihost -arch=sm_90)"
grep -q '"not_lazy":"of one architecture, it would save little' home/work/manifest.json.ndjson || fail "not told: $(tail -n 1 home/work/manifest.json.ndjson)"
[ -z "$(find home/work -name '*.text')" ] || fail 'a text was made of it'
"$B/bin/ckjit-build" explain home u.cu >explained 2>&1 || fail "explain: $(cat explained)"
has explain 'not lazy: of one architecture, it would save little' explained
is 'with the headers of the toolkit' host "$(kind_of -Ihost -isystem "$T/home/include" -include cuda_fp16.h -arch=sm_90)"
is 'its code and PTX' host "$(kind_of -Ihost -gencode 'arch=compute_90,code=[sm_90,compute_90]')"
is 'two architectures' unit "$(kind_of -Ihost -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90)"
is 'headers of a device' unit "$(kind_of -Idevice -arch=sm_90)"
cp u.cu one.cu
# a source that switches between many constants has many instances; other words are no cases, and a switch without a kernel is no device's
cases() { for n in $(seq "$1"); do echo "case $n: k<<<$n, 1>>>(p); break;"; done; }
{ cat one.cu; echo 'void more(int *p, int n) { switch (n) {'; cases 15; echo '} }'; } >u.cu
is 'many cases' unit "$(kind_of -Ihost -arch=sm_90)"
{ cat one.cu; echo 'void more(int *p, int n) { switch (n) {'; cases 14; echo '} int a_case, cases; }'; } >u.cu
is 'a few cases' host "$(kind_of -Ihost -arch=sm_90)"
# vLLM's Marlin: units of up to 75 instantiations of a header's kernel, behind PyTorch's headers
echo 'template <int N> __global__ void t(int *p) { p[0] = N; }' >kernel.h
instances() { for n in $(seq "$1"); do printf 'template\n  __global__ void t<%s>(int *p);\n' "$n"; done; }
{ echo '#include "heavy.h"'; echo '#include "kernel.h"'; instances 16; } >u.cu
is 'many instantiations' unit "$(kind_of -I. -Ihost -arch=sm_90)"
{ echo '#include "heavy.h"'; echo '#include "kernel.h"'; instances 15; echo '// a__global__, __global__s'; } >u.cu
is 'a few instantiations' host "$(kind_of -I. -Ihost -arch=sm_90)"
cp one.cu u.cu
sed -i 's/^units=lazy$/units=all/' home/ckjit.conf
is 'units=all' unit "$(kind_of -Ihost -arch=sm_90)"
