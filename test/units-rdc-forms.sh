#!/bin/bash
# Forms of HIP units with -fgpu-rdc: printf and assert of the device are as of the regular link; __managed__ variables, device objects with
# constructors, device-side LTO and the address sanitizer go to the regular compiler, and explain gives the reason.
# tier: all
# seconds: 30
# shellcheck disable=SC2086 # $rdc is a list of flags
. "${0%/*}/common.sh"
late=1
. "$here/unit/hip_fixture.sh"
rdc="-O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a -fgpu-rdc -B/usr/lib/llvm-15/bin"
units_home
# unit NAME TEXT BODY: a unit with TEXT, and a kernel with BODY
unit() {
  printf '%s\n' '#include <hip/hip_runtime.h>' '#include <cstdio>' '#include <cassert>' "$2" "__global__ void k_$1(int *p) { $3 }" \
    "extern \"C\" __attribute__((visibility(\"default\"))) int $1(int *p) { k_$1<<<1, 1>>>(p); return hipGetLastError(); }" >"$1.hip"
}
# explained NAME TEXT
explained() {
  "$B/bin/ckjit" explain home "$1.hip" >said 2>&1 || :
  has "explain of $1" "$2" said
}
unit managed '__managed__ int m;' '*p = m++;'
unit built 'struct s { int n; constexpr __device__ s() : n(3) {} }; __device__ s object;' '*p = object.n;'
unit lto '' '*p = 1;'
unit sanitized '' '*p = 1;'
for u in managed built; do
  as_build hipcc $rdc -c $u.hip -o $u.o || fail "$u: $(cat err)"
done
as_build hipcc $rdc -foffload-lto -c lto.hip -o lto.o || fail "lto: $(cat err)"
as_build hipcc $rdc -fsanitize=address -c sanitized.hip -o sanitized.o || :
explained managed 'managed'
explained built 'it has the device variable object'
explained lto 'foffload-lto'
explained sanitized 'fsanitize'

unit said '__device__ void speak(int);' 'speak(*p);'
printf '%s\n' '#include <hip/hip_runtime.h>' '#include <cstdio>' '#include <cassert>' '__device__ void speak(int x) { assert(x < 100); printf("%d\n", x); }' >speak.hip
mkdir regular
for u in said speak; do
  as_build hipcc $rdc -c $u.hip -o $u.o || fail "$u: $(cat err)"
  hipcc $rdc -c $u.hip -o regular/$u.o || fail "regular: $u"
done
as_build hipcc $rdc --hip-link -shared -o libsaid.so said.o speak.o || fail "link: $(cat err)"
has 'printf' '1 ordinary source lazy, 0 ahead of time' err
hipcc $rdc --hip-link -shared -o regular/libsaid.so regular/said.o regular/speak.o || fail 'the regular link'
CK_JIT_MANIFEST="$T/home/work/libsaid/ck_jit_manifest.json" "$B/bin/ckjit" build said >out 2>&1 || fail "build: $(cat out)"
python3 "$here/unit/kernel_code.py" _Z6k_saidPi regular/libsaid.so >wanted
python3 "$here/unit/kernel_code.py" _Z6k_saidPi cache/said.so >found
grep -q . found || fail 'no code of the kernel that prints'
is 'size of the code of a kernel that prints' "$(wc -c <wanted)" "$(wc -c <found)"
grep -qa hostcall_buffer cache/said.so || grep -qa hostcall_buffer regular/libsaid.so || fail 'neither has the buffer of printf'
is 'has the buffer of printf, as the regular one' "$(grep -ca hidden_hostcall_buffer regular/libsaid.so)" "$(grep -ca hidden_hostcall_buffer cache/said.so)"
