#!/bin/sh
# generated.sh with 2,000 builds that are others each time. `BUILDS=200 FIRST=1 test/generated-cuda.sh` is the same for nvcc.
# tier: long
# timeout: 40000
. "${0%/*}/common.sh"
seed
BUILDS="${BUILDS:-2000}" FIRST="${FIRST:-$SEED}" "$here/generated.sh"
