#!/bin/sh
# hipcc behind a name that says nothing stays hipcc, which takes every C++ source for HIP: in the record, the link, the manifest,
# ckjit-prebuild, a relink and an export. A record that does not say the kind is taken by the name, and its host side for all of it.
# tier: all
# seconds: 27
. "${0%/*}/common.sh"
. "$here/unit/export_fixture.sh"
cd "$T"
mkdir opt
# shellcheck disable=SC2016 # expanded by the script
printf '#!/bin/sh\necho "$*" >>"%s"\nexec "%s" "$@"\n' "$T/log" "$(command -v hipcc)" >opt/odd-name
chmod +x opt/odd-name
ODD_LOG=$T/log
CK_JIT_HIPCC="$T/opt/odd-name" "$B/bin/ckjit-build" home --dir "$T/h" --work "$T/w" --rocm "$(dirname "$(dirname "$(command -v hipcc)")")" >/dev/null
grep -qxF "real_compiler=$T/opt/odd-name" h/ckjit.conf || fail "$(cat h/ckjit.conf)"
cp "$demo/demo.h" .
cp "$demo/k64.cu" k64.cpp # .cpp: only hipcc takes it for HIP
h/bin/hipcc -O3 -std=c++17 -fPIC -I"$T" --offload-arch="$arch" -c k64.cpp -o k64.o || fail "hipcc -c"
grep -q "\"kind\":\"blob\".*\"compiler\":\"$T/opt/odd-name\",\"compiler_kind\":\"hip\"" w/manifest.json.ndjson || fail "$(cat w/manifest.json.ndjson)"

: >"$ODD_LOG"
h/bin/hipcc -shared --offload-arch="$arch" -o libodd.so k64.o >said 2>&1 || fail "link: $(cat said)"
grep -q '^ckjit-link: libodd.so: 1 blob is lazy .* 0 compiled ahead of time' said || fail "link: $(cat said)"
# asked once what it starts for the forwarding unit, which then runs by itself
grep -q -- "-### .*--offload-arch=$arch.*unit-0\.cpp" "$ODD_LOG" || fail "it was not asked of the forwarding unit: $(cat "$ODD_LOG")"
readelf -S --wide w/libodd/objs/unit-0.o >sections || fail "$(ls w/libodd/objs)"
lacks "the forwarding unit was compiled for the GPU as well" hip_fatbin sections
has "the headers of the device's pass were looked at" demo.h "w/libodd/objs/headers-0-$arch.d"
grep -q '"compiler_kind": "hip"' w/libodd/ck_jit_manifest.json || fail "the manifest does not say the kind"
grep -q "\"$arch\"" w/libodd/ck_jit_manifest.json || fail "the manifest has no architecture"

export CK_JIT_MANIFEST="$T/w/libodd/ck_jit_manifest.json"
: >"$ODD_LOG"
"$B/bin/ckjit-prebuild" build k64 >said 2>&1 || fail "build: $(cat said)"
grep -q -- "--offload-arch=$arch" "$ODD_LOG" || fail "another compiler compiled: $(cat "$ODD_LOG")"
readelf -S --wide "$CK_JIT_CACHE_DIR/k64.so" | grep -q hip_fatbin || fail "there is no device code in what was built"
"$B/bin/ckjit-prebuild" export --format code-object --output k64.hsaco k64 >said 2>&1 || fail "export: $(cat said)"
"$llvm/llvm-readelf" -h k64.hsaco | grep -q 'Machine:.*AMDGPU' || fail "the export is no code object"

# The record does not say the kind: by the name it is no hipcc, so its .cpp is not HIP and has no device side.
sed -i 's/"compiler_kind":"hip"/"compiler_kinx":"hip"/' k64.o # the same length: the section stays whole
: >"$ODD_LOG"
h/bin/hipcc -shared --offload-arch="$arch" -o libuntold.so k64.o >said 2>&1 || :
lacks "a record that does not say the kind is hipcc's" '--offload-host-only' "$ODD_LOG"
grep -q 'unit-0\.cpp' "$ODD_LOG" || fail "the link was not tried: $(cat said)"
