#!/bin/sh
# What a source has the preprocessor say, by #pragma message, GCC warning and #warning, a lazy unit's build says as often as the real compiler.
# tier: all
# seconds: 6
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
units_home
cat >k.hip <<'C'
#include <hip/hip_runtime.h>
#pragma message("first")
#pragma GCC warning "second"
#warning third
__global__ void k(float *p) { *p = 1; }
void f(float *p) { k<<<1, 1>>>(p); }
C
hipcc --offload-arch=gfx90a -c k.hip -o stock.o 2>stock.err || fail "the real compiler: $(cat stock.err)"
as_build hipcc --offload-arch=gfx90a -c k.hip -o k.o || fail "$(cat err)"
has 'the unit' '"kind":"unit"' home/work/manifest.json.ndjson
for word in first second third; do
  is $word "$(grep -c "warning: .*$word" stock.err)" "$(grep -c "warning: .*$word" err)"
done
