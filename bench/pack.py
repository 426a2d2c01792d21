"""ckjit-prebuild pack and unpack against tar, with zstd on both sides.

What ckjit writes is on the disk before it has its name, so tar's files are synced as well: on a busy disk that is most of the time. Beside it
are both times against tar alone, which syncs nothing: unsynced, and processor.
"""

import glob
import json
import os
import resource
import shutil
import statistics

import inputs
from common import B, Failure, Figure, Limit, Result, fresh, in_turn, need, rounds, run, said

ENTRIES = 500

# Under hipcc's name: 400 kB of machine code, other ones for each source, with the build id that is asked for.
COMPILER = """#!/bin/sh
for a; do
  case $a in -Wl,--build-id=*) id=${a#-Wl,} ;; *.cu) source=$a ;; esac
  [ "$before" != -o ] || out=$a
  before=$a
done
[ "$id" ] || exec c++ --version
read -r line <"$source"
dd if=DIR/pool of="$out.bin" bs=4096 skip="${line#// }" count=100 2>/dev/null
exec ld -shared "$id" -o "$out" DIR/kernel.o -b binary "$out.bin"
"""


def install(directory):
    """An install of ENTRIES blobs, compiled into directory/cache: its manifest."""
    root = f"{directory}/ck_jit"
    os.makedirs(f"{root}/src")
    _, compiler = said("cc", "-print-prog-name=cc1plus")
    with open(compiler.strip(), "rb") as code, open(f"{directory}/pool", "wb") as pool:
        pool.write((code.read(16 << 20) * 2)[: 4096 * (ENTRIES * 7 + 100)])
    with open(f"{directory}/kernel.c", "w") as f:
        f.write("float kernel_(float x) { return x; }\n")
    run("cc", "-fPIC", "-c", f"{directory}/kernel.c", "-o", f"{directory}/kernel.o")
    with open(f"{directory}/hipcc", "w") as f:
        f.write(COMPILER.replace("DIR", directory))
    os.chmod(f"{directory}/hipcc", 0o755)
    blobs = {}
    for i in range(ENTRIES):
        with open(f"{root}/src/kernel_{i}.cu", "w") as f:
            f.write(f"// {7 * i}\n")
        source = f"{{root}}/src/kernel_{i}.cu"
        blobs[f"kernel_{i}"] = {"source": source, "group": 0, "functions": ["kernel_"], "key": f"{i + 1:032x}"}
    group = {"flags": ["-O2"], "link": [], "archs": [inputs.ARCH]}
    manifest = {"ckjit": 1, "libraries": ["lib.so"], "root": "", "compiler": f"{directory}/hipcc", "blobs": blobs}
    with open(f"{root}/ck_jit_manifest.json", "w") as f:
        json.dump({**manifest, "groups": [group]}, f)
    words = ["--manifest", f"{root}/ck_jit_manifest.json", "--cache-dir", f"{directory}/cache", "--all"]
    run(f"{B}/bin/ckjit-prebuild", "build", *words, env={"CK_JIT_PCH": "0"})
    return words


def pack():
    """pack and unpack of 500 entries | tar -c, tar -x and sync of the same files"""
    need("zstd", "tar")
    d = fresh("pack")
    words = install(d)
    entries = sorted(os.path.basename(name) for name in glob.glob(f"{d}/cache/*.so"))
    if len(entries) != ENTRIES:
        raise Failure(f"{len(entries)} entries, not {ENTRIES}")

    def into(name):
        shutil.rmtree(f"{d}/{name}", ignore_errors=True)
        os.mkdir(f"{d}/{name}", 0o700)
        return f"{d}/{name}"

    processor, unsynced = {"ours": [], "tar": []}, []

    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def ours(_):
        before = used()
        seconds = run(f"{B}/bin/ckjit-prebuild", "pack", *words, "--output", f"{d}/pack.ckjit")
        seconds += run(f"{B}/bin/ckjit-prebuild", "unpack", "--cache-dir", into("ours"), f"{d}/pack.ckjit")
        processor["ours"].append(used() - before)
        return seconds

    def against(_):
        before = used()
        seconds = run("tar", "--zstd", "-cf", f"{d}/pack.tar.zst", *entries, cwd=f"{d}/cache")
        seconds += run("tar", "--zstd", "-xf", f"{d}/pack.tar.zst", cwd=into("tar"))
        processor["tar"].append(used() - before)
        unsynced.append(seconds)
        return seconds + run("sync", f"{d}/pack.tar.zst", *entries, cwd=f"{d}/tar")

    values = in_turn(rounds(7), ours, against)
    size = sum(os.path.getsize(f"{d}/cache/{name}") for name in entries)
    return Result(*values, "s", {"entries": ENTRIES, "bytes": size, "packed": os.path.getsize(f"{d}/pack.ckjit")},
                  {"unsynced": statistics.median(a / b for a, b in zip(values[0], unsynced)),
                   "processor": statistics.median(a / b for a, b in zip(processor["ours"], processor["tar"]))})


FIGURES = [Figure("pack", pack, [Limit("ratio", 1.5), Limit("unsynced", 1.5), Limit("processor", 1.5)])]
