#!/usr/bin/env python3
"""english.py [--programs DIR] [FILE...] - check documents and help texts for habits that make them hard to read

FILE is a Markdown file or a man page. Without FILE: README.md, CONTRIBUTING.md, SECURITY.md, CHANGELOG.md, docs/**/*.md,
examples/*/README.md and docs/man/*. With --programs DIR also the help texts of DIR/ckjit: of ckjit itself, of each command
and of the programs beside it. --programs DIR without FILE checks everything.

Each finding is one line: FILE:LINE: PHRASE: what to write instead. Prose has at most 100 columns; table rows, code blocks and
lines that cannot be wrapped may be longer. In code only commands and counts are checked. README.md has at most 700 words.

One line can be excepted, with a reason:

    <!-- english: PHRASE: REASON -->      in Markdown, at the end of the line or alone on the line before it
    .\\" english: PHRASE: REASON          in a man page, on the line before it

PHRASE is what the finding quotes. An exception without a reason, or one that matches no finding, is itself a finding.

Exit status: 0 no finding, 1 findings, 2 wrong command line.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
from collections import namedtuple

COLUMNS = 100
README_WORDS = 700  # of the README at the top
NOUNS = (
    "architectures? blobs? bytes? columns? combinations? commands? compiles? copies cores? CPUs? days? dispatchers? entries failures? files? fragments? "
    "functions? GPUs? groups? headers? helpers? hours? kernels? libraries lines? links? messages? minutes? modules? names? objects? "
    "options? passes processes processors? programs? rows? seconds? shards? sources? steps? stubs? symbols? tables? tests? threads? tools? "
    "units? users? values? variables? variants? versions? words?"
)
PLURALS = "|".join(noun.replace("?", "") for noun in NOUNS.split())
COMMANDS = (
    "home run full quick relink explain export-compile-commands list build warm pack unpack export matrix times cache verify clean "
    "status stats trace doctor"
)
MOMENT = "(?:it|that|this|them|which|the (?:first|second|build|call|compile|launch|link|run|test)s?)"

# Where a rule looks: PROSE is text without code; ALL is text and code.
PROSE, ALL = "prose", "all"
Rule = namedtuple("Rule", "pattern where instead")


def rule(pattern, instead, where=PROSE, flags=re.I):
    return Rule(re.compile(pattern.replace(" ", r"\s+"), flags), where, instead)


RULES = [
    rule(r"\bof (?:a|one) processor\b(?! core)", "CPU-seconds, as in '858 CPU-seconds'"),
    rule(r"\bby the clock\b", "wall-clock time"),
    rule(r"\bas ever\b", "as usual, unchanged"),
    rule(r"\b(?:is|are|was|were) none of\b", "is not a …, is not one of"),
    rule(r"\bthere (?:is|was|are|were) none\b", "there is no …, with its noun"),
    rule(r"\bwho(?:m|so)?ever\b", "if you …, the user who, the process that"),
    rule(r"\bof (?:its|their|his|our) own\b", "its own …, a separate …"),
    rule(r"\bof now\b", "current"),
    rule(r"\bby now\b", "already, now, meanwhile, or the tense alone"),
    rule(r"\bvouch(?:ed|es)? for\b", "unverified, anything that ckjit cannot prove"),
    rule(r"(?<![-/])\bstock\b(?!-)", "the regular compiler, an ordinary build"),
    rule(r"\bmend(?:s|ed|ing)?\b", "fix"),
    rule(r"\b(?:is|are|was|were|be) (?:not )?believed\b", "ckjit accepts, trusts or discards it"),
    rule(r"\b(?:is|are|was|were) (?:not )?(?:said|told)\b", "say who says it: 'the message names', 'ckjit explain says'"),
    rule(r"\bbehind\b(?! (?:ccache|sccache|distcc|icecc|a (?:launcher|proxy|firewall)))(?<!\bleft\sbehind)(?<!\bleave\sbehind)",
         "after, below, or 'X starts Y' for a program that another one starts"),
    rule(rf"\bin front of {MOMENT}\b", "before"),
    rule(r"\bsay(?:s|ing)? `?--[a-z][a-z-]*", "pass --option, with --option", where=ALL),
    rule(rf"(?<![\d.,/:-])\b1 (?:{PLURALS})\b", "a singular noun: '1 kernel'", where=ALL, flags=0),
    rule(rf"(?<![\w/.$-])ckjit-(?:pre)?build (?:{COMMANDS.replace(' ', '|')})\b(?!-)", "ckjit COMMAND", where=ALL, flags=0),
]
# A sentence that begins with a clause as its noun: "What cannot be proved goes …".
CLAUSE = re.compile(r"(?:\A|(?<=[.!?:;]\s)|(?<=[.!?:;]\s\s)|(?<=\*\*))What\s+[^?]*?(?:[.!](?=\s|\Z|\*)|\?|:(?=\s|\Z)|\Z)")
EXCEPTION = re.compile(r'(?:<!--|\.\\")\s*english:\s*(.*?)\s*(?:-->|$)')

# A piece of a document: a paragraph, a list item, a table cell or a code block. lines are (number, text).
Piece = namedtuple("Piece", "kind lines")
Finding = namedtuple("Finding", "line phrase instead")


def is_separator(line):
    return re.fullmatch(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?", line) is not None


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def pieces_of_markdown(lines):
    """The pieces of a Markdown file. kind: text, heading, table, code, output (code that a session's command printed)"""
    piece, fence, code, session = [], None, False, False

    def end():
        nonlocal piece
        if piece:
            yield Piece("text", piece)
        piece = []

    for at, line in enumerate(lines):
        number, text = at + 1, EXCEPTION.sub("", line)
        if fence is not None or re.match(r"\s*(```|~~~)", text):
            yield from end()
            mark = re.match(r"\s*(```|~~~)", text)
            if fence is None:
                fence = mark[1]
            elif mark and mark[1] == fence and not text.strip().strip(fence[0]):
                fence = None
            else:
                yield Piece("code", [(number, text)])
            continue
        # Four columns begin code after a blank line; otherwise they continue a paragraph or an item.
        if text.startswith("    ") and text.strip() and not piece and (code or at == 0 or not EXCEPTION.sub("", lines[at - 1]).strip()):
            session = text.startswith("    $ ") or session and code
            code = True
            yield Piece("code" if not session or text.startswith("    $ ") else "output", [(number, text)])
            continue
        if text.strip():
            code = session = False
        if not text.strip():
            yield from end()
        elif text.startswith("#"):
            yield from end()
            yield Piece("heading", [(number, text)])
        elif text.lstrip().startswith("|"):
            yield from end()
            yield Piece("table", [(number, text)])
        elif re.match(r"\s*(?:[-*+]|\d+\.)\s", text):
            yield from end()
            piece = [(number, re.sub(r"^\s*(?:[-*+]|\d+\.)\s+", "", text))]
        elif re.match(r"\s*</?[a-z]", text):
            yield from end()
        else:
            piece.append((number, text.strip()))
    yield from end()


def pieces_of_manual(lines):
    """The pieces of a man page; a macro's words are text, as an option or a name within a sentence"""
    piece, is_code = [], False
    for number, line in enumerate(lines, 1):
        text = re.sub(r"\\f.|\\&", "", line).replace(r"\-", "-").replace(r"\(aq", "'")
        macro = re.match(r"[.'](\\\"|[A-Za-z]+)?\s*", text)
        if not macro:
            if is_code:
                yield Piece("code", [(number, text)])
            else:
                piece.append((number, text))
            continue
        name, words = macro[1] or "", text[macro.end() :]
        if name.startswith("\\"):
            continue
        if name in {"SH", "SS", "Sh", "Ss", "PP", "Pp", "TP", "IP", "It", "Bl", "El", "Bd", "Ed", "nf", "fi", "EX", "EE", "RS", "RE", "Bd", "Dl"}:
            if piece:
                yield Piece("text", piece)
            piece = []
            is_code = name in {"Bd", "nf", "EX"} or is_code and name not in {"Ed", "fi", "EE"}
            if name == "Dl":
                yield Piece("code", [(number, words)])
        elif name not in {"Dd", "Dt", "Os", "TH", "Nd"} and words and name not in {"Nm", "Cm", "Fl", "Xr"}:
            piece.append((number, words))
    if piece:
        yield Piece("text", piece)


def pieces_of_help(lines):
    """The pieces of a help text. A line that is indented by four is an example."""
    piece = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("  "):
            if piece:
                yield Piece("text", piece)
            piece = []
        if line.startswith("    $ ") or line.startswith("    ckjit"):
            yield Piece("code", [(number, line)])
        elif line.strip():
            piece.append((number, line))
    if piece:
        yield Piece("text", piece)


def without_code(text):
    """TEXT with code, link targets and HTML blanked out, so that offsets stay; a word stands for code"""
    blank = lambda m: re.sub(r"[^\n]", "_", m[0])
    text = re.sub(r"(?<!`)(`+)(?!`)(?:.|\n)*?(?<!`)\1(?!`)", blank, text)
    text = re.sub(r"(?<=\])\([^)\s]*\)", blank, text)
    return re.sub(r"<[^>\n]*>|https?://\S+", blank, text)


def can_wrap(line):
    """Is there a blank before the limit at which LINE can be broken? A link's text and code may be broken, a target may not."""
    body = re.sub(r"^\s*(?:[-*+>]|\d+\.|#+)?\s*", "", line)
    return " " in line[len(line) - len(body) : COLUMNS + 1].strip()


def findings_of(kind, lines):
    """(line, phrase, instead) of a text. kind: markdown, manual, help"""
    pieces = list({"markdown": pieces_of_markdown, "manual": pieces_of_manual, "help": pieces_of_help}[kind](lines))
    for piece in pieces:
        if piece.kind == "text":
            for number, _ in piece.lines:
                line = lines[number - 1]
                bare = EXCEPTION.sub("", line).rstrip()
                if len(bare) > COLUMNS and can_wrap(bare) and (kind != "manual" or bare[0] not in ".'"):
                    yield Finding(number, f"{len(bare)} columns", f"wrap prose at {COLUMNS}")
        elif piece.kind == "heading":
            number, text = piece.lines[0]
            if not text.strip("# "):
                yield Finding(number, "heading without words", "name what follows")
        text = "\n".join(text for _, text in piece.lines)
        prose = without_code(text) if piece.kind in {"text", "heading", "table"} else None
        for r in RULES:
            searched = text if r.where == ALL else prose
            if searched is None or piece.kind == "output" and not r.instead.startswith("a singular"):
                continue
            for m in r.pattern.finditer(searched):
                yield Finding(piece.lines[searched.count("\n", 0, m.start())][0], " ".join(m[0].split()), r.instead)
        if piece.kind == "text" and kind != "help":
            for m in CLAUSE.finditer(prose):
                if not m[0].endswith("?"):
                    yield Finding(piece.lines[prose.count("\n", 0, m.start())][0], " ".join(m[0].split()[:4]) + " …",
                                  "a noun as the subject")
    if kind != "markdown":
        return
    for piece, following in zip(pieces, pieces[1:] + [None]):
        number = piece.lines[0][0]
        if piece.kind == "heading":
            level = len(piece.lines[0][1]) - len(piece.lines[0][1].lstrip("#"))
            is_empty = following is None or following.kind == "heading" and not following.lines[0][1].startswith("#" * (level + 1))
            if is_empty and not html_after(lines, number):
                yield Finding(number, "heading without text", "text below it, or no heading")
        elif piece.kind == "table" and following and following.kind == "table" and is_separator(following.lines[0][1]):
            if following.lines[0][0] == number + 1 and not all(cells(piece.lines[0][1])):
                yield Finding(number, "empty table heading", "name each column, or write a list")


def html_after(lines, number):
    """Is the next line that is not blank after line NUMBER an HTML block?"""
    return next((line for line in lines[number:] if line.strip()), "").lstrip().startswith("<")


def judged(kind, lines):
    """The findings of a text less its exceptions, in the order of lines"""
    exceptions = []
    for i, line in enumerate(lines):
        m = EXCEPTION.search(line)
        if m:
            phrase, _, reason = m[1].partition(":")
            is_alone = not EXCEPTION.sub("", line).strip()
            exceptions.append([i + 1, i + 2 if is_alone else i + 1, phrase.strip(), reason.strip(), False])
    found = []
    for finding in findings_of(kind, lines):
        for e in exceptions:
            if e[1] == finding.line and e[2].lower() == finding.phrase.lower() and e[3]:
                e[4] = True
                break
        else:
            found.append(finding)
    for number, _, phrase, reason, is_used in exceptions:
        if not reason:
            found.append(Finding(number, "exception without a reason", "english: PHRASE: REASON"))
        elif not is_used:
            found.append(Finding(number, f"exception for '{phrase}' without a finding", "remove it"))
    return sorted(set(found))


def help_texts(programs):
    """(name, lines) of each help text that the programs in the directory PROGRAMS print"""

    def printed(*words):
        got = subprocess.run([f"{programs}/{words[0]}", *words[1:]], stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, check=False)
        if got.returncode:
            sys.exit(f"english.py: '{programs}/{' '.join(words)}' exited with {got.returncode}")
        return got.stdout.splitlines()

    top = printed("ckjit", "--help")
    yield "ckjit --help", top
    commands = [m[1] for m in (re.match(r"  ([a-z][a-z-]*) {2,}\S", line) for line in top) if m]
    if len(commands) < 10:
        sys.exit(f"english.py: '{programs}/ckjit --help' lists {len(commands)} commands")
    for command in commands:
        yield f"ckjit {command} --help", printed("ckjit", command, "--help")
    for program in sorted(os.listdir(programs)):
        if program.startswith("ckjit-"):
            yield f"{program} --help", printed(program, "--help")


def main():
    parser = argparse.ArgumentParser(usage=__doc__, allow_abbrev=False)
    parser.add_argument("--programs")
    parser.add_argument("files", nargs="*")
    o = parser.parse_args()
    texts = []
    files, programs = o.files, o.programs and os.path.abspath(o.programs)
    if not files:
        os.chdir(os.path.dirname(os.path.abspath(__file__)) + "/../..")
        files = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", *sorted(glob.glob("docs/**/*.md", recursive=True)),
                 *sorted(glob.glob("examples/*/README.md")), *sorted(glob.glob("docs/man/*"))]
    for file in files:
        try:
            with open(file, encoding="utf-8") as f:
                texts.append((file, "manual" if re.search(r"\.\d$", file) else "markdown", f.read().splitlines()))
        except OSError as error:
            print(f"english.py: {file}: {error.strerror}", file=sys.stderr)
            sys.exit(2)
    if programs:
        texts += [(name, "help", lines) for name, lines in help_texts(programs)]
    count = 0
    for name, kind, lines in texts:
        findings = judged(kind, lines)
        words = len(" ".join(lines).split())
        if name == "README.md" and words > README_WORDS:
            findings.append(Finding(len(lines), f"{words} words", f"at most {README_WORDS}; details belong into docs/"))
        for finding in findings:
            count += 1
            print(f"{name}:{finding.line}: {finding.phrase}: {finding.instead}")
    if count:
        print(f"english.py: {count} finding{'s' if count > 1 else ''}", file=sys.stderr)
    sys.exit(1 if count else 0)


if __name__ == "__main__":
    main()
