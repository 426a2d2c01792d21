#!/usr/bin/env python3
"""record.py CKJIT-COMPILE DIR FORMAT - what a first call starts, for blobs and a toolchain that are always the same.

Prints, for each way to compile, the variables that all of its commands are given; then each command, and the variables that only some are
given. The order is always the same. Names of directories and what is random are replaced: @ is DIR, ID the build id, % a temporary directory. FORMAT: CKJIT_ABI_FORMAT.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

COMPILE, T, FORMAT = sys.argv[1], os.path.realpath(sys.argv[2]), int(sys.argv[3])
HERE = os.path.dirname(os.path.abspath(__file__))
NOTES = T + "/notes"
OF_A_TEST = "0123456789abcdef" * 2
SOURCE = '#include "kernel.h"\ntemplate <> int call_<1>(int *p) { return 1; }\n'


def write(path, text, mode=0o644):
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)


def digest(data):
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def lay_out():
    os.makedirs(T + "/bin")
    os.makedirs(T + "/include")
    write(T + "/include/kernel.h", "template <int N> int call_(int *p);\n")
    write(T + "/bin/device.bc", "bitcode\n")
    with open(HERE + "/fake.py") as f:
        write(T + "/bin/tool", f"#!{sys.executable} -ES\nNOTES, GCC = {NOTES!r}, {shutil.which('gcc')!r}\n{f.read()}", 0o755)
    for name in ("hipcc", "clang", "lld", "ld.lld", "clang-offload-bundler", "nvcc", "c++", "launcher"):
        os.symlink("tool", T + "/bin/" + name)
    for stem in ("hip", "host", "cuda"):
        write(f"{T}/{stem}.cu", SOURCE)


def inputs(program):
    """The list of inputs of a library whose compiler is PROGRAM."""
    lines = ["ckjit-inputs 2", "headers " + OF_A_TEST, f"compiler {OF_A_TEST}\t{T}/bin/{program}", "comment ", f"env PATH={T}/bin:/usr/bin:/bin", "env LIBRARY_PATH=/usr/lib"]
    for word, file in (("t", "bin/tool"), ("t", "bin/device.bc"), ("h", "include/kernel.h")):
        with open(f"{T}/{file}", "rb") as f:
            lines.append(f"{word} {digest(f.read())}\t{T}/{file}")
    write(T + "/inputs", "".join(line + "\n" for line in lines))


def key(flags, link):
    """core/cache/key.c, once more: each part behind its length."""
    h = hashlib.blake2b(digest_size=16)
    for part in (FORMAT.to_bytes(4, "little"), hashlib.blake2b(SOURCE.encode(), digest_size=32).digest(), flags.encode(), OF_A_TEST.encode(), link.encode(), OF_A_TEST.encode()):
        h.update(len(part).to_bytes(8, "little") + part)
    return h.hexdigest()


def plain(text, build_id):
    text = re.sub(re.escape(build_id) + "(?:0[1-8]000000)?(?![0-9a-f])", "ID", text)
    text = re.sub(re.escape(T) + r"/c-[\w-]+/\.pch/[0-9a-f]{48}", "@/PCH", text)
    text = re.sub(re.escape(T) + r"/c-[\w-]+/\.tmp-[^/ \"=]*", "%", text)
    return re.sub(r"%/[0-9a-f]{48}", "%/PCH", text).replace(T, "@")


def record(title, stem, program, archs, flags, link="", **variables):
    kept = " ".join(f for f in flags.split() if not f.startswith("-I"))
    build_id = key(kept, link) + "0" * 16
    cache = f"{T}/c-{title.split(':')[0]}"
    inputs(program)
    write(NOTES, "")
    os.mkdir(cache, 0o700)
    env = {"HOME": T, "PATH": "/usr/bin:/bin", "TMPDIR": T, "CCACHE_DIR": "/store", "CPATH": "/job's", "CK_JIT_KFD_ROOT": T + "/no-gpus", **variables,
           **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}}
    command = [COMPILE, "--hipcc", f"{T}/bin/{program}", "--blob-source", f"{T}/{stem}.cu", "--blob-flags", f"{flags} -I{T}/include", "--link-flags", link, "--arch", archs,
               "--build-id", build_id, "--inputs", T + "/inputs", "--root", T, "--cache", "--output", f"{cache}/{stem}.so"]
    if program == "c++":
        command += ["--kind", "c++"]
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode or done.stdout + done.stderr:
        sys.exit(f"{title}: {done.stdout}{done.stderr}\n{open(NOTES).read()}")
    print(f"\n== {title}")
    with open(NOTES) as f:
        calls = sorted((json.loads(plain(line, build_id)) for line in f), key=lambda call: json.dumps(call, sort_keys=True))
    common = set.intersection(*(set(env.items()) for *_, env in calls))
    for name, value in sorted(common):
        print(f"    {name}={value}")
    for *words, env in calls:
        print(" ".join(words))
        for name, value in sorted(set(env.items()) - common):
            print(f"    {name}={value}")


lay_out()
record("plain: HIP by the plain command", "hip", "hipcc", "gfx90a;gfx942", "-DN=1 -O3", "-lm", CK_JIT_PCH="0")
record("passes: HIP, pass by pass, with precompiled headers", "hip", "hipcc", "gfx90a;gfx942", "-DN=1 -O3", "-lm")
record("launched: HIP behind a launcher", "hip", "hipcc", "gfx90a;gfx942", "-DN=1 -O3", "-lm", CK_JIT_COMPILER_LAUNCHER=T + "/bin/launcher")
record("cxx: a blob that the build gave to the C++ compiler", "host", "c++", "", "-O2", "-lm")
record("cuda: the whole blob, by nvcc", "cuda", "nvcc", "sm_90", "-O3", "-lcudart")
record("cuda-launched: the same behind a launcher", "cuda", "nvcc", "sm_90", "-O3", "-lcudart", CK_JIT_COMPILER_LAUNCHER=T + "/bin/launcher")
