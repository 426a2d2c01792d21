#!/bin/sh
# The precompiled header of a lazy unit: the second kernel's compile makes it, those after it use it, and each kernel has the instructions, descriptor
# and metadata that it has without. One that is damaged, of another compiler, writable by others or that the compiler refuses is not used; CK_JIT_PCH=0,
# a small cache and one kernel alone make none; two processes make one.
# tier: all
# seconds: 60
. "${0%/*}/common.sh"
need_hipcc
need python3 zstd cmp
# With one processor no front end runs beside the first kernel (units-hip-front.sh), so the header is made.
one_processor "$0" "$@"
unset ROCM_PATH ROCM_HOME HIP_PATH CK_JIT_ARCH CK_JIT_ROOT CK_JIT_CACHE_DIR CK_JIT_PCH CK_JIT_CACHE_MAX_SIZE
cd "$T"
arch=${UNITS_ARCH-gfx90a}
flags='-std=c++17 -O2 -fuse-cuid=none'
tool() { python3 "$here/unit/kernel_entry.py" "$@"; }

cat >k.hip <<'END'
#include <hip/hip_runtime.h>
template <class T> struct sizes { static constexpr int width = 3; };
template <class T> __device__ T square(T x) { return x * x + sizes<T>::width; }
template <class T> __device__ __noinline__ T cube(T x) { return x * x * x; }
template <class T, int N = 4> __launch_bounds__(64) __global__ void templ(T *p, T factor) {
#pragma unroll
  for (int i = 0; i < N; i++) p[threadIdx.x + i] = square<T>(p[i]) * factor;
}
template <> __global__ void templ<short, 1>(short *p, short factor) { p[0] = factor; }
namespace n { namespace {
template <int N> __global__ void nested(int *p) {
  __shared__ int s[64 * N];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = static_cast<int>(square<long>(s[63 - threadIdx.x]));
}
} }
template <class T> struct outer {
  template <int N> static __global__ void member(T *p) { p[threadIdx.x] = cube<T>(p[N]) + cube<T>(p[2]); }
};
template <class F> __global__ void apply(int *p, F f) { p[threadIdx.x] = f(p[threadIdx.x]); }
template <class T> void from_host(T *p) { templ<T, 9><<<1, 64>>>(p, 3); }
struct launcher {
  long *p;
  launcher(long *p) : p(p) { from_host<long>(p); }
};
__global__ void plain(int *p) { *p = static_cast<int>(square<long>(*p)); }
void launch(int *p) {
  templ<float><<<1, 64>>>(reinterpret_cast<float *>(p), 2.f);
  templ<int, 7><<<1, 64>>>(p, 2);
  templ<int, 8><<<1, 64>>>(p, 2);
  templ<short, 1><<<1, 64>>>(reinterpret_cast<short *>(p), 2);
  n::nested<5><<<1, 64>>>(p);
  outer<long>::member<3><<<1, 64>>>(reinterpret_cast<long *>(p));
  launcher l(reinterpret_cast<long *>(p));
  plain<<<1, 64>>>(p);
}
void launch_lambda(int *p) { apply<<<1, 64>>>(p, [] __device__ (int n) { return n * n + 7; }); }
END
# shellcheck disable=SC2086 # words
hipcc $flags -x hip --offload-arch="$arch" --offload-device-only -E k.hip -o k.hipi 2>log &&
  hipcc $flags -x hip --offload-arch="$arch" --offload-device-only -c --no-gpu-bundle-output k.hip -o k.whole 2>log || fail "the real compiler: $(cat log)"
tool text k.text "$arch" k.hipi
# compile CACHE KERNEL [WORD…]: its entry in CACHE, NAME.so; said has what was said, and KERNEL.co is its code
compile() {
  cache_=$1 kernel_=$2
  shift 2
  [ -d "$cache_" ] || mkdir -m 700 "$cache_"
  rm -f "$cache_/k.$kernel_.so"
  "$B/bin/ckjit-compile" --kernel "$kernel_" --blob-source "$T/k.text" --blob-flags "$flags" --arch "$arch" \
    --build-id "00112233445566778899aabbccddeeff$(printf %s "$kernel_" | cksum | awk '{ printf "%016x", $1 }')" --kind hip --hipcc "${HIPCC-hipcc}" \
    --cache --output "$cache_/k.$kernel_.so" --verbose "$@" >"said.$kernel_" 2>&1 || fail "$kernel_: $(cat "said.$kernel_")"
  tool fatbin "$cache_/k.$kernel_.so" fatbin && tool code fatbin "$arch" "$kernel_.co" || fail "$kernel_: $(cat "said.$kernel_")"
}
# header KERNEL WORD: what its compile said of the header, "made used", "used" or ""
header() {
  is "$1" "$2" "$(sed -n 's/.*precompiled header of its unit: //p' "said.$1" | paste -sd ' ')"
}
is() {
  [ "$2" = "$3" ] || fail "$1: '$3' and not '$2': $(cat "said.$1" 2>/dev/null)"
}
none() {
  is "$1" '' "$(find "$2" -name '*.unit.pch' | head -n 1)"
}
a=_Z5templIfLi4EEvPT_S0_ b=_Z5templIiLi7EEvPT_S0_ c=_Z5templIiLi8EEvPT_S0_

