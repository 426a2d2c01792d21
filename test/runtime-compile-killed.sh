#!/bin/sh
# A compile that is told to stop stops its compiler and cleans up; one that is killed leaves a lock that nobody holds and
# a directory that the next compile removes. Neither is taken for a failure of the kernel.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
compile=$B/bin/ckjit-compile
echo 'int answer() { return 42; }' >"$T/a.cu"
cat >"$T/slow" <<'SHIM'
#!/bin/sh
echo $$ >"${0%/*}/calls.pid"
sleep 100000 # a child of the compiler, as clang is hipcc's
SHIM
chmod +x "$T/slow"

# start: a compile that hangs in its compiler; its process id in $pid
start() {
  rm -f "$SHIM_CALLS.pid"
  "$compile" --hipcc "$T/slow" --blob-source "$T/a.cu" --output "$T/cache/a.so" --cache 2>"$T/err" &
  pid=$!
  await 'the compiler does not start' test -s "$SHIM_CALLS.pid"
}
for signal in TERM:143 HUP:129; do # INT is ignored in a script's background processes
  start
  kill -"${signal%:*}" "$pid"
  status=0
  wait "$pid" || status=$?
  is "status of $signal" "${signal#*:}" "$status"
  gone "$(cat "$SHIM_CALLS.pid")" "the compiler, $signal"
  is "left by $signal" "" "$(find "$T/cache" -name '.tmp-*' -o -name '*.failed')"
done

# worker: the process that does the work, a child of the one that was started
worker() {
  cat "/proc/$pid/task/$pid/children"
}
for victim in keeper worker; do
  start
  work=$(worker)
  case $victim in keeper) kill -KILL "$pid" ;; worker) kill -KILL "${work% }" ;; esac
  status=0
  wait "$pid" || status=$?
  is "status, $victim killed" 137 "$status"
  gone "$(cat "$SHIM_CALLS.pid")" "the compiler, $victim killed"
  gone "${work% }" "the worker, $victim killed"
  is "left by a killed $victim" "" "$(find "$T/cache" -name '.tmp-*' -o -name '*.failed')"
done

start
work=$(worker)
kill -STOP "$pid" "${work% }" # or the one would tidy up for the other
kill -KILL "$pid" "${work% }"
wait "$pid" || true
gone "$(cat "$SHIM_CALLS.pid")" "the compiler, both killed"
is "left by KILL of both" 1 "$(find "$T/cache" -name '.tmp-*' | wc -l)"
"$compile" --blob-source "$T/a.cu" --output "$T/cache/a.so" --cache || fail "the lock is still held"
[ -s "$T/cache/a.so" ] || fail "no entry"
is "left by the next one" "" "$(find "$T/cache" -name '.tmp-*')"

# a waiter whose predecessor is killed compiles itself
rm "$T/cache/a.so"
start
"$compile" --blob-source "$T/a.cu" --output "$T/cache/a.so" --cache --verbose 2>"$T/waiter" &
waiter=$!
await 'the waiter does not wait' waiting 1 "$T/cache"
kill -TERM "$pid"
wait "$waiter" || fail "the waiter failed"
[ -s "$T/cache/a.so" ] || fail "no entry from the waiter"
