#!/bin/sh
# A message on which docs/troubleshooting.md has more to say ends with the words that print that, [ckjit help TOPIC]: each topic of a message is an
# anchor of the page, and what is installed prints its part; what a heading quotes of a message has the topic behind it.
# tier: check
. "${0%/*}/common.sh"
need python3
cat >"$T/check.py" <<'END'
import glob
import os
import re
import sys

os.chdir(sys.argv[1])
ROOMS = "front driver wrapper unit postbuild compile prebuild nvcc api runtime abi core".split()
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
TOPIC = re.compile(r"\[ckjit help ([^]]*)\]")
# a heading without a topic in its messages: notes, lines of a summary, parts of a message that has another topic, a symbol
WITHOUT = {"not-compiled", "waiting", "linked-elsewhere", "in-use", "ahead-of-time"}
# the message is put together of two texts
IN_PARTS = {"cache-not-trusted", "out-of-memory"}


def page():
    """[(anchor, [heading])] of the part with headings of single messages, in the order of the page"""
    parts = []
    for line in open("docs/troubleshooting.md", encoding="utf-8"):
        if m := re.match(r'<a id="([^"]*)"></a>$', line):
            parts.append((m[1], []))
        elif m := re.match(r"### (.*)", line):
            parts[-1][1].append(m[1])
    return parts


def pattern(heading):
    return re.compile(".*".join(re.escape(part.strip()) for part in heading.split("…")), re.S)


def texts():
    """(place, text) of all string literals; those that stand one behind another are one"""
    for file in [f for room in ROOMS for f in sorted(glob.glob(f"{room}/**/*.[ch]", recursive=True))]:
        source = open(file, encoding="utf-8").read()
        for m in re.finditer(f"{LITERAL}(?:\\s*{LITERAL})*", source):
            yield f"{file}:{source.count(chr(10), 0, m.start()) + 1}", re.sub(r'"\s*"', "", m[0])[1:-1].replace('\\"', '"')


parts, every = page(), list(texts())
anchors = [anchor for anchor, headings in parts]
said = {topic for _, text in every for topic in TOPIC.findall(text)}
for anchor in {a for a in anchors if anchors.count(a) > 1}:
    print(f"docs/troubleshooting.md: two anchors '{anchor}'")
for place, text in every:
    for topic in TOPIC.findall(text):
        if topic not in anchors:
            print(f"{place}: topic '{topic}': docs/troubleshooting.md has no such anchor")
        if not re.search(rf"\[ckjit help {topic}\](\\n|$)", text):
            print(f"{place}: topic '{topic}': expected it at the end of the message or of a line")
for anchor, headings in parts:
    if not headings:
        print(f"docs/troubleshooting.md: anchor '{anchor}' has no heading behind it")
    if anchor not in said and anchor not in WITHOUT:
        print(f"docs/troubleshooting.md: no message ends with the topic '{anchor}'")
    elif anchor not in WITHOUT | IN_PARTS and not any(pattern(headings[0]).search(text) and f"[ckjit help {anchor}]" in text for _, text in every):
        print(f"docs/troubleshooting.md: '{headings[0]}': that message does not end with the topic '{anchor}'")
if len(said) < 15:
    print(f"{len(said)} topics found in the sources")
for topic in sorted(said):
    print(f"topic {topic} {dict(parts).get(topic, [''])[0]}", file=sys.stderr)
END
wrong() {
  python3 "$T/check.py" "$1" 2>"$T/said"
}
[ -z "$(wrong "$here/..")" ] || fail "$(wrong "$here/..")"

# what is installed prints each
sort -u "$T/said" >"$T/topics"
[ "$(grep -c '^topic ' "$T/topics")" -ge 15 ] || fail "few topics: $(cat "$T/topics")"
while read -r _ topic heading; do
  "$B/bin/ckjit" help "$topic" >"$T/out" 2>&1 || fail "ckjit help $topic: $(cat "$T/out")"
  is "the first line of ckjit help $topic" "$heading" "$(head -n 1 "$T/out")"
  [ "$(wc -l <"$T/out")" -ge 3 ] || fail "ckjit help $topic: $(cat "$T/out")"
  lacks "ckjit help $topic" '<a id=|^#|\]\(' "$T/out" -E
done <"$T/topics"
"$B/bin/ckjit" help cache-not-trusted >"$T/out"
has 'two headings of one topic' 'is open to other users' "$T/out"
has 'two headings of one topic' 'belongs to another user' "$T/out"
lacks 'another topic' 'more privileges' "$T/out"

# and a user sees it: the words at the end of a line
mkdir -m 755 "$T/open"
touch "$T/open/something"
CK_JIT_CACHE_DIR=$T/open "$B/bin/ckjit-prebuild" verify >"$T/out" 2>&1 && fail "an open cache is no error: $(cat "$T/out")"
grep -q '\[ckjit help cache-not-trusted\]$' "$T/out" || fail "no topic: $(cat "$T/out")"

# what is wrong with a copy that is wrong is noticed
mkdir "$T/copy"
cp -r "$here/../docs" "$T/copy"
for room in front driver wrapper unit postbuild compile prebuild nvcc api runtime abi core; do
  cp -r "$here/../$room" "$T/copy"
done
sed -i 's/help compiler-failed/help compiler-faild/' "$T/copy/compile/run.c"
sed -i '/was ended because/s/was ended/ended/' "$T/copy/compile/run.c"
sed -i 's/<a id="no-source">/<a id="which-rocm">/' "$T/copy/docs/troubleshooting.md"
found=$(wrong "$T/copy")
for line in "topic 'compiler-faild'" "topic 'compiler-failed'" "two anchors 'which-rocm'" "topic 'no-source'" "'was ended because it took more than': that message"; do
  echo "$found" | grep -qF "$line" || fail "not noticed: $line: $found"
done
