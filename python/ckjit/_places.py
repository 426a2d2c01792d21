"""Where the programs are: those of the wheel that this module came with, or those on the PATH."""
from __future__ import annotations

import os
import platform
import shutil
import struct
import sys
import sysconfig
from importlib import metadata
from typing import Iterator


_MACHINES = {62: "x86_64", 183: "aarch64"}  # of ELF, for the message; one that is not here is not checked


def check_machine() -> None:
    """Raises ImportError if the wheel was unpacked for another machine than this, or for another system than Linux."""
    library = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libckjit.so.0")
    machine = platform.machine()
    built_for = machine
    if os.path.exists(library):  # not in a checkout
        with open(library, "rb") as f:
            built_for = _MACHINES.get(struct.unpack_from("<H", f.read(20).ljust(20, b"\0"), 18)[0], machine)
    if not sys.platform.startswith("linux") or built_for != machine:
        raise ImportError("this ckjit is for Linux on %s, and this is %s on %s: install the wheel of this machine, if there is one"
                          % (built_for, sys.platform, machine or "an unknown machine"))


def version() -> str:
    """The version of the wheel; "" in a checkout, where there is none."""
    try:
        return metadata.version("ckjit")
    except metadata.PackageNotFoundError:
        return ""


def _candidates(name: str) -> Iterator[str]:
    # CKJIT_BIN: another installation, such as build/bin of a checkout
    if os.environ.get("CKJIT_BIN"):
        yield os.path.join(os.environ["CKJIT_BIN"], name)
        return
    try:
        for file in metadata.files("ckjit") or ():
            if file.name == name and file.parent.name == "bin":
                yield os.path.abspath(str(file.locate()))
    except metadata.PackageNotFoundError:
        pass
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(os.path.dirname(here), "bin", name)  # pip install --target, whose list of files is of another place
    yield os.path.join(sysconfig.get_path("scripts"), name)


def program(name: str) -> str:
    """The path of a program of ckjit, such as "ckjit-build". Raises FileNotFoundError if there is none."""
    for path in _candidates(name):
        if os.access(path, os.X_OK):
            return path
    found = None if os.environ.get("CKJIT_BIN") else shutil.which(name)
    if not found:
        raise FileNotFoundError("there is no %s: neither %s nor on the PATH; install ckjit's wheel, or set CKJIT_BIN to the directory "
                                "that has it" % (name, "among " + ", ".join(_candidates(name))))
    return found
