#!/bin/sh
# examples/kernel-matrix: 312 kernels from one template are all blobs, linked lazily by the real hipcc; those that are called are
# compiled, once, and right. A matrix selects some to build ahead. An edited matrix makes only what changed.
# tier: long
# seconds: 22
. "${0%/*}/common.sh"
need make python3 c++
unset ROCM_PATH ROCM_HOME HIP_PATH CXX MAKEFLAGS MFLAGS CK_JIT_MANIFEST CK_JIT_ROOT CK_JIT_ARCH
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus"
need_hipcc
cp -r "$here/../examples/kernel-matrix" "$T/example"
cd "$T/example"
rm -rf build
P=$B/bin/ckjit-prebuild
format=row_reduce_@op@_@in@_@out@_v@veclen@_b@block@_@layout@
cached() {
  find "$T/cache" -maxdepth 1 -name '*.so' | wc -l
}

"$B/bin/ckjit-build" home --dir "$T/h" --work "$T/w" >"$T/exports"
build() (
  eval "$(cat "$T/exports")"
  make -j2 PREBUILD="$P" HIPCC="$T/h/bin/hipcc" CXX="$CXX" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
)
build
[ "$(grep -c '"kind":"blob"' "$T/w/manifest.json.ndjson")" = 312 ] || fail "kinds: $(cut -d, -f2 "$T/w/manifest.json.ndjson" | sort | uniq -c)"
[ "$(cut -d, -f2 "$T/w/manifest.json.ndjson" | sort | uniq -c | tr -s ' ' | paste -sd,)" = ' 312 "kind":"blob", 1 "kind":"host", 2 "kind":"link"' ] ||
  fail "kinds: $(cut -d, -f2 "$T/w/manifest.json.ndjson" | sort | uniq -c)"
grep -q '^ckjit-link: librow_reduce.so: 312 blobs are lazy (312 functions .* 0 compiled ahead of time' "$T/out" || fail "$(grep ckjit-link "$T/out")"

# Called, compiled, right; each once.
set -- sum_f32_f64_v4_b128_packed max_u8_u32_v16_b64_strided
build/row_reduce "$@" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
[ "$(paste -sd, "$T/out")" = "$1: right,$2: right" ] && [ "$(cached)" = 2 ] || fail "$(cat "$T/out"; ls "$T/cache")"
CK_JIT_HIPCC=/nonexistent build/row_reduce "$@" >"$T/out" 2>&1 || fail "compiled again: $(cat "$T/out")"
status=0
build/row_reduce sum_u8_u32_v8_b64_packed >"$T/out" 2>&1 || status=$?
[ "$status" = 2 ] && grep -q 'no such kernel' "$T/out" || fail "a kernel that the matrix leaves out: $(cat "$T/out")"

# The example's matrix means its blobs, and a smaller one some of them.
export CK_JIT_MANIFEST="$T/w/librow_reduce/ck_jit_manifest.json"
"$P" list --matrix row_reduce_matrix.json --name-format "$format" 2>"$T/err" | sort >"$T/list"
"$P" list | sort | cmp -s - "$T/list" && [ "$(wc -l <"$T/list")" = 312 ] || fail "not the 312: $(cat "$T/err")"
echo '{"op": ["max", "absmax"], "in": "i8"}' >some.json
"$P" list --matrix some.json --name-format 'row_reduce_@op@_@in@_*_v8_b64_packed' >"$T/list" || fail 'nothing selected'
[ "$(cat "$T/list")" = 'row_reduce_max_i8_i32_v8_b64_packed
row_reduce_absmax_i8_i32_v8_b64_packed' ] || fail "$(cat "$T/list")"
"$P" build --matrix some.json --name-format 'row_reduce_@op@_@in@_*_v8_b64_packed' >"$T/out" 2>&1 || fail "$(cat "$T/out")"
grep -q '^2 compiled, 0 in the cache already, 0 failed' "$T/out" || fail "$(cat "$T/out")"
CK_JIT_HIPCC=/nonexistent build/row_reduce max_i8_i32_v8_b64_packed absmax_i8_i32_v8_b64_packed >"$T/out" 2>&1 || fail "$(cat "$T/out")"
unset CK_JIT_MANIFEST

# Nothing to do; then one block size less: 208 kernels, none of their sources is written again.
make -q PREBUILD="$P" HIPCC="$T/h/bin/hipcc" || fail 'something is made again'
stat -c %y build/gen/row_reduce_sum_f32_f64_v4_b128_packed.cu >"$T/before"
sed -i 's/"block": \["64", "128", "256"\]/"block": ["64", "128"]/' row_reduce_matrix.json
: >"$T/w/manifest.json.ndjson"
build
stat -c %y build/gen/row_reduce_sum_f32_f64_v4_b128_packed.cu | cmp -s - "$T/before" || fail 'a source was written again'
grep -q 'librow_reduce.so: 208 blobs are lazy' "$T/out" || fail "$(grep ckjit-link "$T/out")"
lacks 'kernels were recorded again' '"kind":"blob"' "$T/w/manifest.json.ndjson"
[ ! -e build/gen/row_reduce_sum_f32_f64_v4_b256_packed.cu ] || fail 'stale sources are left'
CK_JIT_HIPCC=/nonexistent build/row_reduce "$1" "$2" >"$T/out" 2>&1 || fail "compiled again: $(cat "$T/out")"

# What a matrix means, linked in, compiled.
export CK_JIT_MANIFEST="$T/w/librow_reduce/ck_jit_manifest.json"
"$P" list --matrix some.json --name-format 'row_reduce_@op@_@in@_*_v8_b64_packed' |
  "$B/bin/ckjit-build" relink --tmp-dir "$T/w" --aot-list - >"$T/out" 2>&1 || fail "$(cat "$T/out")"
grep -q '206 blobs are lazy .* 2 compiled ahead of time' "$T/out" || fail "$(cat "$T/out")"
unset CK_JIT_MANIFEST
CK_JIT_CACHE_DIR=$T/none CK_JIT_HIPCC=/nonexistent build/row_reduce max_i8_i32_v8_b64_packed absmax_i8_i32_v8_b64_packed >"$T/out" 2>&1 ||
  fail "not ahead of time: $(cat "$T/out")"

# The same build without ckjit, of two kernels.
cat >two.json <<'END_'
{"op": ["sum"], "in": "f32", "in_type": "float", "out": "f64", "out_type": "double", "veclen": "4", "block": "128",
 "_layout": [{"layout": "packed", "packed": "true"}, {"layout": "strided", "packed": "false"}]}
END_
make -j2 PREBUILD="$P" MATRIX=two.json B=stock >"$T/out" 2>&1 || fail "$(cat "$T/out")"
stock/row_reduce "$1" sum_f32_f64_v4_b128_strided >"$T/out" 2>&1 && [ "$(grep -c ': right' "$T/out")" = 2 ] || fail "stock: $(cat "$T/out")"
