#!/bin/bash
# Words of a call that only some of the compiler's passes use are no warning of a lazy unit's build, and no error with -Werror; those that none
# uses are what the real compiler says of them, once.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
units_home
printf '#include <hip/hip_runtime.h>\n__global__ void k(float *p) { atomicAdd(p, 1.f); }\nvoid f(float *p) { k<<<1, 1>>>(p); }\n' >k.hip
while read -r kind words; do
  status=0 ours=0
  # shellcheck disable=SC2086 # words
  hipcc --offload-arch=gfx90a $words -c k.hip -o stock.o 2>stock.err || status=$?
  # shellcheck disable=SC2086
  as_build hipcc --offload-arch=gfx90a $words -c k.hip -o k.o || ours=$?
  is "$words: status" $status $ours
  is "$words" "$(grep clang: stock.err)" "$(grep clang: err)"
  is "$words: kind" "$kind" "$(tail -n 1 home/work/manifest.json.ndjson | sed 's/.*"kind":"\([a-z]*\)".*/\1/')"
done <<'END'
unit -O2 -munsafe-fp-atomics -fgpu-flush-denormals-to-zero
host -O2 -fpie -Werror -munsafe-fp-atomics
unit -O2 -lm -L/nowhere
unit -O2 -lm -Wall -Wno-unused-command-line-argument -fpie
host -O2 -lm -Werror -Wno-error=unused-command-line-argument
host -O2 -lm -Werror
END
