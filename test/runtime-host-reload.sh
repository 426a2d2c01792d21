#!/bin/sh
# A library is unloaded, and loaded again, many times: its kernels are right, also when their entries were removed meanwhile, and
# nothing of it is left in the process that a fork would run into.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 4
is "again" "5 0 6 0 7 0 8 0 " "$(hostile lib reload 4 0 5 | tr '\n' ' ')"
is "compiles" 1 "$(started lib)"
is "entry removed" "1005 0 1006 0 1007 0 " "$(hostile lib reload 3 1 5 "$T/cache/k1.so" | tr '\n' ' ')"
is "compiles with the entry removed" 3 "$(started lib k1)"
