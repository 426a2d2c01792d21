#!/bin/sh
# generated-late.sh with 2,000 builds that are others each time.
# tier: long
# timeout: 40000
. "${0%/*}/common.sh"
seed
BUILDS="${BUILDS:-2000}" FIRST="${FIRST:-$SEED}" REDUCE=1 "$here/generated-late.sh"
