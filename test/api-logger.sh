#!/bin/sh
# ckjit_set_logger: what a library would print goes to the program instead, with its severity: that a call waits, warnings, and with
# CK_JIT_VERBOSE what is done. The message before an abort is printed as well. Who sets another logger waits until no thread is in
# the former one; a logger cannot. A child of a fork has its parent's; the waiting lines are gone with CK_JIT_QUIET.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
unset CK_JIT_QUIET CK_JIT_SAY_AFTER
many lib 3
lib=$T/lib/libkernels.so control=$T/lib/control
api "open:$lib" logger:log compile:k0:store set:CK_JIT_VERBOSE=1 compile:k1:store logger compile:k2:store >"$T/out" 2>"$T/err"
has "verbose" "log: progress: k1: compiled in " "$T/out"
lacks "another's" "k0\|k2" "$T/out"
has "printed again" "ckjit: k2: compiled in " "$T/err"
lacks "not printed" k1 "$T/err"
has "no library" "CKJIT_E_INVALID: ckjit_set_logger: expected a library" - <<END
$("$T/api" logger:log || :)
END

export CK_JIT_SAY_AFTER=0.1:0.1
rm "$T/cache"/*.so
touch "$control/k0.hold"
"$T/api" "open:$lib" logger:log:300 batch:1:k0:store "until:$T/go" logger:other set:CK_JIT_VERBOSE=1 wait:-1 free fork compile:k1:store >"$T/out" 2>"$T/err" &
pid=$!
await "the line" grep -q "^log: note: k0: waiting for [0-9.]* s; being compiled for .* by ckjit-compile (pid [0-9]*), " "$T/out"
touch "$T/go"
await "the other logger" grep -q "^other: note: k0: " "$T/out"
rm "$control/k0.hold"
wait "$pid" || fail "$(cat "$T/out")"
is "printed" "" "$(cat "$T/err")"
awk '/^set$/ { sets++ } /^log: / { inside = !/: out$/; if (sets > 1) bad = 1 } /^set$/ && inside { bad = 1 } END { exit bad }' "$T/out" ||
  fail "the former logger was left while a thread was in it: $(cat "$T/out")"
has "the child" "other: progress: k1: compiled in " "$T/out"

rm "$T/cache"/*.so
"$T/api" "open:$lib" logger:again set:CK_JIT_VERBOSE=1 compile:k0:store >"$T/out" && fail "a logger that sets one"
has "a logger that sets one" "CKJIT_E_INVALID: ckjit_set_logger: called by a logger of $lib" "$T/out"

# a warning; CK_JIT_QUIET; an abort
rm "$T/cache"/*.so
touch "$control/k0.hold"
CK_JIT_QUIET=1 CK_JIT_TRACE=/nonexistent/trace "$T/api" "open:$lib" logger:log compile:k0:store >"$T/out" 2>"$T/err" &
pid=$!
await "the compile" has_started lib 1 k0
has_waited() { [ "$(ps -o etimes= -p "$pid" | tr -d ' ')" -ge 1 ]; }
await "it waits" has_waited
rm "$control/k0.hold"
wait "$pid" || fail "$(cat "$T/out")"
has "the warning" "log: warning: CK_JIT_TRACE=/nonexistent/trace: cannot write it" "$T/out"
lacks "quiet" note "$T/out"
is "printed" "" "$(cat "$T/err")"
rm "$T/cache"/*.so
echo broken >"$control/k0.fail"
(CK_JIT_ON_ERROR=abort exec "$T/api" "open:$lib" logger:log stub:_Z6value_ILi0EEii:1) >"$T/out" 2>"$T/err" && fail "it ends"
has "the logger" "log: error: k0: " "$T/out"
has "printed as well" "ckjit: error: k0: " "$T/err"
