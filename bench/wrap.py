"""What a launch pays for going through runtime/ck_jit_registry.h, with a CUDA or HIP runtime that does nothing."""

import ctypes
import statistics

from common import HELPERS, TOP, Failure, Figure, Limit, Result, fresh, in_turn, run

NEEDS = ["cc"]
CHUNK = 10000  # launches, short enough to run without being preempted

def wrap():
    """a launch through CUDA's wrap, of the 18 kernels of a blob in turn | one that is not wrapped"""
    d = fresh("wrap")
    with open(f"{d}/ck_jit_unit_calls.h", "w") as f:
        f.write('TAKES("cudaLaunchKernel", 0)\n')
    cc = ["cc", "-O2", "-fPIC", "-std=gnu11", "-w"]
    run(*cc, "-shared", f"{HELPERS}/wrap/cudart.c", "-o", f"{d}/libcudart.so")
    run(*cc, "-DCKJIT_ENTRY", "-fvisibility=hidden", "-fexceptions", f"-I{d}", f"-I{TOP}/abi", "-c", f"{TOP}/runtime/ck_jit_cuda_kernels.c", "-o", f"{d}/shim.o")
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


def wrap_hip():
    """a launch through HIP's wrap, of the 300 kernels of a lazy unit in turn | one that is not wrapped"""
    d = fresh("wrap-hip")
    with open(f"{d}/ck_jit_unit_calls.h", "w") as f:
        f.write('TAKES("hipLaunchKernel", 0)\n')
    cc = ["cc", "-fPIC", "-std=gnu11", "-w"]
    run(*cc, "-O2", "-shared", f"{HELPERS}/wrap/hip.c", "-o", f"{d}/libamdhip64.so")
    run(*cc, "-O1", "-fvisibility=hidden", "-DCKJIT_LAZY=1", f"-I{d}", f"-I{TOP}/abi", "-c", f"{TOP}/runtime/ck_jit_hip_kernels.c", "-o", f"{d}/shim.o")
    names = ["__hipRegisterFatBinary", "__hipUnregisterFatBinary", "__hipRegisterFunction", "__hipRegisterVar", "hipLaunchKernel"]
    loops = []
    for name, more in (("wrapped", ["-DWRAPPED", f"{d}/shim.o", *(f"-Wl,--wrap={n}" for n in names)]), ("plain", [])):
        link = [f"-L{d}", "-lamdhip64", f"-Wl,-rpath,{d}", "-o", f"{d}/{name}.so"]
        run(*cc, "-O2", "-fvisibility=hidden", f"-I{TOP}/abi", f"-I{TOP}/runtime", "-shared", f"{HELPERS}/wrap/hip_loop.c", *more, *link)
        loop = ctypes.CDLL(f"{d}/{name}.so").ns_per_launch
        loop.restype = ctypes.c_double
        if min(loop(ctypes.c_long(CHUNK), 300, unit) for unit in (0, 1)) < 0:
            raise Failure(f"{d}/{name}.so does not launch")
        loops.append(loop)

    def pair(distinct, unit):
        sides = [lambda _, loop=loop: loop(ctypes.c_long(CHUNK), distinct, unit) for loop in loops]
        return in_turn(1000, *sides)

    extra = {
        name: statistics.median(a - b for a, b in zip(*pair(distinct, unit)))
        for name, distinct, unit in (("ns more, of one kernel", 1, 0), ("ns more, of a stock unit beside it", 300, 1))
    }
    return Result(*pair(300, 0), "ns", {"launches": CHUNK, "kernels": 300}, extra)


FIGURES = [Figure("wrap", wrap, [Limit("difference", 5)]), Figure("wrap-hip", wrap_hip, [Limit("difference", 5)])]
