#!/bin/sh
# CK_JIT_ON_ERROR with another value than its two is taken for throw, and said once with what there is; in colour on a terminal, unless
# that or the user wants none.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
need python3
library lib
warning="ckjit: warning: CK_JIT_ON_ERROR: expected throw or abort, found 'trow'; using throw"
touch "$SHIM_FAIL"
CK_JIT_ON_ERROR=trow "$T/lib/driver" twice 0 1 >"$T/out" 2>"$T/err"
is "thrown" 2 "$(grep -c '^error: ckjit: value0: ' "$T/out")"
is "said" "$warning" "$(cat "$T/err")"
for value in throw ''; do
  CK_JIT_ON_ERROR=$value "$T/lib/driver" twice 0 1 >"$T/out" 2>"$T/err"
  is "thrown, '$value'" 2 "$(grep -c '^error: ckjit: value0: ' "$T/out")"
  is "said, '$value'" '' "$(cat "$T/err")"
done
rm "$SHIM_FAIL"
# before anything fails: it is too late then
is "works" 1001 "$(CK_JIT_ON_ERROR=trow "$T/lib/driver" value 0 1 2>"$T/err")"
is "said, works" "$warning" "$(cat "$T/err")"
# libckjit.so throws nothing
CK_JIT_ON_ERROR=trow api "open:$T/lib/libkernels.so" compile:value1 >"$T/out" 2>"$T/err"
is "said, libckjit.so" '' "$(cat "$T/err")"

# on_terminal SETTING…: what the terminal gets
on_terminal() {
  python3 "$unit/terminal.py" "$T/raw" 80 env "$@" CK_JIT_ON_ERROR=trow "$T/lib/driver" value 0 1
  head -n 1 "$T/raw" | tr -d '\r'
}
esc=$(printf '\033')
coloured="ckjit: ${esc}[0;1;35mwarning: ${esc}[0m${esc}[1m${warning#ckjit: warning: }${esc}[0m"
is "on a terminal" "$coloured" "$(on_terminal TERM=xterm NO_COLOR=)"
is "NO_COLOR" "$warning" "$(on_terminal TERM=xterm NO_COLOR=1)"
is "TERM=dumb" "$warning" "$(on_terminal TERM=dumb NO_COLOR=)"
is "no TERM" "$warning" "$(on_terminal -u TERM -u NO_COLOR)"
# what CK_JIT_VERBOSE prints has no severity, and no colour
CK_JIT_VERBOSE=1 on_terminal TERM=xterm NO_COLOR= >/dev/null
grep -q "^ckjit: value0: loaded from $T/cache/value0.so" "$T/raw" || fail "CK_JIT_VERBOSE: $(cat "$T/raw")"
