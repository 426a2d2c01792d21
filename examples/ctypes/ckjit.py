"""ckjit.py - libckjit.so for Python, by ctypes alone: copy it beside your program.

    library = ckjit.Library("libfamily.so")                     or Library.loaded("libfamily.so"), which PyTorch has loaded
    for kernel in library: print(kernel.stem, kernel.state)
    add = library["add"].compile().function()                   compiled if it must be, and called like a function of its C++ types,
    add = library["add"].compile().function(c_int, c_int)       or of these
    library.compile(progress=lambda event: print(event))        all of them, several at the same time
    mine = library["add"].compile(fresh=True, flags="-DA=2")    an executor of its own, for a cache of one's own
    image = library["add"].export("code-object", "gfx942")      a file in memory that needs no ckjit, for a loader of one's own
    library.set_logger(lambda severity, message: log(message))  what the library would print on standard error
    scan = library.combine("scan<float>", "euclidean", "all")   of CUDA: a kernel, and the tags of what it is linked with
    scan.launch((1, 1, 1), (64, 1, 1), c_void_p(memory))        compiled if it must be

An Executor, and the functions that it gave, keep the compiled kernel alive. LIBCKJIT names the libckjit.so to use; else it is the libckjit.so.0
beside this file, if there is one, or the system's. `pip install` of ckjit's wheel has this module in it, and more (docs/python.md).
"""
import atexit
import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint8, c_uint32, c_uint64, c_void_p

STATES = ("absent", "compiling", "cached", "loaded", "linked", "variant")
SEVERITIES = ("progress", "note", "warning", "error")
OK, BUSY, NO_FUNCTION = 0, 9, 0xFFFFFFFF
OPEN_LOADED, FRESH, STORE_ONLY, SKIP_UNKNOWN = 1, 1, 2, 1


class Sized(ctypes.Structure):
    def __init__(self, **members):
        super().__init__(size=ctypes.sizeof(type(self)), **members)


class KernelInfo(Sized):
    _fields_ = [("size", c_size_t), ("stem", c_char_p), ("source", c_char_p), ("archs", c_char_p), ("build_id", c_char_p),
                ("functions", c_uint32)]


class FunctionInfo(Sized):
    _fields_ = [("size", c_size_t), ("symbol", c_char_p), ("demangled", c_char_p), ("hash", c_uint64)]


class Options(Sized):
    _fields_ = [("size", c_size_t), ("flags", c_uint), ("parallel", c_uint), ("compiler_flags", c_char_p), ("archs", c_char_p)]


class ExportOptions(Sized):
    _fields_ = [("size", c_size_t), ("format", c_char_p), ("archs", c_char_p), ("compiler_flags", c_char_p), ("symbols", POINTER(c_char_p)),
                ("nsymbols", c_size_t)]


class CombineOptions(Sized):
    _fields_ = [("size", c_size_t), ("texts", POINTER(c_char_p)), ("ntexts", c_size_t), ("names", POINTER(c_char_p)),
                ("link_options", POINTER(c_char_p)), ("nlink_options", c_size_t)]


class Progress(Sized):
    _fields_ = [("size", c_size_t), ("total", c_size_t), ("done", c_size_t), ("failed", c_size_t), ("cancelled", c_size_t),
                ("running", c_size_t), ("seconds", c_double)]

    def __repr__(self):
        return "<ckjit.Progress %d of %d done, %d failed, %d running>" % (self.done, self.total, self.failed, self.running)


class RawEvent(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("kind", c_int), ("index", c_size_t), ("kernel", c_uint32), ("status", c_int),
                ("error", c_char_p), ("handle", c_void_p), ("seconds", c_double), ("progress", Progress)]


class Launch(Sized):
    _fields_ = [("size", c_size_t), ("grid", c_uint * 3), ("block", c_uint * 3), ("shared", c_size_t), ("stream", c_void_p),
                ("cooperative", c_int)]


CALLBACK = ctypes.CFUNCTYPE(c_int, POINTER(RawEvent), c_void_p)
LOGGER = ctypes.CFUNCTYPE(None, c_int, c_char_p, c_void_p)

_beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libckjit.so.0")
_lib = ctypes.CDLL(os.environ.get("LIBCKJIT") or (_beside if os.path.exists(_beside) else "libckjit.so.0"))
_text, _out = c_char_p, POINTER(c_void_p)
for _name, _result, _arguments in (
    ("ckjit_version", c_char_p, []),
    ("ckjit_status_name", c_char_p, [c_int]),
    ("ckjit_free", None, [c_void_p]),
    ("ckjit_open", c_int, [_text, c_uint, _out, _out]),
    ("ckjit_close", None, [c_void_p]),
    ("ckjit_library_path", c_char_p, [c_void_p]),
    ("ckjit_set_logger", c_int, [c_void_p, LOGGER, c_void_p, _out]),
    ("ckjit_set_cache_dir", c_int, [c_void_p, _text, _out]),
    ("ckjit_kernel_count", c_uint32, [c_void_p]),
    ("ckjit_kernel_info", c_int, [c_void_p, c_uint32, POINTER(KernelInfo), _out]),
    ("ckjit_function_info", c_int, [c_void_p, c_uint32, c_uint32, POINTER(FunctionInfo), _out]),
    ("ckjit_find", c_int, [c_void_p, _text, POINTER(c_uint32), POINTER(c_uint32), _out]),
    ("ckjit_states", c_int, [c_void_p, POINTER(c_uint32), c_size_t, POINTER(c_uint8), _out]),
    ("ckjit_compile", c_int, [c_void_p, c_uint32, POINTER(Options), _out, _out]),
    ("ckjit_export", c_int, [c_void_p, c_uint32, POINTER(ExportOptions), _out, POINTER(c_size_t), _out]),
    ("ckjit_handle_function", c_int, [c_void_p, c_uint32, _out, _out]),
    ("ckjit_handle_symbol", c_int, [c_void_p, _text, _out, _out]),
    ("ckjit_handle_retain", c_void_p, [c_void_p]),
    ("ckjit_handle_release", None, [c_void_p]),
    ("ckjit_compile_many", c_int,
     [c_void_p, POINTER(c_uint32), c_size_t, POINTER(Options), CALLBACK, c_void_p, POINTER(Progress), _out]),
    ("ckjit_batch_start", c_int,
     [c_void_p, POINTER(c_uint32), c_size_t, POINTER(Options), CALLBACK, c_void_p, _out, _out]),
    ("ckjit_batch_poll", c_int, [c_void_p, POINTER(Progress)]),
    ("ckjit_batch_wait", c_int, [c_void_p, c_double, POINTER(Progress), _out]),
    ("ckjit_batch_cancel", None, [c_void_p]),
    ("ckjit_batch_free", None, [c_void_p]),
    ("ckjit_combine", c_int, [c_void_p, _text, POINTER(c_char_p), c_size_t, POINTER(CombineOptions), _out, _out]),
    ("ckjit_combination_compile", c_int, [c_void_p, _out]),
    ("ckjit_combination_launch", c_int, [c_void_p, POINTER(Launch), POINTER(c_void_p), _out]),
    ("ckjit_combination_address", c_void_p, [c_void_p]),
    ("ckjit_combination_symbol", c_char_p, [c_void_p]),
    ("ckjit_combination_release", None, [c_void_p]),
    ("ckjit_list_read", c_int, [c_void_p, _text, c_uint, POINTER(POINTER(c_uint32)), POINTER(c_size_t), _out]),
):
    _function = getattr(_lib, _name)
    _function.restype, _function.argtypes = _result, _arguments


