#!/bin/sh
# ckjit-prebuild on a library of CUDA: what it lists, and that a process takes what it built, all kernels in it, without a compiler;
# ckjit-build relink links the listed ahead of time; CK_JIT_CAPTURE writes the list.
# tier: all
# seconds: 16
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
mini
cd "$T"
lib=$made/mini/build stem=mini_fwd_hdim32_fp32
export CK_JIT_MANIFEST="$made/home/work/libmini_flash/ck_jit_manifest.json"
tools TOOL_LOG="$T/tools"
: >"$TOOL_LOG"
prebuild() {
  "$B/bin/ckjit-prebuild" "$@" >out 2>&1 || fail "ckjit-prebuild $*: $(cat out)"
}
prebuild list
is "listed" 24 "$(wc -l <out)"
prebuild list --json $stem
grep -q '"architectures":\["sm_80","sm_90"\],"state":"absent"' out || fail "list --json: $(cat out)"
refused 1 'none-such' "$B/bin/ckjit-prebuild" build none-such

prebuild build $stem
is "tools of a whole blob" "1 1 1" "$(ran cicc) $(ran ptxas) $(ran cudafe++)"
is "entries" $stem "$(entries)"
prebuild list --json $stem
grep -q '"state":"cached"' out || fail "list --json, cached: $(cat out)"
: >"$TOOL_LOG"
CK_JIT_NVCC=/nonexistent calls "$lib" 0:32:0:-1:0:0:1 0:32:0:-1:0:1:1 0:32:0:5:1:1:1
no_gpu 3
is "entries after calls of three of its kernels" $stem "$(entries)"
is "compilers" "" "$(cat "$TOOL_LOG")"

# what was called, as a list
CK_JIT_NVCC=/nonexistent CK_JIT_CAPTURE="$T/captured" calls "$lib" 0:32:0:-1:0:0:1
grep -q "	$stem\$" captured || fail "captured: $(cat captured)"

# linked ahead of time
cp -r "$mini_flash" mini
CUDA_HOME="$made/toolkit" "$B/bin/ckjit-build" home --dir "$T/h" --profile cuda >/dev/null
through "$T/h" make -C mini build/libmini_flash.so >out 2>&1 || fail "$(cat out)"
"$B/bin/ckjit-build" relink --tmp-dir "$T/h/work" --aot-list captured --verbose >out 2>&1 || fail "relink: $(cat out)"
grep -q '23 blobs are lazy .* 1 compiled ahead of time' out || fail "relink: $(cat out)"
rm -rf "$CK_JIT_CACHE_DIR"
CK_JIT_NVCC=/nonexistent calls "$T/mini/build" 0:32:0:-1:0:0:1
no_gpu 1
is "entries of a kernel that is linked" "" "$(entries)"
CK_JIT_NVCC=/nonexistent calls "$T/mini/build" 0:32:1:-1:0:0:1
grep -q 'ckjit: mini_fwd_hdim32_fp32_causal: .*/nonexistent' "$T/said" || fail "of a compiler that is not there: $(cat "$T/said")"
