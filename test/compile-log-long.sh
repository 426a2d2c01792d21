#!/bin/sh
# A compiler that prints 100 MB: its log is kept with its middle left out, and the message has the last lines.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
cat >"$T/loud" <<'SHIM'
#!/bin/sh
echo first
yes 'note: in instantiation of a template' | head -c 100000000
echo 'the last error'
exit 1
SHIM
chmod +x "$T/loud"
CK_JIT_HIPCC=$T/loud "$T/lib/driver" value 0 5 >"$T/out" && fail "succeeded"
has "last lines" "the last error" "$T/out"
log=$T/cache/.logs/value0.log
[ "$(stat -c %s "$log")" -lt 5000000 ] || fail "the log has $(stat -c %s "$log") bytes"
has "start" "first" "$log"
has "cut" "ckjit left out the middle" "$log"
has "end" "the last error" "$log"
[ "$(stat -c %s "$T/out")" -lt 30000 ] || fail "the message has $(stat -c %s "$T/out") bytes"
