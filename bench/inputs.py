"""The inputs of the figures: builds of examples/mini-aiter with this machine's hipcc, and, with --full, CK and
aiter with HIP 7.2.4 in a root of its own. Each is made once in a run of the benchmark.
"""

import functools
import json
import os
import shutil

import common
from common import OUT, TOP, B, Failure, Skip, fresh, run, said

EXAMPLE = f"{TOP}/examples/mini-aiter"
ARCH = "gfx90a"
CK_ARCH = "gfx942"
VARIANT = "fwd_d64_fp32_nbias_nmask_lse"  # of mini-aiter; it has one kernel
TOOLS = os.environ.get(
    "CKJIT_TEST_TOOLS", f"{B}/toolchain"
)  # the HIP 7.2.4 root and CK's source, as the tests make them


def home(directory, work=None):
    """The environment of a build through a fake home in DIRECTORY/home."""
    text = said(f"{B}/bin/ckjit-build", "home", "--dir", f"{directory}/home", "--work", work or f"{directory}/work")[1]
    lines = said("sh", "-c", f"{text}\nenv -0")[1].split("\0")
    return dict(line.split("=", 1) for line in lines if "=" in line)


def replace_link(directory, program):
    """The link steps of the home in DIRECTORY start PROGRAM instead of the post-build linker."""
    file = f"{directory}/home/ckjit.conf"
    with open(file) as f:
        lines = [f"link={program}\n" if line.startswith("link=") else line for line in f]
    with open(file, "w") as f:
        f.writelines(lines)


def records(work, kind="blob"):
    with open(f"{work}/manifest.json.ndjson") as f:
        return [r for r in map(json.loads, f) if r["kind"] == kind]


@functools.cache
def mini():
    """A full build of mini-aiter's fwd: (its directory, the records of its blobs)."""
    d = fresh("mini")
    arguments = [
        "--aiter-dir",
        EXAMPLE,
        "--gpu-archs",
        ARCH,
        "--api",
        "fwd",
        "--tmp-dir",
        f"{d}/w",
        "--install-dir",
        f"{d}/i",
    ]
    run(f"{B}/bin/ckjit-build", "full", *arguments)
    return d, records(f"{d}/w")


@functools.cache
def mini_tree():
    """mini-aiter's fwd built by its own ninja through a home: (environment, ninja's directory, work directory)."""
    d = fresh("tree")
    shutil.copytree(EXAMPLE, f"{d}/aiter")
    env = {**home(d), "GPU_ARCHS": ARCH, "JIT_WORKSPACE_DIR": f"{d}/jit"}
    run("python3", f"{d}/aiter/op_tests/cpp/mha/compile.py", "--api", "fwd", env=env)
    return env, f"{d}/jit/build/libmha_fwd/build", f"{d}/work"


# ---- HIP 7.2.4 and CK ----


@functools.cache
def root():
    """The HIP 7.2.4 root; Skip if it cannot be made here."""
    if os.geteuid() != 0:
        raise Skip("the HIP 7.2.4 root needs root")
    try:
        run(f"{TOP}/test/toolchain/hip7-root", f"{TOOLS}/hip7")
    except Failure as e:
        raise Skip(f"no HIP 7.2.4 root can be made here: {e}") from e
    return f"{TOOLS}/hip7"


def inside(*command):
    """COMMAND as it is run in the root, with the directories that it may name bound into it."""
    given = [os.environ.get(name) for name in ("CKJIT_TEST_AITER", "CKJIT_BENCH_STOCK")]
    places = [TOP, B, os.path.realpath(TOOLS), TOOLS, *given]
    os.environ["CKJIT_BIND"] = " ".join(dict.fromkeys(p for p in places if p and os.path.exists(p)))
    return [f"{TOP}/test/toolchain/hip7-root", "--run", os.path.realpath(root()), *command]


