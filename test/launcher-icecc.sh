#!/bin/sh
# CK_JIT_COMPILER_LAUNCHER=icecc: it starts each compile; where there is no daemon, it compiles here.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
need icecc
. "$here/unit/postbuild_fixture.sh"
export ICECC_DEBUG=info ICECC_LOGFILE="$T/icecc.log"
# counts WHAT COMPILES: so many processes of icecc have written to its log
counts() {
  found=$(sed -n 's/^ICECC\[\([0-9]*\)\].*/\1/p' icecc.log | sort -u | wc -l)
  [ "$found" = "$2" ] || fail "$1: icecc has started $found, not $2: $(cat icecc.log)"
}
kernel 1 && kernel 2 && host 1 2
objects k1 k2 host
: >icecc.log
export CK_JIT_COMPILER_LAUNCHER=icecc
link liba.so k1.o k2.o host.o
says '2 blobs are lazy (4 functions in 1 unit), 0 compiled ahead of time'
counts 'a link' 2 # a unit, the runtime
right liba.so 1 2
counts 'two kernels' 4
