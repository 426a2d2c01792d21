#!/bin/sh
# gpu-libraries with HIP, on an emulated MI300X (gfx942) and MI350X (gfx950).
# tier: long
# timeout: 14400
. "${0%/*}/common.sh"
. "$here/gpu/emulated_fixture.sh"
emulated gfx942_cdna3_kmd gpu-libraries
emulated gfx950_cdna4_kmd gpu-libraries
