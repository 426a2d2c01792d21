#!/bin/sh
# Standard error is a pipe or a socket whose reader is gone or does not read, a terminal that stands still, or a file that may
# not grow: calls print lines, come back, and no signal ends the host. A message that finds no room is dropped; one that finds
# some is whole.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 16
export CK_JIT_VERBOSE=1
n=0
for what in pipe-gone pipe-full socket-gone socket-full terminal; do
  is "$what" $((1000 * n + 5)) "$(timeout 60 "$T/hostile" "$T/lib/libkernels.so" stderr $what $n 5)"
  is "$what, from the cache" $((1000 * n + 6)) "$(timeout 60 "$T/hostile" "$T/lib/libkernels.so" stderr $what $n 6)"
  n=$((n + 1))
done
is "before the limit" 8005 "$(hostile lib value 8 5)"
is "a file that may not grow" 8006 "$(
  exec 2>"$T/said"
  ulimit -f 0
  hostile lib value 8 6 | cat
)"
# ckjit-compile says what it cannot write
(
  ulimit -f 0
  CK_JIT_VERBOSE=0 hostile lib value 9 6 2>&1
) | cat >"$T/both"
has "a compile whose files may not grow" "File too large" "$T/both"
(
  ulimit -f 0
  CK_JIT_VERBOSE=0 CK_JIT_CAPTURE=$T/capture hostile lib value 8 6 2>&1
) | cat >"$T/both"
has "a capture that may not grow" 8006 "$T/both"
has "a capture that may not grow" "$T/capture: File too large; nothing is captured" "$T/both"
is "what is left of it" "$T/capture" "$(echo "$T"/capture*)"
is "compiles" $((n + 1)) "$(started lib)"

# an error that ends the process is read as soon as there is room again
touch "$T/lib/control/k10.fail"
{ CK_JIT_ON_ERROR=abort hostile lib value 10 5 >"$T/out" 2>"$T/said" || true; } 2>/dev/null
has "the last words" "k10: the compiler failed with status 4" "$T/said"

# a reader that reads gets all of it, each line whole
is "a reader" 11005 "$(hostile lib value 11 5 2>&1 >"$T/value" | cat >"$T/said"; cat "$T/value")"
has "a reader" "ckjit: k11: compiled in" "$T/said"
has "a reader" "ckjit: k11: loaded from" "$T/said"
