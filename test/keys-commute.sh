#!/bin/sh
# Flags whose order a key ignores commute, as clang says: whatever two of them it is given, in either order it starts the same commands.
# Of flags that interfere a key keeps the order. CLANG=clang++-22 test/keys-commute.sh asks another one.
# tier: long
# seconds: 80
. "${0%/*}/common.sh"
need python3 clang++
python3 "$here/keys/commute.py" "$B/test/unit/commute" "$T" "${CLANG:-clang++}" || fail 'a key and clang differ about the order of flags'
