#!/bin/sh
# One command at a time works in a work directory, and one makes a fake home. Others wait and say for whom; a holder that is killed holds
# it as long as the build that it started runs, and no longer. What they write first, under another name, is nobody else's, whatever their
# process ids: two containers on one file server have the same ones.
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
  grep -q 'note: .*/w: in use by ckjit-build (pid [0-9]*) for [0-9]* s; waiting until' "$1"
}
waits() { # waits FILE: whether it waits; the test fails if it works instead
  says "$1" || grep -q '^copy' "$1" || return 1
  says "$1" || fail "it did not wait: $(cat "$1")"
}
full >first 2>&1 &
first=$!
await 'the build to start' test -e go.started
grep -q "^$first " w/.ckjit-lock || fail "the holder is not named: $(cat w/.ckjit-lock)"
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
lacks 'the second was built anew' '^rebuild  libmha' second

# Killed: what it started goes on, and nobody else works there until that has ended.
rm go go.started
full --anew >killed 2>&1 &
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
refused 1 'ckjit-lock: is not a regular file; remove it' $words
rm w/.ckjit-lock && ln -s /nonexistent w/.ckjit-lock
# shellcheck disable=SC2086
refused 1 'ckjit-lock: cannot open the lock of the work directory' $words

# A fake home is made by one at a time: it is complete for each of many, and who finds it locked waits.
ckjit-build home --dir h >/dev/null
i=0 makers=
while [ $i -lt 8 ]; do
  ckjit-build home --dir many >"exports.$i" 2>"home.$i" &
  makers="$makers $!"
  i=$((i + 1))
done
for maker in $makers; do wait "$maker" || fail "one of many: $(cat home.?)"; done
[ "$(cd h && find . | sort)" = "$(cd many && find . | sort)" ] || fail "made by many: $(cd many && find .)"
rm -r many
mkdir many
cat >holds.py <<'END'
import fcntl, os, sys, time
with open(sys.argv[1], "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    while not os.path.exists(sys.argv[2]) and os.path.exists(sys.argv[1]):
        time.sleep(0.02)
END
rm go
python3 holds.py many/.ckjit-home-lock go &
holder=$!
await 'the lock' test -e many/.ckjit-home-lock
: >maker.err
ckjit-build home --dir many >exports 2>maker.err &
maker=$!
waits_for_home() {
  ! is_gone_ $maker || fail "it did not wait: $(cat maker.err)"
  grep -q 'note: .*/many: in use by .*; waiting until it has ended' maker.err
}
await 'the home to wait' waits_for_home
[ ! -e many/ckjit.conf ] || fail 'it was made meanwhile'
: >go
wait $holder
wait $maker || fail "after the other: $(cat maker.err)"
[ -x many/bin/hipcc ] || fail "no home: $(ls -A many)"

# The same process id as another container's, whose half-written files these are; and what an installer left that is long gone.
echo 'int getpid(void) { return 4242; }' | cc -shared -fPIC -x c - -o pid.so
mkdir h/.include.tmp4242 h/include.tmp4242 h/bin/.hipcc.tmp4242 h/bin/hipcc.tmp4242 i/.ckjit-tmp-4242 i/.ckjit-tmp-00000000.00000000.1.1-abcdef
touch -d '2 hours ago' i/.ckjit-tmp-00000000.00000000.1.1-abcdef
export ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0"
LD_PRELOAD=$T/pid.so ckjit-build home --dir h >/dev/null 2>err || fail "home: $(cat err)"
rm w/.ckjit-lock
LD_PRELOAD=$T/pid.so ckjit-build quick --tmp-dir w --install-dir i >out 2>&1 || fail "quick: $(cat out)"
[ -e i/.ckjit-tmp-4242 ] || fail "another's directory was removed"
rmdir i/.ckjit-tmp-4242
[ "$(ls -A i)" = "$(printf 'ck_jit\nlibmha_fwd.so')" ] || fail "left: $(ls -A i)"
