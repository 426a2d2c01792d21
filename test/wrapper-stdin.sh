#!/bin/sh
# Source on standard input is the real compiler's, a blob's text too; so are a FIFO and /dev/fd.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h" 'yes=*'
# shellcheck disable=SC2016
printf '#!/bin/sh\nfor f; do :; done\ncat "$f" >got\n' >h/real/bin/hipcc
blob x.cu
"$T/h/bin/hipcc" -x hip -c -o x.o - <x.cu
cmp -s got x.cu || fail "standard input was not left alone"
mkfifo pipe.cu
cat x.cu >pipe.cu &
"$T/h/bin/hipcc" -o x.o -c pipe.cu
cmp -s got x.cu || fail "a FIFO was not left alone"
"$T/h/bin/hipcc" -x hip -c -o x.o /dev/fd/3 3<x.cu
cmp -s got x.cu || fail "/dev/fd/3 was not left alone"
kinds h | lacks "recorded" blob -
test ! -e x.o || fail "a stub object was written"
