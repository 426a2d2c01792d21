"""flash-attention on an NVIDIA GPU: its build, first calls and calls; run --full cuda.

It needs a GPU, nvcc in $CUDA_HOME (/usr/local/cuda), a python3 with PyTorch for CUDA and the imports of flash-attn's build
(packaging, psutil, ninja, einops), and an hour of processor time. FLASH_ATTN is the source distribution; otherwise pip downloads it.
"""

import functools
import glob
import json
import os
import shutil

from common import B, HELPERS, OUT, Failure, Figure, Limit, Result, Skip, fresh, in_turn, rounds, run, said

VERSION = "2.8.3.post2"
NEEDS = ["c++"]
CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")
SPLIT, CAUSAL, HDIM32 = "flash_fwd_split_hdim128_bf16_sm80", "flash_fwd_hdim64_bf16_causal_sm80", "flash_fwd_hdim32_fp16_sm80"
PYTHON = shutil.which("python3")


def python(code):
    return said(PYTHON, "-c", code)[1].strip()


@functools.cache
def need_gpu():
    """The architecture of the GPU, such as 90."""
    if not os.access(f"{CUDA}/bin/nvcc", os.X_OK):
        raise Skip(f"there is no {CUDA}/bin/nvcc; set CUDA_HOME")
    try:
        return python("import torch; print('%d%d' % torch.cuda.get_device_capability())")
    except Failure as e:
        raise Skip("python3 has no PyTorch with a GPU") from e


@functools.cache
def distribution():
    given = os.environ.get("FLASH_ATTN")
    if given:
        return os.path.abspath(given)
    d = fresh("flash-distribution")
    run(PYTHON, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation", "--no-binary", "flash-attn",
        "-d", d, f"flash-attn=={VERSION}")  # fmt: skip
    return glob.glob(f"{d}/flash_attn-*.tar.gz")[0]


@functools.cache
def built():
    """(seconds of pip install, its --target, the manifest)"""
    need_gpu()
    d = fresh("flash")
    _, text = said(f"{B}/bin/ckjit-build", "home", "--dir", f"{d}/home", "--profile", "cuda", env={"CUDA_HOME": CUDA})
    names = said("sh", "-c", 'eval "$1" && exec env -0', "sh", text)[1].rstrip("\0").split("\0")
    env = dict(line.split("=", 1) for line in names)
    env.update(FLASH_ATTENTION_FORCE_BUILD="TRUE", MAX_JOBS=str(len(os.sched_getaffinity(0))))
    seconds = run(PYTHON, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-build-isolation", "--target",
                  f"{d}/site", distribution(), env=env)  # fmt: skip
    with open(glob.glob(f"{d}/home/work/flash_attn_2_cuda*/ck_jit_manifest.json")[0]) as f:
        return seconds, f"{d}/site", json.load(f)


def install():
    """pip install of flash-attn through the fake home, four architectures"""
    return Result([built()[0]], [], "s", {"processors": len(os.sched_getaffinity(0)), "version": VERSION})


# ---- first calls ----


def first(name, cache):
    _, site, _ = built()
    env = {"PYTHONPATH": site, "CK_JIT_CACHE_DIR": cache}
    return float(said(PYTHON, f"{HELPERS}/flash.py", "first", name, env=env)[1].split()[-1])


def stock_object(blob):
    d = f"{OUT}/flash-stock"
    os.makedirs(d, exist_ok=True)
    return f"{d}/{blob}.o"


def stock(blob):
    """The seconds of nvcc's own compile of BLOB, for the GPU present."""
    _, _, manifest = built()
    arch, root = need_gpu(), manifest["root"]
    entry = manifest["blobs"][blob]
    flags = [word.replace("{root}", root) for word in manifest["groups"][entry["group"]]["flags"]]
    return run(f"{CUDA}/bin/nvcc", *flags, "-gencode", f"arch=compute_{arch},code=sm_{arch}", "-Xcompiler", "-fPIC", "-c",
               entry["source"].replace("{root}", root), "-o", stock_object(blob))  # fmt: skip


