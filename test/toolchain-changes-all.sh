#!/bin/sh
# All rows of the table of changes to a toolchain: programs, libraries, bitcode, links, headers, what the job's environment names.
# tier: all
# seconds: 18
. "${0%/*}/common.sh"
. "$here/unit/changes_fixture.sh"
changes '' 45
