#!/bin/sh
# Each command of ckjit that README or a document shows has the command and the options that it is shown with, also where no
# test runs it: a build of aiter, an image, a cluster.
# tier: check
. "${0%/*}/common.sh"
need python3
cat >"$T/check.py" <<'END'
import functools
import glob
import os
import re
import shlex
import subprocess
import sys

bin_, top = sys.argv[1:]
os.chdir(top)


def commands(program):
    """the commands that the program's page lists"""
    page = subprocess.run([f"{bin_}/{program}", "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = set(re.findall(r"^  ([a-z-]+)  ", page, re.M)) - {program}
    assert found, f"{program} --help has no commands"
    return found


BUILD = commands("ckjit-build")
FRONT = BUILD | commands("ckjit-prebuild") | {"version"}
ANY = {"--help", "--color", "--version"}


@functools.lru_cache(None)
def page(program, command):
    """the options that the command's page lists; None if there is no such command"""
    got = subprocess.run([f"{bin_}/{program}", *([command] if command else []), "--help"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return set(re.findall(r"(?<![\w-])(--?[a-z][a-z0-9-]*)", got.stdout)) if got.returncode == 0 else None


def check(where, text):
    """one command, as a shell has it"""
    text = re.split(r"\s(?:#|\||&&|>|2>|<|;|:)|;|…|\)\"?|`", text)[0]
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    program = os.path.basename(words[0])
    command = None
    words = words[1:]
    if program == "ckjit-compile":
        pass
    elif words and re.fullmatch(r"[a-z][a-z-]*", words[0]):
        command = words.pop(0)
    else:
        return 0
    if program == "ckjit" and (command == "prebuild" or command == "build" and words and words[0] in BUILD):
        program = "ckjit-" + command
        if not words or not re.fullmatch(r"[a-z][a-z-]*", words[0]):
            return 0
        command = words.pop(0)
    if command == "help":
        return 0
    if program == "ckjit":
        program = "ckjit-build" if command in BUILD else "ckjit-prebuild"
        known = command in FRONT
    else:
        known = True
    options = page(program, command) if known else None
    if options is None:
        print(f"{where}: '{text.strip()}': there is no such command")
        return 1
    if "--" in words:
        words = words[: words.index("--")]
    for word in words:
        option = re.match(r"--[a-z][a-z0-9-]*|-[a-z](?=$|[0-9])", word)
        if option and option[0] not in options | ANY:
            print(f"{where}: '{text.strip()}': {program} {command or ''} has no {option[0]}")
    return 1


seen = 0
for doc in ["README.md", *sorted(glob.glob("docs/*.md")), *sorted(glob.glob("examples/*/README.md")), "SECURITY.md", "CONTRIBUTING.md"]:
    for number, line in enumerate(open(doc, encoding="utf-8"), 1):
        is_code = line.startswith(("    ", "RUN ", "CMD "))
        parts = [line] if is_code else re.findall(r"`([^`]+)`", line)
        for part in parts:
            # at the beginning of a command, not within prose: behind a prompt, variables, another command, or what starts one elsewhere
            for m in re.finditer(r"(?:^\s*(?:\$ |RUN )?(?:\w+=\S+ )*|[;|&(] |\$\(|/| -n 4 | node )(ckjit(?:-build|-prebuild|-compile)? (?! ).*)", part):
                if doc != "docs/formats.md":
                    seen += check(f"{doc}:{number}", m[1])
print(seen, file=sys.stderr)
END
found=$(python3 "$T/check.py" "$B/bin" "$here/.." 2>"$T/count") || fail "$(cat "$T/count")"
[ -z "$found" ] || fail "$found"
[ "$(cat "$T/count")" -ge 200 ] || fail "only $(cat "$T/count") commands were found"

# what is wrong is found
mkdir -p "$T/copy/docs"
touch "$T/copy/README.md" "$T/copy/SECURITY.md" "$T/copy/CONTRIBUTING.md"
cat >"$T/copy/docs/x.md" <<'END'
    eval "$(ckjit-build home --dri H)"
    X=1 ckjit prebuild build --all --hasre 1/2
Text with `ckjit doctor --jsno` and `ckjit statsu`.
    $ make; ckjit exprot --format so
END
python3 "$T/check.py" "$B/bin" "$T/copy" >"$T/found" 2>"$T/count"
for word in 'home has no --dri' 'build has no --hasre' 'doctor has no --jsno' "'ckjit statsu': there is no such" "'ckjit exprot --format so': there is no such"; do
  has 'what is wrong' "$word" "$T/found"
done
