#!/bin/sh
# No dead ends: every page, topic and command that help, a message of the sources, doctor or a topic names can be read with what is
# installed, `ckjit help NAME`, where there is no checkout.
# tier: check
. "${0%/*}/common.sh"
need python3 make
top=$(dirname "$here")
cd "$T"
make -s -C "$top" B="$B" install PREFIX= DESTDIR="$T/i" >out 2>&1 || fail "make install: $(cat out)"
ckjit=$T/i/bin/ckjit
read_ok() {
  "$ckjit" help "$1" >page 2>err || fail "$2 names '$1': $(cat err)"
  [ "$(wc -l <page)" -ge 3 ] || fail "$2 names '$1', which is: $(cat page)"
}

# what a user can read: help, of each command, the index, each topic, doctor
mkdir texts
"$ckjit" --help >texts/help
"$ckjit" doctor >texts/doctor 2>&1 || :
for name in index troubleshooting.md $("$ckjit" help topics) $(sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' texts/help); do
  read_ok "$name" 'the list'
  cp page "texts/$name"
done
[ "$(find texts -type f | wc -l)" -gt 40 ] || fail "few texts: $(ls texts)"

# and what the programs can say: the strings of the sources
python3 - "$top" >texts/messages <<'END'
import pathlib, re, sys
for room in "abi api compile core driver front nvcc postbuild prebuild runtime unit wrapper".split():
    for file in sorted(pathlib.Path(sys.argv[1], room).rglob("*.[ch]")):
        for string in re.findall(r'"(?:[^"\\\n]|\\.)*"', file.read_text()):
            print(string)
END
{
  grep -ohE '(\[|`|: |^ *|")ckjit help [a-z][a-z-]*[a-z]' texts/* | sed 's/.*ckjit help //'
  grep -ohE '[A-Za-z0-9_./-]+\.md' texts/* | grep -v '^http' | sed 's,^.*/\(docs/\),\1,'
} | sort -u >names
[ "$(wc -l <names)" -gt 40 ] || fail "few names: $(cat names)"
while read -r name; do
  case $name in examples/* | */examples/* | bench/* | .md) continue ;; esac # a link into the checkout, from a page that says so
  read_ok "$name" "$(grep -lF -e "$name" texts/* | head -n 1)"
done <names

# links with an anchor, and names that are none
read_ok 'docs/units.md#limits' 'a link'
for name in nonsense.md ../share/ckjit/doc/cuda.md .. docs/ ''; do
  "$ckjit" help "$name" >page 2>err && fail "'$name' is a page: $(head -n 3 page)"
  grep -q "unknown command or topic '$name'" err || fail "'$name': $(cat err)"
done
"$ckjit" help unitz >page 2>err && fail 'unitz'
grep -q "did you mean 'units'" err || fail "no near page: $(cat err)"
