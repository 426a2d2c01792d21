# prebuild_fixture.sh - an install tree made by hand: a manifest of six blobs in $I, their sources, the programs of the build
# and a compiler that is the C++ compiler. The machine has a GPU of each kind that the library is for, gfx942 and gfx950; `gpus`
# gives it others. Source it behind common.sh and build_fixture.sh.
# shellcheck shell=sh
I=$T/i/ck_jit

# gpus VERSION...: what the machine has, as the driver numbers them: 90402 is gfx942, 90500 gfx950, 90010 gfx90a; none without a word
gpus() {
  rm -rf "$T/kfd"
  node_=0
  for version_; do
    mkdir -p "$T/kfd/$node_"
    echo "gfx_target_version $version_" >"$T/kfd/$node_/properties"
    node_=$((node_ + 1))
  done
  export CK_JIT_KFD_ROOT="$T/kfd"
}

install_tree() {
  gpus 90402 90500
  rocm "$T/rocm"
  mkdir -p "$I/src" "$I/include" && cp "$B/bin/ckjit" "$B/bin/ckjit-compile" "$B/bin/ckjit-prebuild" "$I"
  echo 'template <int N> float kernel_();' >"$I/include/kernel.h"
  for n in 1 2 3 4 5 FAIL_HERE; do
    printf '#include "kernel.h"\ntemplate <> float kernel_<%s>() { return 1; }\n' "${#n}" >"$I/src/blob_$n.cu"
  done
  python3 - "$I/ck_jit_manifest.json" "$T/rocm/bin/hipcc" <<'END'
import json, sys
blobs = {f"blob_{n}": {"source": f"{{root}}/src/blob_{n}.cu", "group": 0, "functions": ["kernel_"],
                       "key": "%032x" % (i + 1)} for i, n in enumerate("1 2 3 4 5 FAIL_HERE".split())}
json.dump({"ckjit": 1, "libraries": ["lib.so"], "root": "", "compiler": sys.argv[2], "blobs": blobs,
           "groups": [{"flags": ["-I{root}/include"], "link": [], "archs": ["gfx942", "gfx950"]}]}, open(sys.argv[1], "w"))
END
}

prebuild() {
  "$I/ckjit-prebuild" "$@"
}
