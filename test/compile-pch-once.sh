#!/bin/sh
# Processes that start together make one precompiled header for each pass; those who come later find it.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/compile_fixture.sh"
pids=
for n in 1 2 3 4; do
  source_file "$T/b$n.cu" "$n"
  compile "b$n" &
  pids="$pids $!"
done
for pid in $pids; do
  wait "$pid" || fail "$(cat "$T"/b?.said)"
done
# sum WORD: of the numbers before it in what the four say of precompiled headers
sum() {
  sed -n "s/.*precompiled headers: .*\\([0-9]\\) $1.*/\\1/p" "$T"/b?.said | awk '{ n += $1 } END { print n + 0 }'
}
made=$(sum made)
[ "$made" = 2 ] || fail "$made made: $(grep -h 'side by side' "$T"/b?.said)"
found=$(sum found)
[ "$found" = 6 ] || fail "$found found: $(grep -h 'side by side' "$T"/b?.said)"
for n in 1 2 3 4; do answer "b$n" "100$n"; done
[ "$(find "$T/c/.pch" -type f -name '*.pch' | wc -l)" = 2 ] || fail "$(ls "$T/c/.pch")"
[ -z "$(find "$T/c/.locks" -type f)" ] || fail 'a lock file is left'

# other flags: others
FLAGS=-O2 compile b1 || fail "$(cat "$T/b1.said")"
said b1 '2 made'
