#!/bin/sh
# Where a test says that something is not there, it does so by lacks (common.sh), which first wants something to look at. `! grep … FILE ||
# fail`, `grep … && fail` and their like pass, too, where FILE was never written or the command in front of a pipe has failed.
# tier: check
. "${0%/*}/common.sh"

# bare FILE…: the lines that say it by a grep
bare() {
  awk '
    FNR == 1 { condition = 0 }
    { line = $0; sub(/^[ \t]*#.*/, "", line) }
    line !~ /(^|[^p])grep / && !condition { next }
    # what follows a condition of several lines
    condition && line ~ /^ *(fail|exit 1|return 1)/ { print FILENAME ":" FNR - 1 ": " before }
    { condition = 0 }
    line ~ /(^ *|[;&|{(] *|then +|do +|else +)! *([^|]*[^|p]\| *)?grep .*\|\| *(fail|exit|return 1|\{)/ ||
    line ~ /(^|[^p])grep .*[^&]&& *(fail|exit 1|return 1)/ ||
    line ~ /if +([^|]*[^|p]\| *)?grep .*; then +(fail|exit 1|return 1)/ ||
    line ~ /"\$\((.*[^|p]\| *)?grep -c.*\)" (=|-eq) 0 / ||
    line ~ /(-z|"") "\$\((.*[^|p]\| *)?grep / { print FILENAME ":" FNR ": " $0 }
    line ~ /^ *(el)?if +(.*\| *)?grep .*; then$/ { condition = 1; before = $0 }' "$@"
}

cd "$here"
find . -maxdepth 2 -name '*.sh' ! -name negative-greps.sh >"$T/files"
[ "$(wc -l <"$T/files")" -gt 100 ] || fail "only $(wc -l <"$T/files") tests are found"
# shellcheck disable=SC2046 # names without blanks
found=$(bare $(cat "$T/files"))
[ -z "$found" ] || fail "say it with lacks (common.sh), which fails where there is nothing to look at:
$found"

# It finds each form of them, and takes no other for one.
cat >"$T/bad" <<'END'
! grep -q x out || fail 'x'
  ! grep -q "a|b" "$T/out" || fail "x: $(cat "$T/out")"
! nm -D a.so | grep -i -e x || fail x
grep -q x out && fail "x"
nm a.o | grep -q " x$" && fail x
grep -E '(a|b)' out && exit 1
if grep -q x out; then fail x; fi
[ "$(grep -c x out)" = 0 ] || fail x
test "$(kinds h | grep -c x)" = 0 || fail x
is "x" "" "$(grep -v y out || true)"
[ -z "$(sed 1d out | grep x)" ] || fail x
elif grep -q x out; then
  fail x
END
is_found=$(bare "$T/bad" | wc -l)
[ "$is_found" = 12 ] || fail "found $is_found of 12: $(bare "$T/bad")"
cat >"$T/good" <<'END'
grep -q x out || fail x
grep -q x out && grep -q y out || fail x
[ "$(grep -c x out)" = 3 ] || fail x
await 'it goes on' eval '! pgrep -f -- "$T/killed" >/dev/null'
lacks 'x' x out
nm a.o | lacks x x -
# ! grep -q x out || fail x
if grep -q x /proc/cpuinfo; then
  more=-mavx
fi
! grep -q 'unknown argument' out || continue # an older compiler
is "y" 3 "$(grep -v x out | wc -l)"
END
[ -z "$(bare "$T/good")" ] || fail "taken for one: $(bare "$T/good")"
# and lacks does: there is nothing, nothing is found, it is found
refuses() {
  if ("$@") >"$T/said" 2>&1; then fail "passed: $*"; fi
}
: >"$T/empty"
echo one >"$T/one"
mkdir "$T/none"
for file in "$T/empty" "$T/missing"; do
  refuses lacks what two "$file"
  grep -q "what: there is nothing in $file to look for 'two' in" "$T/said" || fail "$(cat "$T/said")"
done
refuses lacks what two "$T/none" -r
refuses lacks what one "$T/one"
grep -q "what: 'one' is in $T/one: one" "$T/said" || fail "$(cat "$T/said")"
refuses lacks what '[' "$T/one"
lacks what two "$T/one"
lacks what two "$T/one" -e three
lacks what one "$T/one" -v
refuses lacks what two "$T/one" -e one
nothing() { false | lacks what two -; }
refuses nothing
echo one | lacks what two -
