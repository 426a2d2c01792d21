"""What a launch of a CUDA blob pays for going through runtime/ck_jit_cuda_kernels.c, with a CUDA runtime that does nothing."""

import ctypes
import statistics

from common import HELPERS, TOP, Failure, Figure, Limit, Result, fresh, in_turn, run

NEEDS = ["cc"]
CHUNK = 10000  # launches, short enough to run without being preempted

def wrap():
    """a launch through CUDA's wrap, of the 18 kernels of a blob in turn | one that is not wrapped"""
    d = fresh("wrap")
    with open(f"{d}/ck_jit_cuda_calls.h", "w") as f:
        f.write('TAKES("cudaLaunchKernel", "rdi")\n')
    cc = ["cc", "-O2", "-fPIC", "-std=gnu11", "-w"]
    run(*cc, "-shared", f"{HELPERS}/wrap/cudart.c", "-o", f"{d}/libcudart.so")
    run(*cc, "-fvisibility=hidden", "-fexceptions", f"-I{d}", "-c", f"{TOP}/runtime/ck_jit_cuda_kernels.c", "-o", f"{d}/shim.o")
    names = ["RegisterFatBinary", "RegisterFatBinaryEnd", "UnregisterFatBinary", "RegisterFunction", "RegisterVar"]
    wraps = [f"-Wl,--wrap=__cuda{name}" for name in names] + ["-Wl,--wrap=cudaLaunchKernel"]
    loops = []
    for name, more in (("wrapped", ["-DWRAPPED", f"{d}/shim.o", *wraps]), ("plain", [])):
        link = [f"-L{d}", "-lcudart", f"-Wl,-rpath,{d}", "-o", f"{d}/{name}.so"]
        run(*cc, "-shared", "-Wl,-Bsymbolic", f"{HELPERS}/wrap/loop.c", *more, *link)
        loop = ctypes.CDLL(f"{d}/{name}.so").ns_per_launch
        loop.restype = ctypes.c_double
        if loop(ctypes.c_long(CHUNK), 18) < 0:
            raise Failure(f"{d}/{name}.so does not launch")
        loops.append(loop)

    def pair(distinct):
        sides = [lambda _, loop=loop: loop(ctypes.c_long(CHUNK), distinct) for loop in loops]
        return in_turn(1000, *sides)

    one = pair(1)
    extra = {"ns more, of one kernel": statistics.median(a - b for a, b in zip(*one))}
    return Result(*pair(18), "ns", {"launches": CHUNK, "kernels": 18}, extra)


FIGURES = [Figure("wrap", wrap, [Limit("difference", 5)])]
