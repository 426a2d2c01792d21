#!/bin/sh
# A compiler that hangs is ended after CK_JIT_COMPILE_TIMEOUT, with all that it started, also where it ignores SIGTERM. Those who
# waited are told the same, once.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
cat >"$T/hang" <<'SHIM'
#!/bin/bash
echo "$*" >>"${0%/*}/calls"
trap '' TERM
sleep 100000 & echo $! >"${0%/*}/calls.pid"
while :; do sleep 0.1; done
SHIM
chmod +x "$T/hang"
# others_wait: while the first still compiles
others_wait() {
  kill -0 "$first" 2>/dev/null || return 0
  waiting 2 "$T/cache" && waited=1
}
# Tried with more time until the others came to wait within it.
for CK_JIT_COMPILE_TIMEOUT in 1 5 30 180; do
  export CK_JIT_COMPILE_TIMEOUT
  : >"$SHIM_CALLS"
  waited=
  for i in 1 2 3; do
    CK_JIT_HIPCC=$T/hang "$T/lib/driver" value 0 5 >"$T/out.$i" &
    [ $i != 1 ] || first=$!
  done
  await 'the first one does not end' others_wait
  wait
  gone "$(cat "$SHIM_CALLS.pid")" "what the compiler started"
  [ -z "$waited" ] || break
done
[ -n "$waited" ] || fail "nobody waits"
is "compiles" 1 "$(compiles)"
for i in 1 2 3; do
  has "message" "value0: the compiler $T/hang was killed after $CK_JIT_COMPILE_TIMEOUT s; raise CK_JIT_COMPILE_TIMEOUT" "$T/out.$i"
done
is "left" "" "$(find "$T/cache" -name '.tmp-*' -o -name '*.so')"

is "the next call" 1005 "$(CK_JIT_COMPILE_TIMEOUT=0 "$T/lib/driver" value 0 5)"
CK_JIT_COMPILE_TIMEOUT=soon "$T/lib/driver" value 1 5 >"$T/out" && fail "took a timeout of 'soon'"
has "a bad value" "CK_JIT_COMPILE_TIMEOUT: expected a number of seconds, or 0 for no limit, found 'soon'" "$T/out"
