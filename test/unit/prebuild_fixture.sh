# prebuild_fixture.sh - an install tree made by hand: a manifest of six blobs in $I, their sources, the programs of the build
# and a compiler that is the C++ compiler. Source it behind common.sh and build_fixture.sh.
# shellcheck shell=sh
I=$T/i/ck_jit

install_tree() {
  rocm "$T/rocm"
  mkdir -p "$I/src" "$I/include" && cp "$B/bin/ckjit-compile" "$B/bin/ckjit-prebuild" "$I"
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
