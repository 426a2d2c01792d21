#!/bin/sh
# A compile that is told to stop stops its compiler and cleans up; one that is killed leaves a lock that nobody holds and
# a directory that the next compile removes. Neither is taken for a failure of the kernel. It outlives the process that has called.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
compile=$B/bin/ckjit-compile
echo 'int answer() { return 42; }' >"$T/a.cu"
cat >"$T/slow" <<'SHIM'
#!/bin/sh
sleep 100000 & # a child of the compiler, as clang is hipcc's
echo $$ $! >"${0%/*}/calls.pids"
mv "${0%/*}/calls.pids" "${0%/*}/calls.pid"
wait
SHIM
(echo '#!/bin/sh' && echo "trap '' TERM HUP" && sed 1d "$T/slow") >"$T/stubborn"
sed -i 's/^wait$/while :; do sleep 0.1; done/' "$T/stubborn"
chmod +x "$T/slow" "$T/stubborn"

# start [COMPILER]: a compile that hangs in its compiler; its process id in $pid, those of the compiler in $compilers
start() {
  rm -f "$SHIM_CALLS.pid"
  "$compile" --hipcc "${1-$T/slow}" --blob-source "$T/a.cu" --output "$T/cache/a.so" --cache 2>"$T/err" &
  pid=$!
  await 'the compiler does not start' test -s "$SHIM_CALLS.pid"
  compilers=$(cat "$SHIM_CALLS.pid")
}
# ended WHAT: the compiler, and what it has started
ended() {
  for process in $compilers; do gone "$process" "the compiler, $1"; done
}
for signal in TERM:143 HUP:129; do # INT is ignored in a script's background processes
  start
  kill -"${signal%:*}" "$pid"
  status=0
  wait "$pid" || status=$?
  is "status of $signal" "${signal#*:}" "$status"
  ended "$signal"
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
  ended "$victim killed"
  gone "${work% }" "the worker, $victim killed"
  is "left by a killed $victim" "" "$(find "$T/cache" -name '.tmp-*' -o -name '*.failed')"
done

# one that does not end at SIGTERM
start "$T/stubborn"
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
is "status, a stubborn compiler" 143 "$status"
ended "which does not end at SIGTERM"

start
work=$(worker)
kill -STOP "$pid" "${work% }" # or the one would tidy up for the other
kill -KILL "$pid" "${work% }"
wait "$pid" || true
gone "${compilers% *}" "the compiler, both killed"
kill "${compilers#* }" # what it had started ends by itself
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

# The calling process is killed: its compile goes on, and what it makes is found.
touch "$SHIM_HOLD"
: >"$SHIM_CALLS"
"$T/lib/driver" value 0 5 &
host=$!
await 'the host does not compile' has_compiled 1
kill -KILL $host
wait $host || true
rm "$SHIM_HOLD"
await 'its compile does not go on' test -e "$T/cache/value0.so"
is "the next call" 1005 "$("$T/lib/driver" value 0 5)"
is "compiles" 1 "$(compiles)"
