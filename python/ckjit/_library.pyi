# The types of examples/ctypes/ckjit.py, which is _library.py here.
import os
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

STATES: Tuple[str, ...]
SEVERITIES: Tuple[str, ...]

_L = TypeVar("_L", bound="Library")
_Path = Union[str, bytes, "os.PathLike[str]"]
_OnEvent = Optional[Callable[["Event"], Optional[bool]]]

class Error(Exception):
    status: int
    def __init__(self, status: int, message: Optional[str]) -> None: ...

def version() -> str: ...
def types_of(signature: Optional[str]) -> Tuple[Any, List[Any]]: ...

class Progress:
    total: int
    done: int
    failed: int
    cancelled: int
    running: int
    seconds: float

class Executor:
    kernel: Kernel
    def function(self, *types: Any, symbol: Optional[str] = None, index: int = 0) -> Callable[..., Any]: ...

class Event:
    kernel: Kernel
    kind: str
    status: int
    error: Optional[str]
    seconds: float
    executor: Optional[Executor]
    total: int
    done: int
    failed: int
    cancelled: int
    running: int

class Kernel:
    library: Library
    number: int
    stem: str
    source: Optional[str]
    archs: Optional[str]
    build_id: Optional[str]
    @property
    def state(self) -> str: ...
    @property
    def symbols(self) -> List[Tuple[Optional[str], Optional[str]]]: ...
    def compile(self, fresh: bool = False, flags: Optional[str] = None, archs: Optional[str] = None) -> Executor: ...
    def export(self, format: str, archs: Optional[str] = None, symbols: Sequence[str] = (), flags: Optional[str] = None) -> bytes: ...

class Combination:
    library: Library
    symbol: str
    def compile(self) -> Combination: ...
    def launch(self, grid: Sequence[int], block: Sequence[int], *arguments: Any, shared: int = 0, stream: Optional[int] = None,
               cooperative: bool = False) -> None: ...
    @property
    def address(self) -> Optional[int]: ...

class Library:
    path: str
    def __init__(self, path: Optional[_Path], flags: int = 0) -> None: ...
    @classmethod
    def loaded(cls: Type[_L], path: _Path) -> _L: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Kernel]: ...
    def __getitem__(self, name: Union[int, _Path]) -> Kernel: ...
    def states(self, kernels: Optional[Sequence[Kernel]] = None) -> List[str]: ...
    def compile(self, kernels: Optional[Sequence[Kernel]] = None, parallel: int = 0, store_only: bool = False,
                progress: _OnEvent = None) -> Progress: ...
    def start(self, kernels: Optional[Sequence[Kernel]] = None, parallel: int = 0, store_only: bool = False,
              progress: _OnEvent = None) -> Batch: ...
    def set_logger(self, logger: Optional[Callable[[str, str], None]]) -> None: ...
    def set_cache_dir(self, directory: Optional[_Path]) -> None: ...
    def read_list(self, file: _Path, skip_unknown: bool = False) -> List[Kernel]: ...
    def combine(self, kernel: str, *tags: str, texts: Mapping[str, str] = {},
                link_options: Sequence[str] = ()) -> Combination: ...
    def prewarm(self, file: _Path, *, parallel: int = 0, store_only: bool = False, progress: _OnEvent = None) -> Progress: ...

class Batch:
    def poll(self) -> Tuple[bool, Progress]: ...
    def wait(self, seconds: float = -1) -> bool: ...
    def cancel(self) -> None: ...
