#!/bin/bash
# Names with letters beyond ASCII, and with what response files, makefiles and lists take for their own.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/names_fixture.sh"
road 'é'
road @at @at ./@at.cpp
road '#hash'
road 'a=b,c:d'
road '{root}'
