#!/bin/bash
# `ckjit-build explain --json` is an object a line with the record, the reason, the links and the command; the session in docs/explain.md
# is what is printed; names may hold anything; and what cannot be explained is an error with its name.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/memo_fixture.sh"
need python3
cd "$T"
fake_home "$T/home"
odd=$'o"d\\d \xe9\n$x.cu' # not UTF-8, a newline, what a shell and JSON would take for something else
echo 'int f() { return 1; }' >"$odd"
blob k1.cu
home/bin/hipcc -DX='a b' -c "$odd" -o odd.o
for i in 1 2; do
  home/bin/hipcc -D$i -c k1.cu -o k1.o
done
mkdir home/wdir/liba
memo 'units 1' >home/wdir/liba/ck_jit_units.txt <<END_
library $T/liba.so
unit ahead
source $T/k1.cu
object $T/k1.o
later something that a later ckjit says
why two\\nlines \\\\
unit tabulated
source $T/other.cu
object $T/k1.o
rewritten 2 1 40
END_
explain() {
  "$B/bin/ckjit-build" explain "$@"
}
explain home --json >out
cat >check.py <<'P'
import json, os, sys
here = os.getcwd()
lines = [json.loads(line) for line in open("out", encoding="utf-8")]
odd, k1 = lines
assert odd["source"] == here + '/o"d\\d \\xe9\n$x.cu', odd
assert (odd["kind"], odd["rule"], odd["line"], odd["text"]) == ("host", "function", 1, "int f()"), odd
assert odd["says"] == "`int f()` is an external definition" and odd["advice"].startswith("move it"), odd
assert odd["command"][1:3] == ["-DX=a b", "-c"] and odd["cwd"] == here and odd["links"] == [], odd
assert (k1["kind"], k1["rule"], k1["replayed"], "advice" in k1) == ("blob", "specialisations", False, False), k1
assert k1["command"][1] == "-D2", k1  # the last call
assert k1["links"] == [{"library": here + "/liba.so", "outcome": "ahead", "why": "two\nlines \\"}], k1
P
python3 check.py || fail "$(cat out)"
# the command of the odd one, by a shell
rm -f home/real.log
sh -ec "$(explain home odd.o --stock)" || fail 'the command does not run'
grep -qxF '<-DX=a b>' home/real.log && grep -qF "<${odd%%$'\n'*}" home/real.log || fail "run as $(cat home/real.log)"

# refused STATUS TEXT ARGUMENT…: an error that says so, and nothing else
refused() {
  status=0 want=$1 text=$2
  shift 2
  explain "$@" >said 2>err || status=$?
  [ $status = "$want" ] && grep -qF -e "$text" err && [ ! -s said ] || fail "explain $*: status $status: $(cat err said)"
}
refused 2 'expected a work directory' --json
refused 2 'cannot be combined' home --json --stock
refused 2 "unexpected argument 'x'" x -- hipcc -c k1.cu
refused 2 'expected a compiler' --
refused 1 "$T/nothing: No such file" "$T/nothing"
mkdir empty
refused 1 'empty: is not a work directory: it has no manifest.json.ndjson' empty
refused 1 'k1.cu: holds no records' k1.cu
: >empty.cu
refused 1 'empty.cu: holds no records' empty.cu
refused 1 'k2: no call of' home k2
refused 1 "no such profile: expected" home --profile nothing
refused 1 "'cat' is not one of the compilers of" -- cat -c k1.cu
refused 1 'no-such-compiler: the compiler of the command is not on the PATH' -- no-such-compiler -c k1.cu
refused 1 'compiles no source into an object' -- home/bin/hipcc --version
sed 's/^{"ckjit":1,/{"ckjit":2,/' home/wdir/manifest.json.ndjson >later
refused 1 'later:1: not a record of this ckjit' later
head -c 100 home/wdir/manifest.json.ndjson >torn
refused 1 'torn:1: not a record of this ckjit' torn
chmod -x home/real/bin/hipcc
refused 1 "$T/home/real/bin/hipcc: the recorded compiler is not executable" home --replay
chmod +x home/real/bin/hipcc
for damage in 's/^unit ahead/unit asleep/' '/^object/d' 's/^rewritten .*/rewritten many/' 's/^library.*/&\n&/' 's/^source.*/source/' '$s/$/\x00/'; do
  cp home/wdir/liba/ck_jit_units.txt keep
  sed -i "$damage" home/wdir/liba/ck_jit_units.txt
  refused 1 'liba/ck_jit_units.txt:1: expected what a link of this ckjit writes; link again' home
  sed "1,2d; $damage" keep | memo 'units 1' >home/wdir/liba/ck_jit_units.txt
  refused 1 'liba/ck_jit_units.txt:' home
  mv keep home/wdir/liba/ck_jit_units.txt
done
sed 1,2d home/wdir/liba/ck_jit_units.txt | memo 'units 2' >later
cp home/wdir/liba/ck_jit_units.txt keep
mv later home/wdir/liba/ck_jit_units.txt
refused 1 'liba/ck_jit_units.txt:1: expected what a link of this ckjit writes' home
mv keep home/wdir/liba/ck_jit_units.txt

# the session of the document: HIP's home is ours, its real compiler the shim
mkdir src bin
rm -r home && cd src
cat >"$T/bin/ckjit" <<END_
#!/bin/sh
[ "\$1" != home ] || { echo 'PATH="$T/src/home/bin:\$PATH"' && exit; }
exec "$B/bin/ckjit" "\$@"
END_
chmod +x "$T/bin/ckjit"
fake_home "$T/src/home"
sed -n '/^    \$ eval/,/^[^ ]/p' "$here/../docs/explain.md" | sed -n 's/^    //p; /^$/p' | sed '$d' >session
sed -n 's/^\$ //p' session >commands
[ "$(wc -l <commands)" -ge 7 ] || fail "the session of docs/explain.md: $(wc -l <commands) commands"
PATH=$T/bin:$PATH sh -e commands >"$T/printed" 2>err || fail "the session: $(cat err)"
sed "s,$T/src/home/real/bin,/usr/bin,; s,$T/src,/src,g" "$T/printed" >got
grep -v '^\$ ' session | diff - got >difference || fail "the session of docs/explain.md prints: $(cat difference)"
