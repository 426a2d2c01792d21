#!/bin/sh
# A pack of CUDA's entries, as jobs left them: host code without kernels, kernels that were compiled one by one, whole blobs. Where it is
# unpacked they are found without nvcc, and what is not in it is missing.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
need zstd
mini_kernels
CK_JIT_CAPTURE=$T/capture calls "$lib" $one
no_gpu 1
manifest=$(dirname "$(find "$lib/.." "$made" -name ck_jit_manifest.json | head -n 1)")/ck_jit_manifest.json
pack() {
  "$B/bin/ckjit-prebuild" pack --manifest "$manifest" "$@"
}
# same PACK: without a manifest, from the cache alone, the same entries are packed
same() {
  (unset CK_JIT_ARCH && "$B/bin/ckjit-prebuild" pack --all -o "$T/bare") >"$T/out" 2>&1 || fail "without a manifest: $(cat "$T/out")"
  for pack_ in "$1" "$T/bare"; do
    zstd -q -d -c "$pack_" | tar -xO ckjit-pack | grep '^entry ' >"$pack_.entries"
  done
  cmp "$1.entries" "$T/bare.entries" || fail "without a manifest: $(cat "$T/out" "$T/bare.entries")"
}
pack --capture "$T/capture" -o "$T/p" >"$T/out" || fail "pack"
grep -q "^2 entries of 1 blob," "$T/out" || fail "$(cat "$T/out")"
zstd -q -d -c "$T/p" | tar -xO ckjit-pack >"$T/index"
is "kinds" "blob-host kernel " "$(sed -n 's/^entry [0-9a-f]*\t\([a-z-]*\)\t.*\tsm_90\t'$stem'.*/\1/p' "$T/index" | tr '\n' ' ')"
pack --all -o "$T/all" >"$T/out" 2>&1 || fail "pack --all: $(cat "$T/out")"
same "$T/all"
# an entry of another machine's architecture is not taken along
pack --all --arch sm_80 -o "$T/none" >"$T/out" 2>&1 && fail "of sm_80: $(cat "$T/out")"
"$B/bin/ckjit-prebuild" unpack --cache-dir "$T/image" "$T/p" >"$T/out" || fail "unpack"
: >"$TOOL_LOG"
export CK_JIT_ON_MISS=error CK_JIT_CACHE_DIR="$T/image" CK_JIT_NVCC=/nonexistent/nvcc
calls "$lib" $one
no_gpu 1
calls "$lib" $other
grep -q "kernel _ZN10mini_flash10fwd_kernel.*it is not compiled" "$T/said" || grep -q "it is not compiled, because" "$T/said" || fail "$(cat "$T/said")"
is "tools" "" "$(cat "$TOOL_LOG")"

# whole
unset CK_JIT_ON_MISS CK_JIT_NVCC
export CK_JIT_CACHE_DIR="$T/whole"
CK_JIT_PER_KERNEL=0 calls "$lib" $one
no_gpu 1
pack --all -o "$T/p" >"$T/out" 2>/dev/null || fail "pack, whole"
same "$T/p"
zstd -q -d -c "$T/p" | tar -xO ckjit-pack | grep -q "^entry [0-9a-f]*.blob.[0-9a-f]*.[0-9]*.sm_90.$stem$" || fail "not whole"
"$B/bin/ckjit-prebuild" unpack --cache-dir "$T/image" - <"$T/p" >"$T/out"
grep -q "^1 added, 0 in the cache" "$T/out" || fail "$(cat "$T/out")"
CK_JIT_CACHE_DIR=$T/image CK_JIT_ON_MISS=error calls "$lib" $one $other
no_gpu 2
