#!/bin/sh
# A dispatcher's row tells which functions its body calls: a table of rows that call two blobs, linked as a build links it and called.
# The first call has the other kernel of its row compiled beside its own; a row of one blob has nothing beside it, and neither does a
# kernel that is compiled ahead of time.
# tier: all
# seconds: 8
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
. "$here/unit/chooser_fixture.sh"
unset CK_JIT_WARM
export CK_JIT_JOBS=4 CK_JIT_VERBOSE=1 CK_JIT_JOB_MEMORY=0
for n in 1 2 3 4; do kernel $n; done
# row k: the name of kernel k, and kernel k + 1; row 4 has kernel 4 alone
chain 2 1 2 3 4 | awk '/run_both</ { n++; if (n < 4) sub(/run_both<t, t>/, "run_both<t, traits<" n + 1 ", true>>") } { print }' >chooser.cpp
grep -q 'run_both<t, traits<2' chooser.cpp || fail "no row of two kernels: $(cat chooser.cpp)"
chooser_host
objects k1 k2 k3 k4 chooser host
link liba.so k1.o k2.o chooser.o k3.o k4.o host.o
says '(1 helper erased, 1 table of 4 rows)'

calls liba.so 1 2>err >got
has_line() {
  grep -q "$1" err || fail "no line '$1' in: $(cat err)"
}
has_line '^ckjit: k1: compiling in parallel with it 1 other kernel$'
lacks "k2's call starts nothing more" '^ckjit: k2: .*beside' err
[ "$(cd cache && echo *.so)" = 'k1.so k2.so' ] || fail "cache: $(ls cache)"
[ "$(cut -d' ' -f1-3 got)" = '201 kernel 1,' ] || fail "row 1: $(cat got)"
calls liba.so 4 2>err >got
has_line '^ckjit: k4: compiled in'
lacks "nothing is beside a kernel alone" beside err

# k2 compiled ahead of time has no stub: row 1 needs k1 alone
rm -rf cache
echo k2 >aot
CK_JIT_VERBOSE='' "$B/bin/ckjit-build" relink --tmp-dir "$work" --aot-list aot >out 2>&1 || fail "relink: $(cat out)"
calls liba.so 1 2>err >got
has_line '^ckjit: k1: compiled in'
lacks "nothing is beside k1" beside err
