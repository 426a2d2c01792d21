#!/bin/sh
# Only the architectures present are compiled: those of the driver's topology that the library was built for.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
# node N VERSION
node() {
  mkdir -p "$T/kfd/$1"
  printf 'cpu_cores_count 0\nsimd_count 304\ngfx_target_version %s\nvendor_id 4098\n' "$2" >"$T/kfd/$1/properties"
}
# archs: of the last compile of value0
archs() {
  rm -rf "$T/cache"
  : >"$SHIM_CALLS"
  "$T/lib/driver" value 0 5 >/dev/null
  grep -o 'offload-arch=[^ ]*' "$SHIM_CALLS" | cut -d= -f2 | tr '\n' ' '
}
is "no GPU" "gfx942 gfx950 " "$(archs)"
node 0 0
node 1 90500
node 2 90500
is "one" "gfx950 " "$(archs)"
node 3 90402
is "the driver's order" "gfx950 gfx942 " "$(archs)"
node 1 90010
node 2 90010
is "one that the library was not built for" "gfx942 " "$(archs)"
node 3 90010
is "none that it was built for" "gfx942 gfx950 " "$(archs)"
CK_JIT_ARCH="gfx90a,gfx1100"
export CK_JIT_ARCH
is "CK_JIT_ARCH" "gfx90a gfx1100 " "$(archs)"
# What the user calls gfx90a is what the library calls so, as for a GPU that is present.
LIB_ARCHS='gfx90a:xnack+;gfx90a:xnack-;gfx942' library features
archs() {
  rm -rf "$T/cache"
  : >"$SHIM_CALLS"
  "$T/features/driver" value 0 5 >/dev/null
  grep -o 'offload-arch=[^ ]*' "$SHIM_CALLS" | cut -d= -f2 | tr '\n' ' '
}
is "CK_JIT_ARCH without features" "gfx90a:xnack+ gfx90a:xnack- gfx1100 " "$(archs)"
CK_JIT_ARCH=gfx90a:xnack-
is "CK_JIT_ARCH with features" "gfx90a:xnack- " "$(archs)"
