#!/bin/sh
# `ckjit explain` of a large build prints its summary, with an example for each rule that keeps a source from being lazy, and how to see more:
# --all, --only VERDICT (a kind, a rule, lazy or ahead). --summary prints the summary alone, of a small build as well.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
hipcc() { "$T/h/bin/hipcc" "$@" 2>>err || :; }
blob k.cu
echo 'int op(int x) { return x; }' >op.cu
printf '#include "body.hpp"\n\nDEFINE_KERNELS(128)\n' >macro.cu
for name in k op macro; do hipcc -c $name.cu -o $name.o; done
explain() {
  "$B/bin/ckjit-build" explain "$@" >out 2>err || fail "explain $*: $(cat err)"
}
explain h
is 'of a small build every unit' 3 "$(grep -c '^/.*\]$' out)"
has 'and the summary' '3 units: 1 blob, 2 host' out
lacks 'and no hint' '[-]-all lists' out
explain h --summary
is 'the summary is first' '3 units: 1 blob, 2 host' "$(head -n 1 out)"
lacks 'no unit has a line' '\]$' out
has 'an example' "such as $T/macro.cu:3" out
is 'none of what is lazy' 0 "$(grep -c "such as $T/k.cu" out)"

# the same record with other names
records=h/wdir/manifest.json.ndjson
for n in $(seq 200); do sed -n "/\"stem\":\"k\"/ { s/\"stem\":\"k\"/\"stem\":\"k$n\"/; s/\\bk\\.\\(cu\\|o\\)/k$n.\\1/g; p }" $records; done >"$T/more"
cat "$T/more" >>$records
explain h
[ "$(wc -l <out)" -lt 20 ] || fail "203 units: $(wc -l <out) lines: $(head -n 30 out)"
is 'the summary' '203 units: 201 blob, 2 host' "$(head -n 1 out)"
has 'how to see more' '--all lists the 203 units; --only host, --only ahead or --only RULE lists some' out
explain h --all
is 'all units' 203 "$(grep -c '^/.*\]$' out)"
# only VERDICTS UNITS
only() {
  explain h --only "$1"
  is "--only $1" "$2" "$(grep -c '^/.*\]$' out)"
  has "--only $1: how many of how many" "$2 of 203 units" out
  lacks "--only $1: no summary by rule" 'lazy, unless' out
}
only host 2
only blob 201
only lazy 201
only macro 1
only macro,function 2
only ahead 0
explain h --only host --json
is 'JSON is filtered as well' 2 "$(grep -c '"rule"' out)"
explain h k7
is 'a unit that is named' 1 "$(grep -c '^/.*/k7.cu:.*\]$' out)"
for words in '--only marco' '--summary --json' '--summary --all'; do
  status=0
  # shellcheck disable=SC2086 # words
  "$B/bin/ckjit-build" explain h $words >out 2>err || status=$?
  is "$words" 2 $status
done
"$B/bin/ckjit-build" explain h --only marco 2>err || :
has 'what is expected' "--only: expected lazy, ahead, a kind such as host, or a rule such as macro" err
has 'what was meant' 'macro' err
