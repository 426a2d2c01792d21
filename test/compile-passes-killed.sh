#!/bin/sh
# A compile in passes that is told to stop stops all of them and leaves nothing; nor does one whose keeper is killed. If both of its
# processes are, a lock is left that nobody holds, and the next makes what it did not get to.
# tier: all
# seconds: 8
. "${0%/*}/common.sh"
. "$here/unit/compile_fixture.sh"
need pgrep
source_file "$T/a.cu" 1

# start: a compile of which both passes are running; its process id in $pid
start() {
  "$B/bin/ckjit-compile" --hipcc "$hipcc" --blob-source "$T/a.cu" --blob-flags "-I$T/include" --arch gfx90a --cache \
    --output "$T/c/a.so" 2>"$T/a.said" &
  pid=$!
  until [ "$(children | wc -l)" -ge 2 ]; do
    kill -0 "$pid" 2>/dev/null || fail "no two passes at a time: $(cat "$T/a.said")"
    sleep 0.01
  done
}
children() {
  pgrep -f -- " -cc1 .*-emit-pch.*$T" || true
}

start
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
[ "$status" = 143 ] || fail "status $status"
[ -z "$(children)" ] || fail "still there: $(children)"
[ -z "$(find "$T/c" -name '.tmp-*' -o -name '?*.pch')" ] || fail "left: $(find "$T/c")"

# Stopped, the passes do not end by themselves: it is the worker that ends, because it is told that its keeper has.
start
worker=$(cat "/proc/$pid/task/$pid/children")
# shellcheck disable=SC2046 # process ids
kill -STOP $(children)
kill -KILL "$pid"
wait "$pid" || true
gone "${worker% }" 'the worker, its keeper killed'
[ -z "$(children)" ] || fail "still there: $(children)"
[ -z "$(find "$T/c" -name '.tmp-*')" ] || fail "left without a keeper: $(find "$T/c")"

start
worker=$(cat "/proc/$pid/task/$pid/children")
kill -STOP "$pid" "${worker% }" # or the one would tidy up for the other
kill -KILL "$pid" "${worker% }"
wait "$pid" || true
[ -n "$(find "$T/c" -name '.tmp-*')" ] || fail 'nothing is left by SIGKILL: was anything going on?'
compile a || fail "$(cat "$T/a.said")"
said a '2 made'
answer a 1001
await 'passes are left' eval '[ -z "$(children)" ]' # what was killed with no chance to tell them
"$B/bin/ckjit-prebuild" clean --all --cache-dir "$T/c" >/dev/null || fail 'clean'
[ -z "$(find "$T/c" -type f)" ] || fail "left: $(find "$T/c" -type f)"
