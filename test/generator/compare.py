"""Makes random small libraries by the real compiler and through a fake home, and compares what becomes of them. generated*.sh start it:

    compare.py BUILD_DIRECTORY WORK_DIRECTORY

Stock is the oracle: whether it compiles, whether it links, what the program prints and its exit status. The generator computes
none of it. Of the units that are blobs by docs/blobs.md the share that is lazy is counted, and must be 98 %.

BUILDS=N   how many; FIRST=N the number of the first
TOOLCHAIN=cuda  nvcc instead of hipcc (toolchain.py); CUDA_HOME is its home. TOOLCHAIN=late: units that may be late (late.py)
JOBS=N     builds at once
KEEP=1     keep the files of builds without a difference, too
REDUCE=0   do not leave out of a build with a difference what has no part in it
HIPCC      the real compiler; by default what hipcc starts
"""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from build import Build
from late import LateBuild
from toolchain import TOOLCHAINS, run

CKJIT, WORK = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
BUILDS, FIRST, JOBS = (int(os.environ.get(n, d)) for n, d in (("BUILDS", "100"), ("FIRST", "1"), ("JOBS", "2")))
KEEP, REDUCE = (os.environ.get(n, d) == "1" for n, d in (("KEEP", "0"), ("REDUCE", "1")))
LEAST_LAZY = 98  # of a hundred units that are blobs
LOADER = """
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char** argv) {
  void* h = dlopen(argv[argc - 1], RTLD_NOW);
  int (*call)(void) = h ? (int (*)(void))dlsym(h, "call") : 0;
  if (call) return call();
  puts("cannot be loaded");
  return 9;
}
"""


class Worker:
    """a fake home, a cache and a directory to build in, which one build at a time uses

    Home and cache are those of the builds before, of which each file name is another's as well: that is quicker, and nothing of
    one may reach the next. A difference is looked at in a fresh home, and what is gone there is said to be.
    """

    def __init__(self, at, tools):
        self.at, self.tools, self.home = at, tools, at / "home"
        shutil.rmtree(at, ignore_errors=True)
        at.mkdir(parents=True)
        plain = {k: v for k, v in os.environ.items() if not k.startswith("CK_JIT_")}
        plain["CK_JIT_KFD_ROOT"] = str(at / "no-gpus")
        plain["CK_JIT_CACHE_DIR"] = str(at / "cache")
        plain.update(tools.settings)
        command, settings = tools.home(CKJIT, self.home)
        status, out, err = run(command, at, dict(plain, **settings))
        if status:
            sys.exit(f"no fake home: {out}{err}")
        self.stock = dict(plain, PATH=f"{tools.stock}:{plain['PATH']}")
        self.ours = dict(plain, PATH=f"{self.home}/bin:{plain['PATH']}")
        for line in out.splitlines():
            found = re.match(r"export (\w+)='(.*)'$", line)
            if found and found.group(1) != "PATH":
                self.ours[found.group(1)] = found.group(2)

    def make(self, build, where, env):
        """what becomes of a build: (steps that failed, program's output and status, what the link said)"""
        at = self.at / where
        said = ""
        for unit in build.compiled():
            status, _, err = run(self.tools.compile(build, unit), at, env)
            said += err
            if status:
                return f"{unit.name} is refused", "", said
        objects = [u.name + ".o" for u in build.compiled()]
        for command in self.tools.links(build, objects):
            status, _, err = run(command, at, env)
            said += err
            if status:
                return "the link is refused", "", said
        program = [at / build.program] if build.program else [self.at.parent / "loader", at / "out"]
        names = exported(at / "out", getattr(build, "lto", False)) if build.outside or getattr(build, "hidden", False) else ""
        try:
            status, out, err = run(program, at, dict(env, CK_JIT_PCH=str(int(build.passes))))
        except subprocess.TimeoutExpired:
            return "made", "it does not end", said
        return "made", f"{names}{out}status {status}\n", said + err

    def compare(self, build, without=()):
        """the difference as text, '' if there is none; what stock did; for each unit whether it was lazy, or why not"""
        for where in ("b", "s"):
            shutil.rmtree(self.at / where, ignore_errors=True)
            build.write(self.at / where, without)
        manifest = self.home / "work/manifest.json.ndjson"
        if manifest.exists():
            manifest.unlink()
        expected, output, complaint = self.make(build, "s", self.stock)
        got, ours, said = self.make(build, "b", self.ours)
        lazy = laziness(manifest, said)
        refused = expected != "made"
        if (got != "made") != refused:
            return f"stock: {expected}, ckjit: {got}\n{said if not refused else complaint}", expected, lazy
        if not refused and output != ours:
            return f"another result{' of what cannot be loaded' * output.startswith('cannot be loaded')}\n{difference(output, ours)}\n{said}", expected, lazy
        said = re.sub(r"(?m)^ckjit: note: .*: waiting for .*\n", "", said)  # on a busy machine
        if not refused and "ckjit: " in said:
            return f"the runtime says something\n{said}", expected, lazy
        return "", expected, lazy


