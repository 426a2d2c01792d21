#!/bin/sh
# 16 processes of 32 threads make first calls of 200 kernels at once, in orders of their own: one compile for each kernel, everybody
# is right, nobody waits for a compile that is not the one wanted. One of the 200 cannot be compiled: all 512 threads that wait
# for it get the one message of one compile, and the next call compiles it again.
# tier: all
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
need pgrep
seed
KERNELS=200 PROCESSES=16 THREADS=32
[ -z "${SANITIZER-}" ] || PROCESSES=4 # a ckjit-compile for each kernel and process, each of which starts slowly
SHIM_MS=20 many lib $KERNELS
control=$T/lib/control
touch "$control/k0.fail" "$control/k0.hold" "$control/k1.hold"

i=0
while [ $i -lt $PROCESSES ]; do
  "$T/hostile" "$T/lib/libkernels.so" stampede "$T/go" "$T/waits.$i" $KERNELS $THREADS $((SEED + i)) >"$T/out.$i" 2>"$T/err.$i" &
  pids="${pids-} $!"
  i=$((i + 1))
done
# said TEXT: by every process
said() {
  [ "$(cat "$T"/out.* | grep -c "$1")" = $PROCESSES ]
}
await 'not all processes are ready' said ready
touch "$T/go"
# k0 fails when all threads are in its call: those of each process, and all processes but one at its lock.
await 'not all threads are in the first call' said 'in the first call'
await 'not all processes wait for k0' waiting $((PROCESSES - 1)) "$T/cache"
rm "$control/k0.hold"
# k1 ends when nothing goes on any more but its compile: each thread sleeps, in the call of k1, or of what would wait for k1.
still() {
  for pid in $pids; do
    cat "/proc/$pid/task/"*/stat 2>/dev/null
  done | awk '{ sub(/.*\) /, "") } $1 != "S" { exit 1 }'
}
only_k1() {
  for _ in 1 2 3; do
    still || return
    # those of the compiles that have not ended, shells of this test aside
    pgrep -f -a "$T/lib/ck_jit/ckjit-compile|^$T/fast" >"$T/compiles" || return
    awk '!/k1\./ { exit 1 } END { if (!NR) exit 1 }' "$T/compiles" || return
  done
  still
}
await 'it does not come to where only k1 is compiled' only_k1
rm "$control/k1.hold"
for pid in $pids; do
  wait "$pid" || fail "a process failed: $(cat "$T"/err.*)"
done

cat "$T"/waits.* >"$T/waits"
is "calls" $(((KERNELS - 1) * PROCESSES * THREADS)) "$(wc -l <"$T/waits")"
is "compiles" $KERNELS "$(started lib)"
is "kernels compiled" $KERNELS "$(sed -n 's/^start \(k[0-9]*\) .*/\1/p' "$T/lib/log" | sort -u | wc -l)"
is "left over" "" "$(find "$T/cache" -name '.tmp-*')"

# the one that fails: everybody has the same message, of the one compile
is "who was told" $((PROCESSES * THREADS)) "$(cat "$T"/out.* | sed -n 's/ times: ckjit: k0: .*//p' | awk '{n += $1} END {print n}')"
is "attempts that they were told of" 1 "$(cat "$T"/out.* | grep 'k0 fails in attempt' | sort -u | wc -l)"
is "compiles of what fails" 1 "$(started lib k0)"
hostile lib value 0 1 >"$T/out" && fail "k0 compiles"
is "compiles of what fails, next call" 2 "$(started lib k0)"
rm "$control/k0.fail"
is "k0, repaired" 7 "$(hostile lib value 0 7)"

# Who waits for another kernel must not wait for k1: no call of another spans the end of its compile.
ended=$(sed -n 's/^end k1 //p' "$T/lib/log")
awk -v ended="$ended" '
  $2 <= ended && $3 >= ended { spans[$1 == "k1"]++ }
  $1 != "k1" && $3 < ended { before++ }
  END { printf "%d calls of k1 waited for it, %d of others; %d were done before\n", spans[1], spans[0], before; exit spans[0] || !spans[1] || !before }
' "$T/waits" || fail "somebody waited for the compile of another kernel"
