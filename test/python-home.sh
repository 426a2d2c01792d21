#!/bin/sh
# `import ckjit`: what setuptools builds inside `with ckjit.home()` has lazy kernels, and its own environment back behind it; their states,
# compile and capture; what torch.utils.cpp_extension has read is exchanged. Mistakes are exceptions
# with what ckjit-build says.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
need_hipcc
need python3 c++
[ -z "${SANITIZER-}" ] || skip "Python would have to be built with the sanitizer"
top=$(dirname "$here")
# a python3 with setuptools: that of a virtual environment, if the installed one has none
python=python3
python3 -c 'import setuptools' 2>/dev/null || {
  python3 -m venv "$T/venv" >"$T/out" 2>&1 || skip "no venv here: $(tail -n 1 "$T/out")"
  python=$T/venv/bin/python
  $python -c 'import setuptools' 2>/dev/null || skip "no setuptools here"
}
unset ROCM_PATH ROCM_HOME HIP_PATH CXX
# a home of CUDA as `ckjit-build home` looks for it
mkdir -p "$T/cuda/bin" "$T/cuda/include"
printf '#!/bin/sh\ncase "$*" in *--version*) echo "Cuda compilation tools, release 12.8, V12.8.0";; *) echo "#\\$ TOP=%s" >&2;; esac\n' "$T/cuda" >"$T/cuda/bin/nvcc"
chmod +x "$T/cuda/bin/nvcc"
export CK_JIT_KFD_ROOT="$T/no-gpus" PYTHONPATH="$top/python" PYTHONDONTWRITEBYTECODE=1 CKJIT_BIN="$B/bin" LIBCKJIT="$B/lib/libckjit.so" CK_JIT_CACHE_DIR="$T/cache" HOME="$T/user"
unset XDG_DATA_HOME
cd "$T"

mkdir ext
for n in 1 2 3; do
  printf '#include "k.h"\ntemplate <> int value_<%s>(int x) { return %s000 + x; }\n' $n $n >ext/k$n.cpp
done
printf 'template <int N> int value_(int x);\n' >ext/k.h
printf '#include "k.h"\nextern "C" int value(int n, int x) { return n == 1 ? value_<1>(x) : n == 2 ? value_<2>(x) : value_<3>(x); }\n' >ext/host.cpp
cat >ext/setup.py <<'END'
# As torch's BuildExtension does: the home's compiler compiles and $CXX links. The kernels are plain C++, because HIP's headers would take
# two seconds a compile.
import os
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
class Build(build_ext):
    def build_extensions(self):
        hipcc = os.environ["ROCM_PATH"] + "/bin/hipcc"
        for what in "compiler", "compiler_so", "compiler_so_cxx":
            self.compiler.set_executable(what, hipcc + " -x c++ -fPIC")
        self.compiler.set_executable("compiler_cxx", os.environ["CXX"])
        for what in "linker_so", "linker_so_cxx":
            self.compiler.set_executable(what, os.environ["CXX"] + " -shared")
        build_ext.build_extensions(self)
setup(name="family", version="1", cmdclass={"build_ext": Build},
      ext_modules=[Extension("family", ["k1.cpp", "k2.cpp", "k3.cpp", "host.cpp"], include_dirs=["."])])
END

cat >session.py <<'END'
import ctypes, glob, os, subprocess, sys, types
import ckjit
before = dict(os.environ)
def build(env=None):
    done = subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--build-lib", "out", "--build-temp", "tmp", "--force"],
                          cwd="ext", env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
    return glob.glob("ext/out/family*.so")[0]

# torch's module, as it is when it was imported before
torch = types.ModuleType("torch.utils.cpp_extension")
torch.CUDA_HOME, torch.ROCM_HOME = None, "/opt/rocm"
sys.modules["torch.utils.cpp_extension"] = torch

with ckjit.home(directory="it's a home") as home:
    assert home.directory == os.path.abspath("it's a home")
    assert os.environ["ROCM_PATH"] == torch.ROCM_HOME == home.directory and torch.CUDA_HOME is None
    assert os.environ["PATH"] == home.directory + "/bin:" + before["PATH"]
    with home: # again: nothing twice
        assert os.environ["PATH"].count(home.directory) == 1
