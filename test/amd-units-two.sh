#!/bin/sh
# gpu-units-two with HIP, on two emulated MI350X (gfx950).
# tier: long
# timeout: 14400
. "${0%/*}/common.sh"
. "$here/gpu/emulated_fixture.sh"
emulated gfx950_cdna4_kmd_2gpu gpu-units-two
