"""The kernels of a library that ckjit linked."""
from __future__ import annotations

import os
from types import ModuleType
from typing import Dict, List, Optional, Union

from . import _library


class Library(_library.Library):
    """A library that ckjit linked: a sequence of its kernels, which are found by [name] too."""

    def status(self) -> Dict[str, str]:
        """The state of each kernel, by its stem: absent, compiling, cached, loaded, linked or variant"""
        return dict(zip((kernel.stem for kernel in self), self.states()))

    def capture(self, file: Optional[Union[str, "os.PathLike[str]"]] = None) -> List[_library.Kernel]:
        """The kernels that this process has loaded: those that it called or compiled. FILE gets their names, one a line: a list for
        `ckjit build --blob-list` and `ckjit relink --aot-list`. (With calls counted: CK_JIT_CAPTURE.)"""
        used = [kernel for kernel, state in zip(self, self.states()) if state == "loaded"]
        if file is not None:
            part = os.fspath(file) + ".part"
            with open(part, "w", encoding="utf-8", errors="surrogateescape") as f:
                f.writelines(kernel.stem + "\n" for kernel in used)
            os.replace(part, file)
        return used


def kernels(library: Union[str, "os.PathLike[str]", ModuleType]) -> Library:
    """The library in this file, or the extension module, such as flash_attn_2_cuda. A name without a slash that is no file here is looked
    for as the dynamic linker does, so that of a library that is loaded finds it. Raises Error if ckjit did not link it."""
    if isinstance(library, ModuleType):
        file = getattr(library, "__file__", None)
        if not file:
            raise ValueError("%r has no file" % library)
        return Library(file)
    name = os.fspath(library)
    return Library(os.path.abspath(name) if "/" in name or os.path.exists(name) else name)
