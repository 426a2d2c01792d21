#!/bin/sh
# What test/run shows: a line for each test with its number of all, how long it will take, and how to run again what failed. On a terminal it is
# coloured, and a line that is written over says how far it is; elsewhere, with NO_COLOR and with TERM=dumb there is no escape code.
# tier: check
. "${0%/*}/common.sh"
unset NO_COLOR
unset AGAIN # of CI: a line more for what fails
export TERM=xterm
mkdir -p "$T/tree/test/unit" "$T/tree/build/test"
cp "$here/run" "$here/live" "$T/tree/test/"
cd "$T/tree"
: >test/unit/runtime_none.c
test_is() {
  printf '#!/bin/sh\n# tier: check\n%s\n' "$2" >"test/$1.sh"
  chmod +x "test/$1.sh"
}
test_is good ''
test_is bad 'echo why; exit 1'
test_is absent 'echo "$0: skipped: no such thing" >&2; exit 77'
test_is slow 'while [ -e hold ]; do sleep 0.1; done'
printf 'slow 300.0 1.0\n' >build/test/seconds

B=build test/run >out 2>&1 && fail "a failure is not one: $(cat out)"
has 'how many, and how long' '4 tests, about 5m' out
is 'each has its number' '[1/4] [2/4] [3/4] [4/4]' "$(grep -o '^\[[0-9]/4\]' out | paste -sd' ')"
for line in 'ok    *good [0-9.]*s$' 'FAIL bad [0-9.]*s, status 1, log ' "skip absent: no such thing$"; do
  grep -q "^\[[1-4]/4\] $line" out || fail "no line '$line': $(cat out)"
done
has 'how to run it again' "run them again: make check TESTS='bad'" out
is 'the last line' '2 passed, 1 failed, 1 skipped' "$(tail -n 1 out)"
lacks 'a pipe: an escape code' "$(printf '\033')" out
B=build SANITIZER=thread test/run bad >out 2>&1 && fail "it fails with a sanitizer, too: $(cat out)"
has 'another build is named' "run them again: B=$T/tree/build SANITIZER=thread test/run bad" out

# on_terminal VARIABLE=VALUE: in $T/raw; the slow test ends when a line was drawn that has it
on_terminal() {
  : >hold
  python3 "$here/unit/terminal.py" "$T/raw" 100 --remove hold "${2-slow [1-9]}" env "$1" B=build test/run && fail "$1: it passed" || :
}
on_terminal A=a '/ [0-9]s \[3/4\], 1 failed, [0-9hms]* left, slow [3-9]s'
has 'colour of what passed' "$(printf '\033[32mok  \033[0m good')" "$T/raw"
has 'colour of what failed' "$(printf '\033[1;31mFAIL\033[0m bad')" "$T/raw"
[ "$(tr '\r' '\n' <"$T/raw" | grep -o '.\{1,2\} [0-9]*s \[3/4\]' | sort -u | wc -l)" -ge 3 ] || fail "it does not move: $(cat -v "$T/raw")"
for how in NO_COLOR=1 TERM=dumb TERM=; do
  on_terminal $how 'absent'
  lacks "$how: an escape code" "$(printf '\033')" "$T/raw"
done
