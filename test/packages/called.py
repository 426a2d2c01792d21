#!/usr/bin/env python3
"""called.py FILE… - the programs that scripts call, as lines FILE:LINE COMMAND

Shell is parsed by shfmt, Python by its own parser; of a Makefile its recipes. Scripts within scripts count: here-documents, `sh -c`,
traps, what printf writes behind `#!`. A word with an expansion in it names no program here: "$B/bin/ckjit-build", $cc. What a
function of ours is handed as a command is not seen, unless the function stands in WRAPPERS.
"""
import ast
import json
import re
import subprocess
import sys

BUILTINS = set(". : [ alias bg break builtin cd command compgen complete compopt continue declare echo eval exec exit export false fg getopts hash jobs kill let local "
               "mapfile printf pwd read readonly return set shift shopt source test times trap true type ulimit umask unset wait".split())
# A command that runs another: the options of its own that take a word, and how many words stand before that command.
WRAPPERS = {
    "builtin": ("", 0), "command": ("", 0), "env": ("-u -C", 0), "exec": ("-a", 0), "flock": ("-w", 1), "memcheck": ("", 0), "nice": ("-n", 0),
    "nohup": ("", 0), "setpriv": ("", 0), "setsid": ("", 0), "strace": ("-o -e", 0), "time": ("", 0), "timeout": ("-k -s", 1),
    "unshare": ("--propagation", 0), "valgrind": ("", 0), "xargs": ("-n -P -I -d", 0),
}
HOLE = "\x01"  # an expansion
found = set()


class Text:
    """A piece of shell: the file it is of, the line it begins in."""

    def __init__(self, file, line):
        self.file, self.line = file, line

    def at(self, node):
        return self.line + node["Pos"]["Line"] - 1


class Line(Text):
    """One that is written in one line, whatever becomes of its \\n."""

    def at(self, node):
        return self.line


def literal(word):
    """The text of a word of shfmt's, with HOLE for what is expanded."""
    text = ""
    for part in word.get("Parts", []):
        kind = part["Type"]
        if kind == "Lit":
            text += re.sub(r"\\(.)", r"\1", part["Value"].replace("\\\n", ""))
        elif kind == "SglQuoted":
            text += part.get("Value", "")
        elif kind == "DblQuoted":
            text += literal(part)
        else:
            text += HOLE
    return text


def heredoc(word):
    return "".join(re.sub(r"\\([$`\\])", r"\1", p["Value"]) if p["Type"] == "Lit" else HOLE for p in word.get("Parts", []))


def called(where, line, name):
    name = name.rsplit("/", 1)[-1] if re.match(r"/(usr/)?s?bin/", name) else name
    if re.fullmatch(r"[A-Za-z0-9_\[][A-Za-z0-9_.+-]*", name):
        found.add((where.file, line, name))


def command(where, line, words):
    """A command by its words."""
    while words and re.match(r"[A-Za-z_]\w*=", words[0]):
        words = words[1:]
    if not words or HOLE in words[0]:
        return
    name = words[0].rsplit("/", 1)[-1]
    called(where, line, words[0])
    rest = words[1:]
    if name == "need":
        for word in rest:
            called(where, line, word)
    elif name == "command" and rest[:1] == ["-v"]:
        called(where, line, rest[1] if len(rest) > 1 else "")
    elif name in ("sh", "bash") and "-c" in rest:
        shell(Text(where.file, line), rest[rest.index("-c") + 1])
    elif name == "python3" and "-c" in rest:
        python(Text(where.file, line), rest[rest.index("-c") + 1])
    elif name in ("trap", "eval") and rest and rest[0] not in ("", "-"):
        shell(Text(where.file, line), rest[0])
    elif name == "printf" and rest and rest[0].startswith("#!/bin/"):
        shell(Line(where.file, line), rest[0].replace("\\n", "\n").replace("%s", HOLE).replace("%%", "%"))
    elif name == "find":
        for i, word in enumerate(rest):
            if word in ("-exec", "-execdir", "-ok"):
                command(where, line, rest[i + 1:])
    elif name in WRAPPERS:
        options, positional = WRAPPERS[name]
        while rest and (rest[0].startswith("-") or positional or (name == "env" and re.match(r"\w+=", rest[0]))):
            if rest[0].startswith("-"):
                rest = rest[2:] if rest[0] in options.split() else rest[1:]
            elif name == "env" and re.match(r"\w+=", rest[0]):
                rest = rest[1:]
            else:
                positional -= 1
                rest = rest[1:]
        command(where, line, rest)