PROBE = """#include "fmha_bwd.hpp"
#include <chrono>
template <int D> static const char *name() {
  static std::string s = fmha_bwd_dot_do_o_get_name_<fmha_bwd_dot_do_o_traits_<D, FmhaBwdBf16, false, false, false>>();
  return s.c_str();
}
// A real blob's function that needs no GPU: the seconds of a call.
extern "C" __attribute__((visibility("default"))) double probe(int d) {
  auto start = std::chrono::steady_clock::now();
  const char *s = d == 64 ? name<64>() : name<128>();
  std::chrono::duration<double> t = std::chrono::steady_clock::now() - start;
  return *s ? t.count() : -1;
}
// The seconds of a backward, whose row calls three blobs: of width 64, bf16, without masks and padding.
extern "C" __attribute__((visibility("default"))) double probe_backward() {
  fmha_bwd_traits traits{64, 64, "bf16", false, mask_enum::no_mask, bias_enum::no_bias, false, false, false, false};
  fmha_bwd_args a{};
  a.seqlen_q = a.seqlen_k = a.max_seqlen_q = a.max_seqlen_k = 1024;
  a.batch = a.nhead_q = a.nhead_k = 1;
  a.hdim_q = a.hdim_v = 64;
  a.scale = 1;
  auto start = std::chrono::steady_clock::now();
  float ran = fmha_bwd<2>(traits, a, ck_tile::stream_config{});
  std::chrono::duration<double> t = std::chrono::steady_clock::now() - start;
  return ran >= 0 ? t.count() : -1;
}
"""

RECORD = """set -eu
cd "$1"
python3 "$3/example/ck_tile/01_fmha/generate.py" -d fwd,fwd_splitkv,batch_prefill,bwd --receipt 600 -o gen
mkdir -p out
eval "$("$2/bin/ckjit-build" home --dir "$1/home" --work "$1/work")"
export HIPCC="$1/home/bin/hipcc"
"$4" gen "$3" out "$5" "$1/probe.cpp"
cd out
ninja -t targets rule cc >objects
xargs ninja --quiet <objects
"""


@functools.cache
def ck_source():
    try:
        run(f"{TOP}/test/toolchain/ck-source", f"{TOOLS}/ck")
    except Failure as e:
        raise Skip(f"CK's source cannot be fetched here: {e}") from e
    return f"{TOOLS}/ck/composable_kernel"


@functools.cache
def ck():
    """CK's blobs at receipt 600, recorded: a directory with gen, home, work and out; `ninja libmha_bwd.so` links."""
    root()
    d, source = f"{OUT}/ck", ck_source()
    if os.path.exists(f"{d}/recorded"):  # by an earlier run of the same programs
        made, programs = os.stat(f"{d}/recorded").st_mtime, [f"{B}/libexec/ckjit/ckjit-wrap", f"{B}/bin/ckjit-build"]
        if all(os.stat(p).st_mtime < made for p in programs):
            return d
    d = fresh("ck")
    with open(f"{d}/probe.cpp", "w") as f:
        f.write(PROBE)
    arguments = [d, B, source, f"{TOP}/test/toolchain/ck-ninja", CK_ARCH]
    run(*inside("sh", "-c", RECORD, "sh", *arguments))
    open(f"{d}/recorded", "w").close()
    return d


@functools.cache
def ck_linked(api):
    """libmha_API.so of ck(), linked."""
    d = ck()
    if not os.path.exists(f"{d}/out/libmha_{api}.so"):
        run(*inside("ninja", "-C", f"{d}/out", f"libmha_{api}.so"))
    return f"{d}/out/libmha_{api}.so"


def cc_flags():
    """The flags of ck-ninja's compiles."""
    with open(f"{ck()}/out/build.ninja") as f:
        command = next(line for line in f if line.startswith("  command = $hipcc"))
    words = command.split()[3:]
    return words[: words.index("-c")]


def log(text):
    """A progress line for long runs."""
    if common.FULL:
        print(f"{'':18} … {text}", flush=True)
