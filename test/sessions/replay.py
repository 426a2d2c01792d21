#!/usr/bin/env python3
"""replay.py DOC [OPTION...] - run the sessions of a document and compare what they print

A session is an indented block that begins with `$ `. Its commands run in the order of the document, all in one bash with
`set -o pipefail`, and each must print the lines below it, standard output and standard error together. Of those lines

    …            alone in a line stands for any lines, within one for any text
    3.14, 12 s   a number with a point, or one with a unit of time, for any such number
    00000000000012a0   16 hexadecimal digits, for any 16; so are 12 behind a -
    __hip_cuid_12ab    any id of a HIP unit: clang leaves out leading zeros, so it is not always 16 digits
    2026-11-20   a day, for any day
    blanks       for one or more
    [3/12] name  the name of the third that was done, for any name

`$ cat FILE` shows a file of the reader's: one that is not there is made of what the document prints.

    --in DIR           where they run; default: the current directory
    --map DOC=REAL     a path of the document and what it is here, in commands and in what they print
    --before COMMANDS  run first, in silence; it must end with 0
    --setup REGEX      so is a block without `$ ` whose first line matches
    --from, --to REGEX only what stands between the lines of the document that match
    --free REGEX       a command that matches runs, and may print anything
    --order REGEX      a command that matches prints the lines of the document in any order, with any numbers, one as often as it likes

Exit status: 0 all printed what the document says, 1 one did not, 2 the call is wrong or there is no session.
"""
import argparse
import os
import re
import subprocess
import sys
import time

os.environ.pop("CK_JIT_SUMMARY", None)  # set for tests (test/common.sh); a reader has the line for people

MARK = "end-of-a-command-of-the-session"


def options():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("doc")
    parser.add_argument("--in", dest="where", default=".")
    parser.add_argument("--map", action="append", default=[])
    parser.add_argument("--before", default="")
    parser.add_argument("--setup", action="append", default=[])
    parser.add_argument("--from", dest="first")
    parser.add_argument("--to", dest="last")
    parser.add_argument("--free", action="append", default=[])
    parser.add_argument("--order", action="append", default=[])
    return parser.parse_args()


def lines_of(o):
    """(number, text) of the part of the document that is asked for"""
    with open(o.doc, encoding="utf-8") as f:
        lines = list(enumerate(f.read().split("\n"), 1))
    for pattern, is_first in (o.first, True), (o.last, False):
        if pattern is None:
            continue
        at = [i for i, (_, text) in enumerate(lines) if re.search(pattern, text)]
        if not at:
            sys.exit(f"{o.doc}: no line matches '{pattern}'")
        lines = lines[at[0] :] if is_first else lines[: at[0]]
    return lines


def blocks(lines):
    """the indented blocks, each a list of (number, text without the indentation)"""
    block, gap = [], []
    for number, text in lines + [(0, "end")]:
        if text.startswith("    "):
            block += gap + [(number, text[4:])]
            gap = []
        elif not text.strip() and block:
            gap.append((number, ""))
        else:
            if block:
                yield block
            block, gap = [], []


def commands(block):
    """(number, command, lines that it prints)"""
    result, at = [], 0
    while at < len(block):
        number, text = block[at]
        assert text.startswith("$ "), text
        command, at = text[2:], at + 1
        while command.endswith("\\") and at < len(block):
            command, at = command[:-1] + block[at][1], at + 1
        printed = []
        while at < len(block) and not block[at][1].startswith("$ "):
            printed.append(block[at][1])
            at += 1
        result.append((number, command, printed))
    return result


NUMBERS = re.compile(r"(?<=/)(?P<count>\d+\] )\S+|\d{4}-\d\d-\d\d\b|(?P<cuid>(?<=__hip_cuid_)[0-9a-f]+\b)|(?<![0-9A-Za-z])[0-9a-f]{16}\b|(?<=-)[0-9a-f]{12}\b|\d+\.\d+|\d+(?= (?:s|ms|us|min)\b)|…| +")


