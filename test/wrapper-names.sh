#!/bin/bash
# File names that break shells, makefiles and JSON are names like any other.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h h"
# shellcheck disable=SC2016
names=('a b' "it's" $'new\nline' 'é' ';&|<>*?' $'tab\t' '%s%n')
for name in "${names[@]}"; do
  mkdir -p "$name"
  blob "$name/$name.cu"
  "$T/h h/bin/hipcc" -DX="$name" -c "$name/$name.cu" -o "$name/$name.o" || fail "$name"
  test -s "$name/$name.o" || fail "no object for $name"
done
# a shell behind hipcc would expand these, in what ckjit would have it compile later: the real compiler has them as they are
# shellcheck disable=SC2016
for name in 'say "x"' '$(touch hacked)' '`touch hacked`' 'back\slash'; do
  mkdir -p "$name"
  blob "$name/$name.cu"
  "$T/h h/bin/hipcc" -DX="$name" -c "$name/$name.cu" -o "$name/$name.o" || fail "$name"
  for word in "-DX=$name" "$name/$name.cu" "$name/$name.o"; do
    has "$name" "<$word>" 'h h/real.log'
  done
done
# of a name that is not UTF-8 a link could not be told: the real compiler compiles it (names-not-utf8)
latin1=$'latin-1 \xe9.cu'
blob "$latin1"
"$T/h h/bin/hipcc" -c "$latin1" -o latin1.o || fail "$latin1"
has "$latin1" "<$latin1>" 'h h/real.log'
blob ./-dash.cu
"$T/h h/bin/hipcc" -c -o dash2.o ./-dash.cu || fail "./-dash.cu"
# not all compilers can compile that one; whether this one can, it says itself
"$T/h h/bin/hipcc" -c -o dash.o -- -dash.cu || fail "-dash.cu behind --"
test ! -e dash.o || fail "-dash.cu behind -- is recorded"
"$T/h h/bin/hipcc" -c -o dash.o -- ./-dash.cu || fail "./-dash.cu behind --"
test ! -e hacked || fail "a name was run"
count=$((${#names[@]} + 2))
test "$(kinds 'h h' | grep -c blob)" = "$count" || fail "$(kinds 'h h' | grep -c blob) records, not $count"
if command -v python3 >/dev/null; then
  printf '%s\0' "${names[@]}" >names
  python3 - "$T" <<'END' || fail "the records do not read back"
import json, os, sys
want = open("names", "rb").read().split(b"\0")[:-1]
lines = open("h h/wdir/manifest.json.ndjson", "rb").read().decode().splitlines()
host = json.loads(lines[len(want) + 4])
assert host["kind"] == "host" and b"latin-1 \xe9.cu" in [word.encode(errors="surrogateescape") for word in host["args"]], host
for name, line in zip(want, lines):
    r = {k: v.encode(errors="surrogateescape") for k, v in json.loads(line).items() if isinstance(v, str)}
    assert r["stem"] == name and r["source"] == os.path.join(sys.argv[1].encode(), name, name + b".cu"), line
END
fi
