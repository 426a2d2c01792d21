#!/bin/sh
# relink runs the link step with the variables that the build's own had for compilers, whatever the shell has now: nothing is compiled
# again, and the library records the same.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
unset LIBRARY_PATH
kernel 1 && host 1
objects k1 host
link liba.so k1.o host.o
sed -n '/^env /p' "$work/liba/ck_jit_inputs/"* >before
grep -q '^env PATH=/' before || fail "no PATH is recorded: $(cat before)"
mkdir more
PATH=$T/more:$PATH LIBRARY_PATH=$T/more "$B/bin/ckjit-build" relink --tmp-dir "$work" >out 2>&1 || fail "relink: $(cat out)"
grep -q '; 0 compiles, ' out || fail "compiled again: $(cat out)"
sed -n '/^env /p' "$work/liba/ck_jit_inputs/"* | cmp -s before - || fail 'other variables are recorded'