class Error(Exception):
    """What libckjit.so says; .status is its number."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def _text_of(value):
    return os.fsdecode(value) if value is not None else None


def _ask(function, *arguments):
    """Call a function whose last argument is its error."""
    message = c_void_p()
    status = function(*arguments, byref(message))
    if status != OK:
        text = _text_of(ctypes.string_at(message)) if message else _text_of(_lib.ckjit_status_name(status))
        _lib.ckjit_free(message)
        raise Error(status, text)


_loggers = {}  # by a library's path: it keeps its logger when it is closed here, so this does as well


@atexit.register
def _forget_loggers():
    for path in list(_loggers):
        Library.loaded(path).set_logger(None)  # no thread of libckjit's calls what Python takes down


def version():
    return _text_of(_lib.ckjit_version())


_TYPES = {
    "void": None, "bool": ctypes.c_bool, "char": ctypes.c_char, "signed char": ctypes.c_byte, "unsigned char": ctypes.c_ubyte,
    "short": ctypes.c_short, "unsigned short": ctypes.c_ushort, "int": c_int, "unsigned int": c_uint, "long": ctypes.c_long,
    "unsigned long": ctypes.c_ulong, "long long": ctypes.c_longlong, "unsigned long long": ctypes.c_ulonglong,
    "float": ctypes.c_float, "double": c_double, "long double": ctypes.c_longdouble,
}


def _apart(text, separator):
    """TEXT at each SEPARATOR that stands in no brackets"""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "(<[{") - (c in ")>]}")
        if c == separator and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def types_of(signature):
    """(result, [arguments]) for ctypes of a demangled name such as "double reduce_<1>(double const*, long)". A pointer or reference is an
    address, for which ctypes takes arrays, byref(…), bytes and numbers. Raises TypeError if the name does not tell: only those of
    instances of templates have the result, and none has what is in a class that is passed by value. Whether a function is a member, and takes
    an object before these, no name tells."""

    def refuse(why):
        raise TypeError("%s: %s; say the types: function(result, *arguments)" % (signature or "a function without a symbol", why))

    def of(text):
        text = text.strip()
        if text not in _TYPES and not text.endswith(("*", "&", "* restrict", "*restrict", "* __restrict")):
            refuse("ctypes has no type that is known to be '%s'" % text)
        return _TYPES.get(text, c_void_p)

    text, depth = signature or "", 0
    begin = len(text)
    while text.endswith(")") and begin and (depth or begin == len(text)):
        begin -= 1
        depth += (text[begin] in ")>]}") - (text[begin] in "(<[{")
    words = _apart(text[:begin], " ")
    if depth or begin == len(text) or len(words) < 2 or words[-1].endswith(")"):  # the last: it returns a function's address
        refuse("it is no name of a function with its result")
    arguments = text[begin + 1 : -1].strip()
    return of(" ".join(words[:-1])), [of(argument) for argument in _apart(arguments, ",")] if arguments else []


class Executor:
    """A compiled kernel. It stays what it is, whatever happens to the cache."""

    def __init__(self, kernel, handle):
        self.kernel, self._handle = kernel, handle

    def function(self, *types, symbol=None, index=0):
        """One of its functions, for ctypes: the type of the result and those of the arguments; without any those of its C++
        signature (types_of). The only one, or INDEX or SYMBOL."""
        address = c_void_p()
        if types:
            result, arguments = types[0], types[1:]
        else:
            symbols = self.kernel.symbols
            signature = dict(symbols).get(symbol) if symbol else symbols[index][1] if index < len(symbols) else None
            result, arguments = types_of(signature)
        if symbol:
            _ask(_lib.ckjit_handle_symbol, self._handle, os.fsencode(symbol), byref(address))
        else:
            _ask(_lib.ckjit_handle_function, self._handle, index, byref(address))
        function = ctypes.CFUNCTYPE(result, *arguments)(address.value)
        function.executor = self  # the code lives as long as somebody can call it
        return function

    def __repr__(self):
        return "<ckjit.Executor of %s>" % self.kernel.stem

    def __del__(self):
        _lib.ckjit_handle_release(self._handle)


class Event:
    """What a progress function is told: kernel, kind ("started" or "done"), error, executor, seconds, done, failed, total."""

    def __init__(self, library, raw):
        p = raw.progress
        self.kernel = library._kernels[raw.kernel]
        self.kind = ("started", "done")[raw.kind]
        self.status, self.error, self.seconds = raw.status, _text_of(raw.error), raw.seconds
        self.executor = Executor(self.kernel, c_void_p(_lib.ckjit_handle_retain(raw.handle))) if raw.handle else None
        self.total, self.done, self.failed, self.cancelled, self.running = p.total, p.done, p.failed, p.cancelled, p.running

    def __str__(self):
        end = "" if self.kind == "started" else " failed" if self.status else " in %.1f s" % self.seconds
        return "[%d/%d] %s %s%s" % (self.done, self.total, self.kernel.stem, self.kind, end)

    def __repr__(self):
        return "<ckjit.Event %s>" % self


class Kernel:
    def __init__(self, library, number):
        self.library, self.number = library, number
        self._info = KernelInfo()
        _ask(_lib.ckjit_kernel_info, library._handle, number, byref(self._info))
        self.stem, self.source = _text_of(self._info.stem), _text_of(self._info.source)
        self.archs, self.build_id = _text_of(self._info.archs), _text_of(self._info.build_id)

    @property
    def state(self):
        """one of STATES, at this moment"""
        return self.library.states([self])[0]

    @property
    def symbols(self):
        """(mangled, demangled) of each function; None where it is not known yet"""
        found = []
        for i in range(self._info.functions):
            info = FunctionInfo()
            _ask(_lib.ckjit_function_info, self.library._handle, self.number, i, byref(info))
            found.append((_text_of(info.symbol), _text_of(info.demangled)))
        return found

    def compile(self, fresh=False, flags=None, archs=None):
        """Its Executor: from the process, from the cache, or compiled. FRESH: compiled whatever there is, perhaps with other
        compiler FLAGS and ARCHS, an executor that no cache knows."""
        options = Options(flags=FRESH if fresh else 0, compiler_flags=os.fsencode(flags) if flags else None,
                          archs=archs.encode() if archs else None)
        handle = c_void_p()
        _ask(_lib.ckjit_compile, self.library._handle, self.number, byref(options), byref(handle))
        return Executor(self, handle)

    def export(self, format, archs=None, symbols=(), flags=None):
        """Its bytes as "so", "obj", "code-object", "bitcode" or "asm", which need no ckjit: what `ckjit export` writes. ARCHS: "gfx942;gfx950".
        SYMBOLS: new names, "NAME" or "OLD=NAME". FLAGS: the compiler's, such as constants. It is compiled each time."""
        names = (c_char_p * len(symbols))(*(s.encode() for s in symbols))
        options = ExportOptions(format=format.encode(), archs=archs.encode() if archs else None,
                                compiler_flags=os.fsencode(flags) if flags else None, symbols=names, nsymbols=len(symbols))
        data, size = c_void_p(), c_size_t()
        _ask(_lib.ckjit_export, self.library._handle, self.number, byref(options), byref(data), byref(size))
        try:
            return ctypes.string_at(data, size.value)
        finally:
            _lib.ckjit_free(data)

    def __repr__(self):
        return "<ckjit.Kernel %s>" % self.stem


