#!/bin/sh
# A toolchain that changed after the link gives another build id, found again without compiling, or an error; never its code under the old one.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/changes_fixture.sh"
changes quick 15
