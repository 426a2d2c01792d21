#!/bin/sh
# Of a lazy unit of CUDA gcc's messages are coloured as nvcc's are: on a terminal, unless TERM or
# GCC_COLORS say otherwise or the call does. -Werror all-warnings, and a check of a configuration
# that only the device's compiler refuses, are refused.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
need script
# the host side at the build
export CK_JIT_UNITS=build
cd "$T"
"$B/bin/ckjit-build" home --dir home --profile cuda --units >exports 2>err || fail "$(cat err)"
printf '__global__ void k(int *p) { *p = 1; }\nextern "C" int unit(int w) { unsigned v = 3; if (w < v) k<<<1, 1>>>(nullptr); return w; }\n' >u.cu
nvcc() (
  # shellcheck disable=SC1091
  . "$T/exports"
  exec nvcc "$@"
)
# colours WHAT VARIABLE WORD…: the same lines are coloured with and without ckjit
colours() {
  what=$1 variable=$2
  shift 2
  for which in stock home; do
    (
      # shellcheck disable=SC1091
      [ $which = stock ] || . "$T/exports"
      env "$variable" script -qec "nvcc -arch=$arch -Xcompiler -Wall $* -c u.cu -o u.o" $which.log </dev/null >/dev/null
    )
    grep -a "u\.cu" $which.log | grep -av "^Script" >$which.lines || :
  done
  cmp -s stock.lines home.lines || fail "$what: stock $(cat -v stock.lines), home $(cat -v home.lines)"
}
arch=sm_90
export TERM=xterm
colours 'a terminal' A=1
grep -qa "$(printf '\033')" home.lines || fail 'no colours on a terminal'
colours 'a dumb one' TERM=dumb
lacks 'a dumb terminal' "$(printf '\033')" home.lines
colours 'without GCC_COLORS' GCC_COLORS=
colours 'as the call says' A=1 -Xcompiler -fdiagnostics-color=never
lacks 'the call says no' "$(printf '\033')" home.lines
is 'kinds' 'unit' "$(sed -n 's/.*"kind":"\([a-z]*\)".*/\1/p' home/work/manifest.json.ndjson | sort -u)"

# refuses SOURCE WORD…
refuses() {
  source=$1
  shift
  nvcc -arch=$arch "$@" -c "$source" -o x.o >said 2>&1 && fail "$source $*: not refused"
  [ ! -e x.o ] || fail "$source $*: an object was made"
}
printf 'static int unused() { return 1; }\n__global__ void k(int *p) { *p = 1; }\nvoid unit() { k<<<1, 1>>>(nullptr); }\n' >w.cu
nvcc -arch=$arch -c w.cu -o w.o || fail 'a warning alone is refused'
refuses w.cu -Werror all-warnings
has 'the warning' '#177-D' said
refuses w.cu -Werror=all-warnings
printf '__global__ void k(float *p) { __shared__ float a[100000]; a[threadIdx.x] = *p; __syncthreads(); *p = a[7]; }\nint main() { k<<<1, 1>>>(nullptr); }\n' >conftest.cu
refuses conftest.cu
has 'what ptxas says' 'too much shared data' said