def _list(texts):
    return (c_char_p * len(texts))(*(t.encode() for t in texts))


class Combination:
    """A kernel of CUDA and what it is linked with. The same kernel with the same choices is compiled once, whoever asks for it."""

    def __init__(self, library, kernel, tags, texts={}, link_options=()):
        self._handle, self.library = None, library
        handle = c_void_p()
        options = CombineOptions(texts=_list(texts.values()), ntexts=len(texts), names=_list(texts), link_options=_list(link_options),
                                 nlink_options=len(link_options))
        _ask(_lib.ckjit_combine, library._handle, kernel.encode(), _list(tags), len(tags), byref(options), byref(handle))
        self._handle = handle
        self.symbol = _text_of(_lib.ckjit_combination_symbol(handle))

    def compile(self):
        """Have it compiled and linked now, if no cache has it; returns itself."""
        _ask(_lib.ckjit_combination_compile, self._handle)
        return self

    def launch(self, grid, block, *arguments, shared=0, stream=None, cooperative=False):
        """Launch it on the current device. GRID and BLOCK have three numbers, ARGUMENTS are values of ctypes."""
        how = Launch(grid=tuple(grid), block=tuple(block), shared=shared, stream=stream, cooperative=cooperative)
        pointers = (c_void_p * (len(arguments) + 1))(*(ctypes.addressof(a) for a in arguments))
        _ask(_lib.ckjit_combination_launch, self._handle, byref(how), pointers)

    @property
    def address(self):
        """what stands for it in calls of CUDA's runtime, once it is compiled"""
        return _lib.ckjit_combination_address(self._handle)

    def __repr__(self):
        return "<ckjit.Combination %s>" % self.symbol

    def __del__(self):
        if self._handle:
            _lib.ckjit_combination_release(self._handle)


