#!/bin/sh
# What stock builds, ckjit builds, with the same result: random small libraries, compiled, linked and called by the real compiler and
# through a fake home. Of the units that are blobs by definition, 98 % are lazy. The builds are the same each time, so that what a run finds
# is of the change that it tests; generated-long.sh makes others. BUILDS=10 FIRST=1000 …: test/generator/compare.py.
# tier: long
# seconds: 120
. "${0%/*}/common.sh"
need python3 cc hipcc
need_hipcc
export PYTHONDONTWRITEBYTECODE=1 BUILDS="${BUILDS:-60}" FIRST="${FIRST:-400000}"
python3 "$here/generator/compare.py" "$B" "$T/generated" || fail 'see above'
