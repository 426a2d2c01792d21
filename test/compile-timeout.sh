#!/bin/sh
# A compiler that hangs is ended after CK_JIT_COMPILE_TIMEOUT, with all that it started, also where it ignores SIGTERM. Those who
# waited are told the same, once.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
cat >"$T/hang" <<'SHIM'
#!/bin/bash
echo "$*" >>"$SHIM_CALLS"
trap '' TERM
sleep 300 & echo $! >"$SHIM_CALLS.pid"
while :; do sleep 0.1; done
SHIM
chmod +x "$T/hang"
export CK_JIT_COMPILE_TIMEOUT=1

start=$(date +%s)
for i in 1 2 3; do
  CK_JIT_HIPCC=$T/hang "$T/lib/driver" value 0 5 >"$T/out.$i" &
done
wait
is "compiles" 1 "$(compiles)"
for i in 1 2 3; do
  has "message" "value0: the compiler $T/hang was ended because it took more than 1 s; set CK_JIT_COMPILE_TIMEOUT" "$T/out.$i"
done
[ $(($(date +%s) - start)) -lt 30 ] || fail "it took too long"
n=0
while kill -0 "$(cat "$SHIM_CALLS.pid")" 2>/dev/null; do
  n=$((n + 1))
  [ $n -lt 40 ] || fail "what the compiler started still runs"
  sleep 0.05
done
is "left" "" "$(find "$T/cache" -name '.tmp-*' -o -name '*.so')"

is "the next call" 1005 "$(CK_JIT_COMPILE_TIMEOUT=0 "$T/lib/driver" value 0 5)"
CK_JIT_COMPILE_TIMEOUT=soon "$T/lib/driver" value 1 5 >"$T/out" && fail "took a timeout of 'soon'"
has "a bad value" "CK_JIT_COMPILE_TIMEOUT='soon': expected a number of seconds" "$T/out"
