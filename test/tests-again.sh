#!/bin/sh
# test/run with AGAIN=1: a test that failed is run once more, alone; one that passes then is named as unsteady, one that fails again
# fails, and without AGAIN the first failure counts.
# tier: check
. "${0%/*}/common.sh"
mkdir -p "$T/tree/test/unit" "$T/tree/build/test/unit"
cp "$here/run" "$here/live" "$T/tree/test/"
cd "$T/tree"
test_is() {
  printf '#!/bin/sh\n# tier: check\n%s\n' "$2" >"test/$1.sh"
  chmod +x "test/$1.sh"
}
echo '// tier: check' >test/unit/good.c
printf '#!/bin/sh\n' >build/test/unit/good
chmod +x build/test/unit/good
test_is once 'echo here >>once; [ "$(wc -l <once)" -ge 2 ] || { echo the first time; exit 1; }'
test_is absent 'echo "$0: skipped: no such thing" >&2; exit 77'
run() {
  status=0
  B=build AGAIN=$1 test/run >out 2>&1 || status=$?
}

run 1
is "status, one unsteady" 0 "$status"
has "named" 'unsteady, failed first and passed alone: once' out
has "counted" '2 passed, 0 failed, 1 skipped' out
has "its first output" 'the first time' out
has "its first log" 'the first time' build/test/log/once.log.first
rm once
run ''
is "status without AGAIN" 1 "$status"
has "counted without AGAIN" '1 passed, 1 failed, 1 skipped' out
is "starts without AGAIN" 1 "$(wc -l <once)"
test_is never 'echo here >>never; exit 1'
run 1
is "status, one that fails" 1 "$status"
has "counted" '2 passed, 1 failed, 1 skipped' out
has "the one that fails" 'failed: never' out
is "starts of the one that fails" 2 "$(wc -l <never)"
is "starts of the one that passed" 2 "$(wc -l <once)"
