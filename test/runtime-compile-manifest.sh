#!/bin/sh
# ckjit-compile, manifest mode: every form of a blob's name, the manifest of the root by default, and the same build id as
# the runtime looks for.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
root=$T/lib/ck_jit
compile=$root/ckjit-compile
cat >"$root/ck_jit_manifest.json" <<JSON
{"ckjit": 1, "libraries": ["libkernels.so"], "root": "/nonexistent", "compiler": "$T/shim",
 "groups": [{"flags": ["-I$unit", "-DVERSION=1"], "link": [], "archs": ["gfx942", "gfx950"]}],
 "blobs": {"value0": {"source": "{root}/src/value0.cu", "group": 0, "key": "01010000000000000000000000000000",
                      "functions": ["value_"]},
           "a.b": {"source": "{root}/src/value1.cu", "group": 0, "key": "02000000000000000000000000000000",
                   "functions": ["value_"]}}}
JSON
hex=0101000000000000000000000000000017317ee56afa06a5 # the key, then the FNV-1a of "gfx942;gfx950"
unset CK_JIT_HIPCC # the manifest's

mkdir "$T/o"
for form in value0 value0.cu value0.cpp src/value0.cu "/other/place/value0.cu" "$T/cache/value0.so" \
  "$T/cache/value0.$hex.so"; do
  "$compile" --blob "$form" --output "$T/o/x.so" || fail "form $form"
  readelf -n "$T/o/x.so" | grep -q "$hex" || fail "form $form: another build id"
  rm "$T/o/x.so"
done
"$compile" --blob a.b --output "$T/o/ab.so"
"$compile" --blob a.b.cu --output "$T/o/ab.so"

# into the cache: the runtime takes it, and does not compile
"$compile" --blob value0 --output "$CK_JIT_CACHE_DIR/value0.so" --cache
n=$(compiles)
"$compile" --blob value0 --output "$CK_JIT_CACHE_DIR/value0.so" --cache
is "runtime" 1005 "$("$T/lib/driver" value 0 5)"
is "compiles" "$n" "$(compiles)"

"$compile" --blob value9 --output "$T/o/x.so" 2>"$T/err" && fail "unknown blob"
has "unknown" "unknown blob 'value9': $root/ck_jit_manifest.json has 2 blobs" "$T/err"
has "unknown, the nearest" "did you mean 'value0'?" "$T/err"
command=$(sed -n 's/.*`\(ckjit list[^`]*\)` prints them.*/\1/p' "$T/err")
(cd / && eval "\"$B/bin/\"$command") >"$T/out" || fail "the command that lists them: '$command'"
is "the command that lists them" "a.b value0" "$(tr '\n' ' ' <"$T/out" | sed 's/ $//')"
"$compile" --blob nothing/like.it --output "$T/o/x.so" 2>"$T/err" && fail "unknown blob"
has "unknown, none near" "none of that name; \`ckjit list" "$T/err"

# A manifest that is not there: which file, and where it would be. Building again would not help.
"$B/bin/ckjit-compile" --blob value0 --output "$T/o/x.so" 2>"$T/err" && fail "no manifest"
has "no manifest" "$(realpath "$B")/bin/ck_jit_manifest.json: cannot read the manifest: No such file" "$T/err"
has "no manifest, what is expected" "in the ck_jit directory beside it: --manifest or CK_JIT_MANIFEST names it" "$T/err"
"$compile" --blob value0 --manifest "$root/ck_jit_manifest.jsn" --output "$T/o/x.so" 2>"$T/err" && fail "mistyped"
has "mistyped" "$root/ck_jit_manifest.jsn: cannot read the manifest: No such file" "$T/err"
lacks "mistyped: building again would not help" "build the library again" "$T/err"
"$compile" --blob value0 --manifest "$root" --output "$T/o/x.so" 2>"$T/err" && fail "a directory"
has "a directory" "$root: cannot read the manifest: Is a directory" "$T/err"
"$B/bin/ckjit-compile" --blob value0 --root "$root" --output "$T/o/x.so"
CK_JIT_MANIFEST=$root/ck_jit_manifest.json "$B/bin/ckjit-compile" --blob value0 --output "$T/o/x.so"
echo '{"ckjit": 1, "blobs": ' >"$T/torn.json"
"$compile" --blob value0 --manifest "$T/torn.json" --output "$T/o/x.so" 2>"$T/err" && fail "a torn manifest"
has "torn" "$T/torn.json" "$T/err"
