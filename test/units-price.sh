#!/bin/sh
# A unit of HIP for one architecture whose headers are the host's for the most part costs the build half of its compile, and each launched kernel the
# other half: the real compiler gets it before anything is run, and explain says so. Several architectures, headers of a device, kernels from a
# header of the build's own, or units=all make it lazy.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/hip_words_fixture.sh"
mkdir host device own
yes '// of the host, and of nothing else; a comment weighs as much' | head -n 50000 >host/heavy.h
{
  echo '#define MINE_DEVICE'
  cat host/heavy.h
} >device/heavy.h
echo '__attribute__((global)) void of_header(int *p) { p[0] = 2; }' >own/kernels.h
cat >u.hip <<'C'
#include "heavy.h"
#if __has_include("kernels.h")
#include "kernels.h"
#endif
__attribute__((global)) void k(int *p) { p[0] = 1; }
C
one=--offload-arch=gfx942
# kind_of WORDS…: what the call was recorded as
kind_of() {
  : >calls
  "$T/h/bin/hipcc" "$@" -c u.hip -o u.o 2>err || fail "hipcc $*: $(cat err)"
  kinds h | tail -n 1
}

is 'one architecture' host "$(kind_of -Ihost $one)"
is 'the compiler is called as it was' "-Ihost $one -c u.hip -o u.o" "$(cat calls)"
tail -n 1 h/wdir/manifest.json.ndjson >told
has 'why' '"not_lazy":"of one architecture, it would save little' told
"$B/bin/ckjit-build" explain h u.hip >explained 2>&1 || fail "explain: $(cat explained)"
has explain 'not lazy: of one architecture, it would save little' explained
is 'headers of the system' host "$(kind_of -isystem host $one)"
is 'headers of a device' unit "$(kind_of -Idevice $one)"
is 'two architectures' unit "$(kind_of -Ihost $one --offload-arch=gfx90a)"
is 'one architecture in two settings' unit "$(kind_of -Ihost --offload-arch=gfx90a:xnack+ --offload-arch=gfx90a:xnack-)"
is 'kernels of a header of its own' unit "$(kind_of -Ihost -Iown $one)"
is 'kernels of a header of others' host "$(kind_of -Ihost -isystem own $one)"
is 'CK_JIT_UNITS=0' host "$(CK_JIT_UNITS=0 kind_of -Ihost -Iown $one)"
sed -i 's/^units=lazy$/units=all/' h/ckjit.conf
is 'units=all' unit "$(kind_of -Ihost $one)"
