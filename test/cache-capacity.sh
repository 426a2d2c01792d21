#!/bin/sh
# CK_JIT_CACHE_MAX_FILES and CK_JIT_CACHE_MAX_SIZE: what was used longest ago is removed, but nothing that a process uses or that is
# being made; a job goes on while its kernels are removed.
# tier: all
# seconds: 15
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
driver=$T/lib/driver
entries() {
  for file in "$T"/cache/*.so; do basename "$file" .so; done | tr '\n' ' '
}
export CK_JIT_CACHE_MAX_FILES=2
"$driver" value 0 1 >/dev/null
"$driver" value 1 1 >/dev/null
sleep 0.1 # a tick of the clock of files is up to 10 ms
"$driver" value 0 1 >/dev/null # used last
"$driver" value 2 1 >/dev/null
is "the oldest goes" "value0 value2 " "$(entries)"
is "compiles" 3 "$(compiles)"

# in use: a process that holds value0 and value2 while value1 is compiled
rm "$T/cache/value2.so"
mkfifo "$T/go"
python3 - "$T/cache/value0.so" "$T/go" <<'PY' &
import ctypes, sys
ctypes.CDLL(sys.argv[1])
open(sys.argv[2]).read()
PY
user=$!
await 'value0 is not loaded' grep -qs value0.so "/proc/$user/maps"
touch -d '1 hour ago' "$T/cache/value0.so"
"$driver" value 1 1 >/dev/null
"$driver" value 2 1 >/dev/null
is "one in use stays" "value0 value2 " "$(entries)"
echo >"$T/go"
wait "$user"

# by size: what fits
CK_JIT_CACHE_MAX_FILES=0
size=$(stat -c %s "$T/cache/value0.so")
export CK_JIT_CACHE_MAX_SIZE=$((size * 5 / 2))
"$driver" value 1 1 >/dev/null
is "by size" 2 "$(entries | wc -w)"
[ -e "$T/cache/value1.so" ] || fail "what was just made is gone: $(entries)"
export CK_JIT_CACHE_MAX_SIZE=1k # less than one
"$driver" value 0 1 >/dev/null
is "just made" "value0 " "$(entries)"

# being made: a compile that runs keeps its directory while others make room
rm -r "$T/cache"
CK_JIT_CACHE_MAX_SIZE=1
export CK_JIT_CACHE_MAX_FILES=1
echo value0.cu >"$T/hold"
"$driver" value 0 1 >"$T/slow" &
await 'no compile' eval 'ls "$T"/cache/.tmp-* >/dev/null 2>&1'
"$driver" value 1 1 >/dev/null
rm "$T/hold"
wait
is "slow" 1001 "$(cat "$T/slow")"

# Many at once, more kernels than there is room for: everybody gets an answer.
for i in 1 2 3 4 5 6 7 8; do
  for k in 0 1 2; do "$driver" value $k "$i" || echo "failed: $k"; done >"$T/out.$i" &
done
wait
for i in 1 2 3 4 5 6 7 8; do
  is "process $i" "100$i 110$i 120$i" "$(tr '\n' ' ' <"$T/out.$i" | sed 's/ $//')"
done

for bad in 5x -1 G 1.5G; do
  rm -f "$T"/cache/*.so
  CK_JIT_CACHE_MAX_SIZE=$bad "$driver" value 0 1 >"$T/out" && fail "took a size of $bad"
  has "$bad" "CK_JIT_CACHE_MAX_SIZE: expected a size such as 500M, 20G or 4Gi, or 0, found '$bad'" "$T/out"
done