def pattern_of(line):
    result, at = [], 0
    for m in NUMBERS.finditer(line):
        result.append(re.escape(line[at : m.start()]))
        token = m[0]
        result.append(
            re.escape(m["count"]) + r"\S+" if m["count"]
            else "[0-9a-f]+" if m["cuid"]
            else ".*" if token == "…"
            else " +" if token[0] == " " and m.start() > 0
            else " *" if token[0] == " "
            else r"\d{4}-\d\d-\d\d" if re.fullmatch(r"[\d-]{10}", token) and token[4] == "-"
            else f"[0-9a-f]{{{len(token)}}}" if len(token) in (12, 16) and "." not in token
            else r"\d+(?:\.\d+)?"
        )
        at = m.end()
    return "".join(result) + re.escape(line[at:])


def expected(printed):
    parts = []
    for line in printed:
        parts.append(r"(?:[^\n]*\n)*" if line.strip() == "…" else pattern_of(line.rstrip()) + " *\n")
    return "".join(parts)


def same_in_any_order(printed, text):
    kinds = [{re.sub(r"\d+(\.\d+)?", "N", " ".join(line.split())) for line in lines} - {""} for lines in (printed, text.split("\n"))]
    return kinds[0] == kinds[1]


class Shell:
    def __init__(self, where):
        self.bash = subprocess.Popen(
            ["bash", "-c", "exec 2>&1; set -o pipefail; while IFS= read -r -d '' command; do eval \"$command\" </dev/null; "
             f"printf '\\n{MARK} %s\\n' $?; done"],
            cwd=where, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", errors="surrogateescape")

    def run(self, command):
        self.bash.stdin.write(command + "\0")
        self.bash.stdin.flush()
        printed = []
        for line in self.bash.stdout:
            if line.startswith(MARK):
                text = "".join(printed)
                return int(line.split()[1]), text.removesuffix("\n")  # the one in front of the mark
            printed.append(line)
        sys.exit(f"the shell ended in: {command}\n{''.join(printed)}")

    def end(self):
        self.bash.stdin.close()
        self.bash.wait()  # so that its processor time is ours, and test/run's


def main():
    o, begun = options(), time.monotonic()
    shell = Shell(o.where)

    def here(text):
        for rule in o.map:
            text = text.replace(*rule.split("=", 1))
        return text

    def silent(what, command):
        status, text = shell.run(command)
        if status:
            sys.exit(f"{o.doc}: {what} ended with {status}:\n{text}")

    if o.before:
        silent("--before", o.before)
    ran = wrong = 0
    for block in blocks(lines_of(o)):
        if not block[0][1].startswith("$ "):
            if any(re.search(pattern, block[0][1]) for pattern in o.setup):
                silent(f"line {block[0][0]}", here("\n".join(text for _, text in block)))
            continue
        for number, command, printed in commands(block):
            command, printed = here(command), [here(line) for line in printed]
            file = re.fullmatch(r"cat ([\w./-]+)", command)
            if file and shell.run(f"[ -e {file[1]} ]")[0]:
                with_end = "\n".join(printed).rstrip("\n") + "\n"
                silent(f"line {number}", f"cat >{file[1]} <<'{MARK}'\n{with_end}{MARK}")
                continue
            _, text = shell.run(command)
            ran += 1
            if any(re.search(pattern, command) for pattern in o.free):
                continue
            while printed and not printed[-1]:
                printed.pop()
            in_any_order = any(re.search(pattern, command) for pattern in o.order)
            if not (same_in_any_order(printed, text) if in_any_order
                    else re.fullmatch(expected(printed), text if not text or text.endswith("\n") else text + "\n")):
                wrong += 1
                print(f"{o.doc}:{number}: $ {command}\n  the document says\n    " + "\n    ".join(printed) +
                      "\n  it printed\n    " + text.rstrip("\n").replace("\n", "\n    "))
    shell.end()
    if not ran:
        print(f"{o.doc}: there is no session in it", file=sys.stderr)
        sys.exit(2)
    print(f"{o.doc}: {ran} commands, {wrong} print something else, {time.monotonic() - begun:.0f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
