#!/bin/sh
# The host starts children of its own by vfork and posix_spawn, before and during a first call: it finds the end of each of
# them, and none that is not its own.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
SHIM_MS=400 many lib 2
is "result" 1005 "$(hostile lib children 1 5)"
