#!/bin/sh
# A blob's source is gone: the error names it and CK_JIT_ROOT. A manifest that CK_JIT_MANIFEST names helps, if it is of the
# same build.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
driver=$T/lib/driver
mv "$T/lib/ck_jit/src" "$T/elsewhere"

"$driver" value 0 5 >"$T/out" && fail "did not throw"
has "source" "$T/lib/ck_jit/src/value0.cu" "$T/out"
has "variable" "set CK_JIT_ROOT" "$T/out"

# manifest KEY: of the same kernels, with KEY as the first byte of the key; value0 is the third blob
manifest() {
  cat <<JSON
{"ckjit": 1, "libraries": ["libkernels.so"], "root": "$T", "compiler": "/nonexistent/hipcc",
 "groups": [{"flags": ["-I$unit", "-DVERSION=1"], "link": [], "archs": ["gfx942", "gfx950"]}],
 "blobs": {"value0": {"source": "{root}/elsewhere/value0.cu", "group": 0, "key": "${1}010000000000000000000000000000",
                      "functions": ["value_"]}}}
JSON
}
manifest 02 >"$T/m.json"
CK_JIT_MANIFEST=$T/m.json "$driver" value 0 5 >"$T/out" && fail "took a manifest of another build"
has "another build" "$T/m.json describes another build of it" "$T/out"
manifest 01 >"$T/m.json"
is "with the manifest" 1005 "$(CK_JIT_MANIFEST=$T/m.json "$driver" value 0 5)"
CK_JIT_MANIFEST=$T/m.json "$driver" value 1 5 >"$T/out" && fail "an unknown blob compiled"
has "unknown" "unknown blob 'value1': $T/m.json" "$T/out"
