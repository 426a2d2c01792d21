"""Fake homes: the environment in which a build has lazy kernels.

`ckjit home` makes one and prints the variables that point a build at it. This module sets them as they are printed, so a home works
in Python as it does in a shell. torch.utils.cpp_extension reads CUDA_HOME and ROCM_HOME only when it is imported; if it has been
imported already, its copies are changed too.
"""
from __future__ import annotations

import os
import re
import subprocess
import sys
from types import TracebackType
from typing import Dict, List, Mapping, MutableMapping, Optional, Tuple, Type, Union

from ._places import program

Path = Union[str, "os.PathLike[str]"]

# what torch.utils.cpp_extension keeps of its import, and the variables that it is of
_TORCH = "torch.utils.cpp_extension"
_OF_TORCH = {"CUDA_HOME": ("CUDA_HOME", "CUDA_PATH"), "ROCM_HOME": ("ROCM_HOME", "ROCM_PATH")}

_Saved = Tuple[Dict[str, Optional[str]], Dict[str, object]]


class BuildError(RuntimeError):
    """ckjit-build failed; the text is its message."""


def _exports(text: str) -> Dict[str, Tuple[str, bool]]:
    """The lines export NAME='VALUE' that ckjit-build prints: the value, and whether the former value follows it"""
    found = {}
    for name, quoted, rest in re.findall(r"^export (\w+)='((?:[^']|'\\'')*)'(.*)$", text, re.M):
        found[name] = (quoted.replace("'\\''", "'"), rest == ':"$%s"' % name)
    return found


class Home:
    """A fake home. Builds that are started in a `with` block of it have lazy kernels. The environment belongs to the whole process:
    only one thread may activate a home, while no other thread starts builds."""

    def __init__(self, directory: str, exports: Dict[str, Tuple[str, bool]]) -> None:
        self.directory = directory
        self._exports = exports
        self._saved: List[_Saved] = []

    def environment(self, base: Optional[Mapping[str, str]] = None) -> Dict[str, str]:
        """BASE, or os.environ, with the variables of this home: for subprocess.run(..., env=home.environment())"""
        result = dict(os.environ if base is None else base)
        for name, (value, has_former) in self._exports.items():
            former = result.get(name)
            if has_former and former:
                value = former if former.split(":")[0] == value else value + ":" + former
            result[name] = value
        return result

    @property
    def variables(self) -> Dict[str, str]:
        """The variables that this home sets, with the values that they would get now."""
        environment = self.environment()
        return {name: environment[name] for name in self._exports}

    def activate(self) -> "Home":
        """Set the variables until deactivate(), or until the process ends."""
        variables = self.variables
        saved = {name: os.environ.get(name) for name in variables}
        os.environ.update(variables)
        self._saved.append((saved, self._tell_torch(variables)))
        return self

    def deactivate(self) -> None:
        """Restore the variables that the last activate() changed."""
        variables, of_torch = self._saved.pop()
        for name, value in variables.items():
            _set(os.environ, name, value)
        for name, former in of_torch.items():
            setattr(sys.modules[_TORCH], name, former)

    @staticmethod
    def _tell_torch(variables: Mapping[str, str]) -> Dict[str, object]:
        """Change torch's copies of VARIABLES; returns the former ones."""
        module, former = sys.modules.get(_TORCH), {}
        for attribute, names in _OF_TORCH.items():
            home = next((variables[name] for name in names if name in variables), None)
            if module is not None and home and hasattr(module, attribute):
                former[attribute] = getattr(module, attribute)
                setattr(module, attribute, home)
        return former

    __enter__ = activate

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.deactivate()

    def __repr__(self) -> str:
        return "<ckjit.Home %s%s>" % (self.directory, ", active" if self._saved else "")


def _set(environment: MutableMapping[str, str], name: str, value: Optional[str]) -> None:
    if value is None:
        environment.pop(name, None)
    else:
        environment[name] = value


def _directory(exports: Mapping[str, Tuple[str, bool]]) -> Optional[str]:
    """The home that EXPORTS point at: the directory above the one that they put on the PATH."""
    path, _ = exports.get("PATH", ("", False))
    return os.path.dirname(path) or None


def home(profile: Optional[str] = None, directory: Optional[Path] = None, *, rocm: Optional[Path] = None,
         cuda: Optional[Path] = None, work: Optional[Path] = None, units: bool = False, bundle: bool = False) -> Home:
    """Make a fake home, or refresh it, as `ckjit home` does, and return it.

    PROFILE is "hip", "cuda" or the path of a profile; by default it is chosen as by `ckjit home`. DIRECTORY is the home's; by
    default it is the one that `ckjit home` and `ckjit run` use, below $XDG_DATA_HOME/ckjit/homes. It has to stay as long as the
    libraries that are built with it. ROCM or CUDA: the real home (default: found). WORK: where commands, units and objects are
    recorded. UNITS: compile ordinary sources lazily as well. BUNDLE: libraries carry what their kernels are compiled from. Raises
    BuildError with the message of ckjit-build, for example if there is no compiler.
    """
    command = [program("ckjit-build"), "home", "--color", "never"]
    for option, value in (("--dir", directory), ("--profile", profile), ("--rocm", rocm), ("--cuda", cuda), ("--work", work)):
        if value is not None:
            command += [option, os.path.abspath(os.fspath(value)) if option == "--dir" else os.fspath(value)]
    command += [option for option, on in (("--units", units), ("--bundle", bundle)) if on]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    said = os.fsdecode(done.stderr)
    if done.returncode != 0:
        raise BuildError(said.strip() or "%s ended with status %d" % (command[0], done.returncode))
    sys.stderr.write(said)  # warnings
    exports = _exports(os.fsdecode(done.stdout))
    place = _directory(exports)
    if not place:
        raise BuildError("%s printed no variables" % " ".join(command))
    return Home(place, exports)


def activate(profile: Optional[str] = None, directory: Optional[Path] = None, *, rocm: Optional[Path] = None,
             cuda: Optional[Path] = None, work: Optional[Path] = None, units: bool = False, bundle: bool = False) -> Home:
    """home(), activated: what this process builds from now on has lazy kernels. Home.deactivate() ends it."""
    return home(profile, directory, rocm=rocm, cuda=cuda, work=work, units=units, bundle=bundle).activate()
