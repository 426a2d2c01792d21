#!/bin/sh
# Through the fake home, the machine's own hipcc: flags are probed with success, host sources become objects and programs.
# tier: check
. "${0%/*}/common.sh"
need hipcc
real=$(dirname "$(dirname "$(command -v hipcc)")")
cd "$T"
fake_home "$T/h" "real_home=$real" "real_compiler=$real/bin/hipcc" home_var=HIP_PATH home_var=ROCM_PATH
export ROCM_PATH="$T/h" HIP_PATH="$T/h" PATH="$T/h/bin:$PATH"
hipcc --version >version || fail "hipcc --version"
grep -qi clang version || fail "no version: $(cat version)"
test "$(hipconfig --version 2>/dev/null)" = "$(env -u HIP_PATH -u ROCM_PATH "$real/bin/hipconfig" --version 2>/dev/null)" || fail "hipconfig --version"
hipcc -mllvm --amdgpu-early-inline-all=true -x hip --cuda-host-only -c /dev/null -o /dev/null || fail "a flag probe"
hipcc -mllvm --no-such-flag -x hip --cuda-host-only -c /dev/null -o /dev/null 2>err && fail "a bad flag passed its probe"
printf '#include <cstdio>\nint main() { std::puts("hello"); }\n' >main.cpp
HIP_COMPILE_CXX_AS_HIP=0 hipcc -c main.cpp -o main.o || fail "hipcc -c"
c++ main.o -o main || fail "the link"
test "$(./main)" = hello || fail "the program"
test "$(sed -n '/"kind":"blob"/p' h/wdir/manifest.json.ndjson)" = "" || fail "something was recorded as a blob"
