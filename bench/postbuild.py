"""The link step: all of it, one blob touched, a new runtime, and the size of the output.

What the step is held against is the compile of the unchanged dispatchers alone, for the host only, which any way of
leaving kernels out has to do. bwd's takes a quarter of an hour and 4.5 GB. So its seconds and its object are kept, in
build/bench/stock or the directory CKJIT_BENCH_STOCK, for as long as machine, compiler, flags and source are the same;
--stock measure makes them again, --stock skip does without.
"""

import functools
import glob
import hashlib
import json
import os
import shutil

import common
import inputs
from common import OUT, B, Failure, Figure, Limit, Result, fresh, in_turn, peak_rss, rounds, run, said

STOCK_DIR = os.environ.get("CKJIT_BENCH_STOCK", f"{OUT}/stock")

# ---- the stock dispatchers ----


def dispatchers(api):
    files = glob.glob(f"{inputs.ck()}/gen/*_api.cpp")
    return sorted(f for f in files if os.path.basename(f).startswith("fmha_bwd") == (api == "bwd"))


def dispatchers_key(api):
    """Identifies a measurement: one of another machine, or of another CK, is not reused."""
    flags = " ".join(inputs.cc_flags()).replace(inputs.ck_source(), "CK")
    h = hashlib.sha256(flags.encode() + said(*inputs.inside("hipcc", "--version"))[1].encode())
    for file in dispatchers(api):
        with open(file, "rb") as f:
            h.update(f.read())
    h.update(json.dumps([common.machine()[k] for k in ("cpu", "processors")]).encode())
    return h.hexdigest()[:16]


def compile_dispatchers(api, directory):
    with open(f"{directory}/build.ninja", "w") as f:
        flags = " ".join(inputs.cc_flags())
        f.write(f"rule cc\n  command = hipcc {flags} --offload-host-only -w -c $in -o $out\n")
        for source in dispatchers(api):
            f.write(f"build {os.path.basename(source)[:-4]}.o: cc {source}\n")
    inputs.log(f"the unchanged dispatchers of {api}")
    load = os.getloadavg()[0]  # on a busy machine the saved figure flatters the link step of a later, quiet run
    seconds, mib = peak_rss(*inputs.inside("ninja", "-C", directory))
    return {"seconds": seconds, "peak_rss_mib": mib, "how": f"measured at load {load:.1f}"}


@functools.cache
def stock(api):
    """The saved or new measurement of API's unchanged dispatchers, "directory" having their objects; None: skipped."""
    if common.STOCK == "skip":
        return None
    directory, key = f"{STOCK_DIR}/{api}", dispatchers_key(api)
    saved = f"{directory}/measured.json"
    if common.STOCK == "saved" and os.path.exists(saved):
        with open(saved) as f:
            found = json.load(f)
        if found["key"] == key:
            return {**found, "directory": directory, "how": f"saved: {found['how']}"}
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    found = {"key": key, **compile_dispatchers(api, directory)}
    with open(saved, "w") as f:
        json.dump(found, f)
    return {**found, "directory": directory}


# ---- all of it ----


def link_ck(api):
    """(seconds, MiB of the largest process) of a link step from scratch."""
    d = inputs.ck()
    shutil.rmtree(f"{d}/work/libmha_{api}", ignore_errors=True)
    if os.path.exists(f"{d}/out/libmha_{api}.so"):
        os.unlink(f"{d}/out/libmha_{api}.so")
    inputs.log(f"link step of {api}")
    return peak_rss(*inputs.inside("ninja", "-C", f"{d}/out", f"libmha_{api}.so"))


def post(api, count):
    links = [link_ck(api) for _ in range(rounds(count))]
    against = stock(api)
    extra = {"peak_rss_mib": max(mib for _, mib in links)}
    with open(f"{inputs.ck()}/work/libmha_{api}/summary.txt") as f:
        summary = f.readline().strip()
    if against:
        extra.update({"dispatchers": against["how"], "dispatchers_peak_rss_mib": against["peak_rss_mib"]})
    else:
        extra["dispatchers"] = "skipped"
    blobs = sum(r["stem"].startswith("fmha_bwd") == (api == "bwd") for r in inputs.records(f"{inputs.ck()}/work"))
    return Result(
        [s for s, _ in links], [against["seconds"]] if against else [], "s", {"blobs": blobs, "summary": summary}, extra
    )


def post_fwd():
    """the whole link step of CK's fwd set | compiling its unchanged dispatchers alone"""
    return post("fwd", 2)


def post_bwd():
    """the whole link step of CK's bwd set | compiling its unchanged dispatcher alone"""
    return post("bwd", 1)


