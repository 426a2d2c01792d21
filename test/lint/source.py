#!/usr/bin/env python3
"""source.py [FILE...] - find long lines and long files in sources, comments that name missing files
or functions or are not in plain English, and two files of one name

A C file has its base name alone, among all programs, unless BOTH has it: then the files are about
the same subject, or implement a command of that name.

Lines of C files, Python files and scripts have at most 100 columns; english.py checks Markdown. A
C file outside of test/ and bench/ has at most 600 lines: it holds one concept.
A comment of a C file may name a file by its path from the top or from its own directory, or by its
base name if that is unique or in the same directory. A function is a word with "()" after it. The
words that a comment avoids are those of english.py.

FILE is a path from the top; without FILE all files of git. LONG lists the rooms with longer lines,
OTHERS names of other projects. Each finding is one line, FILE:LINE: TEXT.

Exit status: 0 no finding, 1 findings.
"""
import os
import re
import subprocess
import sys

import english

COLUMNS = 100
LINES = 600
# Remove a row when its rooms are clean. .clang-format in a room has its former limit.
LONG = (
    (("compile/", "core/cc/", "postbuild/"), (".c", ".h")),
    (("test/", "examples/"), (".c", ".h")),
    (("bench/", "examples/", "packaging/", "python/", "test/"), (".py", ".sh", "")),
)
# Files of compilers, toolkits and systems; names that stand for any file; files that a build makes.
OTHERS = set(
    """hip_runtime_api.h host_runtime.h fatbinary_section.h nvJitLink.h hip_platform.cpp magic.h
    math.h elf.h stdlib-bsearch.h bfd/archive.c bfd/elflink.c static_switch.h include/ck/config.h
    name.h lib.hpp x.h NAME.yaml ck_jit_unit_calls.h""".split()
)
FUNCTIONS = set("makeRegisterGlobalsFn ggml_abort ggml_cuda_get_device".split())
# A program's main.c; the commands of ckjit; and subjects on which two rooms work, such as home.c,
# where driver/ makes homes and core/files/ owns their format.
BOTH = set(
    """main build cache export list stats times verify
    ahead home inputs manifest options record symbols trace
    command cuda functions part places texts
    unit""".split()
)
PROGRAMS = tuple(
    """abi/ api/ compile/ core/ driver/ front/ nvcc/ postbuild/ prebuild/ runtime/ unit/
    wrapper/""".split()
)
# Fields of the dynamic linker's own data (link.h), and a function that reads some.
LINKER_DATA = re.compile(r"\b(?:l_addr|l_ld|l_name|l_next|dlpi_\w+)\b")
FUNCTION_BODY = re.compile(r"^(?P<head>\w[^;{}]*\)) \{\n(?P<body>.*?)^\}", re.S | re.M)
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(//[^\n]*|/\*.*?\*/)', re.S)
FILE = re.compile(r"(?<![\w.*<>{}$/@-])(?:[\w-]+/)*[\w-]+\.(?:c|h|py|sh|md|S|yaml)\b(?![\w(.])")
FUNCTION = re.compile(r"\b([A-Za-z_]\w+)\(\)")


def tracked():
    out = subprocess.run(["git", "ls-files", "-z"], stdout=subprocess.PIPE, check=True).stdout
    return [f for f in out.decode().split("\0") if f and os.path.isfile(f)]


def text_of(file):
    try:
        with open(file, encoding="utf-8") as f:
            return f.read()
    except UnicodeDecodeError:
        return ""


def is_source(file, text):
    ending = os.path.splitext(file)[1]
    return ending in {".c", ".h", ".S", ".py", ".sh"} or not ending and text.startswith("#!")


def may_be_long(file):
    ending = os.path.splitext(file)[1]
    return any(file.startswith(rooms) and ending in endings for rooms, endings in LONG)


def long_lines(file, text):
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > COLUMNS:
            yield number, f"{len(line)} columns, at most {COLUMNS}"


def too_many_lines(file, text):
    lines = text.count("\n")
    if lines > LINES and not file.startswith(("test/", "bench/")):
        yield 1, f"{lines} lines, at most {LINES}: which concepts does it hold?"


def problem_with_file(name, file, files):
    """What is wrong with NAME in a comment of FILE; None if nothing is. FILES: paths by base name."""
    base, own = os.path.basename(name), os.path.dirname(file)
    found = files.get(base, [])
    if base in OTHERS or name in OTHERS or f"{own}/{name}" in found or name in found:
        return None
    if "/" not in name:
        if len(found) == 1:
            return None
        return f"{name}: {'write its directory too' if found else 'there is no such file'}"
    ends = [f for f in found if f.endswith("/" + name)]
    return None if len(ends) == 1 else f"{name}: there is no such file"


def names_in_comments(file, text, files, words):
    for m in COMMENT.finditer(text):
        if not m[1]:
            continue
        number = text.count("\n", 0, m.start()) + 1
        for n in FILE.finditer(m[1]):
            problem = problem_with_file(n[0], file, files)
            if problem:
                yield number + m[1].count("\n", 0, n.start()), problem
        for n in FUNCTION.finditer(m[1]):
            if n[1] not in words and n[1] not in FUNCTIONS:
                at = number + m[1].count("\n", 0, n.start())
                yield at, f"{n[0]}: there is no such function"


def words_in_comments(text):
    """Words of the list of english.py that are no plain English in a comment either"""
    for m in COMMENT.finditer(text):
        if not m[1]:
            continue
        plain = re.sub(r"`[^`\n]*`", lambda code: "_" * len(code[0]), m[1])
        for r in english.RULES:
            for word in r.pattern.finditer(plain):
                # A parameter is in capitals. "NULL: there is none" is short and clear. The clock
                # may be that of a file system.
                if word[0].isupper() or re.match(r"there |\w+ none of|by the clock", word[0], re.I):
                    continue
                number = text.count("\n", 0, m.start() + word.start()) + 1
                yield number, f"{' '.join(word[0].split())}: {r.instead}"


def unmarked_readers(text):
    """Functions of the runtime that ThreadSanitizer would take for one side of a data race"""
    text = without_comments(text)
    for m in FUNCTION_BODY.finditer(text):
        if LINKER_DATA.search(m["body"]) and "CKJIT_READS_LINKER" not in m["head"]:
            number = text.count("\n", 0, m.start()) + 1
            yield number, "it reads data of the dynamic linker without CKJIT_READS_LINKER"


def without_comments(text):
    return COMMENT.sub(lambda m: " " + "\n" * m[0].count("\n") if m[1] else m[0], text)


def doubled_names(files):
    for base, found in sorted(files.items()):
        found = [f for f in found if f.endswith(".c") and f.startswith(PROGRAMS)]
        if len(found) > 1 and base[:-2] not in BOTH:
            yield found[1], 1, f"its name is that of {found[0]}"


def main():
    os.chdir(os.path.dirname(os.path.abspath(__file__)) + "/../..")
    texts = {file: text_of(file) for file in tracked()}
    files, words = {}, set()
    for file, text in texts.items():
        files.setdefault(os.path.basename(file), []).append(file)
        is_c = file.endswith((".c", ".h"))
        words.update(re.findall(r"\w+", without_comments(text) if is_c else text))
    count = 0
    for file, number, finding in [] if sys.argv[1:] else doubled_names(files):
        count += 1
        print(f"{file}:{number}: {finding}")
    for file in sys.argv[1:] or texts:
        text = texts[file] if file in texts else text_of(file)
        found = []
        if is_source(file, text) and not may_be_long(file):
            found += long_lines(file, text)
        if file.endswith((".c", ".h")) and not file.startswith("test/"):
            found += too_many_lines(file, text)
            found += names_in_comments(file, text, files, words)
            if not may_be_long(file):
                found += words_in_comments(text)
        if file.startswith("runtime/") or file not in texts:
            found += unmarked_readers(text)
        for number, finding in sorted(found):
            count += 1
            print(f"{file}:{number}: {finding}")
    if count:
        print(f"source.py: {count} finding{'s' if count > 1 else ''}", file=sys.stderr)
    sys.exit(1 if count else 0)


if __name__ == "__main__":
    main()
