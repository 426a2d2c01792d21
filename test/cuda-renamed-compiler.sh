#!/bin/sh
# nvcc behind a name that says nothing, or something else, stays nvcc: in the home, the record, the link, an export, the manifest,
# ckjit-prebuild, a relink and the first call. A record and a manifest that do not say the kind are taken by the name, and fail.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
mini
cd "$T"
mkdir opt
for name in my-compiler hipcc-of-nvidia; do
  # shellcheck disable=SC2016 # expanded by the script
  printf '#!/bin/sh\necho "${0##*/}" >>"%s"\nexec "%s/bin/nvcc" "$@"\n' "$T/tools" "$made/toolkit" >opt/$name
done
chmod +x opt/*
tools TOOL_LOG="$T/tools"
: >"$TOOL_LOG"

cat >scale.h <<'END'
#pragma once
template <typename T> int scale(T *x, T by);
END
for type in float double; do
  cat >scale_$type.cu <<END
#include "scale.h"
static __global__ void scaled($type *x, $type by) { x[threadIdx.x] *= by; }
template <> int scale<$type>($type *x, $type by) {
  scaled<<<1, 32>>>(x, by);
  return (int)cudaGetLastError();
}
END
done
cat >main.cpp <<'END'
#include "scale.h"
#include <cstdio>
template <> int scale<float>(float *, float);
template <> int scale<double>(double *, double);
int main(int n, char **) { std::printf("%d\n", n > 1 ? scale<double>(nullptr, 2) : scale<float>(nullptr, 2)); }
END

# ---- the home, the records, the link ----
CK_JIT_NVCC="$T/opt/my-compiler" "$B/bin/ckjit-build" home --dir "$T/h" --profile cuda >/dev/null
is "the real compiler" "real_compiler=$T/opt/my-compiler" "$(grep '^real_compiler=' h/ckjit.conf)"
for type in float double; do
  through "$T/h" nvcc -O2 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 -c scale_$type.cu -o scale_$type.o || fail $type
done
is "blobs of kind cuda" 2 "$(grep '"kind":"blob"' h/work/manifest.json.ndjson | grep -cF "\"compiler\":\"$T/opt/my-compiler\",\"compiler_kind\":\"cuda\"")"
# link_by COMPILER WORD...: the library by that compiler of the home; what it said: out
link_by() {
  by=$1
  shift
  through "$T/h" "$by" -shared scale_float.o scale_double.o -o libscale.so "$@" >out 2>&1 || fail "$by $*: $(cat out)"
  grep -q '^ckjit-link: libscale.so: 2 blobs are lazy .* 0 compiled ahead of time' out || fail "$*: $(cat out)"
}
link_by nvcc -cudart shared -Xlinker -rpath,"$T/r"
readelf -d libscale.so | grep -q "\[$T/r\]" || fail "the link was not read as nvcc's"
link_by c++ -L"$cuda/lib64" -lcudart
work=$T/h/work/libscale
grep -q '"compiler_kind": "cuda"' "$work/ck_jit_manifest.json" || fail "the manifest: $(head -n 12 "$work/ck_jit_manifest.json")"
grep -q '"sm_90"' "$work/ck_jit_manifest.json" || fail "the manifest has no architecture"
find "$work/ck_jit_inputs" -type f -exec cat {} + | grep -q '^t [0-9a-f]*.*/cicc$' || fail "the compiler's files are not nvcc's: $(cat "$work"/ck_jit_inputs/*)"
c++ -I. main.cpp -o main -L. -lscale -L"$cuda/lib64" -lcudart
export LD_LIBRARY_PATH="$T:$LD_LIBRARY_PATH"
# call WORD...: main, which comes as far as a machine without a GPU lets it: cudaErrorInsufficientDriver, cudaErrorNoDevice
call() {
  ./main "$@" >said 2>&1 || fail "main $*: $(cat said)"
  case $(cat said) in 35 | 100) ;; *) fail "main $* said $(cat said)" ;; esac
}

# ---- the first call, by the library's own and by another one that is named instead ----
: >"$TOOL_LOG"
call
is "entries of a first call: the blob and its kernel" 2 "$(entries | wc -l)"
[ "$(ran my-compiler)" -ge 1 ] || fail "another nvcc compiled: $(cat "$TOOL_LOG")"
: >"$TOOL_LOG"
CK_JIT_NVCC="$T/opt/hipcc-of-nvidia" call double
is "entries of two" 4 "$(entries | wc -l)"
[ "$(ran hipcc-of-nvidia)" -ge 1 ] || fail "CK_JIT_NVCC was not used: $(cat "$TOOL_LOG")"
is "starts of the library's own" 0 "$(ran my-compiler)"

# ---- ckjit-prebuild: list, build, export ----
rm -rf "$CK_JIT_CACHE_DIR"
export CK_JIT_MANIFEST="$work/ck_jit_manifest.json"
"$B/bin/ckjit-prebuild" list --json scale_float >out 2>&1 || fail "list: $(cat out)"
grep -q '"architectures":\["sm_90"\],"state":"absent"' out || fail "list: $(cat out)"
"$B/bin/ckjit-prebuild" build scale_float >out 2>&1 || fail "build: $(cat out)"
is "entries" scale_float "$(entries)"
CK_JIT_NVCC=/nonexistent call
"$B/bin/ckjit-prebuild" export --format code-object --output scale.cubin scale_float >out 2>&1 || fail "export: $(cat out)"
readelf -h scale.cubin | grep -q 'Machine: .*\(NVIDIA\|0xbe\)' || fail "the export is no cubin: $(readelf -h scale.cubin)"
"$B/bin/ckjit-compile" --blob scale_double --output whole.so >out 2>&1 || fail "ckjit-compile: $(cat out)"

# ---- a relink, with one of them compiled by ckjit-nvcc ----
echo scale_float >list
"$B/bin/ckjit-build" relink --tmp-dir "$T/h/work" --aot-list list --verbose >out 2>&1 || fail "relink: $(cat out)"
grep -q '1 blob is lazy .* 1 compiled ahead of time' out || fail "relink: $(cat out)"
rm -rf "$CK_JIT_CACHE_DIR"
CK_JIT_NVCC=/nonexistent call
is "entries of a kernel that is linked" "" "$(entries)"

# ---- what does not say the kind: then the name does, and this one says nothing ----
refused 2 "expected hip, cuda, clang or c++" "$B/bin/ckjit-compile" --kind nvcc --blob scale_double --output x.so
sed '/"compiler_kind"/d' "$CK_JIT_MANIFEST" >"$work/untold.json"
refused 1 scale_double env CK_JIT_MANIFEST="$work/untold.json" "$B/bin/ckjit-compile" --blob scale_double --output x.so
"$B/bin/ckjit-compile" --kind cuda --manifest "$work/untold.json" --blob scale_double --output told.so >out 2>&1 || fail "told: $(cat out)"
for object in scale_float.o scale_double.o; do
  sed -i 's/"compiler_kind":"cuda"/"compiler_kinx":"cuda"/' $object # the same length: the section stays whole
done
# … and a link, in which it is no longer what the home has recorded
status=0
through "$T/h" c++ -shared scale_float.o scale_double.o -o libuntold.so -L"$cuda/lib64" -lcudart >out 2>&1 || status=$?
[ "$status" = 1 ] && grep -q 'its record asks for the option .* has recorded it' out || fail "untold: status $status: $(cat out)"
