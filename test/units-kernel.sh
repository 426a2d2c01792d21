#!/bin/sh
# One kernel of a lazy unit, from the unit's text: its instructions, descriptor and metadata are those of the real compiler's code object of the
# whole unit, be it a template, a specialisation, static or in an unnamed namespace. What shares variables, and what cannot be
# selected, gets an empty entry, and "*" is the whole unit, byte for byte.
# tier: all
# seconds: 40
. "${0%/*}/common.sh"
need_hipcc
need python3 zstd cmp
unset ROCM_PATH ROCM_HOME HIP_PATH CK_JIT_ARCH CK_JIT_ROOT CK_JIT_CACHE_DIR
cd "$T"
arch=${UNITS_ARCH-gfx90a}
flags='-std=c++17 -O3'
key=00112233445566778899aabbccddeeff
tool() { python3 "$here/unit/kernel_entry.py" "$@"; }

cat >kernels.hip <<'END'
#include <hip/hip_runtime.h>
#undef linux
int linux(int);
template <class T> __device__ T square(T x) { return x * x + 3; }
template <class T> __device__ __noinline__ T cube(T x) { return x * x * x; }
template <class T> __device__ T expensive(T x) {
  for (int i = 0; i < 9; i++) x = square(x) + static_cast<T>(i);
  return x;
}
template <class T, int N = 4> __global__ void templ(T *p, T factor) { p[threadIdx.x] = expensive<T>(p[0]) * factor + N; }
template <> __global__ void templ<double, 1>(double *p, double factor) { p[threadIdx.x] = square<double>(factor); }
__launch_bounds__(64) static __global__ void hidden(int *p) { p[threadIdx.x] = square<int>(p[threadIdx.x]); }
namespace {
__global__ void unnamed(int *p) {
  __shared__ int s[64];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[63 - threadIdx.x];
}
template <class T> struct sizes {
  static constexpr int width = 3;
  static __device__ const int *where() { return &width; }
};
template <int N> __global__ auto nested(int *p) -> void { p[threadIdx.x] = static_cast<int>(square<long>(N + threadIdx.x)) + *(const volatile int *)sizes<long>::where(); }
}
extern "C" __global__ void plain(short *p) { p[threadIdx.x] = square<short>(p[1]); }
__global__ void calls(float *p) { p[threadIdx.x] = cube<float>(p[1]) + cube<float>(p[2]); }
template <class T> struct outer {
  static __global__ void member(T *p) { p[threadIdx.x] = square<T>(p[2]); }
};
__global__ void nothing() {}
void launch(int *p) {
  templ<float><<<1, 64>>>(reinterpret_cast<float *>(p), 2.f);
  templ<int, 7><<<1, 64>>>(p, 2);
  templ<double, 1><<<1, 64>>>(reinterpret_cast<double *>(p), 2.);
  hidden<<<1, 64>>>(p);
  unnamed<<<1, 64>>>(p);
  nested<5><<<1, 64>>>(p);
  plain<<<1, 64>>>(reinterpret_cast<short *>(p));
  calls<<<1, 64>>>(reinterpret_cast<float *>(p));
  outer<long>::member<<<1, 64>>>(reinterpret_cast<long *>(p));
  nothing<<<1, 64>>>();
}
END
cat >shares.hip <<'END'
#include <hip/hip_runtime.h>
__constant__ float table[4];
__device__ int counter;
__global__ void up(int *p) { p[0] = atomicAdd(&counter, 1); }
__global__ void down(int *p) { p[0] = atomicSub(&counter, 1); }
__global__ void look(float *p) { p[threadIdx.x] = table[threadIdx.x & 3]; }
void launch(int *p) { up<<<1, 64>>>(p); down<<<1, 64>>>(p); look<<<1, 64>>>(reinterpret_cast<float *>(p)); }
END
sed -e '/^__constant__/d' -e '/look/d' -e 's/__device__ int counter/static &/' -e '$a void launch(int *p) { up<<<1, 64>>>(p); down<<<1, 64>>>(p); }' \
  shares.hip >static.hip

cat >written.hip <<'END'
#include <hip/hip_runtime.h>
static __device__ float scale = 1;
__global__ void scaled(float *p) { p[threadIdx.x] *= scale; }
void set(float f) { (void)hipMemcpyToSymbol(HIP_SYMBOL(scale), &f, sizeof f); }
void launch(float *p) { scaled<<<1, 64>>>(p); }
END
# a kernel that has no name at the end of its text, beside a variable that only it has
cat >lambda.hip <<'END'
#include <hip/hip_runtime.h>
template <class F> __global__ void apply(int *p, F f) { p[threadIdx.x] = f(p[threadIdx.x]); }
void launch(int *p) { apply<<<1, 64>>>(p, [] __device__ (int n) { return n * n + 7; }); }
END

