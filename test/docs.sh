#!/bin/sh
# What the documents name exists: files, links and their anchors, tests, variables. docs/environment.md has the rows of core/base/env.c;
# docs/index.md leads to every document; each heading of docs/troubleshooting.md is of a message that a program has; a document with a session has
# a test that runs it.
# tier: check
. "${0%/*}/common.sh"
need python3
cat >"$T/check.py" <<'END'
import glob
import os
import re
import sys

os.chdir(sys.argv[1])
ROOMS = "front driver wrapper postbuild compile prebuild nvcc api runtime abi core share test docs bench examples python packaging".split()
DOCS = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", *glob.glob("docs/*.md"), *glob.glob("examples/*/README.md")]
# stand for a file of the reader's, or are laid out so only by make
OTHERS = re.compile(r"^(share/ckjit/.*|.*/[A-Z]{3,}\.\w+|.*[A-Z]{4,}.*|prebuild/x\.c|test/wrapper-x\.sh)$|examples/mini-aiter/aiter/")


def anchors(text):
    headings = [line.lstrip("#").strip() for line in text.split("\n") if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def env_rows():
    text = open("core/base/env.c", encoding="utf-8").read()
    text = text[text.index("env_table[] = {") :]
    rows, literal = {}, r'"((?:[^"\\]|\\.)*)"'
    for m in re.finditer(r'\{"(CK_JIT_\w+)",\s*' + literal + r",\s*((?:" + literal + r"\s*)+),\s*ENV_(\w+)\}", text):
        read = {"ALL": "both", "RUNTIME": "run", "BUILD": "build"}[m[5]]
        rows[m[1]] = [read, m[2], "".join(re.findall(literal, m[3]))]
    return rows


def messages():
    """the texts of all string literals of the programs; those that stand one behind another are one"""
    literal = r'"(?:[^"\\\n]|\\.)*"'
    for file in [f for room in ROOMS[:11] for f in glob.glob(f"{room}/**/*.[ch]", recursive=True)]:
        for m in re.finditer(f"{literal}(?:\\s*{literal})*", open(file, encoding="utf-8").read()):
            yield re.sub(r'"\s*"', "", m[0])[1:-1].replace('\\"', '"')


texts = list(messages())
for heading in re.findall(r"^### (.*)", open("docs/troubleshooting.md", encoding="utf-8").read(), re.M):
    parts = ".*".join(re.escape(part.strip()) for part in heading.split("…"))
    if not any(re.search(parts, text) for text in texts):
        print(f"docs/troubleshooting.md: '{heading}': no message has it")
for doc in glob.glob("docs/*.md"):
    if f"]({os.path.basename(doc)}" not in open("docs/index.md", encoding="utf-8").read() and doc != "docs/index.md":
        print(f"docs/index.md: does not lead to {doc}")
variables = env_rows()
# those of CK JIT that have no effect
foreign = re.search(r"\} foreign\[\] = \{(.*?)\n\};", open("core/base/env.c", encoding="utf-8").read(), re.S)[1]
if len(variables) < 30:
    print(f"core/base/env.c: {len(variables)} rows found")
said = {}
for doc in DOCS:
    text = open(doc, encoding="utf-8").read()
    for name in set(re.findall(r"(?<![\w/.{}-])[a-z]+(?:/[\w.*-]+)+\.(?:c|h|sh|py|md|yaml|hpp|cpp)\b", text)):
        if name.split("/")[0] in ROOMS and not OTHERS.search(name) and not glob.glob(name):
            print(f"{doc}: {name}: there is no such file")
    for name in set(re.findall(r"\bck_jit_\w+\.[ch]\b", text)) - {"ck_jit_unit_calls.h"}:
        if not glob.glob(f"runtime/{name}") and not glob.glob(f"abi/{name}"):
            print(f"{doc}: {name}: neither in runtime/ nor in abi/")
    prose = "\n".join(line for line in text.split("\n") if not line.startswith("    "))
    for target in set(re.findall(r"\]\(([^)\s]+)\)", prose)):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(doc), file)) if file else doc
        if not os.path.exists(path):
            print(f"{doc}: the link to {target} leads nowhere")
        elif anchor and anchor not in anchors(open(path, encoding="utf-8").read()):
            print(f"{doc}: the link to {target}: there is no such heading")
    for name in set(re.findall(r"\bCK_JIT_[A-Z_]*[A-Z]\b", text)) - set(variables) - set(re.findall(r'\{"(\w+)"', foreign)):
        print(f"{doc}: {name}: not in the table of core/base/env.c")
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")] if line.startswith("| ") else []
        if doc == "docs/environment.md" and cells and cells[0] in variables:
            said[cells[0]] = cells[1:]
        for name in cells[-1].split(", ") if doc == "docs/reliability.md" and len(cells) > 1 else []:
            is_test = re.fullmatch(r"[a-z]+(-[a-z0-9]+)+(-\*)?", name)
            if is_test and not glob.glob(f"test/{name}.sh") and not glob.glob(f"test/unit/{name[5:]}.c"):
                print(f"{doc}: {name}: there is no such test")
# every session, a block that begins with `$ `, is replayed by a test (test/sessions/replay.py), or compared by one of its own
replayers = [*glob.glob("test/docs-sessions*.sh"), "test/explain-json.sh"]
replayed = {name for test in replayers for name in re.findall(r"mini-flash/README\.md|[\w-]+\.md\b", open(test, encoding="utf-8").read())}
for doc in DOCS:
    if re.search(r"^    \$ ", open(doc, encoding="utf-8").read(), re.M) and re.sub("^(docs|examples)/", "", doc) not in replayed:
        print(f"{doc}: its session is run by no test")
for name, row in variables.items():
    if said.get(name) != row:
        print(f"docs/environment.md: {name}: {said.get(name)}, core/base/env.c has {row}")
END
found=$(python3 "$T/check.py" "$here/..")
[ -z "$found" ] || fail "$found"

# what is wrong is found
mkdir "$T/copy"
(cd "$here/.." && cp -r README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md front driver wrapper postbuild compile prebuild nvcc api runtime abi core share test docs bench examples python packaging "$T/copy")
wrong() {
  cp "$here/../docs/reliability.md" "$T/copy/docs/reliability.md"
  echo "$2" >>"$T/copy/docs/reliability.md"
  python3 "$T/check.py" "$T/copy" >"$T/out"
  grep -q "$1" "$T/out" || fail "not found: $2"
}
wrong 'core/cc/nothing.c: there is no such file' 'See core/cc/nothing.c.'
wrong 'ck_jit_nothing.h: neither' 'See ck_jit_nothing.h.'
wrong 'nothing.md leads nowhere' '[x](nothing.md)'
wrong 'formats.md#nothing: there is no such heading' '[x](formats.md#nothing)'
wrong 'CK_JIT_NOTHING: not in the table' 'CK_JIT_NOTHING'
wrong 'no-such-test: there is no such test' '| x | no-such-test |'
printf '### there is no such … message\n' >>"$T/copy/docs/troubleshooting.md"
printf '    $ echo\n' >"$T/copy/docs/nothing.md"
wrong 'nothing.md: its session is run by no test' ''
wrong "troubleshooting.md: 'there is no such … message': no message has it" ''
wrong 'index.md: does not lead to docs/nothing.md' ''
sed -i 's/^| CK_JIT_NAME | both/| CK_JIT_NAME | run/' "$T/copy/docs/environment.md"
python3 "$T/check.py" "$T/copy" | grep -q 'environment.md: CK_JIT_NAME: ' || fail 'a row that differs is not found'
