#!/bin/sh
# One command at a time works in a work directory. Others wait and say for whom; a holder that is killed holds it as long as the
# build that it started runs, and no longer.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
cd "$T"
# A build lasts until `go` is there.
cat >hold.py <<'END'
open(os.environ["HOLD"] + ".started", "w")
while not os.path.exists(os.environ["HOLD"]):
    __import__("time").sleep(0.05)
END
sed -i '/^api = /r hold.py' aiter/op_tests/cpp/mha/compile.py
export HOLD="$T/go"
words='ckjit-build full --aiter-dir aiter --gpu-archs gfx942 --api fwd --tmp-dir w'
full() { # in the background, so that $! is its process
  # shellcheck disable=SC2086
  exec $words "$@"
}
says() { # says FILE: whether it says that it waits
  grep -q 'note: .*/w: in use by ckjit-build full, process [0-9]* on .*, since [0-9-]* [0-9:]* .*; waiting until' "$1"
}
waits() { # waits FILE: whether it waits; the test fails if it works instead
  says "$1" || grep -q '^copy' "$1" || return 1
  says "$1" || fail "it did not wait: $(cat "$1")"
}
full >first 2>&1 &
first=$!
await 'the build to start' test -e go.started
grep -q "process $first on " w/.ckjit-lock || fail "the holder is not named: $(cat w/.ckjit-lock)"
full --install-dir i >second 2>&1 &
second=$!
ckjit-build quick --tmp-dir w >third 2>&1 &
third=$!
ckjit-build relink --tmp-dir w >fourth 2>&1 &
fourth=$!
for who in second third fourth; do
  await "$who to wait" waits $who
done
lacks 'it did not wait' '^copy' second
: >go
wait "$first" || fail "first: $(cat first)"
wait "$second" || fail "second: $(cat second)"
wait "$third" || fail "third: $(cat third)"
wait $fourth || grep -q 'does not say how' fourth || fail "fourth: $(cat fourth)" # the fixture's linker leaves nothing for relink
[ -e i/libmha_fwd.so ] || fail 'nothing was installed'
lacks 'the second was built anew' '^anew' second

# Killed: what it started goes on, and nobody else works there until that has ended.
rm go go.started
full >killed 2>&1 &
killed=$!
await 'the build to start' test -e go.started
kill -9 $killed
wait $killed || :
full >next 2>&1 &
next=$!
await 'the next one to wait' waits next
: >go
wait $next || fail "after a kill: $(cat next)"

# A lock file that was left means nothing. One that is no file is refused, as is a directory that cannot be written.
ckjit-build quick --tmp-dir w >out 2>&1 || fail "$(cat out)"
! says out || fail "it waited for nobody: $(cat out)"
rm w/.ckjit-lock && mkfifo w/.ckjit-lock
# shellcheck disable=SC2086
refused 1 'ckjit-lock: is no regular file; remove it' $words
rm w/.ckjit-lock && ln -s /nonexistent w/.ckjit-lock
# shellcheck disable=SC2086
refused 1 'ckjit-lock: cannot open the lock of the work directory' $words
