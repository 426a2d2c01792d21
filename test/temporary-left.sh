#!/bin/sh
# clang leaves an empty directory in $TMPDIR for each output of a HIP unit's device pass, of a question with -### as well. What ckjit starts leaves
# none: a home, a lazy unit, a blob and their links, first calls, ckjit-prebuild, export, explain.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
mkdir tmp
export TMPDIR="$T/tmp"
# clean WHAT: nothing is left of it
clean() {
  is "left by $1" '' "$(ls tmp)"
}
hipcc --offload-arch=gfx90a -x hip -c /dev/null -o null.o -### 2>log || fail "the real compiler: $(cat log)"
[ -n "$(ls tmp)" ] || skip 'this clang leaves no directories'
rmdir tmp/*
two_units
clean 'the home, two units and their link'
echo 'template <int N> int launch(int *p);' >launch.h
cat >blob.hip <<'C'
#include <hip/hip_runtime.h>
#include "launch.h"
template <int N> __global__ void add(int *p) { *p += N; }
template <> int launch<3>(int *p) { add<3><<<1, 1>>>(p); return hipGetLastError(); }
C
printf '#include "launch.h"\nextern "C" int both(int *p) { return launch<3>(p); }\n' >api.cpp
as_build hipcc -O2 -fPIC --offload-arch=gfx90a -c blob.hip -o blob.o || fail "blob: $(cat err)"
clean 'a blob'
as_build c++ -fPIC -c api.cpp -o api.o || fail "api: $(cat err)"
as_build hipcc -shared -o libblob.so blob.o api.o || fail "link: $(cat err)"
has 'the blob' '1 blob' err
clean 'the link of a blob'
run ./main a0 a1 >got 2>err || fail "launches: $(cat err)"
is launches 'a0 0 a1 0 ' "$(tr '\n' ' ' <got)"
clean 'first launches'
export CK_JIT_MANIFEST="$T/home/work/libunits/ck_jit_manifest.json"
"$B/bin/ckjit-prebuild" build --all >out 2>err || fail "build: $(cat err)"
clean 'ckjit-prebuild build'
"$B/bin/ckjit-prebuild" list --kernels >kernels 2>err || fail "list: $(cat err)"
kernel=$(cut -f 1 kernels | head -n 1)
"$B/bin/ckjit-prebuild" export "$kernel" --format code-object --output k.co >out 2>err || fail "export: $(cat err)"
clean export
CK_JIT_MANIFEST="$T/home/work/libblob/ck_jit_manifest.json" "$B/bin/ckjit-prebuild" build --all >out 2>err || fail "build of a blob: $(cat err)"
clean 'ckjit-prebuild build of a blob'
"$B/bin/ckjit-build" explain home >out 2>err || fail "explain: $(cat err)"
clean explain
"$B/bin/ckjit" doctor >out 2>err || :
clean doctor