def first_call(name, blob):
    def ours(_):
        return first(name, f"{fresh('flash-cache')}/c")

    values = in_turn(rounds(1), ours, lambda _: stock(blob))
    again = first(name, f"{OUT}/flash-cache/c")
    return Result(*values, "s", {"blob": blob}, {"in the next process, s": again})


def first_causal():
    """first call, fwd hdim64 bf16 causal | nvcc -c of its blob for the same GPU"""
    return first_call("causal", CAUSAL)


def first_hdim32():
    """first call, fwd hdim32 fp16 | nvcc -c of its blob for the same GPU"""
    return first_call("hdim32", HDIM32)


def first_split():
    """first call with a kvcache, split hdim128 bf16, two kernels | nvcc -c of its blob for the same GPU"""
    return first_call("split", SPLIT)


def first_backward():
    """first backward, hdim128 bf16, three kernels | nvcc -c of its blob for the same GPU"""
    return first_call("backward", "flash_bwd_hdim128_bf16_sm80")


# ---- calls ----


@functools.cache
def stock_extension(blob):
    """A directory with flash_attn_2_cuda of the unchanged flash_api.cpp and BLOB, which stock nvcc compiled."""
    if not os.path.exists(stock_object(blob)):
        stock(blob)
    d = fresh(f"flash-extension-{blob}")
    run("tar", "xzf", distribution(), "--exclude=*/composable_kernel/*", "-C", d)
    source = glob.glob(f"{d}/flash_attn-*/csrc/flash_attn")[0]
    paths = python("from torch.utils import cpp_extension as e; print(*e.include_paths('cuda'), '', *e.library_paths('cuda'))")
    suffix, include = python(
        "import sysconfig as s; print(s.get_config_var('EXT_SUFFIX'), s.get_paths()['include'])"
    ).split()
    includes, libraries = (part.split() for part in paths.split("  "))
    words = [f"-I{path}" for path in [source, f"{source}/src", f"{source}/../cutlass/include", *includes, include]]
    run("c++", "-O3", "-std=c++17", "-fPIC", *words, "-DTORCH_API_INCLUDE_EXTENSION_H",
        "-DTORCH_EXTENSION_NAME=flash_attn_2_cuda", "-c", f"{source}/flash_api.cpp", "-o", f"{d}/api.o")  # fmt: skip
    run("c++", "-shared", "-o", f"{d}/flash_attn_2_cuda{suffix}", f"{d}/api.o", stock_object(blob),
        "-Wl,--unresolved-symbols=ignore-all,-z,lazy", *[f"-L{path}" for path in libraries], "-lc10", "-ltorch",
        "-ltorch_cpu", "-ltorch_python", "-lcudart", "-lc10_cuda", "-ltorch_cuda")  # fmt: skip
    return d


def call(name, blob, tokens):
    _, site, _ = built()
    theirs = stock_extension(blob)
    cache = f"{fresh('flash-cache')}/c"

    def side(path):
        env = {"PYTHONPATH": path, "CK_JIT_CACHE_DIR": cache}
        return float(said(PYTHON, f"{HELPERS}/flash.py", "call", name, str(tokens), env=env)[1].split()[-1])

    values = in_turn(rounds(7), lambda _: side(site), lambda _: side(theirs))
    return Result(*values, "us", {"tokens": tokens})


def call_causal():
    """a call after the first, fwd hdim64 bf16 causal, 128 tokens | the same of the stock build"""
    return call("causal", CAUSAL, 128)


def call_hdim32():
    """a call after the first, fwd hdim32 fp16, 2,048 tokens | the same of the stock build"""
    return call("hdim32", HDIM32, 2048)


FIGURES = [
    Figure("cuda-install", install, [Limit("ckjit", 90)], full=True),
    Figure("cuda-causal", first_causal, [Limit("ratio", 0.6)], full=True),
    Figure("cuda-hdim32", first_hdim32, [Limit("ratio", 0.6)], full=True),
    Figure("cuda-split", first_split, [Limit("ratio", 0.15)], full=True),
    Figure("cuda-backward", first_backward, [Limit("ratio", 0.6)], full=True),
    Figure("cuda-call-causal", call_causal, [Limit("ratio", 1.05)], full=True),
    Figure("cuda-call-hdim32", call_hdim32, [Limit("ratio", 1.05)], full=True),
]
