"""ckjit: builds of GPU kernels that compile a kernel when it is first called, from Python.

    import ckjit

    with ckjit.home(profile="cuda"):                builds that are started here, by torch.utils.cpp_extension, setuptools
        subprocess.check_call(["pip", ...])         or CMake, have lazy kernels
    ckjit.activate()                                the same until the process ends

    library = ckjit.kernels("libmha_fwd.so")        the kernels of a library that was built this way
    library.status()                                {"fmha_fwd_d128_…": "cached", …}
    library.compile()                               compile all of them now
    library.capture("used.txt")                     list those that this process has used

docs/python.md describes it. The programs (ckjit-build, ckjit-prebuild, ckjit-compile) and the libraries that they build need no Python.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, List

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

def __dir__() -> List[str]:
    """All public names, including those that __getattr__ has not loaded yet."""
    return sorted(set(__all__) | {name for name in globals() if name.startswith("__")})


if not TYPE_CHECKING:  # a checker would take each misspelt name for an object

    def __getattr__(name: str) -> object:
        """Load a name that needs libckjit.so when it is first used: a program that only builds does not need the library."""
        if name not in _OF_THE_LIBRARY:
            raise AttributeError("module 'ckjit' has no attribute %r" % name)
        import importlib

        return getattr(importlib.import_module("." + _OF_THE_LIBRARY[name], __name__), name)
