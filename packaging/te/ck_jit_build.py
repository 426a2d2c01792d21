#!/usr/bin/env python3
"""ck_jit_build.py full|quick - CK JIT's command line for ckjit-build

It takes the place of TransformerEngine's 3rdparty/ck_jit. The options are ckjit-build's
(ckjit-build full --help), --ck-tile-bf16 has CK JIT's default, 3, and there is

    --jit-name NAME   the name of the cache directory below ~/.cache that is baked into the
                      libraries (CK_JIT_NAME; default: ck_jit)

With --install-dir the scripts ck_jit_compile.sh and ck_jit_prebuild.py are in DIR/ck_jit, beside
the programs that they call, and NAME is in ck_jit_config.json.
"""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
CONFIG = "ck_jit_config.json"  # for ck_jit_prebuild.py: the cache is that of the library beside it


def die(status, message):
    sys.stderr.write("ck_jit_build.py: error: %s\n" % message)
    sys.exit(status)


def option(words, name, keep):
    """The value of the last --NAME VALUE or --NAME=VALUE, or None. Unless KEEP, they are removed
    from WORDS."""
    value, at = None, 0
    while at < len(words):
        count = 0
        if words[at] == name:
            if at + 1 == len(words):
                die(2, "%s: expected a value after it" % name)
            value, count = words[at + 1], 2
        elif words[at].startswith(name + "="):
            value, count = words[at][len(name) + 1 :], 1
        if count and not keep:
            del words[at : at + count]
        else:
            at += count or 1
    return value


def put(path, write, mode):
    """PATH, written as a whole."""
    write(path + ".part")
    os.chmod(path + ".part", mode)
    os.replace(path + ".part", path)


def write_name(path, name):
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"name": name}, f)
        f.write("\n")


def install(directory, name):
    """What scripts of TransformerEngine look for in DIRECTORY/ck_jit; a NAME of None stays."""
    to = os.path.join(directory, "ck_jit")
    for script in "ck_jit_compile.sh", "ck_jit_prebuild.py":
        put(os.path.join(to, script),
            lambda part, s=script: shutil.copyfile(os.path.join(HERE, s), part), 0o755)
    if name is not None:
        put(os.path.join(to, CONFIG), lambda part: write_name(part, name), 0o644)


def main():
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if words else 2
    program = os.path.join(HERE, "ckjit", "bin", "ckjit-build")
    if not os.access(program, os.X_OK):
        die(1, "there is no %s: expected the whole directory that `make te-dropin` of ckjit makes; "
               "is a submodule empty?" % program)
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
        default = "ck_jit" if words[0] == "full" else None
        install(directory, name or os.environ.get("CK_JIT_NAME") or default)
    return status if status >= 0 else 128 - status


sys.exit(main())
