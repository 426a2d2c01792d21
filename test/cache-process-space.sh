#!/bin/sh
# A PID namespace that sees the /proc of the one around it, where another process has the id of a compile, and ends: the
# compile's directory stays as long as it lives, and goes when it was killed.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
need unshare
unshare -pf --kill-child --mount-proc true 2>/dev/null || skip "no PID namespace can be made here"
many lib 2
touch "$T/lib/control/hold"
cat >"$T/outer" <<'END'
i=0
while [ $i -lt 60 ]; do # these ids are taken outside
  sleep 1000 &
  i=$((i + 1))
done
unshare -pf --kill-child sh "$T/inner" &
until [ -n "$(ls -d "$CK_JIT_CACHE_DIR"/.tmp-* 2>/dev/null)" ]; do sleep 0.05; done
name=$(ls -d "$CK_JIT_CACHE_DIR"/.tmp-*)
id=${name%.*-??????}
id=${id##*.}
kill "$id" && wait "$id" 2>/dev/null
echo $((id - 1)) >/proc/sys/kernel/ns_last_pid
sleep 1000 &
echo "$id $!" >"$T/ids"
wait %61
END
cat >"$T/inner" <<'END'
"$T/hostile" "$T/lib/libkernels.so" value 0 5 >"$T/value" &
until [ -e "$T/ids" ]; do sleep 0.05; done
"$B/bin/ckjit-prebuild" clean --stalled >"$T/said" 2>&1
ls -d "$CK_JIT_CACHE_DIR"/.tmp-* >"$T/living"
rm "$T/lib/control/hold"
wait
touch "$T/done"
END
export T B
timeout 300 unshare -pf --kill-child --mount-proc sh "$T/outer" 2>"$T/err" &
outer=$!
await "what is done in the namespace" test -e "$T/done"
kill $outer 2>/dev/null || true
read -r id again <"$T/ids"
is "the id outside" "$id" "$again"
[ -s "$T/living" ] || fail "the directory of a living compile was removed: $(cat "$T/said")"
is "the call" 5 "$(cat "$T/value")"
