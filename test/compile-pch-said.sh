#!/bin/sh
# A compile that waits for a precompiled header which another one makes says so in what the runtime reads (--progress): itself, and who makes
# it. When that is there, it is itself alone. One that waits for nobody says nothing of it.
# tier: all
# seconds: 8
. "${0%/*}/common.sh"
. "$here/unit/compile_fixture.sh"
need pgrep
source_file "$T/a.cu" 1
source_file "$T/b.cu" 2
children() {
  pgrep -f -- " -cc1 .*-emit-pch.*$T" || true
}
compile a --progress &
first=$!
until [ "$(children | wc -l)" -ge 2 ]; do
  kill -0 "$first" 2>/dev/null || fail "no two passes at a time: $(cat "$T/a.said")"
  sleep 0.01
done
# shellcheck disable=SC2046 # process ids
kill -STOP $(children)
stopped=$(children)
compile b --progress &
second=$!
tab=$(printf '\t')
says() {
  grep -qE -e "^ckjit-compile: being compiled${tab}[0-9]+${tab}ckjit-compile \(pid [0-9]+\)${1}${tab}" "$T/b.said"
}
await "it says who makes the header" says ', which waits for a precompiled header, made by ckjit-compile \(pid [0-9]+\) for [^	]* \(pid [0-9]+\)'
maker=$(sed -n '/which waits/{s/.*made by ckjit-compile (pid \([0-9]*\)).*/\1/p;q}' "$T/b.said")
[ "$(ps -o ppid= -p "$maker" | tr -d ' ')" = "$(pgrep -P "$first")" ] ||
  fail "process $maker makes none: $(cat "$T/b.said")"
before=$(wc -l <"$T/b.said")
# shellcheck disable=SC2086
kill -CONT $stopped
wait "$first" || fail "$(cat "$T/a.said")"
wait "$second" || fail "$(cat "$T/b.said")"
sed -n "$((before + 1)),\$p" "$T/b.said" >"$T/rest"
grep '^ckjit-compile: being compiled' "$T/rest" | tail -n 1 | grep -qE "ckjit-compile \(pid [0-9]+\)$tab" || fail "it does not say that it goes on: $(cat "$T/b.said")"
lacks "the first" 'which waits' "$T/a.said"
said b '2 found'
