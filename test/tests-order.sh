#!/bin/sh
# The order of test/run: the longest first, by the last run's seconds or a line `# seconds:`. A real-* test starts when one of the
# last others still runs, and a serial one when no other does.
# tier: check
. "${0%/*}/common.sh"
unset AGAIN
mkdir -p "$T/tree/test/unit" "$T/tree/build/test"
cp "$here/run" "$here/live" "$T/tree/test/"
cd "$T/tree"
: >test/unit/runtime_none.c
# test_is NAME LINES COMMANDS: it says when it begins and ends
test_is() {
  printf '#!/bin/sh\n# tier: check\n%s\necho begin %s >>order\n%s\necho end %s >>order\n' "$2" "$1" "$3" "$1" >"test/$1.sh"
  chmod +x "test/$1.sh"
}
test_is short '# seconds: 1' ''
test_is long '# seconds: 100' ''
test_is known '# seconds: 2' ''
echo 'known 50.0 1.0' >build/test/seconds
test_is last '# seconds: 0' 'n=0; until grep -q "^end real-one" order; do n=$((n + 1)); [ $n -lt 300 ] || exit 1; sleep 0.1; done'
test_is real-one '# seconds: 1000' ''
test_is alone '# serial' ''
printf '%s\n' 'begin long' 'end long' 'begin known' 'end known' 'begin short' 'end short' 'begin real-one' 'end real-one' \
  'begin alone' 'end alone' >wanted
JOBS=2 B=build test/run >out 2>&1 || fail "a real-* test waits for the last other: $(cat out)"
is 'the serial one is the last' 'begin alone end alone' "$(tail -n 2 order | xargs)"
rm order test/last.sh
echo 'known 50.0 1.0' >build/test/seconds
JOBS=1 B=build test/run >out 2>&1 || fail "$(cat out)"
diff wanted order >differ || fail "the order, begin and end: $(cat differ)"