assert dict(os.environ) == before and torch.ROCM_HOME == "/opt/rocm"

# what is started in it; then by a home's environment, without the process's
home = ckjit.home(directory="home")
with home:
    so = build()
os.rename(so, "first.so")
assert len(ckjit.kernels("first.so")) == 3
so = build(home.environment())
assert dict(os.environ) == before
library = ckjit.kernels(so)
assert len(library) == 3 and library.status() == {"k1": "absent", "k2": "absent", "k3": "absent"}, library.status()
assert library.capture() == []
value = ctypes.CDLL(so).value
assert value(2, 5) == 2005
assert library.status() == {"k1": "absent", "k2": "loaded", "k3": "absent"}, library.status()
assert [k.stem for k in library.capture("used")] == ["k2"] and open("used").read() == "k2\n"
assert library["k1"].compile().function(ctypes.c_int, ctypes.c_int)(1) == 1001
assert library.compile().done == 3 and set(library.status().values()) == {"loaded"}
module = types.ModuleType("family")
module.__file__ = so
assert len(ckjit.kernels(module)) == 3

# what a prompt shows
public = {name for name in dir(ckjit) if not name.startswith("_")}
assert public == set(ckjit.__all__) and {"kernels", "home", "Library", "Error"} <= public, dir(ckjit)
for name in public:
    assert getattr(ckjit, name) is not None
assert repr(home) == "<ckjit.Home %s>" % home.directory
with home:
    assert repr(home) == "<ckjit.Home %s, active>" % home.directory
assert repr(library) == "<ckjit.Library %s, 3 kernels>" % library.path, library
assert repr(library["k1"]) == "<ckjit.Kernel k1>" and repr(library["k1"].compile()) == "<ckjit.Executor of k1>"
events = []
assert repr(library.compile(progress=events.append)) == "<ckjit.Progress 3 of 3 done, 0 failed, 0 running>"
assert repr(events[0]).startswith("<ckjit.Event [") and repr(events[0])[:-1].endswith(str(events[0]).split("] ")[1])
batch = library.start()
batch.wait()
assert repr(batch) == "<ckjit.Batch of %s, ended>" % library.path, batch

# activate, in its default place, which is that of `ckjit home`; CUDA
home = ckjit.activate()
exports = subprocess.check_output([os.environ["CKJIT_BIN"] + "/ckjit", "home"], text=True, env=before)
assert os.environ["ROCM_PATH"] == home.directory and "export ROCM_PATH='%s'\n" % home.directory in exports, (home, exports)
assert home.directory.startswith(os.environ["HOME"] + "/.local/share/ckjit/homes/hip-"), home
assert not os.path.exists(os.environ["HOME"] + "/.local/share/ckjit/home-hip")
home.deactivate()
assert dict(os.environ) == before
with ckjit.home("cuda", cuda="cuda", work="w", bundle=True) as home:
    assert "keep=bundle\n" in open(home.directory + "/ckjit.conf").read()
    assert os.environ["CUDA_HOME"] == torch.CUDA_HOME == home.directory and os.environ["CUDACXX"] == home.directory + "/bin/nvcc"
    assert torch.ROCM_HOME == "/opt/rocm" and os.path.isdir("w")
assert torch.CUDA_HOME is None and dict(os.environ) == before

def refused(kind, text, function):
    try:
        function()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError("not refused: " + text)
refused(ckjit.BuildError, "no real compiler at nowhere/bin/hipcc", lambda: ckjit.home(directory="other", rocm="nowhere"))
assert not os.path.exists("other")
refused(ckjit.BuildError, "no such profile: expected cuda or hip", lambda: ckjit.home("nothing", "other"))
refused(ckjit.Error, "cannot be loaded", lambda: ckjit.kernels("nothing.so"))
refused(ckjit.Error, "ckjit has not linked this library", lambda: ckjit.kernels("libm.so.6"))
refused(AttributeError, "nothing", lambda: ckjit.nothing)
os.environ["CKJIT_BIN"] = "/nonexistent"
refused(FileNotFoundError, "there is no ckjit-build: neither among /nonexistent/ckjit-build", lambda: ckjit.home(directory="other"))
END
$python session.py >"$T/out" 2>&1 || fail "$(cat "$T/out")"
