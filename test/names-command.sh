#!/bin/bash
# Names that a shell would run: $(…), backquotes, and what separates commands or is a pattern.
# tier: all
# seconds: 17
. "${0%/*}/common.sh"
. "$here/unit/names_fixture.sh"
# shellcheck disable=SC2016 # just that
road '$(touch pwned)'
# shellcheck disable=SC2016
road '`touch pwned`'
road ';touch pwned;'
road '| touch pwned &'
road '*?[a]{b,c}~'
road '%s%n$x'