@functools.cache
def stripped_pair():
    """CK's libmha_bwd, and the same with the stock dispatcher in place of ours (None without that), both stripped."""
    d, against = fresh("stripped"), stock("bwd")
    library = inputs.ck_linked("bwd")
    run(*inputs.inside("strip", "-o", f"{d}/ckjit.so", library))
    if not against:
        return f"{d}/ckjit.so", None
    work = f"{inputs.ck()}/work"
    with open(f"{work}/libmha_bwd/ck_jit_quick_rebuild.json") as f:
        state = json.loads(f.read().replace("{jit}", work))
    ours = [o for o in state["all_objs"] if o.endswith("dispatcher-fmha_bwd_api.o")]
    if len(ours) != 1:
        raise Failure(f"expected one dispatcher of fmha_bwd_api in {state['all_objs']}")
    objects = [f"{against['directory']}/fmha_bwd_api.o" if o == ours[0] else o for o in state["all_objs"]]
    command = []
    for word in state["link"]:
        command += objects if word == "{objs}" else [f"{d}/linked.so" if word == state["out_so"] else word]
    run(*inputs.inside(*command))
    run(*inputs.inside("strip", "-o", f"{d}/stock.so", f"{d}/linked.so"))
    return f"{d}/ckjit.so", f"{d}/stock.so"


def post_size():
    """CK's libmha_bwd, hidden and stripped, before any kernel | the stock dispatcher with the same stubs"""
    sizes = [[os.path.getsize(file) / 1e6] if file else [] for file in stripped_pair()]
    return Result(*sizes, "MB", {"library": "libmha_bwd.so"})


# ---- parts of it ----


def touched(ninja, library, source, whole, count):
    """The relink after SOURCE was touched, against WHOLE, in turn. Checks that the library was really linked again."""

    def ours(_):
        before = os.stat(library).st_mtime_ns
        os.utime(source)
        seconds = run(*ninja)
        if os.stat(library).st_mtime_ns == before:
            raise Failure(f"{library} was not linked again after {source} was touched")
        return seconds

    return in_turn(rounds(count), ours, whole)


def post_touched():
    """one blob touched, relink | the whole link step, mini-aiter's fwd"""
    env, build, work = inputs.mini_tree()
    ninja = ["env", *(f"{k}={env[k]}" for k in ("PATH", "ROCM_PATH") if k in env), "ninja", "-C", build]

    def whole(_):
        shutil.rmtree(f"{work}/libmha_fwd")
        os.unlink(f"{build}/libmha_fwd.so")
        return run(*ninja)

    blobs = inputs.records(work)
    values = touched(ninja, f"{build}/libmha_fwd.so", blobs[0]["source"], whole, 3)
    return Result(*values, "s", {"blobs": len({r["stem"] for r in blobs})})


def post_touched_bwd():
    """one blob touched, relink | the whole link step, CK's bwd"""
    d = inputs.ck()
    library = inputs.ck_linked("bwd")
    ninja = inputs.inside("ninja", "-C", f"{d}/out", "libmha_bwd.so")
    source = sorted(glob.glob(f"{d}/gen/fmha_bwd_d64*.cpp"))[0]
    values = touched(ninja, library, source, lambda _: link_ck("bwd")[0], 1)
    return Result(*values, "s", {"source": os.path.basename(source)})


def quick():
    """ckjit-build quick | ckjit-build full, mini-aiter's fwd"""
    d, blobs = inputs.mini()
    command = [f"{B}/bin/ckjit-build", "quick", "--tmp-dir", f"{d}/w", "--install-dir", f"{d}/i"]
    ours = [run(*command) for _ in range(5)]
    again = fresh("full")
    arguments = ["--aiter-dir", inputs.EXAMPLE, "--gpu-archs", inputs.ARCH, "--api", "fwd", "--tmp-dir", again]
    against = run(f"{B}/bin/ckjit-build", "full", *arguments)
    shutil.rmtree(again)
    return Result(ours, [against], "s", {"blobs": len(blobs)})


FIGURES = [
    Figure("post-touched", post_touched, [Limit("ratio", 0.1), Limit("ckjit", 3)]),
    Figure("quick", quick, [Limit("ckjit", 1)]),
    Figure("post-fwd", post_fwd, [Limit("ratio", 0.2), Limit("ckjit", 20)], full=True),
    Figure("post-bwd", post_bwd, [Limit("ratio", 0.02), Limit("ckjit", 20), Limit("peak_rss_mib", 1536)], full=True),
    Figure("post-size", post_size, [Limit("ckjit", 6.5)], full=True),
    Figure("post-touched-bwd", post_touched_bwd, [Limit("ratio", 0.1), Limit("ckjit", 3)], full=True),
]