compile cache $a && header $a '' && none $a cache
compile cache $b && header $b 'made used'
# all kernels behind it, those that are instances
symbols=$(readelf -sW k.whole | awk '/\.kd$/ { sub(/\.kd$/, "", $8); print $8 }' | sort -u)
used=0
for kernel in $symbols; do
  case $kernel in _Z5plainPi | _Z5templIsLi1EEvPT_S0_) continue ;; esac
  compile cache "$kernel"
  case $kernel in
  _Z5applyI*) header "$kernel" '' ;; # it cannot be asked for by name
  *) header "$kernel" used && used=$((used + 1)) ;;
  esac
  tool same k.whole "$kernel.co" "$kernel" >moved || fail "$kernel: other code than the real compiler's"
done
[ "$used" -ge 6 ] || fail "$used kernels behind the header: $symbols"
mv $c.co with.co
CK_JIT_PCH=0 compile off $a && CK_JIT_PCH=0 compile off $c && header $c ''
cmp $c.co with.co || fail 'another code object behind the header'
compile cache _Z5plainPi && header _Z5plainPi '' # no instance
none off off
is locks '' "$(find cache/.locks -type f ! -name stats ! -name times)"

# damage: it is not used, and made anew
again() {
  compile cache $c && header $c ''
  compile cache $b && header $b 'made used'
  compile cache $c && header $c used
}
pch=$(echo cache/.pch/*.unit.pch)
dd if=/dev/zero of="$pch" bs=4096 count=1 conv=notrunc status=none && again
head -c 100000 "$pch" >short && cp short "$pch" && compile cache $c && header $c ''
compile cache $b && header $b 'made used'
sed -i '$a int more;' "${pch%.pch}.h" && again
echo nonsense >"${pch%.pch}.list" && compile cache $c && header $c ''
compile cache $b && header $b 'made used'
chmod g+w "$pch" && compile cache $c && header $c ''

# another compiler has another header
printf '#!/bin/sh\nexec hipcc "$@"\n' >other && chmod +x other
HIPCC=$T/other compile cache $a && header $a ''
HIPCC=$T/other compile cache $c && header $c 'made used'
is headers 2 "$(find cache -name '*.unit.pch' | wc -l)"
# … and one that is exchanged does not use what was made before
printf '#!/bin/sh\n# exchanged\nexec hipcc "$@"\n' >other.new && chmod +x other.new && mv other.new other
HIPCC=$T/other compile cache $b && header $b ''

# a compiler that does not take it, or crashes, is asked once
refuse() { # CACHE WORD: with WORD
  : >calls
  clang=$(hipcc '-###' -x hip --offload-arch="$arch" -c /dev/null 2>&1 | sed -n 's/^ "\([^"]*\)" "-cc1".*/\1/p' | head -n 1)
  printf '#!/bin/sh\necho "$*" >>%s/calls\ncase " $* " in *" %s "*) kill -SEGV $$ ;; esac\nexec %s "$@"\n' "$T" "$2" "$clang" >cc1
  # its driver runs that in clang's place
  printf '#!/bin/sh\ncase " $* " in\n*" -### "*) hipcc "$@" 2>&1 | sed "s,^ \"[^\"]*\" \"-cc1\", \"%s/cc1\" \"-cc1\"," ;;\n*" %s "*) echo "$*" >>%s/calls && kill -SEGV $$ ;;\n*) exec hipcc "$@" ;;\nesac\n' "$T" "$2" "$T" >refuses
  chmod +x cc1 refuses
  for kernel in $a $b $c; do HIPCC=$T/refuses compile "$1" "$kernel"; done
  header $c '' && none "$c" "$1"
  is "asked, $2" 1 "$(grep -c -e "$2" calls)"
}
refuse refused -include-pch
refuse cannot -emit-pch

# a cache that is small
export CK_JIT_CACHE_MAX_SIZE=500M
compile small $a && compile small $b && header $b '' && none $b small
unset CK_JIT_CACHE_MAX_SIZE
# it goes before any kernel
compile evicted $a && compile evicted $b && header $b 'made used'
CK_JIT_CACHE_MAX_SIZE=1M compile evicted $c && none $c evicted
is evicted 3 "$(find evicted -maxdepth 1 -name '*.so' | wc -l)"

# two at once: one makes it, the other finds it
compile twice $a
compile twice $b & compile twice $c &
wait || fail 'two at once'
is $b 1 "$(cat "said.$b" "said.$c" | grep -c 'its unit: made')"
is $c 2 "$(cat "said.$b" "said.$c" | grep -c 'its unit: used')"
# what is known of it, and away with it
"$B/bin/ckjit-prebuild" clean --all --cache-dir "$T/twice" >log || fail "$(cat log)"
is clean '' "$(find twice/.pch -type f)"
