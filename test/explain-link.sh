#!/bin/sh
# `ckjit-build explain` says what the link made of each unit and why: lazy, ahead of time for a reason of its own or by a list, a dispatcher
# with tables, with helpers erased, left as it was, or compiled as recorded; and for a library that is made as without ckjit, why all
# of it is. `--stock` has the command that the link really ran.
# tier: all
# seconds: 21
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
. "$here/unit/chooser_fixture.sh"
for n in 1 2 3 4; do kernel $n; done
cat >own.cpp <<'END_'
#include "api.hpp"
struct tag {};
template<> int fwd<tag>(const args&, args) { return 0; }
END_
chain 1 1 2 3 4 >tables.cpp
dispatcher 2 1 2 >erased.cpp
dispatcher 3 1 2 >macro.cpp
printf '#include "chooser.hpp"\nextern "C" int fmha_none() { return 7; }\n' >fmha_none_api.cpp
cat >placed.cpp <<'END_'
#include "chooser.hpp"
constexpr bool moved(const char* s) { return *s && (s[0] == '/' && s[1] == 'u' && s[2] == 'n' && s[3] == 'i' && s[4] == 't' && s[5] == 's' || moved(s + 1)); }
static_assert(!moved(__BASE_FILE__), "this file must stay where it is");
template <> int choose<4>(int k, args a, char* text) { return fwd<traits<1, true>>(a, a); }
END_
host 1 2 3 4
objects k1 k2 k3 k4 own erased fmha_none_api placed host
as_build hipcc -x c++ -fPIC -I. -Dc_str=c_str -c macro.cpp -o macro.o || fail "$(cat err)"
as_build hipcc -x c++ -std=c++17 -fPIC -I. -c tables.cpp -o tables.o || fail "$(cat err)"
link liba.so k1.o k2.o k3.o k4.o own.o tables.o erased.o macro.o fmha_none_api.o placed.o host.o
explain() {
  "$B/bin/ckjit-build" explain "$@" || fail "explain $*"
}
# became SOURCE PATTERN: the line behind the unit's
became() {
  grep -A 1 "^$T/$1:.*\[" out | tail -n 1 | grep -q "^    liba\.so: $2" || fail "$1 is not '$2': $(cat out)"
}
explain home >out
became k1.cpp 'lazy$'
became own.cpp "compiled ahead of time: line 3: its signature needs 'tag', which only this file defines\$"
became tables.cpp 'a dispatcher, its chains made tables (1 helper erased, 1 table of 4 rows)$'
became erased.cpp 'a dispatcher, its helpers erased (1 helper erased, 0 tables of 0 rows)$'
became macro.cpp 'a dispatcher, left as it was: .*macro'
became fmha_none_api.cpp 'a dispatcher, left as it was: no chain of conditions or helper in it has a form that is rewritten$'
became placed.cpp 'a dispatcher, compiled as the build compiles it: .*this file must stay where it is'
grep -q "^$T/host.cpp:4: host: .int call(int k, char\* text). is an external definition \[function\]$" out || fail "host.cpp: $(cat out)"
grep -A 1 '/host.cpp:' out | lacks 'a host source has no outcome' '^    ' -
sed -n "/^[^ ].*liba.so: 10 units\$/,\$p" out >library
grep -q '^ *4  lazy ' library && grep -q '^ *1  ahead .*needs .tag' library && grep -q '^ *1  recorded ' library || fail "summary: $(cat out)"

# a kernel that nothing calls, and one that no source defines; both are in the summary
for word in 'not called' missing; do
  lacks "$word" "^ *[0-9]*  $word " library
done
kernel 5
printf 'extern "C" int call6(args x) { return fwd<traits<6, true>>(x, x); }\n' | cat api.hpp - >host6.cpp
objects k5 host6
link libcalls.so k1.o k2.o k3.o k4.o k5.o host.o host6.o
explain home --summary | sed -n '/libcalls.so: /,/^$/p' >out
grep -q '^ *not called  *k5$' out && grep -q '^ *1  not called  *of 5 kernels' out || fail "k5: $(cat out)"
grep -q '^ *missing  *_Z3fwdI6traitsILi6ELb1EEEiRK4args' out && grep -q '^ *1  missing ' out || fail "k6: $(cat out)"

# the command of a host source and of the link: both are run again, and make what is there
explain home host.cpp liba.so --stock >commands
grep -q "^# called as: cd $T && .*hipcc -shared -o liba.so k1.o" commands || fail "$(cat commands)"
cp host.o before.o && rm liba.so host.o
sh -e commands >log 2>&1 || fail "the commands do not run: $(cat log commands)"
cmp host.o before.o || fail 'another object'
right liba.so 1 2 3 4

echo k2 >list
"$B/bin/ckjit-build" relink --tmp-dir "$work" --aot-list list >log 2>&1 || fail "relink: $(cat log)"
explain home k2 >out
became k2.cpp 'compiled ahead of time, as --aot-list asks$'

echo '#error "no runtime today"' >broken.c
CK_JIT_RUNTIME_SRC=$T/broken.c link liba.so k1.o k2.o host.o
explain "$work" >out
grep -q '^[^ ].*/liba.so: 2 units, built without ckjit: .*broken.c' out || fail "$(cat out)"
became k1.cpp 'compiled ahead of time: its library is built without ckjit$'