def exported(file, lto):
    """the names that a library defines for others: of those that each unit which uses them has, only instances of the rows' templates

    An object for link-time optimisation makes its own copy of a type_info strong, and the order of the objects decides which copy stays.
    """
    _, out, _ = run(["nm", "-D", "--defined-only", file], file.parent)
    found = [line.split()[-2:] for line in out.splitlines()]
    names = {name for kind, name in found if (kind in "TDBR" or re.match(r"_ZN?K?(\d+)?[fct]\d+I", name)) and not re.search(r"ckjit|_edata|_end$|__bss_start|_init$|_fini$" + "|_ZT[IS]" * lto, name)}
    return "".join(f"exports {name}\n" for name in sorted(names))


def difference(stock, ours):
    """the first line in which two outputs differ"""
    a, b = stock.splitlines(), ours.splitlines()
    for x, y in zip(a + [""] * len(b), b + [""] * len(a)):
        if x != y:
            return f"  stock {x}\n  ckjit {y}"
    return ""


def laziness(manifest, said):
    """{file: "lazy", or what it is instead}"""
    found = {}
    if manifest.exists():
        for line in manifest.read_text().splitlines():
            record = json.loads(line)
            source = record.get("source") or next((a for a in record.get("args", []) if a.endswith((".cpp", ".cu"))), None)
            if source:
                found[Path(source).name] = "lazy" if record["kind"] == "blob" else " ".join(str(record.get(k, "")) for k in ("kind", "rule", "line", "text"))
    for name, why in re.findall(r"ahead of time: \S*/([\w.]+): (.*)", said):
        found[name] = "ahead of time: " + why
    if "built without ckjit" in said:
        found = {name: "built without ckjit" for name in found}
    return found


def reduce(worker, build, kind):
    """the numbers of the chunks that can be left out with a difference of the same kind still there"""
    without = set()
    candidates = build.chunks()
    step = max(1, len(candidates) // 4)
    while candidates and step:
        for i in range(0, len(candidates), step):
            tried = without | set(candidates[i : i + step])
            if tried != without and worker.compare(build, tried)[0].split("\n")[0] == kind:
                without = tried
        step //= 2
    return without


def one(number, workers, tools):
    worker = workers.get()
    try:
        build = (LateBuild if tools.name == "late" else Build)(number, tools.forms)
        found, expected, lazy = worker.compare(build)
        if found:
            alone = Worker(worker.at.parent / f"alone{number}", tools)
            again = alone.compare(build)[0]
            if not again:
                found += "only behind other builds in the same home\n"
            elif REDUCE:
                without = reduce(alone, build, again.split("\n")[0])
                final = alone.compare(build, without)[0]
                if not final:  # it comes and goes
                    without = set()
                    alone.compare(build)
                found = f"{final or found}\nit needs no more than {alone.at}/b (left out: {sorted(without)})\n"
        elif KEEP:
            shutil.copytree(worker.at / "b", worker.at.parent / f"build{number}", dirs_exist_ok=True)
        return number, build, found, expected, lazy
    finally:
        workers.put(worker)


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    tools = TOOLCHAINS[os.environ.get("TOOLCHAIN", "hip")](WORK)
    (WORK / "loader.c").write_text(LOADER)
    status, out, err = run(["cc", "loader.c", "-ldl", "-o", "loader"], WORK)
    if status:
        sys.exit(f"the compiler does not make the program that loads: {out}{err}")
    workers = Queue()
    for n in range(JOBS):
        workers.put(Worker(WORK / f"home{n}", tools))
    total, bad, reasons = Counter(), 0, Counter()
    with ThreadPoolExecutor(JOBS) as pool:
        for number, build, found, expected, lazy in pool.map(lambda n: one(n, workers, tools), range(FIRST, FIRST + BUILDS)):
            total["builds"] += 1
            total["that stock refuses"] += expected != "made"
            if found:
                bad += 1
                print(f"FIRST={number} BUILDS=1: {found}{build.says()}\n", flush=True)
            for u in build.compiled() if expected == "made" else []:
                verdict = lazy.get(u.name, "nothing")
                kind = {True: "blob", False: "no blob", None: "not promised"}[u.lazy]
                total[kind] += 1
                total[kind + ", lazy"] += verdict == "lazy"
                if u.lazy and verdict != "lazy":
                    reasons[f"build {number}, {u.name}: {verdict}"] += 1
    for line in sorted(reasons):
        print("a blob that is not lazy:", line)
    print(", ".join(f"{k}: {v}" for k, v in sorted(total.items())) + f"; differences: {bad}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{used.ru_utime + used.ru_stime:.0f} s of a processor")
    share = 100 * total["blob, lazy"] / max(1, total["blob"])
    print(f"{share:.1f} % of the units that are blobs are lazy")
    if total["blob"] and share < LEAST_LAZY:
        print(f"that is less than {LEAST_LAZY} %")
        bad += 1
    if total["that stock refuses"] * 5 > max(BUILDS, 30):
        print("stock refuses more than a fifth: the generator is to be mended")
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
