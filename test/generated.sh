#!/bin/sh
# What stock builds, ckjit builds, with the same result: random small libraries, compiled, linked and called by the real compiler and
# through a fake home. Of the units that are blobs by definition, 98 % are lazy. BUILDS=10 FIRST=1000 …: test/generator/compare.py.
# tier: all
# seconds: 150
. "${0%/*}/common.sh"
need python3 hipcc
need_hipcc
seed
export PYTHONDONTWRITEBYTECODE=1 BUILDS="${BUILDS:-100}" FIRST="${FIRST:-$SEED}"
python3 "$here/generator/compare.py" "$B" "$T/generated" || fail 'see above'
