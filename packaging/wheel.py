#!/usr/bin/env python3
"""wheel.py --version V --machine M --static S --library SO --soname NAME --stage DIR --out DIR - write the wheel (make wheel calls this)

A wheel is a zip: the module as it lies below python/, libckjit.so beside it, and in *.data what pip puts elsewhere: scripts, which
are the programs themselves, so that no Python starts when one does, and data, which goes below the prefix as `make install` lays it out.
So the programs find their share/ and libexec/ beside themselves, in a virtual environment, below ~/.local and anywhere else.

Everything is checked before anything is written: programs are static, libckjit.so needs no symbol that glibc 2.28 lacks and no library
but glibc's. The same input gives the same bytes: names are sorted, times are SOURCE_DATE_EPOCH.
"""
import argparse
import base64
import hashlib
import os
import re
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path

GLIBC = (2, 28)
LIBRARIES = {"libc.so.6", "libdl.so.2", "libpthread.so.0"}

METADATA = """\
Metadata-Version: 2.1
Name: ckjit
Version: %s
Summary: Builds libraries of GPU kernels in minutes, and compiles a kernel when it is first called
Author: The ckjit authors
License: MIT
%sKeywords: HIP,ROCm,CUDA,ComposableKernel,JIT,compiler
Classifier: Development Status :: 3 - Alpha
Classifier: Environment :: Console
Classifier: Environment :: GPU
Classifier: Environment :: GPU :: NVIDIA CUDA
Classifier: Intended Audience :: Developers
Classifier: License :: OSI Approved :: MIT License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Programming Language :: C++
Classifier: Programming Language :: Python :: 3
Classifier: Programming Language :: Python :: 3 :: Only
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Classifier: Topic :: Software Development :: Build Tools
Classifier: Topic :: Software Development :: Compilers
Classifier: Typing :: Typed
Requires-Python: >=3.8
Description-Content-Type: text/markdown

"""

README = b"""\
doc/        the documents; ckjit help index lists them
profiles/   descriptions of builds, for ckjit home --profile
runtime/    the source that is compiled into each library that ckjit links

pip has put this here, with the wheel ckjit, and removes it.
"""


def die(message):
    sys.exit("wheel.py: error: " + message)


def readelf(what, file):
    return subprocess.run(["readelf", what, "-W", str(file)], check=True, stdout=subprocess.PIPE, text=True).stdout


def machine_of(file):
    """ELF's number of it; None if it is not an ELF file."""
    with open(file, "rb") as f:
        head = f.read(20)
    return struct.unpack_from("<H", head, 18)[0] if head[:4] == b"\x7fELF" and len(head) == 20 else None


def check_program(file, machine, name):
    """One that any Linux on the machine can start: it asks for no dynamic linker and no library."""
    with open(file, "rb") as f:
        if f.read(2) == b"#!":
            return
    if machine_of(file) != machine:
        die("%s: expected a program for %s, as libckjit.so" % (file, name))
    if " INTERP " in readelf("-l", file) or "(NEEDED)" in readelf("-d", file):
        die("%s: expected a static program, this one has a dynamic linker or a library" % file)


def check_library(file):
    """One that any glibc since GLIBC can load."""
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", file)))
    if needed - LIBRARIES:
        die("%s: needs %s, which is not in every distribution" % (file, ", ".join(sorted(needed - LIBRARIES))))
    for symbol, version in re.findall(r" UND (\w+)@GLIBC_([\d.]+)", readelf("--dyn-syms", file)):
        if tuple(map(int, version.split("."))) > GLIBC:
            die("%s: %s is of glibc %s, newer than the wheel's %d.%d: packaging/old_glibc.h is to ask for an older version of it, or "
                "the code is to do without" % (file, symbol, version, *GLIBC))


def urls(homepage):
    """Where people find the project, if whoever builds the wheel says it."""
    if not homepage:
        return []
    if not re.fullmatch(r"https?://[^\s@]+", homepage):
        die("HOMEPAGE '%s': expected the address of the project's page, https://…" % homepage)
    return [("Homepage", homepage.rstrip("/"))]


def collect(a):
    """The content: name in the wheel -> (bytes, mode)"""
    files = {}

    def add(name, source, mode):
        files[name] = (Path(source).read_bytes(), mode)

    data, machine = "ckjit-%s.data" % a.version, machine_of(a.library)
    if not machine:
        die("%s: expected a library for %s" % (a.library, a.machine))
    a.tag = "py3-none-manylinux_%d_%d_%s" % (*GLIBC, a.machine)
    for source in sorted(Path("python/ckjit").iterdir()):
        if source.suffix in (".py", ".pyi", ".typed"):
            add("ckjit/" + source.name, source, 0o644)
    check_library(a.library)
    add("ckjit/" + a.soname, a.library, 0o755)
    for path in sorted(a.stage.rglob("*")):
        name = str(path.relative_to(a.stage))
        where, is_program = name.split("/")[0], name.startswith(("bin/", "libexec/"))
        if not path.is_file() or where not in ("bin", "libexec", "share") or name == "share/ckjit/installed-directories":
            continue
        source = a.static / name if is_program and (a.static / name).exists() else path
        if is_program:
            check_program(source, machine, a.machine)
        target = "%s/%s" % (data, "scripts/" + path.name if where == "bin" else "data/" + name)
        add(target, source, 0o755 if is_program else 0o644)
    # pip removes a directory that it made only if a file of the wheel lies in it, and not only directories
    files[data + "/data/share/ckjit/README"] = (README, 0o644)
    info = "ckjit-%s.dist-info" % a.version
    files[info + "/METADATA"] = ((METADATA % (a.version, "".join("Project-URL: %s, %s\n" % u for u in urls(a.homepage)))).encode() + Path("README.md").read_bytes(), 0o644)
    files[info + "/WHEEL"] = (("Wheel-Version: 1.0\nGenerator: ckjit\nRoot-Is-Purelib: false\nTag: %s\n" % a.tag).encode(), 0o644)
    add(info + "/LICENSE", "LICENSE", 0o644)
    rows = []
    for name, (content, _) in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append("%s,sha256=%s,%d\n" % (name, digest, len(content)))
    files[info + "/RECORD"] = ("".join(rows) + info + "/RECORD,,\n").encode(), 0o644
    return files


def write(files, out):
    moment = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]  # a zip begins with 1980
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(out.name + ".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as z:
        for name in sorted(files, key=lambda n: (".dist-info/" in n, n)):  # what describes the wheel comes last
            content, mode = files[name]
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr, entry.create_system = (0o100000 | mode) << 16, 3
            z.writestr(entry, content, zipfile.ZIP_DEFLATED, 6)
    os.replace(part, out)
    print(out)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    for option in ("static", "library", "stage", "out"):
        p.add_argument("--" + option, type=Path, required=True)
    p.add_argument("--homepage", default="")
    for option in ("version", "machine", "soname"):
        p.add_argument("--" + option, required=True)
    a = p.parse_args()
    files = collect(a)
    write(files, a.out / ("ckjit-%s-%s.whl" % (a.version, a.tag)))


main()
