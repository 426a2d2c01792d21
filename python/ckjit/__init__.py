"""ckjit: builds of GPU kernels that compile a kernel when it is first called, from Python.

    import ckjit

    with ckjit.home(profile="cuda"):                what is built in here, by torch.utils.cpp_extension, setuptools or CMake,
        subprocess.check_call(["pip", ...])         has lazy kernels
    ckjit.activate()                                the same until the process ends

    library = ckjit.kernels("libmha_fwd.so")        the kernels of a library that was built so
    library.status()                                {"fmha_fwd_d128_…": "cached", …}
    library.compile()                               all of them now
    library.capture("used.txt")                     those that this process has used

docs/python.md describes it. The programs (ckjit-build, ckjit-prebuild, ckjit-compile) need no Python, and nothing of what they build does.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from ._home import BuildError, Home, activate, home
from ._places import check_machine, program, version

if TYPE_CHECKING:
    from ._kernels import Library, kernels
    from ._library import Batch, Combination, Error, Event, Executor, Kernel

check_machine()
__version__ = version()
__all__ = ["Batch", "BuildError", "Combination", "Error", "Event", "Executor", "Home", "Kernel", "Library", "activate", "home", "kernels", "program"]

_OF_THE_LIBRARY = {"Batch": "_library", "Combination": "_library", "Error": "_library", "Event": "_library", "Executor": "_library", "Kernel": "_library",
                   "Library": "_kernels", "kernels": "_kernels"}

if not TYPE_CHECKING:  # a checker would take each misspelt name for an object

    def __getattr__(name: str) -> object:
        """What needs libckjit.so loads it when it is first asked for: who only builds needs none."""
        if name not in _OF_THE_LIBRARY:
            raise AttributeError("module 'ckjit' has no attribute %r" % name)
        import importlib

        return getattr(importlib.import_module("." + _OF_THE_LIBRARY[name], __name__), name)
