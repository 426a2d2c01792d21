#!/bin/sh
# mini-aiter's forward library for hosts of AArch64: aiter's build by a hipcc that is for that machine, dispatchers as tables, and calls by qemu-user whose
# numbers are right. Each compiles its own kernel and no other, and the next process compiles none.
# tier: long
# seconds: 100
. "${0%/*}/common.sh"
need aarch64-linux-gnu-g++ qemu-aarch64 readelf
. "$here/unit/mini_fixture.sh"
mkdir -p "$T/rocm/bin" "$T/rocm/lib"
# hipcc's own name for the built-ins that it links, whatever the target
aarch64-linux-gnu-ar rcs "$T/rocm/lib/libclang_rt.builtins-x86_64.a"
# the home is that of the headers, /usr, whose HIP is this machine's; and aiter's -mcmodel=large is not for shared libraries of AArch64
for program in hipcc:--target=aarch64-linux-gnu aarch64-linux-gnu-g++:; do
  cat >"$T/rocm/bin/${program%%:*}" <<END
#!/bin/sh
for a; do
  shift
  [ "\$a" = -mcmodel=large ] || set -- "\$@" "\$a"
done
exec "$(command -v "${program%%:*}")" ${program#*:} "\$@" -L"$T/rocm/lib"
END
done
chmod +x "$T/rocm/bin/"*
for name in hipGetDeviceCount hipMalloc hipFree hipMemcpy hipStreamSynchronize; do
  echo "__attribute__((weak)) int $name(void) { return 1; }"
done >"$T/more.c"
echo 'hip_4.2 { global: *; };' >"$T/map"
aarch64-linux-gnu-gcc -std=gnu11 -O1 -shared -fPIC -Wl,-soname,libamdhip64.so.5 -Wl,--version-script="$T/map" -o "$T/rocm/lib/libamdhip64.so.5" \
  "$here/unit/runtime_hip.c" "$T/more.c" -pthread
ln -s libamdhip64.so.5 "$T/rocm/lib/libamdhip64.so"
PATH=$T/rocm/bin:$PATH CXX="$T/rocm/bin/aarch64-linux-gnu-g++" "$B/bin/ckjit-build" full --aiter-dir "$example" --gpu-archs gfx90a --api fwd --tmp-dir "$T/w" \
  --install-dir "$T/i" >"$T/out" 2>&1 || fail "full: $(tail -n 30 "$T/out")"
blobs=$(grep -c '"kind":"blob"' "$T/w/manifest.json.ndjson")
grep -q "^ckjit-link: libmha_fwd.so: $blobs blobs are lazy .* 0 compiled ahead of time, 2 dispatchers" "$T/w/log_fwd.txt" ||
  fail "of $blobs blobs: $(grep ^ckjit-link "$T/w/log_fwd.txt")"
readelf -hW "$T/i/libmha_fwd.so" | grep -q 'Machine:  *AArch64$' || fail 'the library is for another machine'
rm -rf "$T/w"

aarch64-linux-gnu-gcc -O1 -I"$example/csrc/include" "$here/unit/runtime_mha.c" -o "$T/mha" -L"$T/i" -lmha_fwd -lm -Wl,-rpath,"$T/i" -Wl,--allow-shlib-undefined
root=/usr/aarch64-linux-gnu/lib
export CK_JIT_ARCH=gfx90a CK_JIT_VERBOSE=1
# calls ENTRIES NAMES WORD…
calls() {
  entries_=$1 names_=$2
  shift 2
  qemu-aarch64 $root/ld-linux-aarch64.so.1 --library-path "$root:$T/rocm/lib" "$T/mha" "$@" >"$T/got" 2>"$T/said" || fail "$*: $(cat "$T/got" "$T/said")"
  is "kernels of $*" "$names_" "$(cat "$T/got")"
  is "entries behind $*" "$entries_" "$(find "$CK_JIT_CACHE_DIR" -path "$CK_JIT_CACHE_DIR/.*" -prune -o -name '*.so' -print | wc -l)"
}
calls 1 ', fmha_fwd_d64_fp32_batch_b32x16x16_qr_vr_npad_nbias_nmask_lse' fp32 64 0 0
calls 1 ', fmha_fwd_d64_fp32_batch_b32x16x16_qr_vr_npad_nbias_nmask_lse' fp32 64 0 0
lacks 'the next process' 'compiled in' "$T/said"
calls 2 ', fmha_fwd_d64_bf16_batch_b32x16x16_qr_vr_npad_nbias_mask_lse' bf16 64 1 0
calls 4 ', fmha_fwd_splitkv_d64_fp32_batch_b32x16x16_qr_vr_npad_nbias_nmask, fmha_fwd_splitkv_combine_d64_fp32_batch_b32_lse' fp32 64 0 3
