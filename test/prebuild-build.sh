#!/bin/sh
# build: compiles what the cache lacks, on several jobs; what is there costs no process; every form of input names a blob.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
install_tree
export CK_JIT_CACHE_DIR="$T/cache"
cat >"$T/list" <<END
# captured on a Tuesday

  blob_1
blob_2.cpp
$T/anywhere/else/blob_3.cu
END
printf 'cache/blob_4.so\r\nblob_5.%048x.so\n' 7 |
  prebuild build --blob-list "$T/list" blob_1 --blob-list - -j 2 >"$T/out" || fail "build: $(cat "$T/out")"
[ "$(ls "$T/cache")" = "$(printf 'blob_%s.so\n' 1 2 3 4 5)" ] || fail "the cache holds: $(ls "$T/cache")"
grep -q '^\[5/5\] blob_. compiled in ' "$T/out" || fail "no line for each: $(cat "$T/out")"
grep -q '^5 compiled, 0 in the cache already, 0 failed' "$T/out" || fail "summary: $(cat "$T/out")"
# The entry is what the runtime looks for: key, then the architectures.
readelf -n "$T/cache/blob_2.so" | grep -q 'Build ID: 00000000000000000000000000000002' || fail 'another build id'
CK_JIT_HIPCC=/nonexistent prebuild build blob_1 blob_2 >"$T/out" || fail "cached blobs were compiled: $(cat "$T/out")"
grep -q '^0 compiled, 2 in the cache already' "$T/out" || fail "summary: $(cat "$T/out")"
# For other architectures it is other code, and neither evicts the other.
prebuild build --arch gfx90a blob_1 >"$T/out" || fail "$(cat "$T/out")"
[ "$(find "$T/cache" -name 'blob_1.*' | wc -l)" = 2 ] || fail "$(ls "$T/cache")"
prebuild list blob_1 --arch gfx90a | grep -q 'blob_1.known.cached' || fail 'the keyed entry is not seen'
: >"$T/empty"
prebuild build --blob-list "$T/empty" >"$T/out" || fail 'an empty list is an error'
grep -q '^0 compiled, 0 in' "$T/out" || fail "$(cat "$T/out")"

# Of two libraries that are installed together, one of HIP and one of CUDA, each kernel is compiled by its own library's compiler.
python3 - "$I/ck_jit_manifest.json" <<'EOF'
import json, sys
m = json.load(open(sys.argv[1]))
m["groups"].append({"flags": [], "link": [], "archs": ["sm_90"], "compiler": "/opt/nvcc", "compiler_kind": "cuda"})
m["blobs"]["blob_2"]["group"] = 1
json.dump(m, open(sys.argv[1], "w"))
EOF
rm -r "$T/cache"
# shellcheck disable=SC2016 # of the script that is written
printf '#!/bin/sh\necho "$@" >>%s/words\nexit 1\n' "$T" >"$I/ckjit-compile"
prebuild build blob_1 blob_2 >"$T/out" 2>&1 && fail 'a compile that fails is none'
grep -e 'blob_2' "$T/words" | lacks 'another compiler' 'kind cuda .*--build-hipcc /opt/nvcc' - -v
grep -e 'blob_1' "$T/words" | lacks 'another compiler' "build-hipcc $T/rocm/bin/hipcc" - -v
refused 1 'blob_1 belongs to a library of hip, blob_2 to one of cuda, .*; export them one after the other' prebuild export --format asm --output "$T/x" blob_1 blob_2
