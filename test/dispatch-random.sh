#!/bin/sh
# A rewritten dispatcher does what it did: random ones, compiled as they are and rewritten, leave the same log of 20,000
# calls. And a wrong rewrite would be noticed. Settings (SEEDS=1000 TABLES=1 HEADER=1 …): test/dispatch/compare.py.
# tier: long
# seconds: 107
. "${0%/*}/common.sh"
need python3
export PYTHONDONTWRITEBYTECODE=1
python3 "$here/dispatch/compare.py" wrong "$B/test/dispatch/rewrite" "$T/wrong"
seed
FIRST=${FIRST-$SEED} python3 "$here/dispatch/compare.py" random "$B/test/dispatch/rewrite" "$T/random"
