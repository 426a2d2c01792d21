#!/bin/sh
# 16 processes of 32 threads make first calls of 200 kernels at once, in orders of their own: one compile for each kernel, everybody
# is right, nobody waits for a compile that is not the one wanted. One of the 200 cannot be compiled: all 512 threads that wait
# for it get the one message of one compile, and the next call compiles it again.
# tier: all
# serial
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
need awk
KERNELS=200 PROCESSES=16 THREADS=32
[ -z "${SANITIZER-}" ] || PROCESSES=4 # a ckjit-compile for each kernel and process, each of which starts slowly
SHIM_MS=75 many lib $KERNELS
control=$T/lib/control
touch "$control/k0.fail"
echo 3000 >"$control/k0.sleep" # the wave is in before it fails
slow=12000
echo $slow >"$control/k1.sleep" # who waits for another kernel must not wait for this one

i=0
while [ $i -lt $PROCESSES ]; do
  hostile lib stampede "$T/go" "$T/waits.$i" $KERNELS $THREADS $i >"$T/out.$i" 2>"$T/err.$i" &
  pids="${pids-} $!"
  i=$((i + 1))
done
while [ "$(cat "$T"/out.* | grep -c ready)" -lt $PROCESSES ]; do sleep 0.05; done
touch "$T/go"
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
echo 1 >"$control/k0.sleep"
hostile lib value 0 1 >"$T/out" && fail "k0 compiles"
is "compiles of what fails, next call" 2 "$(started lib k0)"
rm "$control/k0.fail"
is "k0, repaired" 7 "$(hostile lib value 0 7)"

# A call returns when its kernel's compile has ended, or at once. To that come loading, and waiting for a processor among hundreds
# of processes that start; three quarters of the slow compile are allowed for both, so that who waited for that is found.
awk -v limit=$((slow * 3 / 4)) '
  FNR == NR { if ($1 == "end") ended[$2] = $3; next }
  { from = ended[$1] > $2 ? ended[$1] : $2; late = ($3 - from) / 1e6
    if (late > most) { most = late; which = $1 } }
  END { printf "longest wait behind the compile: %d ms, %s\n", most, which; exit most > limit }
' "$T/lib/log" "$T/waits" || fail "somebody waited for more than the compile"
