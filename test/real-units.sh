#!/bin/sh
# With HIP 7.2.4, by hipcc and by clang as CMake calls it: the object of a lazy unit is the real compiler's, but for its fat binary; for what test/units-object.sh has, and for a unit of CK's GEMM instances,
# cut to two of them.
# In CI: units-object, with HIP 5.2; real-cmake-hip, by clang as CMake calls it.
# tier: long
# seconds: 80
. "${0%/*}/common.sh"
. "$here/unit/object_fixture.sh"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare python3 nm objdump objcopy readelf
tools=$B/toolchain
"$here/toolchain/hip7-root" "$tools/hip7" || skip "no HIP 7.2.4 root can be made here, see $tools/hip7.log"
"$here/toolchain/ck-cmake-source" "$tools/ck-cmake" || skip "CK's source cannot be fetched here, see $tools/ck-cmake/log"
ck=$(realpath "$tools/ck-cmake/composable_kernel")
top=$(cd "$here/.." && pwd)
export CKJIT_BIND="$top $T $B $ck"
in_root() { "$here/toolchain/hip7-root" --run "$tools/hip7" "$@"; }

in_root env B="$B" TMPDIR="$T" bash "$here/units-object.sh" >"$T/log" 2>&1 || fail "units-object.sh: $(cat "$T/log")"

mkdir -p "$T/gen/ck"
sed 's/#cmakedefine .*//; s/@[^@]*@/1/' "$ck/include/ck/config.h.in" >"$T/gen/ck/config.h"
instances=$ck/library/src/tensor_operation_instance/gpu/gemm/device_gemm_xdl_f32_f32_f32_mk_nk_mn_instance.cpp
awk '/^ *DeviceGemmXdl</ { before = last; last = $0; next } last { print before; print last; last = "" } { print }' "$instances" >"$T/gemm.cpp"
[ "$(grep -c '^ *DeviceGemmXdl<' "$T/gemm.cpp")" = 2 ] || fail "not two instances: $(cat "$T/gemm.cpp")"
cat >"$T/build" <<'SH'
#!/bin/sh
set -eu
cd "$T"
export CK_JIT_UNITS=build
"$B/bin/ckjit-build" home --dir home --units >exports
words="-include memory -std=c++17 -O3 -fPIC -DNDEBUG -DCK_ENABLE_FP32 -DCK_USE_XDL -Igen -I$ck/include -I$ck/library/include --offload-arch=gfx942 -Wno-everything"
hipcc $words -MD -MT gemm.o -c gemm.cpp -o stock.o
home/bin/hipcc $words -MD -c gemm.cpp -o gemm.o
words='-x hip -O2 -fPIC --offload-arch=gfx90a -c k.cpp'
"$(sed -n 's/^clang=//p' home/ckjit.conf)" $words -o clang.o
home/bin/amdclang++ $words -o k.o
SH
printf '#include <hip/hip_runtime.h>\nstatic __global__ void k(int *p) { *p = 1; }\nvoid f(int *p) { k<<<1, 1>>>(p); }\n' >"$T/k.cpp"
in_root env B="$B" T="$T" ck="$ck" CK_JIT_VERBOSE=1 sh "$T/build" >"$T/log" 2>&1 || fail "CK: $(tail -n 20 "$T/log")"
cd "$T"
[ "$(sed 's/.*"kind":"\([a-z]*\)".*"compiler_kind":"\([a-z]*\)".*/\1 \2/' home/work/manifest.json.ndjson | tr '\n' ' ')" = 'unit hip unit clang ' ] || fail "recorded as $(cat home/work/manifest.json.ndjson)"
cmp stock.d gemm.d || fail 'CK: another depfile'
facts stock.o >stock
facts gemm.o >ours
[ "$(wc -l <stock)" -gt 1000 ] || fail "CK: nothing to compare: $(cat stock)"
diff stock ours >difference || fail "CK: $(head -40 difference)"
facts clang.o >stock
facts k.o >ours
[ "$(wc -l <stock)" -gt 50 ] || fail "clang: nothing to compare: $(cat stock)"
diff stock ours >difference || fail "clang: $(head -40 difference)"
