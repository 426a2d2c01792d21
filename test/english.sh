#!/bin/sh
# test/lint/english.py finds each habit in a sample of it, names its line, and finds nothing in good samples. An exception covers
# one line, needs a reason and must be used.
# tier: check
. "${0%/*}/common.sh"
need python3
cd "$T"
lint=$here/lint/english.py

# finds WANTED TEXT: the only finding in TEXT is to be WANTED, "LINE: PHRASE"
samples=100
finds() {
  samples=$((samples + 1))
  printf '%s\n' "$2" >"$samples.md"
  echo "$samples.md:$1" >>wanted
}
long=$(printf 'word %.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
finds '1: 104 columns' "${long}word"
finds '2: 106 columns' "- an item
  ${long}word"
finds '1: of a processor' 'It took 858 s of a processor.'
finds '1: of a processor' 'It took 858 s of a
processor.'
finds '1: by the clock' 'It took 233 s by the clock.'
finds '1: as ever' 'The rest is built as ever.'
finds '1: is none of' 'This is none of its kernels.'
finds '1: there is none' 'A cache is made if there is none.'
finds '1: Whoever' 'Whoever compiles it holds the lock.'
finds '1: of its own' 'It has a directory of its own.'
finds '1: of now' 'The library of now is kept.'
finds '1: by now' 'It is gone by now.'
finds '1: vouched for' 'An input that cannot be vouched for is refused.'
finds '1: stock' 'It has the code of the stock library.'
finds '1: Mend' 'Mend the cause.'
finds '1: is not believed' 'A damaged file is not believed.'
finds '1: is said' 'The reason is said once.'
finds '1: behind' 'The entry is behind it.'
finds '1: in front of the link' 'It runs in front of the link.'
finds '1: say --all' 'To pack all of them say --all.'
# shellcheck disable=SC2016 # Markdown, not commands
finds '1: say `--all' 'To pack all of them, say `--all`.'
finds '1: 1 units' '1 units are lazy.'
finds '3: 1 blobs' 'A session:

    1 blobs are lazy'
# shellcheck disable=SC2016
finds '1: ckjit-prebuild list' 'Run `ckjit-prebuild list`.'
finds '3: ckjit-build home' 'A session:

    $ ckjit-build home'
finds '1: What cannot be proved …' 'What cannot be proved is compiled at once.'
finds '2: What it reads is …' '- One thing.
- Another. What it reads is listed.'
finds '1: heading without words' '##

text'
finds '1: heading without text' '## A
## B

text'
finds '1: empty table heading' '| | to |
|---|---|
| a | b |'
finds '1: exception without a reason' '<!-- english: 102 columns -->'
finds "1: exception for 'stock' without a finding" '<!-- english: stock: a word of the trade -->'

status=0
"$lint" [0-9]*.md >found 2>said || status=$?
is "the status for the samples" 1 "$status"
is "the findings in the samples" "$(cat wanted)" "$(sed 's/^\([^:]*:[0-9]*: [^:]*\):.*/\1/' found)"
is "the last line" "english.py: $(wc -l <wanted) findings" "$(cat said)"

# every rule has a sample
PYTHONDONTWRITEBYTECODE=1 python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import english; print("\n".join(r.instead for r in english.RULES))' \
  "$here/lint" >rules
[ "$(wc -l <rules)" -ge 18 ] || fail "only $(wc -l <rules) rules"
while IFS= read -r rule; do
  grep -qF "$rule" found || fail "no sample shows the rule with '$rule'"
done <rules

# good samples
cat >good.md <<END
# A page

Each build compiles its own kernels. 1 kernel is lazy; 21 units are not. What does it cost? Nothing.
<https://example.org/$(printf 'long%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25)>

[text](https://example.org/$(printf 'long%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25))

| key | meaning |
|---|---|
| $long | $long |

A killed compile left behind a file. It runs behind ccache. <!-- english: stock: it has none -->
The option \`--stock\` is code. postbuild-stock and postbuild/stock.c are names.

<!-- english: ckjit-prebuild list: a file's first line -->
    # ckjit-prebuild list 1
    $long $long

    \$ true
    $long $long
    as ever

It is of the stock. <!-- english: stock: a soup -->

<!-- english: whoever: a quotation -->
"Whoever wins" is a film.
END
status=0
"$lint" good.md >found 2>/dev/null || status=$?
is "the good samples" "good.md:12: exception for 'stock' without a finding: remove it" "$(cat found)"
is "their status" 1 "$status"
sed -i '12s/ <!--.*//' good.md
"$lint" good.md >found 2>&1 || fail "$(cat found)"
is "what it prints without a finding" '' "$(cat found)"

# man pages and help texts
printf '.Dd May 1, 2026\n.Sh NAME\nIt is built\nas ever.\n.Bd -literal\nas ever\n.Ed\n' >page.1
"$lint" page.1 >found 2>/dev/null && fail "a man page passes"
is "a man page" 'page.1:4: as ever: as usual, unchanged' "$(cat found)"
mkdir bin
cat >bin/ckjit <<'END'
#!/bin/sh
case $1 in
--help) echo usage; for c in aa bb cc dd ee ff gg hh ii jj; do echo "  $c  a command"; done ;;
cc) printf 'usage\n\n  --to  as ever\n' ;;
esac
END
chmod +x bin/ckjit
"$lint" --programs bin good.md >found 2>/dev/null && fail "a help text passes"
is "a help text" 'ckjit cc --help:3: as ever: as usual, unchanged' "$(cat found)"

# the README at the top is short
seq 701 >README.md
"$lint" README.md >found 2>/dev/null && fail "a README of 701 words passes"
has "a README of 701 words" ': 701 words: at most 700' found
seq 700 >README.md
"$lint" README.md >found 2>&1 || fail "$(cat found)"

status=0
"$lint" nothing.md >found 2>&1 || status=$?
is "a file that does not exist" 2 "$status"
