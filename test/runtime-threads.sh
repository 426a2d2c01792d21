#!/bin/sh
# Many threads call the same kernels for the first time at once: each blob is compiled once, and everybody is right.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib

is "sum" $((64 * (1000 + 1100))) "$("$T/lib/driver" threads 64)"
is "compiles" 2 "$(compiles)"
