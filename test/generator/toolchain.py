"""Compilers that the builds are made by: which command compiles a unit, which links, and what the fake home is made of.

A toolchain has `name`; `forms`, of which a build is one; `settings`, the variables that a run needs; `stock`, the directory whose compiler
stock is; `home(CKJIT, DIR)`, the command that makes a fake home and the variables for it; `links(BUILD, OBJECTS)`,
the commands that make the output. A form is data (Form) and is what build.py knows
of a compiler: how the units are named, and whether they are device code.
"""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Form:
    """how a build's units are given to the compiler"""

    share: float  # of the builds
    words: tuple  # one choice of how the compile says the language
    suffix: str = ".cpp"
    device: str = ""  # "hip" or "cuda": the compiler knows __global__, and the header the runtime
    runtime: bool = False  # with the header that declares the launches
    most: int = 4  # families, and units beside the caller
    host: str = "same"  # what compiles the caller: "same", or "c++", as PyTorch's extensions have it

    @property
    def compiler(self):
        return "nvcc" if self.device == "cuda" else "clang"



def run(command, at, env=None):
    """(status, standard output, standard error)"""
    done = subprocess.run(command, cwd=at, env=env, capture_output=True, check=False, timeout=3000, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Hip:
    """hipcc: units of plain C++, and HIP units as CMake and setuptools pass them, whose names end in .cpp all the same"""

    name = "hip"
    forms = [
        Form(0.95, ("-x c++", "-x c++", "-xc++")),
        Form(0.025, ("-x hip", "-xhip", "-x hip -D__HIP_PLATFORM_AMD__=1"), device="hip", most=2),
        Form(0.025, ("-x hip", "-xhip"), device="hip", runtime=True, most=2),
    ]
    settings = {}

    def __init__(self, at):
        """hipcc is a script of Perl and takes 0.2 s a call: a short one that starts the same compiler with the same words"""
        hipcc = os.environ.get("HIPCC", "hipcc")

        def words(language):
            _, out, err = run([hipcc, "-x", language, "-DWORD", "-c", "/dev/null", "-o", "/dev/null"], at, dict(os.environ, HIPCC_VERBOSE="1"))
            found = re.search(r"hipcc-cmd: (\S*clang\S*)(.*?)( -x \w+)? -DWORD", out + err)
            return (found.group(1), re.sub(r"--offload-arch=\S+|-x \w+", "", found.group(2))) if found else (hipcc, "")

        self.stock = at / "real/bin"
        (plain, _), (compiler, before) = words("c++"), words("hip")
        script(
            self.stock / "hipcc",
            f'#!/bin/sh\ncase " $* " in\n*" -x hip "* | *" -xhip "*) exec {compiler} {before} "$@" ;;\nesac\nexec {plain} "$@"\n',
        )
        self.linked = {"": [], "hip": ["-lamdhip64"]}

    def home(self, ckjit, to):
        return [ckjit / "bin/ckjit-build", "home", "--dir", to], {"CK_JIT_HIPCC": str(self.stock / "hipcc")}

    def compile(self, build, unit):
        return ["hipcc", *build.language.split(), *(["--offload-arch=gfx90a"] if build.form.device else []), *build.flags, "-c", unit.name, "-o", unit.name + ".o"]

    def links(self, build, objects):
        return [["hipcc", *([] if build.executable else ["-shared"]), "-fPIC", *objects, *self.linked[build.form.device], "-o", "out"]]


class Cuda:
    """nvcc, by a name of its own (.cu) or by -x cu, as CMake passes it; the caller by nvcc or by the host compiler"""

    name = "cuda"
    forms = [
        Form(0.3, ("",), suffix=".cu", device="cuda", most=2),
        Form(0.3, ("",), suffix=".cu", device="cuda", most=2, runtime=True, host="c++"),
        Form(0.2, ("-x cu",), device="cuda", most=2, runtime=True),
        Form(0.2, ("-x cu", "-x=cu"), device="cuda", most=2, host="c++"),
    ]

    def __init__(self, _):
        self.top = Path(os.environ["CUDA_HOME"]).resolve()
        self.stock = self.top / "bin"
        self.settings = {"CK_JIT_ARCH": "sm_90", "CUDA_VISIBLE_DEVICES": "", "LD_LIBRARY_PATH": str(self.top / "lib64")}

    def home(self, ckjit, to):
        return [ckjit / "bin/ckjit-build", "home", "--dir", to, "--profile", "cuda"], {"CUDA_HOME": str(self.top)}

    def compile(self, build, unit):
        out = ["-c", unit.name, "-o", unit.name + ".o"]
        if unit.name == "host.cpp" and build.form.host == "c++":
            return ["c++", "-x", "c++", *build.flags, *out]
        flags = [w for f in build.flags for w in (["-Xcompiler", f] if f.startswith("-f") else [f])]
        return ["nvcc", *build.language.split(), *flags, "-gencode", "arch=compute_90,code=sm_90", *out]

    def links(self, build, objects):
        if build.form.host == "c++":
            return [["c++", *([] if build.executable else ["-shared"]), *objects, f"-L{self.top}/lib64", "-lcudart", "-o", "out"]]
        return [["nvcc", *([] if build.executable else ["-shared"]), "-cudart", "shared", "-Xcompiler", "-fPIC", *objects, "-o", "out"]]


class Late(Cuda):
    """units that may be late (late.py): nvcc for them, the host compiler for the caller and the link"""

    name = "late"
    forms = Cuda.forms[1:2]

    def home(self, ckjit, to):
        command, settings = super().home(ckjit, to)
        return [*command, "--units"], settings

    def compile(self, build, unit):
        flags = [f"-std=c++{build.std}", build.level, "-w", *build.flags_of(unit), "-c", unit.name, "-o", unit.name + ".o"]
        if unit.name.endswith(".cpp"):
            return ["c++", "-fPIC", *flags]
        return ["nvcc", "-Xcompiler", "-fPIC", *flags, "-gencode", "arch=compute_90,code=sm_90"]

    def links(self, build, objects):
        """the commands that make `out`, and `main` if that is a program outside the library"""
        main = [o for o in objects if o == "main.cpp.o"]
        host = ["host.cpp.o"] + (main if build.executable else [])
        units = [o for o in objects if o.endswith(".cu.o")]
        units = [units[i] for i in build.order if i < len(units)]
        commands, within = [], [*host, *units] if build.host_first else [*units, *host]
        group = build.group
        if group in ("archive", "whole"):
            commands.append(["ar", "rcs", "libunits.a", *units])
            packed = ["libunits.a"] if group == "archive" else ["-Wl,--whole-archive", "libunits.a", "-Wl,--no-whole-archive"]
            within = [*host, *packed]
        elif group == "archive of all":
            commands.append(["ar", "rcs", "liball.a", "host.cpp.o", *units])
            within = ["-Wl,-u,call", *main, "liball.a"] if build.executable else ["-Wl,-u,call,-u,PyInit_out", "liball.a"]
        elif group == "joined":
            commands.append(["ld", "-r", "-o", "joined.o", *units])
            within = [*host, "joined.o"]
        elif group == "joined with the caller":
            commands.append(["ld", "-r", "-o", "joined.o", *units, "host.cpp.o"])
            within = ["joined.o", *(main if build.executable else [])]
        version = ["-Wl,--version-script=exports.map"] if build.version else []
        cudart = [f"-L{self.top}/lib64", "-lcudart"]
        lto = ["-flto"] if build.lto else []
        commands.append(["c++", *lto, *build.words, *version, *within, *cudart, "-o", "out"])
        if build.outside:
            commands.append(["c++", *main, "./out", *cudart, "-o", "main"])
        return commands




TOOLCHAINS = {"hip": Hip, "cuda": Cuda, "late": Late}
