#!/bin/sh
# The front end of a HIP unit runs beside its first kernel's compile, and further kernels come from its bitcode, with the instructions,
# descriptors and metadata that they have in the whole unit. A kernel that shares a variable is left to the whole unit. A front end that is
# slower than the kernel is ended, and tried three times; bitcode that is damaged, of another clang, or that the back end refuses is not used.
# tier: all
# seconds: 25
# shellcheck disable=SC2094 # no file is read and written
. "${0%/*}/common.sh"
need_hipcc
need python3 zstd readelf
[ "$(nproc)" -gt 1 ] || skip 'one processor: no front end runs beside a kernel'
unset ROCM_PATH ROCM_HOME HIP_PATH CK_JIT_ARCH CK_JIT_ROOT CK_JIT_CACHE_DIR CK_JIT_PCH CK_JIT_CACHE_MAX_SIZE CK_JIT_JOBS MAX_JOBS
cd "$T"
arch=${UNITS_ARCH-gfx90a}
flags='-std=c++17 -O2 -fuse-cuid=none'
tool() { python3 "$here/unit/kernel_entry.py" "$@"; }

cat >k.hip <<'END'
#include <hip/hip_runtime.h>
static __device__ __noinline__ float helper(float x) { return x * x + sinf(x); }
__global__ void plain(float *p) { *p = helper(*p); }
static __global__ void hidden(float *p, int n) { for (int i = 0; i < n; i++) p[i] += expf(p[i]); }
namespace { __global__ void unnamed(int *p) { __shared__ int s[64]; s[threadIdx.x] = *p; __syncthreads(); *p = s[63 - threadIdx.x]; } }
template <class T, int N> __global__ void templ(T *p) { *p *= N; }
template <class F> __global__ void apply(int *p, F f) { *p = f(*p); }
void launch(float *p, int *q) {
  plain<<<1, 64>>>(p);
  hidden<<<1, 64>>>(p, 4);
  unnamed<<<1, 64>>>(q);
  templ<float, 3><<<1, 64>>>(p);
  apply<<<1, 64>>>(q, [] __device__ (int n) { return n * n + 7; });
}
END
{ cat k.hip && echo '__device__ int counter; __global__ void counts(int *p) { *p = counter++; }'; } >shared.hip
for unit in k shared; do
  # shellcheck disable=SC2086 # words
  hipcc $flags -x hip --offload-arch="$arch" --offload-device-only -E $unit.hip -o $unit.hipi 2>log || fail "the real compiler: $(cat log)"
  tool text $unit.text "$arch" $unit.hipi
done
# shellcheck disable=SC2086 # words
hipcc $flags -x hip --offload-arch="$arch" --offload-device-only -c --no-gpu-bundle-output k.hip -o k.whole 2>log || fail "the real compiler: $(cat log)"

# A driver whose clang is a script: with a file `waits` the front end ends before the kernel's pass begins, with one `slow` it does not end, and with
# one `refuses` clang crashes over bitcode.
clang=$(hipcc '-###' -x hip --offload-arch="$arch" -c k.hip 2>&1 | sed -n 's/^ "\([^"]*\)" "-cc1".*/\1/p' | head -n 1)
cat >clang <<END
#!/bin/sh
case " \$* " in
*" -emit-llvm-bc "*)
  echo front >>"$T/calls"
  [ ! -e "$T/slow" ] || exec sleep 600
  "$clang" "\$@" && : >"$T/fronted"
  exit ;;
*" -x ir "*) [ ! -e "$T/refuses" ] || kill -SEGV \$\$ ;;
*) while [ -e "$T/waits" ] && [ ! -e "$T/fronted" ]; do sleep 0.05; done ;;
esac
exec "$clang" "\$@"
END
cat >driver <<END
#!/bin/sh
case " \$* " in
*" -### "*) hipcc "\$@" 2>&1 | sed 's,^ "[^"]*" "-cc1", "$T/clang" "-cc1",' ;;
*) exec hipcc "\$@" ;;
esac
END
chmod +x clang driver

unit=k
# compile CACHE KERNEL: its entry in CACHE, and KERNEL.co is its code, if it is to be had alone; $front is what was said of the front end
compile() {
  [ -d "$1" ] || mkdir -m 700 "$1"
  digits=$(python3 -c 'import functools, sys
print("%016x" % functools.reduce(lambda h, c: (h ^ c) * 0x100000001b3 % 2**64, sys.argv[1].encode(), 0xcbf29ce484222325))' "$2")
  entry=$1/$unit.$digits.so
  rm -f "$entry" "$2.co"
  "$B/bin/ckjit-compile" --kernel "$2" --blob-source "$T/$unit.text" --blob-flags "$flags" --arch "$arch" --kind hip --hipcc "$T/driver" \
    --build-id "00112233445566778899aabbccddeeff$digits" --cache --output "$T/$entry" --verbose >said 2>&1 || fail "$2: $(cat said)"
  tool fatbin "$entry" fatbin && [ ! -s fatbin ] || tool code fatbin "$arch" "$2.co" || fail "$2: $(cat said)"
  front=$(sed -n 's/.*front end of its unit: \([a-z]*\).*/\1/p' said)
}
# front KERNEL WORD: what was said of it
front() {
  [ "$front" = "$2" ] || fail "$1: '$front' and not '$2': $(cat said)"
}

: >waits
kernels=$(readelf -sW k.whole | awk '/\.kd$/ { sub(/\.kd$/, "", $8); print $8 }' | sort -u)
[ "$(echo "$kernels" | wc -l)" = 5 ] || fail "kernels: $kernels"
word=made
for kernel in $kernels; do
  compile cache "$kernel" && front "$kernel" $word
  word=used
  tool same k.whole "$kernel.co" "$kernel" >moved || fail "$kernel: other code than the real compiler's"
done
[ "$(cat calls)" = front ] || fail "the front end ran $(wc -l <calls) times"
plain=_Z5plainPf
[ -z "$(find cache/.locks -type f ! -name stats ! -name times)" ] || fail 'a lock is left'

# the back end refuses it: from the text, with the same code
: >refuses && compile cache $plain && front $plain ''
tool same k.whole $plain.co $plain >moved || fail 'of the text'
rm refuses && compile cache $plain && front $plain used
# another clang
echo '# exchanged' >>clang && compile cache $plain && front $plain ''
grep -q "$T/clang is not the program that made" said || fail "$(cat said)"
# damaged: made again
digits=$(python3 -c 'import functools; print("%016x" % functools.reduce(lambda h, c: (h ^ c) * 0x100000001b3 % 2**64, b"+front", 0xcbf29ce484222325))')
printf x | dd of="cache/k.$digits.so" bs=1 seek=3000 conv=notrunc status=none
rm -f fronted && compile cache $plain && front $plain made
compile cache $plain && front $plain used

# a variable that others may write: all kernels together, whether the front end was there or not
unit=shared
rm -f fronted && compile shared $plain && front $plain made
compile shared _Z6countsPi && front counts used
[ ! -e _Z6countsPi.co ] || fail 'a kernel with a shared variable alone'
unit=k

# too slow
rm -f waits && : >slow && : >calls
for kernel in $(echo "$kernels" | head -n 4); do compile behind "$kernel"; done
[ "$(wc -l <calls)" = 3 ] || fail "it was tried $(wc -l <calls) times, not three"
tool same k.whole "$kernel.co" "$kernel" >moved || fail "$kernel: without"
