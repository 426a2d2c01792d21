#!/bin/sh
# The rule by which a lease is taken over, in a small model: every order of the steps of three processes, one of which is killed and one
# stopped, or two stopped. A kernel is compiled once, and once more for each of these. Each part of the rule that is left out is missed.
# tier: check
. "${0%/*}/common.sh"
need python3
explore="python3 $here/fleet/explore.py"
$explore || fail "one killed, one stopped"
$explore --kills 2 --stops 0 || fail "two killed"
$explore --processes 2 --kills 2 --stops 2 || fail "two processes"
for part in exclusive next entry; do
  ! $explore --without $part 2>"$T/out" || fail "it is not noticed that $part is missing"
  has "$part" " compiles, " "$T/out"
done

# A thousand machines at once: one compile, and a bounded number of operations of the server.
python3 "$here/fleet/simulate.py" >"$T/out" || fail "$(cat "$T/out")"
has "a thousand" "1000 of 1000 nodes have it, 1 compiles" "$T/out"
awk '/operations/ { exit !($3 <= 200 && $8 <= 12000) }' "$T/out" || fail "too many operations: $(cat "$T/out")"