# unit NAME [ARCH…]: NAME.text, the unit of NAME.hip; for each ARCH the real compiler's code object of the whole of it, NAME.ARCH.co
unit() {
  name_=$1
  shift
  for arch_; do
    # shellcheck disable=SC2086 # words
    hipcc $flags -x hip --offload-arch="$arch_" --offload-device-only -fuse-cuid=none -E "$name_.hip" -o "$name_.$arch_.hipi" 2>log &&
      hipcc $flags -x hip --offload-arch="$arch_" --offload-device-only -fuse-cuid=none -c --no-gpu-bundle-output "$name_.hip" -o "$name_.$arch_.co" 2>log ||
      fail "the real compiler: $(cat log)"
    set -- "$@" "$arch_" "$name_.$arch_.hipi"
    shift
  done
  tool text "$name_.text" "$@" || fail "$name_.text"
}
# compile NAME KERNEL ARCHS [WORD…]: the entry, NAME.so, and what is in it, NAME.fatbin
compile() {
  name_=$1 kernel_=$2 archs_=$3
  shift 3
  "$B/bin/ckjit-compile" --kernel "$kernel_" --blob-source "$name_.text" --blob-flags "$flags -fuse-cuid=none" --arch "$archs_" \
    --build-id ${key}0123456789abcdef --kind hip --hipcc hipcc --output "$name_.so" "$@" >said 2>&1 &&
    tool fatbin "$name_.so" "$name_.fatbin"
}

unit kernels "$arch" gfx908
# KERNEL PLACES: in how many the way to what it calls or reads, and nothing else, differs at most
while read -r kernel places; do
  compile kernels "$kernel" "$arch" || fail "$kernel: $(cat said)"
  [ -s kernels.fatbin ] || fail "$kernel is not to be had alone"
  tool code kernels.fatbin "$arch" one.co && moved=$(tool same "kernels.$arch.co" one.co "$kernel") || fail "$kernel: other code"
  [ "$moved" -le "$places" ] || fail "$kernel: $moved distances"
  # What asks for the other instances is host code, which is not compiled.
  readelf -sW one.co >symbols
  lacks 'another instance' '_Z5templIiLi7EEvPT_S0_\.kd$' symbols
done <<'END'
_Z5templIfLi4EEvPT_S0_ 0
_Z5templIdLi1EEvPT_S0_ 0
_ZL6hiddenPi 0
_ZN12_GLOBAL__N_17unnamedEPi 0
_ZN12_GLOBAL__N_16nestedILi5EEEvPi 2
plain 0
_Z5callsPf 4
_ZN5outerIlE6memberEPl 0
END
readelf -n kernels.so | grep -q "Build ID: ${key}0123456789abcdef" || fail "build id: $(readelf -n kernels.so)"
# What is compared sees a difference.
tool same "kernels.$arch.co" one.co _ZL6hiddenPi >/dev/null 2>said && fail 'a kernel without its body passes for the whole'
grep -q 'is empty' said || fail "$(cat said)"

# two architectures in one entry
compile kernels _ZL6hiddenPi "$arch;gfx908" || fail "$(cat said)"
for a in "$arch" gfx908; do
  tool code kernels.fatbin "$a" one.co && tool same "kernels.$a.co" one.co _ZL6hiddenPi >/dev/null || fail "$a: other code"
done
# all of them
compile kernels '*' "$arch" || fail "$(cat said)"
tool code kernels.fatbin "$arch" all.co && cmp "kernels.$arch.co" all.co || fail '* is not what the real compiler makes of the unit'

