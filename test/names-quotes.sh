#!/bin/bash
# Names with quotes and backslashes.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/names_fixture.sh"
road "it's"
road 'say "x"'
road 'back\slash'
road 'both "'"'"''
