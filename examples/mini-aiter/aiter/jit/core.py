"""How a module is built: generate its blobs, copy every source to the build directory, write build.ninja, run it.

Environment: GPU_ARCHS (a list with semicolons), JIT_WORKSPACE_DIR or AITER_JIT_DIR (default: this directory), CK_DIR,
CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT, MAX_JOBS, CXX, ROCM_HOME or ROCM_PATH, MINI_AITER_SMALL.
"""
import functools
import logging
import os
import shutil
import subprocess
import sys
import time

from .utils.cpp_extension import hip_version, write_ninja_and_build

logging.basicConfig(format="[mini-aiter] %(message)s", level=logging.INFO)
logger = logging.getLogger("mini-aiter")

this_dir = os.path.dirname(os.path.abspath(__file__))
AITER_ROOT_DIR = os.path.abspath(f"{this_dir}/../../")
AITER_CSRC_DIR = f"{AITER_ROOT_DIR}/csrc"
CK_3RDPARTY_DIR = os.environ.get("CK_DIR", f"{AITER_ROOT_DIR}/3rdparty/composable_kernel")
CK_HELPER_DIR = f"{AITER_ROOT_DIR}/3rdparty/ck_helper"

jit_dir = os.environ.get("AITER_JIT_DIR") or os.environ.get("JIT_WORKSPACE_DIR") or this_dir
bd_dir = os.path.abspath(f"{jit_dir}/build")
CK_DIR = f"{bd_dir}/ck"  # the build's own copy
FMHA_DIR = f"{CK_DIR}/example/ck_tile/01_fmha"


def bf16_rounding(default):
    return f"-DCK_TILE_FLOAT_TO_BFLOAT16_DEFAULT={os.environ.get('CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT', default)}"


MODULES = {
    "libmha_fwd": {
        "srcs": [f"{AITER_CSRC_DIR}/cpp_itfs/mha_fwd.cpp", f"{AITER_CSRC_DIR}/cpp_itfs/mini_mha_error.cc"],
        "flags_extra_hip": ["-DCK_TILE_FMHA_FWD_FAST_EXP2=1", bf16_rounding(2), "-DCK_TILE_FMHA_FWD_SPLITKV_API=1"],
        "extra_include": [FMHA_DIR],
        "blob_gen_cmd": [
            f"{FMHA_DIR}/generate.py -d fwd --receipt 600 --output_dir {{}}",
            f"{FMHA_DIR}/generate.py -d fwd_splitkv --receipt 600 --output_dir {{}}",
        ],
    },
    "libmha_bwd": {
        "srcs": [f"{AITER_CSRC_DIR}/cpp_itfs/mha_bwd.cpp", f"{AITER_CSRC_DIR}/cpp_itfs/mini_mha_error.cc"],
        "flags_extra_hip": [bf16_rounding(0)],
        "extra_include": [FMHA_DIR],
        "blob_gen_cmd": [f"{FMHA_DIR}/generate.py -d bwd --receipt 600 --output_dir {{}}"],
    },
}


def gpu_archs():
    archs = [arch.strip() for arch in os.environ.get("GPU_ARCHS", "native").split(";")]
    for arch in archs:
        if arch != "native" and not arch.startswith("gfx"):
            raise SystemExit(f"GPU_ARCHS: {arch!r} is no architecture; expected gfx90a, or gfx90a;gfx942, or native")
    return archs


@functools.lru_cache()
def hip_flag_checker(flag):
    """Whether the hipcc of PATH takes a flag. What it says goes to flag_probes.log."""
    log = f"{bd_dir}/flag_probes.log"
    if os.system(f"hipcc {flag} -x hip -c /dev/null -o /dev/null >>{log} 2>&1") == 0:
        return True
    logger.warning("%s is not supported by hipcc, left out (%s)", flag, log)
    return False


def hip_flags(extra):
    flags = [
        "-mllvm --enable-post-misched=0",
        "-mllvm --amdgpu-kernarg-preload-count=16",  # newer compilers only
        "-mllvm --mini-aiter-no-such-option=1",  # no compiler: a build must see through it
        "-Wno-unused-result",
        "-fgpu-flush-denormals-to-zero",
    ]
    if hip_version() > (5, 7):
        flags.append("-fno-offload-uniform-block")
    flags += extra + [f"--offload-arch={arch}" for arch in gpu_archs()]
    return [flag for flag in dict.fromkeys(flags) if hip_flag_checker(flag)]


def recopy_ck():
    os.system(f"rm -rf {CK_DIR}")
    shutil.copytree(CK_3RDPARTY_DIR, CK_DIR, ignore=shutil.ignore_patterns("__pycache__"))
    os.makedirs(f"{CK_DIR}/include/ck", exist_ok=True)
    shutil.copy(f"{CK_HELPER_DIR}/config.h", f"{CK_DIR}/include/ck/config.h")


def rename_cpp_to_cu(els, dst):
    """Copies files and directories' files to dst, .cpp as .cu. Returns the copies that are sources."""
    files = []
    for el in els:
        files += [f"{el}/{name}" for name in sorted(os.listdir(el))] if os.path.isdir(el) else [el]
    sources = []
    for src in filter(os.path.isfile, files):
        stem, ext = os.path.splitext(os.path.basename(src))
        to = f"{dst}/{stem}{'.cu' if ext == '.cpp' else ext}"
        shutil.copy(src, to)
        if ext in (".cpp", ".cu", ".cc"):
            sources.append(to)
    return sources


def build_module(name):
    start = time.perf_counter()
    module = MODULES[name]
    op_dir = f"{bd_dir}/{name}"
    blob_dir, build_dir = f"{op_dir}/blob", f"{op_dir}/build"
    src_dir, include_dir = f"{build_dir}/srcs", f"{build_dir}/include"
    shutil.rmtree(blob_dir, ignore_errors=True)  # another variant list may have filled it
    shutil.rmtree(src_dir, ignore_errors=True)
    for d in (blob_dir, src_dir, include_dir):
        os.makedirs(d, exist_ok=True)
    logger.info("start build [%s] under %s", name, op_dir)

    recopy_ck()
    sources = rename_cpp_to_cu(module["srcs"], src_dir)
    flags = hip_flags(module["flags_extra_hip"])
    for command in module["blob_gen_cmd"]:
        subprocess.run([sys.executable, *command.format(blob_dir).split()], check=True)
    sources += rename_cpp_to_cu([blob_dir], src_dir)
    rename_cpp_to_cu([f"{AITER_CSRC_DIR}/include"] + module["extra_include"], include_dir)

    library = write_ninja_and_build(
        name, sources, flags, include_paths=[f"{CK_DIR}/include", include_dir], build_dir=build_dir
    )
    shutil.copy(library, f"{AITER_ROOT_DIR}/op_tests/cpp/mha")
    logger.info("finish build [%s], %d sources, %.1f s", name, len(sources), time.perf_counter() - start)
