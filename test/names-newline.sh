#!/bin/bash
# A name with a newline in it.
# tier: all
# seconds: 13
. "${0%/*}/common.sh"
. "$here/unit/names_fixture.sh"
road $'new\nline'
