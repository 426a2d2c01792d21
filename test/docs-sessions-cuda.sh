#!/bin/sh
# The sessions of the documents that need nvcc and no GPU print what the document says: docs/cuda.md, examples/mini-flash/README.md, and the
# CUDA part of docs/export.md (test/docs-sessions.sh has the rest).
# tier: all
# seconds: 26
. "${0%/*}/common.sh"
need python3 c++ make readelf nm
unset CUDA_HOME CUDA_PATH CUDAToolkit_ROOT CUDACXX CUDAHOSTCXX CXX NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS CK_JIT_NVCC CK_JIT_ARCH
need_nvcc
top=$(realpath "$here/..")
make -s -C "$top" B="$B" install PREFIX="$T/inst" >"$T/log" 2>&1 || fail "$(cat "$T/log")"
export PATH="$T/inst/bin:$cuda/bin:$PATH" CUDA_VISIBLE_DEVICES=

# replay DOC OPTION...
replay() {
  doc=$1
  shift
  "$here/sessions/replay.py" "$top/$doc" "$@" --map "/usr/local/cuda=$cuda" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
  cat "$T/out"
}

mkdir "$T/session"
replay docs/cuda.md --in "$T/session" --before "export XDG_DATA_HOME=$T/data CK_JIT_CACHE_DIR=$T/session/cache"
replay examples/mini-flash/README.md --setup '^cp -r examples/mini-flash' --before "cd $top" --map "/tmp/mfdoc=$T/mfdoc" \
  --map "CUDA driver version is insufficient for CUDA runtime version=…" # which depends on the driver
has 'the whole library is lazy' 'mini_fwd_hdim64_fp16_causal' "$T/mfdoc/home/work/manifest.json.ndjson"

# the CUDA part of export.md is about the sources of its first part, for nvcc
scale=$(sed -n '/^    mkdir .tmp.scale/,/^    done/s/^    //p' "$top/docs/export.md" |
  sed "s,/tmp/scale,'$T/scale',g; s,hip/hip_runtime,cuda_runtime,; s,[.]hip,.cu,")
replay docs/export.md --from '^The same two kernels in CUDA' --to '^The same library built for gfx942' --map "/tmp/scale=$T/scale" \
  --setup '^.eval .*--profile cuda' --before "$scale
export CK_JIT_MANIFEST=$T/scale/work/libscale/ck_jit_manifest.json CK_JIT_CACHE_DIR=$T/cache"