class Library:
    """A library that ckjit linked: a sequence of Kernels, which are found by [name] too."""

    def __init__(self, path, flags=0):
        self._handle = None
        handle = c_void_p()
        _ask(_lib.ckjit_open, os.fsencode(path) if path else None, flags, byref(handle))
        self._handle = handle
        self.path = _text_of(_lib.ckjit_library_path(handle))
        self._kernels = [Kernel(self, i) for i in range(_lib.ckjit_kernel_count(handle))]

    @classmethod
    def loaded(cls, path):
        """One that this process has loaded already, such as PyTorch's; its base name is enough."""
        return cls(path, OPEN_LOADED)

    def __del__(self):
        if self._handle:
            _lib.ckjit_close(self._handle)

    def __repr__(self):
        return "<ckjit.Library %s, %d kernel%s>" % (self.path, len(self), "" if len(self) == 1 else "s")

    def __len__(self):
        return len(self._kernels)

    def __iter__(self):
        return iter(self._kernels)

    def __getitem__(self, name):
        """The kernel of this stem, source, cached file or mangled symbol; or number."""
        if isinstance(name, int):
            return self._kernels[name]
        number = c_uint32()
        _ask(_lib.ckjit_find, self._handle, os.fsencode(name), byref(number), None)
        return self._kernels[number.value]

    def _numbers(self, kernels):
        kernels = self._kernels if kernels is None else kernels
        return (c_uint32 * len(kernels))(*(k.number for k in kernels)), len(kernels)

    def states(self, kernels=None):
        numbers, n = self._numbers(kernels)
        states = (c_uint8 * n)()
        _ask(_lib.ckjit_states, self._handle, numbers, n, states)
        return [STATES[s] for s in states]

    def _callback(self, progress):
        """PROGRESS(event) -> true to cancel. What it raises cancels, and is raised by the one who waits."""
        raised = []

        def call(raw, _user):
            try:
                return 1 if progress and progress(Event(self, raw.contents)) else 0
            except BaseException as error:  # pylint: disable=broad-except
                raised.append(error)
                return 1

        return CALLBACK(call), raised

    def compile(self, kernels=None, parallel=0, store_only=False, progress=None):
        """Compile KERNELS (all), several at the same time; returns the Progress. Raises Error where one fails."""
        numbers, n = self._numbers(kernels)
        callback, raised = self._callback(progress)
        options, result = Options(flags=STORE_ONLY if store_only else 0, parallel=parallel), Progress()
        try:
            _ask(_lib.ckjit_compile_many, self._handle, numbers, n, byref(options), callback, None, byref(result))
        finally:
            if raised:
                raise raised[0]
        return result

    def start(self, kernels=None, parallel=0, store_only=False, progress=None):
        """The same without waiting: a Batch. PROGRESS is called in another thread."""
        return Batch(self, kernels, parallel, store_only, progress)

    def set_logger(self, logger):
        """Have LOGGER(severity, message) called with what the library would print on standard error, SEVERITY one of
        SEVERITIES; None: it is printed again. It is called in the thread that the message is about, or another, and several may be in
        it at the same time; it must not have a kernel compiled. What it raises goes to sys.unraisablehook, and the thread goes on.
        When this returns, no thread is in the former logger. Raises Error if one calls it."""
        call = LOGGER(lambda severity, message, _user: logger(SEVERITIES[severity], _text_of(message))) if logger else LOGGER()
        _ask(_lib.ckjit_set_logger, self._handle, call, None)
        if logger:
            _loggers[self.path] = call  # the former is nobody's any more
        else:
            _loggers.pop(self.path, None)

    def set_cache_dir(self, directory):
        """The library's cache from now on, whatever CK_JIT_CACHE_DIR says; None: that of the
        environment again."""
        _ask(_lib.ckjit_set_cache_dir, self._handle,
             None if directory is None else os.fsencode(directory))

    def read_list(self, file, skip_unknown=False):
        """The kernels that a list names, as `ckjit build --blob-list` reads it."""
        numbers, n = POINTER(c_uint32)(), c_size_t()
        _ask(_lib.ckjit_list_read, self._handle, os.fsencode(file), SKIP_UNKNOWN if skip_unknown else 0, byref(numbers),
             byref(n))
        kernels = [self._kernels[numbers[i]] for i in range(n.value)]
        _lib.ckjit_free(numbers)
        return kernels

    def combine(self, kernel, *tags, texts={}, link_options=()):
        """Of CUDA: the kernel of that name, mangled or as in C++, linked with the units that have these TAGS and with TEXTS, {"filter.cu": text}
        in CUDA C++; LINK_OPTIONS are for the device linker. A Combination."""
        return Combination(self, kernel, tags, texts, link_options)

    def prewarm(self, file, **how):
        return self.compile(self.read_list(file), **how)


class Batch:
    """Kernels that are being compiled."""

    def __init__(self, library, kernels, parallel, store_only, progress):
        self._handle = None
        self._library = library
        numbers, n = library._numbers(kernels)
        self._callback, self._raised = library._callback(progress)
        options, handle = Options(flags=STORE_ONLY if store_only else 0, parallel=parallel), c_void_p()
        _ask(_lib.ckjit_batch_start, library._handle, numbers, n, byref(options), self._callback, None, byref(handle))
        self._handle = handle

    def poll(self):
        """(whether all have ended, Progress)"""
        progress = Progress()
        return _lib.ckjit_batch_poll(self._handle, byref(progress)) == OK, progress

    def wait(self, seconds=-1):
        """Wait for the end; false where it has not come within SECONDS. Raises Error where a kernel failed."""
        try:
            _ask(_lib.ckjit_batch_wait, self._handle, seconds, None)
        except Error as error:
            if error.status == BUSY:
                return False
            if not self._raised:
                raise
        if self._raised:
            raise self._raised[0]
        return True

    def cancel(self):
        _lib.ckjit_batch_cancel(self._handle)

    def __repr__(self):
        return "<ckjit.Batch of %s, %s>" % (self._library.path, "ended" if not self._handle or self.poll()[0] else "running")

    def __del__(self):
        if self._handle:
            _lib.ckjit_batch_free(self._handle)
