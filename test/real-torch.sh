#!/bin/sh
# torch.utils.cpp_extension of a real PyTorch inside `with ckjit.home("cuda", units=True)`: load() and setuptools' CUDAExtension make modules whose
# kernels are lazy, which are imported and called; a launch compiles its kernel, and no other, before the driver refuses it. Behind the `with`
# all is nvcc's own again. A mistake in a kernel's unit is a RuntimeError with nvcc's words.
#
# CKJIT_TORCH_PYTHON names a python3 that has PyTorch (pip install torch==2.11.0, 5 GB), of the CUDA release that nvcc is of; without it python3 is tried.
# tier: long
# seconds: 200
. "${0%/*}/common.sh"
python=${CKJIT_TORCH_PYTHON:-python3}
unset PYTHONPATH TORCH_CUDA_ARCH_LIST PYTORCH_NVCC CUDA_HOME CUDA_PATH CUDAToolkit_ROOT CUDACXX CUDAHOSTCXX CXX NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS \
  CK_JIT_NVCC CK_JIT_PER_KERNEL CK_JIT_BASE CK_JIT_UNITS CK_JIT_MANIFEST CK_JIT_ROOT XDG_DATA_HOME
of_torch=$("$python" -c 'import torch; print(torch.version.cuda or "none")' 2>"$T/out") ||
  skip "$python has no PyTorch: CKJIT_TORCH_PYTHON names a python that has it (pip install torch==2.11.0): $(tail -n 1 "$T/out")"
"$python" -c 'import setuptools' 2>/dev/null || skip "$python has no setuptools"
need c++ readelf
need_nvcc
of_nvcc=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p')
[ "${of_torch%%.*}" = "${of_nvcc%%.*}" ] || skip "this PyTorch is of CUDA $of_torch, and nvcc of $of_nvcc"
top=$(realpath "$here/..")
# ninja, which cpp_extension needs, may be the one of the virtual environment
PATH=$(dirname "$(command -v "$python")"):$PATH
export PATH HOME="$T/user" MAX_JOBS=2 CUDA_VISIBLE_DEVICES='' CK_JIT_ARCH=sm_90 \
  PYTHONPATH="$top/python" PYTHONDONTWRITEBYTECODE=1 CKJIT_BIN="$B/bin" LIBCKJIT="$B/lib/libckjit.so" CK_JIT_CACHE_DIR="$T/cache" \
  TORCH_EXTENSIONS_DIR="$T/extensions" CUDA="$cuda" TORCH_CUDA_ARCH_LIST='8.0;9.0'
cd "$T"
mkdir "$T/user" loaded
cat >scale.cu <<'END'
#include <cuda_runtime.h>
template <class T> __global__ void scale(T *data, T by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= by;
}
__global__ void negate(float *data) { data[threadIdx.x] = -data[threadIdx.x]; }
#ifdef MISTAKE
__global__ void wrong(float *data) { no_such_function(data); }
#endif
int launch(int which, int n) {
  float *data = nullptr;
  if (which == 0) negate<<<1, 64>>>(data);
  if (which == 1) scale<<<1, 64>>>(data, 2.f, n);
  if (which == 2) scale<<<1, 64>>>((double *)data, 2., n);
  return cudaGetLastError();
}
END
cat >scale.cpp <<'END'
#include <torch/extension.h>
int launch(int which, int n);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("launch", &launch);
  m.def("on_cpu", [](const torch::Tensor &t, double by) { return t * by; });
}
END
# the same for setuptools, without torch's headers, which take half a minute
cat >plain.cpp <<'END'
#include <Python.h>
int launch(int which, int n);
static PyObject *py_launch(PyObject *, PyObject *args) {
  int which, n;
  return PyArg_ParseTuple(args, "ii", &which, &n) ? PyLong_FromLong(launch(which, n)) : nullptr;
}
static PyMethodDef methods[] = {{"launch", py_launch, METH_VARARGS, nullptr}, {}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "plain", nullptr, -1, methods};
PyMODINIT_FUNC PyInit_plain() { return PyModule_Create(&module); }
END
cat >setup.py <<'END'
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
setup(name="plain", version="1", cmdclass={"build_ext": BuildExtension}, ext_modules=[CUDAExtension("plain", ["plain.cpp", "scale.cu"])])
END
cat >build.py <<'END'
import os, subprocess, sys
from torch.utils import cpp_extension
import ckjit

before = dict(os.environ), cpp_extension.CUDA_HOME
with ckjit.home("cuda", "home", cuda=os.environ["CUDA"], units=True):
    assert cpp_extension.CUDA_HOME == os.path.abspath("home")
    done = subprocess.run([sys.executable, "setup.py", "build_ext", "--inplace"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout)
    assert done.returncode == 0
    try:
        cpp_extension.load("mistake", ["scale.cu"], build_directory="user", extra_cuda_cflags=["-DMISTAKE"])
    except RuntimeError as error:
        assert 'identifier "no_such_function" is undefined' in str(error), error
    else:
        raise AssertionError("a unit that is wrong was built")
    module = cpp_extension.load("scale", ["scale.cpp", "scale.cu"], build_directory="loaded", verbose=True)
    print("launched", module.launch(0, 64))
assert (dict(os.environ), cpp_extension.CUDA_HOME) == before
END
cat >use.py <<'END'
import importlib.util
import torch
import plain
spec = importlib.util.spec_from_file_location("scale", "loaded/scale.so")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(module.on_cpu(torch.ones(2), 2.5).tolist(), plain.launch(1, 64))
END
"$python" build.py >said 2>&1 || fail "$(tail -n 60 said)"
is 'libraries with lazy kernels' 2 "$(grep -c '^ckjit-link: [^:]*: 1 ordinary unit, lazy;' said)"
lacks 'a launch that needs a GPU' '^launched 0' said
# states LIBRARY: of the kernels of its unit, with their names
states() {
  "$B/bin/ckjit-prebuild" list --json --manifest "home/work/$1/ck_jit_manifest.json" >list.json || fail "list of $1"
  python3 -c 'import json
print(*sorted(f["template"] + "<" + f["signature"].split("<")[-1].split(">")[0] + ">:" + f["state"] for f in json.loads(open("list.json").read())["functions"]))'
}
plain=$(cd home/work && echo plain.*)
is 'scale, of which negate was launched' 'negate<negate(float*)>:cached scale<double>:absent scale<float>:absent' "$(states scale)"
is 'plain, of which nothing was' 'negate<negate(float*)>:absent scale<double>:absent scale<float>:absent' "$(states "$plain")"

# behind the `with`, in another process
"$python" use.py >said 2>&1 || fail "$(cat said)"
grep -q '^\[2.5, 2.5\] [1-9]' said || fail "$(cat said)"
is 'plain, of which scale<float> was launched' 'negate<negate(float*)>:absent scale<double>:absent scale<float>:cached' "$(states "$plain")"
