#!/bin/sh
# Each form of a dispatcher that is to be rewritten is, each that must not be is not, and all do what they did.
# test/dispatch/forms.py has them; TABLES=1 asks for tables.
# tier: long
# seconds: 74
. "${0%/*}/common.sh"
need python3
export PYTHONDONTWRITEBYTECODE=1
python3 "$here/dispatch/compare.py" forms "$B/test/dispatch/rewrite" "$T/forms"
