#!/bin/sh
# A call that waits for a compile says so on standard error, after CK_JIT_SAY_AFTER and again in its interval: the kernel, for how long
# the call has waited, who compiles and for how long, how long it took last time or in the read-only cache, how many others are being compiled. So does one
# that waits for another process's compile, and one in the child of a fork. CK_JIT_QUIET is silence; a quick compile says nothing.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
unset CK_JIT_QUIET CK_JIT_SAY_AFTER
many lib 4
lib=$T/lib/libkernels.so control=$T/lib/control host=$(uname -n)
seconds='[0-9]*\.[0-9] s'
# says FILE PATTERN [COUNT]: at least so many lines of it match
says() {
  lines_=$(grep -scE -e "$2" "$1") || return
  [ "$lines_" -ge "${3:-1}" ]
}
# compiler FILE: the process that has the lock, by the first line that says for how long it has compiled: until a call is told that, it names the
# process that it started, which is that one's keeper
compiler() {
  sed -n '/being compiled for /{s/.*ckjit-compile (pid \([0-9]*\).*/\1/p;q}' "$1"
}
api "open:$lib" compile:k3:store >"$T/out" 2>"$T/err" || fail "$(cat "$T/out" "$T/err")" # makes the program, too
is "a compile that ends within 5 s" "" "$(cat "$T/err")"
rm "$T/cache"/*.so

# who compiles, and who waits for that
export CK_JIT_SAY_AFTER=0.3:0.1
touch "$control/k3.hold" "$control/k1.hold"
"$T/api" "open:$lib" compile:k3:store >/dev/null 2>"$T/first" &
first=$!
await "the one that compiles says so" says "$T/first" \
  "^ckjit: note: k3: waiting for $seconds; being compiled for $seconds by ckjit-compile \(pid [0-9]+\), [0-9]*\.[0-9] CPU-seconds last time$" 2
pid=$(compiler "$T/first")
is "the process" ckjit-compile "$(cat "/proc/$pid/comm")"
"$T/api" "open:$lib" compile:k3:store >/dev/null 2>"$T/second" &
second=$!
await "the one that waits says so" says "$T/second" \
  "^ckjit: note: k3: waiting for $seconds; being compiled for $seconds by ckjit-compile \(pid $pid\) for api \(pid $first\), [0-9]*\.[0-9] CPU-seconds last time$"
# never before its time, and not more often
awk '{ for (i = 1; i < NF; i++) if ($i == "waiting") w = $(i + 2)
       if (w + 0.05 < 0.3 + 0.1 * (NR - 1)) exit 1 }' "$T/first" || fail "too early: $(cat "$T/first")"
CK_JIT_QUIET=1 "$T/api" "open:$lib" compile:k3:store >/dev/null 2>"$T/quiet" &
quiet=$!
CK_JIT_SAY_AFTER=0.1:0 "$T/api" "open:$lib" compile:k3:store >/dev/null 2>"$T/once" &
once_=$!
# on another host, as far as one can see
other=
if [ "$(id -u)" = 0 ] && unshare -pfu --mount-proc true 2>/dev/null; then
  unshare -pfu --mount-proc --kill-child sh -c 'hostname elsewhere && exec "$@"' sh "$T/api" "open:$lib" compile:k3:store >/dev/null 2>"$T/elsewhere" &
  other=$!
  await "the other host" says "$T/elsewhere" "k3: .* by ckjit-compile \(pid $pid on $host\) for api \(pid $first on $host\), "
fi
# several compiles for one library: the oldest speaks, and counts the others
"$T/api" "open:$lib" many:2:k1,k3:store >"$T/out" 2>"$T/both" &
both=$!
await "two at once" says "$T/both" "; 1 other kernel is being compiled$" 2
is "kernels that speak" 1 "$(grep -o 'note: k[0-9]' "$T/both" | sort -u | wc -l)"
# what was compiled never before; after a fork
touch "$control/k2.hold"
"$T/api" "open:$lib" compile:k3:store fork compile:k2:store >"$T/out" 2>"$T/fork" &
fork=$!
await "one waits" says "$T/once" "k3: "
rm "$control/k3.hold" "$control/k1.hold"
await "the child of a fork" says "$T/fork" "note: k2: waiting .*\(pid [0-9]+\), not compiled here before$" 2
rm "$control/k2.hold"
# what only the read-only cache has a time of
mkdir -m 700 "$T/other" && printf 'k0\t620.25\n' >"$T/other/.times"
touch "$control/k0.hold"
CK_JIT_CACHE_READONLY_DIR=$T/other "$T/api" "open:$lib" compile:k0:store >/dev/null 2>"$T/beside" &
beside=$!
await "its time elsewhere" says "$T/beside" "note: k0: waiting .*\(pid [0-9]+\), 620\.2 CPU-seconds in the read-only cache$" 2
rm "$control/k0.hold"
for p in $first $second $quiet $once_ $both $fork $other $beside; do wait "$p" || fail "a process failed"; done
is "quiet" "" "$(cat "$T/quiet")"
is "once" 1 "$(wc -l <"$T/once")"
lacks "the line is the runtime's" "ckjit-compile: being compiled" "$T/first"

# Calls of functions: one alone counts no other compile; of two, one speaks, and counts the other.
rm -f "$T/cache"/*.so
touch "$control/k0.hold" "$control/k1.hold"
hostile lib value 0 5 >"$T/out" 2>"$T/call" &
call=$!
await "the call says so" says "$T/call" "^ckjit: note: k0: waiting " 2
lacks "other kernels" "other kernel" "$T/call"
rm "$control/k0.hold"
wait "$call" || fail "the call"
touch "$control/k0.hold"
rm -f "$T/cache"/*.so
hostile lib threads 2 2 >"$T/out" 2>"$T/calls" &
call=$!
await "one of two calls says so" says "$T/calls" "^ckjit: note: k[01]: .*; 1 other kernel is being compiled$" 3
is "calls that speak" 1 "$(grep 'other kernel' "$T/calls" | grep -o 'note: k[0-9]' | sort -u | wc -l)"
rm "$control/k0.hold" "$control/k1.hold"
wait "$call" || fail "two calls"
rm -f "$T/cache"/*.so

# killed: the next holder is named. Its failure has none of it
touch "$control/k0.hold"
"$T/api" "open:$lib" compile:k0:store >"$T/out" 2>"$T/killed" &
first=$!
await "the first" says "$T/killed" "being compiled for "
pid=$(compiler "$T/killed")
"$T/api" "open:$lib" compile:k0:store >"$T/out2" 2>"$T/next" &
second=$!
await "the second" says "$T/next" "\(pid $pid\) for api \(pid $first\)"
kill -KILL "$pid"
await "it compiles itself" says "$T/next" "being compiled for [0-9.]* s by ckjit-compile \(pid [0-9]+\),"
echo broken >"$control/k0.fail"
rm "$control/k0.hold"
wait "$first" && fail "the killed one"
wait "$second" && fail "the failure"
has "the failure" "compiler" "$T/out2"
lacks "in the failure" "being compiled" "$T/out2"

# without a cache; a wrong setting
touch "$control/k0.hold"
rm "$control/k0.fail"
CK_JIT_DISABLE_FILE_CACHING=1 CK_JIT_SAY_AFTER=soon "$T/api" "open:$lib" set:CK_JIT_SAY_AFTER=0.1 compile:k0:fresh >"$T/out" 2>"$T/fresh" &
fresh=$!
await "no cache" says "$T/fresh" "^ckjit: note: k0: waiting for $seconds; being compiled for $seconds by ckjit-compile \(pid [0-9]+\)$"
rm "$control/k0.hold"
wait "$fresh" || fail "no cache"
for bad in soon 5: :5 5:x 1:2:3 -1 5. 99999999999; do
  rm -f "$T/cache"/*.so
  CK_JIT_SAY_AFTER=$bad "$T/api" "open:$lib" compile:k0:store compile:k1:store >"$T/out" 2>"$T/err" || fail "$bad: $(cat "$T/out")"
  is "$bad" "ckjit: warning: CK_JIT_SAY_AFTER: expected SECONDS or SECONDS:SECONDS, found '$bad'; using 5:30" "$(cat "$T/err")"
done
