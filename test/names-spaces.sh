#!/bin/bash
# Names with spaces, in front and behind as well, and with tabs.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/names_fixture.sh"
road 'a b'
road ' before and behind '
road $'a\ttab'
