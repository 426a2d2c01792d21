#!/bin/sh
# Standard streams closed, in all combinations, while a thread of the host goes on writing to their numbers: no pipe, lock file
# or entry gets one of these numbers, so calls and error messages are right and entries whole. The same for ckjit-compile by
# hand.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 32
export CK_JIT_VERBOSE=1

for bits in 1 2 3 4 5 6 7; do
  is "closed: $bits" ${bits}005 "$(hostile lib closed $bits $bits 5 2>"$T/err")"
  is "closed: $bits, from the cache" ${bits}006 "$(hostile lib closed $bits $bits 6 2>"$T/err")"
  touch "$T/lib/control/k$((bits + 8)).fail"
  echo 50 >"$T/lib/control/k$((bits + 8)).sleep"
  # The host's words can get into the pipe in the instant in which it is made, but not each time.
  for attempt in 1 2 3 4 5 6 7 8 9 10 11 12; do
    hostile lib closed $bits $((bits + 8)) 5 >"$T/out" 2>"$T/err" || fail "closed: $bits, failing"
    grep -q garbage "$T/out" || break
    [ $attempt != 12 ] || fail "closed: $bits: the host's words are in the compiler's"
  done
  has "closed: $bits, failing" "k$((bits + 8)): the compiler failed with status 4" "$T/out"
  has "closed: $bits, failing" "runtime_shim: k$((bits + 8)) fails in attempt" "$T/out"
done
is "compiles" 7 "$(grep -c '^start k[1-7] ' "$T/lib/log")"
lacks "what the host wrote is in the cache" garbage "$T/cache" -rl

# by hand: kernels 16 to 23 well, 24 to 31 not
cat >"$T/by-hand" <<'END'
#!/bin/sh
exec "$1/ckjit-compile" --blob-source "$1/src/k$2.cu" --cache --output "$CK_JIT_CACHE_DIR/k$2.so" --verbose \
  --blob-flags "--log=$1/../log --template=$1/../template.so --control=$1/../control"
END
chmod +x "$T/by-hand"
n=16
for closed in '<&-' '>&-' '<&- >&-' '2>&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
  eval "\"$T/by-hand\" \"$T/lib/ck_jit\" $n $closed" 2>"$T/err" || fail "by hand, $closed"
  readelf -n "$T/cache/k$n.so" >/dev/null || fail "by hand, $closed: no entry"
  touch "$T/lib/control/k$((n + 8)).fail"
  eval "\"$T/by-hand\" \"$T/lib/ck_jit\" $((n + 8)) $closed" 2>"$T/err" && fail "by hand, $closed: failing"
  has "by hand, $closed" "fails in attempt" "$T/cache/.logs/k$((n + 8)).log"
  n=$((n + 1))
done
is "left" "" "$(find "$T/cache" -name '.tmp-*')"
is "compiles by hand" 14 "$(grep -cE '^start k(1[6-9]|2[0-9]|30) ' "$T/lib/log")"
