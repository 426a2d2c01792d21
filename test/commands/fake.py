"""A toolchain that compiles nothing and notes how it is started: hipcc and what its driver plans, nvcc, c++, a launcher, by its name.

What comes out is good enough to be taken: objects and libraries with nothing in them. Each call is a line of the file NOTES: the words, and
the environment behind them. record.py writes the first lines, with NOTES and GCC.
"""
import json
import os
import subprocess
import sys

NAME, WORDS = os.path.basename(sys.argv[0]), sys.argv[1:]
BIN = os.path.dirname(os.path.abspath(sys.argv[0]))
HEADER = os.path.dirname(BIN) + "/include/kernel.h"


def value(option):
    """The word behind OPTION, or what is joined to it with '='."""
    for i, word in enumerate(WORDS):
        if word == option and i + 1 < len(WORDS):
            return WORDS[i + 1]
        if word.startswith(option + "="):
            return word[len(option) + 1:]
    return None


def source():
    return next((w for w in WORDS if w.startswith("/") and w.endswith((".cu", ".h"))), HEADER)


# ---- what the driver answers ----

def plan():
    """The steps of clang's driver, a line each, as -### prints them."""
    tmp, stem, steps, images = os.environ.get("TMPDIR", "/tmp"), os.path.basename(source())[:-3], [], []
    kept = [w for w in WORDS if w.startswith(("-I", "-O", "-D", "-m"))]
    kept += [w for w in WORDS + [os.environ.get("CCC_OVERRIDE_OPTIONS", "")[2:]] if w.startswith("-cuid=")]
    for arch in [w.split("=")[1] for w in WORDS if w.startswith("--offload-arch=")]:
        made = f"{tmp}/{stem}-{arch}"
        steps.append(["clang", "-cc1", "-triple", "amdgcn-amd-amdhsa", "-emit-obj", "-main-file-name", stem + ".cu", "-fcuda-is-device", "-mlink-builtin-bitcode",
                      BIN + "/device.bc", "-target-cpu", arch, *kept, "-o", made + ".o", "-x", "hip", source()])
        steps.append(["lld", "-flavor", "gnu", "-shared", "-o", made + ".out", made + ".o"])
        images.append(made + ".out")
    steps.append(["clang-offload-bundler", "-type=o", "-inputs=" + ",".join(images), f"-output={tmp}/{stem}.hipfb"])
    steps.append(["clang", "-cc1", "-triple", "x86_64-linux-gnu", "-emit-obj", "-main-file-name", stem + ".cu", "-fcuda-include-gpubinary", f"{tmp}/{stem}.hipfb",
                  *kept, "-o", f"{tmp}/{stem}-host.o", "-x", "hip", source()])
    if "-c" not in WORDS:
        steps.append(["ld.lld", "-shared", *[w[4:] for w in WORDS if w.startswith("-Wl,")], "-o", value("-o"), f"{tmp}/{stem}-host.o"])
    for step in steps:
        print(" " + " ".join(f'"{w}"' for w in [BIN + "/" + step[0], *step[1:]]), file=sys.stderr)


# ---- what it makes ----

def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def assemble(out, *more):
    text = "\t.globl f\nf:\tret\n"
    if value("-fcuda-include-gpubinary"):
        text += f'\t.section .hip_fatbin,"a"\n\t.incbin "{value("-fcuda-include-gpubinary")}"\n'
    subprocess.run([GCC, "-nostdlib", *more, "-x", "assembler", "-", "-o", out], input=text.encode(), check=True)


def say_reads():
    for option in ("-dependency-file", "-MF"):
        if value(option):
            write(value(option), f"made: {source()} {HEADER}\n")
    if os.environ.get("CC_PRINT_HEADERS_FILE"):
        write(os.environ["CC_PRINT_HEADERS_FILE"], HEADER + "\n")


def make():
    out = value("-o") or value("-output")
    build_id = next((w[w.index("--build-id"):] for w in WORDS if "--build-id=" in w), None)
    say_reads()
    if build_id:
        assemble(out, "-shared", "-Wl," + build_id)
    elif "-c" in WORDS or "-fcuda-include-gpubinary" in WORDS:
        assemble(out, "-c")
    elif out:
        write(out, "what " + NAME + " made\n")


with open(NOTES, "a") as f:
    f.write(json.dumps([NAME, *WORDS, dict(os.environ)]) + "\n")
if "-###" in WORDS:
    plan()
elif NAME == "launcher":
    os.execvp(WORDS[0], WORDS)
elif "--dryrun" not in WORDS and "-Eonly" not in WORDS:
    make()
elif "-Eonly" in WORDS:
    say_reads()
