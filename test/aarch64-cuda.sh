#!/bin/sh
# CUDA on sbsa: mini-flash is cross-compiled by nvcc with NVIDIA's runtime for aarch64, all of its blobs are lazy, and stubs and entries are of that
# machine. A first call by qemu-user gets as far as there is no GPU: the blob's host side and the one kernel that is launched are compiled and
# loaded, and CUDA's own runtime says that there is no driver.
# tier: all
# seconds: 16
. "${0%/*}/common.sh"
need aarch64-linux-gnu-g++ qemu-aarch64 readelf make python3
need_nvcc
sbsa=$("$here/toolchain/nvcc-aarch64" "$B/toolchain/cuda-aarch64" 2>"$T/sbsa.log") || skip "no CUDA for sbsa: $(tail -n 1 "$T/sbsa.log")"
cp -r "$here/../examples/mini-flash" "$T/mf"
cd "$T/mf"
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_ARCH=sm_90 CK_JIT_VERBOSE=1
unset CUDA_HOME CUDA_PATH CUDACXX NVCC_CCBIN CK_JIT_HIPCC CK_JIT_PER_KERNEL CK_JIT_ON_MISS CK_JIT_CACHE_READONLY_DIR CK_JIT_NAME
CXX=aarch64-linux-gnu-g++ "$B/bin/ckjit-build" home --profile cuda --cuda "$sbsa" --dir "$T/home" >"$T/exports" 2>"$T/home.log" || fail "no fake home: $(cat "$T/home.log")"
(
  # shellcheck disable=SC1091
  . "$T/exports"
  # shellcheck disable=SC2016 # make's own
  make -j2 NVCC='$(CUDA_HOME)/bin/nvcc -ccbin aarch64-linux-gnu-g++'
) >"$T/said" 2>&1 || fail "$(tail -n 20 "$T/said")"
has 'what is lazy' 'libmini_flash.so: 24 blobs are lazy (24 functions in 1 unit), 0 compiled ahead of time' "$T/said"
# machine FILE…: they are of AArch64, or entries of kernels, which have no code for the host
machine() {
  for file; do
    readelf -hW "$file" >"$T/header"
    grep -q 'Machine:  *AArch64$' "$T/header" || { [ "${file#"$T"/cache/*.*.}" = so ] && grep -q 'Machine:  *None$' "$T/header"; } || fail "$file: $(cat "$T/header")"
  done
}
machine build/mini_fwd_hdim64_fp16_causal.o build/libmini_flash.so build/check "$T"/home/work/libmini_flash/objs/*.o
readelf -sW build/libmini_flash.so >"$T/symbols"
grep -q 'FUNC .* ckjit_trampoline$' "$T/symbols" || fail "no trampoline: $(cat "$T/symbols")"
is 'forwarding functions' 24 "$(readelf --dyn-syms -W build/libmini_flash.so | grep -c 'FUNC .*GLOBAL DEFAULT .* _ZN10mini_flash.*run_mha_fwd_')"

root=/usr/aarch64-linux-gnu/lib
# check ENTRIES: a call of one kernel of one blob, with these in the cache behind it
check() {
  qemu-aarch64 $root/ld-linux-aarch64.so.1 --library-path "$root:build:$sbsa/lib64" build/check --launch 1:64:1:-1:0:1:1 >"$T/out" 2>&1 && fail "a launch without a GPU: $(cat "$T/out")"
  has 'how far it gets' 'mini-flash: set attribute: CUDA driver version is insufficient for CUDA runtime version' "$T/out"
  is 'loaded' 2 "$(grep -c ": loaded from $T/cache/mini_fwd_hdim64_fp16_causal.*so" "$T/out")"
  is 'entries' 2 "$(find "$T/cache" -path "$T/cache/.used" -prune -o -name '*.so' -print | wc -l)"
}
check
is 'compiled' 2 "$(grep -c ': compiled in ' "$T/out")"
machine "$T"/cache/*.so
check
is 'compiled in the next process' 0 "$(grep -c ': compiled in ' "$T/out")"
