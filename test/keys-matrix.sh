#!/bin/sh
# A change in what makes a kernel gives it a new key; a change in anything else does not. (Over a hundred of each, by test/keys/matrix.py.)
# tier: long
# seconds: 113
. "${0%/*}/common.sh"
need python3 clang++
python3 "$here/keys/matrix.py" "$B" "$T" || fail "a key did not change, or changed, against expectation"
