#!/usr/bin/env python3
"""ck_jit_build.py full|quick - CK JIT's command line for ckjit-build, in the place of TransformerEngine's 3rdparty/ck_jit

The options are ckjit-build's (ckjit-build full --help), --ck-tile-bf16 has CK JIT's default, 3, and there is

    --jit-name NAME   the name of the cache directory below ~/.cache that is baked into the libraries (CK_JIT_NAME; default: ck_jit)

With --install-dir the scripts ck_jit_compile.sh and ck_jit_prebuild.py lie in DIR/ck_jit, beside the programs that they call.
"""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
NAME_FILE = "ck_jit_name"  # for ck_jit_prebuild.py: the cache is that of the library beside it


def die(status, message):
    sys.stderr.write("ck_jit_build.py: error: %s\n" % message)
    sys.exit(status)


def option(words, name, keep):
    """The value of the last --NAME VALUE or --NAME=VALUE, or None. Unless KEEP, they are removed from WORDS."""
    value, at = None, 0
    while at < len(words):
        count = 0
        if words[at] == name:
            if at + 1 == len(words):
                die(2, "%s: expected a value behind it" % name)
            value, count = words[at + 1], 2
        elif words[at].startswith(name + "="):
            value, count = words[at][len(name) + 1 :], 1
        if count and not keep:
            del words[at : at + count]
        else:
            at += count or 1
    return value


def install(directory, name):
    """What scripts of TransformerEngine look for in DIRECTORY/ck_jit."""
    to = os.path.join(directory, "ck_jit")
    for script in "ck_jit_compile.sh", "ck_jit_prebuild.py":
        part = os.path.join(to, script + ".part")
        shutil.copyfile(os.path.join(HERE, script), part)
        os.chmod(part, 0o755)
        os.replace(part, os.path.join(to, script))
    if name is not None:
        with open(os.path.join(to, NAME_FILE), "w", encoding="utf-8") as f:
            f.write(name + "\n")


def main():
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if words else 2
    program = os.path.join(HERE, "ckjit", "bin", "ckjit-build")
    if not os.access(program, os.X_OK):
        die(1, "there is no %s: expected the whole directory that `make te-dropin` of ckjit makes; is a submodule empty?" % program)
    name = option(words, "--jit-name", False)
    if name is not None:
        if not name or "/" in name:
            die(2, "--jit-name '%s': expected the name of a directory" % name)
        os.environ["CK_JIT_NAME"] = name
    directory = option(words, "--install-dir", True)
    if words[0] == "full" and option(words, "--ck-tile-bf16", True) is None:
        words += ["--ck-tile-bf16", "3"]
    status = subprocess.call([program] + words)
    if status == 0 and directory and words[0] in ("full", "quick") and "--help" not in words:
        install(directory, name if words[0] == "quick" else os.environ.get("CK_JIT_NAME"))
    return status if status >= 0 else 128 - status


sys.exit(main())