# not to be had alone: variables; a kernel that is not there; a text that -fms-extensions changes
unit shares "$arch"
unit static "$arch"
unit written "$arch"
unit lambda "$arch"
empty() {
  name_=$1 kernel_=$2 why_=$3
  compile "$name_" "$kernel_" "$arch" --verbose || fail "$name_, $kernel_: $(cat said)"
  [ ! -s "$name_.fatbin" ] || fail "$name_, $kernel_: is not empty"
  grep -q "$why_.*: the unit is compiled whole" said || fail "$name_, $kernel_: says $(cat said)"
}
empty shares _Z2upPi 'variables that other kernels or the host may write'
empty static _Z4downPi 'variables that other kernels or the host may write'
empty written _Z6scaledPf 'variables that other kernels or the host may write'
empty kernels _Z4nonev 'no such kernel'
{
  cat "kernels.$arch.hipi"
  echo 'static int __uuidof(int n) { return n; }'
} >keyword
{
  echo '#pragma optimize("", off)'
  cat "kernels.$arch.hipi"
} >pragma
apply=$(readelf -sW "lambda.$arch.co" | sed -n 's/.* \(_Z5apply[^ ]*\)\.kd$/\1/p' | head -n 1)
compile lambda "$apply" "$arch" || fail "$apply: $(cat said)"
tool code lambda.fatbin "$arch" one.co && tool same "lambda.$arch.co" one.co "$apply" >/dev/null || fail "$apply: other code"
tool text keyword.text "$arch" keyword
tool text pragma.text "$arch" pragma
empty keyword _ZL6hiddenPi 'the compiler does not take its text'
empty pragma _ZL6hiddenPi 'its text cannot be parsed'
compile keyword '*' "$arch" || fail "$(cat said)"
[ -s keyword.fatbin ] || fail 'a text with a keyword of Microsoft'\''s is not compiled whole'
compile shares '*' "$arch" || fail "$(cat said)"
tool code shares.fatbin "$arch" all.co && cmp "shares.$arch.co" all.co || fail 'the unit with variables is another'

# errors: the unit, the kernel, the compiler's words, what to do
refused() {
  compile "$@" && fail "$*: made"
  [ ! -e "$1.so" ] || fail "$*: left something"
}
rm -f ./*.so
sed '$a int broken = ;' "kernels.$arch.hipi" >broken
tool text broken.text "$arch" broken
refused broken '*' "$arch"
grep -q '^ckjit-compile: error: broken: ' said && grep -q 'error: expected expression' said && grep -q '^kernel: all, of the text in .*/broken.text$' said || fail "$(cat said)"
refused broken _ZL6hiddenPi gfx1030
grep -q 'broken.text.*gfx1030' said && grep -q '^kernel: _ZL6hiddenPi, of the text in' said || fail "$(cat said)"
refused gone plain "$arch"
grep -q 'gone.text' said || fail "$(cat said)"
head -c 5000 kernels.text >torn.text
refused torn plain "$arch"
grep -q 'torn.text' said || fail "$(cat said)"
other=f${key#?}
cp kernels.text "$other.text"
refused "$other" plain "$arch"
grep -q "$other.text is not the text of its kernels, which is named $key.text; build the unit again" said || fail "$(cat said)"
cp kernels.text $key.text
compile $key plain "$arch" || fail "$(cat said)"
# by a manifest, as the runtime asks if the text is not where the library says; without --kernel it is all of them
cat >manifest.json <<END
{"ckjit": 1, "libraries": [], "root": "$T", "compiler": "hipcc", "compiler_kind": "hip",
 "groups": [{"flags": ["-std=c++17", "-O3", "-fuse-cuid=none"], "link": [], "archs": ["$arch"]}],
 "blobs": {"kernels-0011": {"source": "{root}/kernels.text", "group": 0, "key": "$key", "functions": [], "kind": "unit"},
           "blob": {"source": "{root}/kernels.hip", "group": 0, "key": "$key", "functions": []}}}
END
manifest() {
  "$B/bin/ckjit-compile" --manifest manifest.json --hipcc hipcc --arch "$arch" --output kernels.so "$@" >said 2>&1 &&
    tool fatbin kernels.so kernels.fatbin && tool code kernels.fatbin "$arch" one.co
}
manifest --blob kernels-0011 --kernel plain --build-id ${key}0123456789abcdef || fail "by a manifest: $(cat said)"
tool same "kernels.$arch.co" one.co plain >/dev/null || fail 'by a manifest: other code'
manifest --blob kernels-0011 || fail "all by a manifest: $(cat said)"
cmp "kernels.$arch.co" one.co || fail 'all by a manifest: other code'
manifest --blob blob --kernel plain --build-id ${key}0123456789abcdef && fail 'a kernel of a blob'
grep -q 'blob: it is a blob, not a unit' said || fail "$(cat said)"
manifest --blob kernels-0011 --format so && fail 'a unit is exported'
grep -q 'kernels-0011: it is a unit, not a blob' said || fail "$(cat said)"

"$B/bin/ckjit-compile" --kernel k --blob-source kernels.text --entry kernels.so --build-id ${key}0123456789abcdef --output x.so 2>said && fail 'two origins'
grep -q -- '--blob-source cannot be combined with --entry' said || fail "$(cat said)"