def walk(where, node, functions):
    if isinstance(node, list):
        for item in node:
            walk(where, item, functions)
    elif isinstance(node, dict):
        if node.get("Type") == "CallExpr" and node.get("Args"):
            command(where, where.at(node), [literal(w) for w in node["Args"]])
        if node.get("Type") == "FuncDecl":
            functions.add(node["Name"]["Value"])
        if "Hdoc" in node:
            text = heredoc(node["Hdoc"])
            line = where.at(node["Hdoc"])
            if re.match(r"#!/bin/(ba)?sh", text):
                shell(Text(where.file, line), text)
            elif re.match(r"#!.*python3", text):
                python(Text(where.file, line), text)
        if node.get("Type") in ("Stmt", None) and node.get("Redirs") and node.get("Cmd", {}).get("Type") == "CallExpr":
            words = [literal(w) for w in node["Cmd"].get("Args", [])]
            if words[:2] == ["python3", "-"]:
                for redirection in node["Redirs"]:
                    if "Hdoc" in redirection:
                        python(Text(where.file, where.at(redirection["Hdoc"])), heredoc(redirection["Hdoc"]))
        for key, value in node.items():
            if key not in ("Pos", "End") and isinstance(value, (dict, list)):
                walk(where, value, functions)


def shell(where, text, functions=None):
    """Of a piece of shell within another what does not parse is text for something else."""
    done = subprocess.run(["shfmt", "--to-json", "-ln", "bash"], input=text.replace(HOLE, "HOLE_"), capture_output=True, text=True, check=False)
    if done.returncode:
        if where.line == 1 and functions is not None:
            sys.exit(f"{where.file}: {done.stderr.strip()}")
        return
    functions = set() if functions is None else functions
    before = set(found)
    walk(where, json.loads(done.stdout), functions)
    for entry in set(found) - before:
        if entry[2] in functions or entry[2].startswith("HOLE_"):
            found.discard(entry)


def python(where, text):
    try:
        tree = ast.parse(text.replace(HOLE, "HOLE_"))
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        first = node.args[0]
        if name in ("run", "Popen", "check_call", "check_output", "call") and isinstance(first, (ast.List, ast.Tuple)) and first.elts:
            first = first.elts[0]
        elif name not in ("execvp", "which", "execlp"):
            continue
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            called(where, where.line + node.lineno - 1, first.value)
    for node in ast.walk(tree):  # a command that is put together first
        if isinstance(node, ast.List) and node.elts and isinstance(node.elts[0], ast.Constant) and str(node.elts[0].value) in KNOWN:
            called(where, where.line + node.lineno - 1, node.elts[0].value)


def makefile(where, text):
    """Each recipe line is a script; $(…) is make's and names nothing here, $$ is the shell's dollar."""
    text = re.sub(r"\\\n\t", lambda m: "\\\n", text)
    for match in re.finditer(r"^\t((?:.*\\\n)*.*)$", text, re.M):
        recipe = re.sub(r"^[@+-]+", "", match.group(1))
        for _ in range(8):
            recipe = re.sub(r"(?<!\$)\$(\([^()$]*\)|[@<^*%?])", HOLE, recipe)
        shell(Text(where.file, text.count("\n", 0, match.start()) + 1), recipe.replace("$$", "$").replace("\n\t", "\n"))


KNOWN = set(sys.argv[1].split())
functions_of = {}
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as f:
        content = f.read()
    start = Text(path, 1)
    if path.endswith(".py") or re.match(r"#!.*python3", content):
        python(start, content)
    elif path.endswith("Makefile"):
        makefile(start, content)
    else:
        functions_of[path] = set()
        shell(start, content, functions_of[path])
shared = set().union(*(names for path, names in functions_of.items() if path.endswith(("common.sh", "fixture.sh", "test/live"))))
for path, line, name in sorted(found):
    if name not in BUILTINS and name not in shared:
        print(f"{path}:{line} {name}")
