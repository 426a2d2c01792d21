#!/bin/sh
# Response files are read for the verdict, nested ones too, and handed on as they are.
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
blob 'x y.cu'
echo 'int f() { return 0; }' >host.cu
printf -- "-DA='1 2' @inner\n" >outer
printf -- '-c "x y.cu" -o\n\tx.o' >inner
"$T/h/bin/hipcc" @outer
grep -qF '"args":["-DA=1 2","-c","x y.cu","-o","x.o"]' x.o || fail "not expanded: $(cat h/wdir/manifest.json.ndjson)"
test ! -e h/real.log || fail "a blob reached the compiler"
printf -- '-c host.cu -o host.o' >host
"$T/h/bin/hipcc" -DB @host
grep -qx '<@host>' h/real.log || fail "the response file was not handed on: $(cat h/real.log)"
# one that is not there is the compiler's to complain about
"$T/h/bin/hipcc" @missing -o prog
grep -qx '<@missing>' h/real.log || fail "a missing response file was not handed on"
# one that contains itself ends
echo '@self' >self
"$T/h/bin/hipcc" @self || fail "a response file that contains itself"
# one that contains itself twice does, too
echo '@twice @twice' >twice
timeout 20 "$T/h/bin/hipcc" @twice || fail "a response file that contains itself twice"
# a pipe can be read once: that is for the compiler to do
mkfifo pipe
echo '-c x.cu' >pipe &
timeout 20 "$T/h/bin/hipcc" @pipe || fail "a pipe as a response file"
test "$(cat pipe)" = '-c x.cu' || fail "the pipe was read"
