#!/bin/sh
# A message on which docs/troubleshooting.md has more to say ends with the words that print that, [ckjit help TOPIC]: each topic of a message is an
# anchor of the page, and what is installed prints its part; what a heading quotes of a message has the topic behind it. Every error of the sources has
# an anchor: it ends with a topic, or has words of a heading, of those that "Also:" lists below one, or of the page's index.
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
    """[(anchor, [heading])] of single messages, in the order of the page"""
    parts = []
    for line in open("docs/troubleshooting.md", encoding="utf-8"):
        if m := re.match(r'<a id="([^"]*)"></a>$', line):
            parts.append((m[1], []))
        elif line == "## Any other error\n":
            return parts
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


# what makes an error of its text: directly, as a reason that is handed on (*err = …, error, why, missing), or in libckjit
CALL = re.compile(r"\b(die|complain|refuse|\w*fail\w*|xasprintf|ckjit_addf?|buf_printf|buf_puts)\s*\(([^;\"]*?)(" + LITERAL + r"(?:\s*(?:" + LITERAL + r"|[A-Z_]{3,}))*)")


def errors():
    """(place, text) of the errors; one that is put together of others, or a part of one, has hardly words of its own and is left out"""
    for file in [f for room in ROOMS for f in sorted(glob.glob(f"{room}/**/*.[ch]", recursive=True))]:
        source = open(file, encoding="utf-8").read()
        for m in CALL.finditer(source):
            before = source[max(0, m.start() - 60) : m.start()]
            if m[1] == "xasprintf" and not re.search(r"(err|why|error|reason)\s*=\s*[^;]*$", before):
                continue
            if m[1] in ("ckjit_add", "ckjit_addf", "buf_printf", "buf_puts") and not re.match(r"\s*&?\*?(error|why|missing|err)\b", m[2]):
                continue
            text = "".join(w[1:-1] for w in re.findall(LITERAL, m[3])).replace('\\"', '"')
            plain = re.sub(r"%[-+ #0-9.*]*(?:hh|h|ll|l|z)?[a-z]", "", text)
            if len(re.findall(r"[A-Za-z]{2,}", plain)) >= 4 and " " in text and not text.startswith("\\n"):
                yield f"{file}:{source.count(chr(10), 0, m.start()) + 1}", text


def all_patterns():
    text = open("docs/troubleshooting.md", encoding="utf-8").read()
    index = text[text.index("\n## Index of messages\n") :]
    listed = [p for part in [*re.findall(r"^Also:(.*?)(?:\n\n|\Z)", text, re.S | re.M), index] for p in re.findall(r"`([^`]*)`", part)]
    for p in re.findall(r"^### (.*)", text, re.M) + listed:
        yield p, re.compile(".*".join(re.escape(part.strip() if "…" in p else part) for part in p.split("…")), re.S)


parts, every = page(), list(texts())
patterns, all_errors = list(all_patterns()), list(errors())
if len(all_errors) < 500:
    print(f"{len(all_errors)} errors found in the sources")
for place, text in all_errors:
    if not TOPIC.search(text) and not any(p.search(text) for _, p in patterns):
        print(f"{place}: '{text}': docs/troubleshooting.md has no heading for it, and no words of it in its index")
for words, p in patterns:
    if not any(p.search(text) for _, text in every):
        print(f"docs/troubleshooting.md: '{words}': no message has it")
anchors = [anchor for anchor, headings in parts]
said = {topic for _, text in every for topic in TOPIC.findall(text) if topic in anchors}
for anchor in {a for a in anchors if anchors.count(a) > 1}:
    print(f"docs/troubleshooting.md: two anchors '{anchor}'")
for place, text in every:
    for topic in TOPIC.findall(text):
        if topic not in anchors and not os.path.exists(f"docs/{topic}.md"):
            print(f"{place}: topic '{topic}': neither an anchor of docs/troubleshooting.md nor a page of docs/")
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

# kinds of errors have topics, too
"$B/bin/ckjit" help expected >"$T/out"
has 'a kind' 'The exit status is 2' "$T/out"
lacks 'the words that the page is searched for' '^Also: |goes with' "$T/out" -E

# what is wrong with a copy that is wrong is noticed
mkdir "$T/copy"
cp -r "$here/../docs" "$T/copy"
for room in front driver wrapper unit postbuild compile prebuild nvcc api runtime abi core; do
  cp -r "$here/../$room" "$T/copy"
done
sed -i 's/help compiler-failed/help compiler-faild/' "$T/copy/compile/run.c"
sed -i '/was killed after/s/was killed after/died after/' "$T/copy/compile/run.c"
printf 'void f(void) {\n  complain("nobody ever wrote these words");\n}\n' >"$T/copy/front/new.c"
sed -i 's/`was understood before`/`was understood never`/' "$T/copy/docs/troubleshooting.md"
sed -i 's/<a id="no-source">/<a id="which-rocm">/' "$T/copy/docs/troubleshooting.md"
found=$(wrong "$T/copy")
for line in "topic 'compiler-faild'" "topic 'compiler-failed'" "two anchors 'which-rocm'" "topic 'no-source'" "'was killed after …; raise': that message" "front/new.c:2: 'nobody ever wrote these words'" "'was understood never': no message has it"; do
  echo "$found" | grep -qF "$line" || fail "not noticed: $line: $found"
done
