#!/bin/sh
# CK_JIT_DISABLE_FILE_CACHING=1: what is compiled comes in a file without a name and is kept for the process. No cache directory is
# read or written, nothing is left in the temporary one, however the processes end.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
SHIM_MS=20 many lib 8
export CK_JIT_DISABLE_FILE_CACHING=1 TMPDIR="$T/tmp"
mkdir "$TMPDIR"
# nothing WHAT: nothing was written
nothing() {
  [ ! -e "$T/cache" ] || fail "$1: there is a cache: $(find "$T/cache")"
  is "$1: temporary files" "" "$(find "$TMPDIR" -mindepth 1)"
}

is "32 threads" $((32 * 28000)) "$(hostile lib threads 32 8)"
is "compiles" 8 "$(started lib)"
nothing "32 threads"
is "again in another process" 5 "$(hostile lib value 0 5)"
is "compiles" 9 "$(started lib)"
is "twice in one" "handle 0 7 7 absent " "$(api "open:$T/lib/libkernels.so" compile:k1 call:0:7 stub:_Z6value_ILi0EEii:7 \
  state:k2 | sed 's/^1007/7/' | tr '\n' ' ')"
is "compiles" 11 "$(started lib)"
for value in 0 no off False ''; do
  rm -rf "$T/cache"
  is "with '$value'" 5 "$(CK_JIT_DISABLE_FILE_CACHING=$value hostile lib value 0 5)"
  [ -e "$T/cache/k0.so" ] || fail "'$value' disables the cache"
done
# what is in a cache is not used: k0 there would do
: >"$T/lib/log"
chmod -R a-w "$T/cache"
is "a full cache" 5 "$(CK_JIT_CACHE_READONLY_DIR=$T/cache hostile lib value 0 5)"
is "compiles beside a full cache" 1 "$(started lib)"
rm -rf "$T/cache"

# a failure: told in full, no log, tried anew
echo "broken here" >"$T/lib/control/k2.fail"
hostile lib value 2 5 >"$T/out" && fail "k2 compiles"
has "failure" "k2: the compiler failed with status 4" "$T/out"
has "failure" "broken here" "$T/out"
lacks "a log was kept" '^log:' "$T/out"
nothing "failure"
is "8 threads fail" 1 "$(hostile lib errors 8 2 | grep -c '^[1-8] times: ckjit: k2: ' | sed 's/[1-8]/1/')"
rm "$T/lib/control/k2.fail"

# fork: parent and child are right, each with its own
is "fork" "1 2 1003 1004 " "$(hostile lib fork 0 | sort -n | tr '\n' ' ')"
echo 400 >"$T/lib/control/k3.sleep"
is "while a thread compiles" "3000 3001 3002 3003 3004 3005 3006 3007 3008 " "$(hostile lib forking 3 |
  sed 's/^[24]/3/' | sort -n | tr '\n' ' ')"
nothing "fork"

# SIGKILL: of the program alone, of the program with all of its process group, of ckjit-compile's two processes
touch "$T/lib/control/k4.hold"
# start: a program in a session of its own that hangs in the compile of k4; $program, and in $all what it has started
start() {
  : >"$T/lib/log"
  setsid "$T/hostile" "$T/lib/libkernels.so" value 4 5 >"$T/out" 2>&1 &
  program=$!
  await 'k4 is not compiled' has_started lib 1 k4
  keeper=$(cat "/proc/$program/task/$program/children")
  keeper=${keeper% }
  worker=$(cat "/proc/$keeper/task/$keeper/children")
  worker=${worker% }
  compiler=$(cat "/proc/$worker/task/$worker/children")
  compiler=${compiler% }
}
for victim in program group keeper worker; do
  start
  case $victim in
  program) kill -KILL "$program" ;;
  group) kill -s KILL -- "-$program" ;;
  keeper) kill -KILL "$keeper" ;;
  worker) kill -KILL "$worker" ;;
  esac
  wait "$program" || true
  for process in "$keeper" "$worker" "$compiler"; do gone "$process" "$victim killed"; done
  nothing "$victim killed"
done
has "worker killed" "error: ckjit: k4: " "$T/out"
# all in one moment: the next one tidies up
start
kill -STOP "$keeper" "$worker"
# The worker first: the end of the keeper, which has a process group of its own, orphans the worker's, and the kernel lets the stopped
# processes of an orphaned group go on. The worker, told to end, would tidy up before its own kill comes.
kill -KILL "$worker" "$keeper" "$program"
wait "$program" || true
gone "$compiler" "all killed"
is "left by KILL of all" 1 "$(find "$TMPDIR" -mindepth 1 -maxdepth 1 -name 'ckjit-unlinked-*' | wc -l)"
is "the next" 5 "$(hostile lib value 0 5)"
nothing "the next"

# without a place for temporary files
TMPDIR=/nonexistent hostile lib value 0 5 >"$T/out" && fail "without a directory"
has "no directory" "k0: cannot make a directory in /nonexistent: No such file or directory; set TMPDIR to another place" "$T/out"
