#!/usr/bin/env python3
"""soak.py BUILD DIR RIGHT PROCESSES - one cache, many processes, and everything that can happen to them.

DIR has stock-1, stock-2 (two versions of mini-aiter, built by hipcc alone), i-1, i-2 (the same, by ckjit) and changing/, a build of ckjit's whose
header is edited to and fro between the versions and linked again. Processes that each call one variant are started all the time, PROCESSES
at once, until RIGHT of them were right. Meanwhile processes and compilers are killed, stopped and continued, the cache is cleaned and limited.

Whatever a process prints as its result must be the stock build's to the bit. One that was hit may fail, with a message that says so. At the
end every variant of both versions is right, and neither a process nor a lock nor a temporary file is left.
"""
import collections
import os
import random
import re
import signal
import subprocess
import sys
import time

BUILD, DIR, RIGHT, PROCESSES = sys.argv[1], os.path.abspath(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
PATIENCE = 1800  # seconds; they only end what hangs
SEED = int(os.environ.get("SEED", "1"))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHECK = TOP + "/examples/mini-aiter/check.py"
CACHE = DIR + "/cache"
FIRST, SECOND = "sum *= p.scale;", "sum *= p.scale * 1.000001f;"
ENV = {**os.environ, "CK_JIT_CACHE_DIR": CACHE, "CK_JIT_HIPCC": DIR + "/hipcc", "CK_JIT_KFD_ROOT": DIR + "/none", "CK_JIT_LOCK_PATIENCE": "30"}

# What a process that was hit may say. All else is an error of ours.
HIT = re.compile(r"killed by signal|was changed since the library was linked|is gone since the library was linked|shown no life|Killed|Terminated"
                 r"|ended without a word|the compiler (.* )?failed with status|the command ended with status|while it was compiled|cannot be read|is not in")


BEFORE = {int(pid) for pid in os.listdir("/proc") if pid.isdigit()}  # the test's own script has the variable, too


def digests(directory, *more):
    out = subprocess.run([sys.executable, CHECK, directory, "--digest", *more], env=ENV, capture_output=True, text=True)
    found = dict(re.findall(r"^(\S+) +ok .*  ([0-9a-f]{16})$", out.stdout, re.M))
    if out.returncode or not found:
        sys.exit(f"{directory}: {out.stdout[-2000:]}{out.stderr[-2000:]}")
    return found


def ours():
    """(pid, name) of all processes that have our cache in their environment, this one and what edits excepted."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) in BEFORE:
            continue
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if b"CK_JIT_CACHE_DIR=" + CACHE.encode() + b"\0" in f.read():
                    with open(f"/proc/{pid}/comm") as c:
                        found.append((int(pid), c.read().strip()))
        except OSError:
            pass
    return found


def send(pid, sig):
    try:
        os.kill(pid, sig)
    except ProcessLookupError:
        pass


class Soak:
    def __init__(self):
        self.random = random.Random(SEED)
        self.right = {v: digests(f"{DIR}/stock-{v}") for v in "12"}
        self.variants = sorted(set(self.right["1"]) & set(self.right["2"]))
        if self.right["1"] == self.right["2"]:
            sys.exit("the two versions have the same results: nothing would be noticed")
        self.running = {}
        self.stopped = []
        self.counts = collections.Counter()
        self.wrong = []
        self.cleaner = self.builder = None
        self.version = "1"

    def start(self):
        version = self.random.choice(["1", "2", "changing"])
        variant = self.random.choice(self.variants)
        env = dict(ENV, CK_JIT_PCH="1" if self.random.random() < 0.1 else "0")
        if self.random.random() < 0.3:
            env["CK_JIT_CACHE_MAX_FILES"] = str(len(self.variants))
        if self.random.random() < 0.1:
            env["CK_JIT_CACHE_MAX_SIZE"] = "2M"
        where = f"{DIR}/changing/lib" if version == "changing" else f"{DIR}/i-{version}"
        p = subprocess.Popen([sys.executable, CHECK, where, "--only", variant, "--digest"], env=env, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
        self.running[p.pid] = (p, version, variant)

    def judge(self, p, version, variant):
        out = p.stdout.read()
        p.stdout.close()
        found = re.search(rf"^{re.escape(variant)} +ok .*  ([0-9a-f]{{16}})$", out, re.M)
        expected = [self.right[v][variant] for v in ("12" if version == "changing" else version)]
        if found:
            self.counts["right" if found[1] in expected else "wrong"] += 1
            if found[1] not in expected:
                self.wrong.append(f"{version} {variant}: {found[1]} instead of {expected}")
        elif p.returncode < 0:
            self.counts["killed"] += 1
        elif HIT.search(out):
            self.counts["hit"] += 1
        else:
            self.counts["wrong"] += 1
            self.wrong.append(f"{version} {variant}: status {p.returncode}: {out[-1500:]}")

    def reap(self):
        for pid, (p, version, variant) in list(self.running.items()):
            if p.poll() is not None:
                del self.running[pid]
                self.judge(p, version, variant)

    def hit_somebody(self):
        all_ = ours()
        callers = [p for p in self.running]
        compiles = [pid for pid, name in all_ if name == "ckjit-compile"]
        compilers = [pid for pid, name in all_ if name.startswith(("clang", "lld", "hipcc", "perl", "sh"))]
        kind = self.random.choice(["caller", "compile", "compile", "compiler", "stop", "clean", "build"])
        if kind == "caller" and callers:
            send(self.random.choice(callers), signal.SIGKILL)
        elif kind == "compile" and compiles:
            send(self.random.choice(compiles), self.random.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
        elif kind == "compiler" and compilers:
            send(self.random.choice(compilers), signal.SIGKILL)
        elif kind == "stop" and compiles:
            pid = self.random.choice(compiles)
            send(pid, signal.SIGSTOP)
            self.stopped.append((time.monotonic() + self.random.uniform(1, 6), pid))
        elif kind == "clean" and (not self.cleaner or self.cleaner.poll() is not None) and self.random.random() < 0.3:
            what = self.random.choice([["--all"], ["--manifest", f"{DIR}/i-1/ck_jit/ck_jit_manifest.json", *self.stems()]])
            self.cleaner = subprocess.Popen([BUILD + "/bin/ckjit-prebuild", "clean", "--cache-dir", CACHE, *what], stdout=subprocess.DEVNULL)
        elif kind == "build" and (not self.builder or self.builder.poll() is not None):
            self.edit()
        else:
            return
        self.counts["done: " + kind] += 1

    def stems(self):
        out = subprocess.run([f"{DIR}/i-1/ck_jit/ckjit-prebuild", "list"], env=ENV, capture_output=True, text=True).stdout.split()
        return self.random.sample(out, min(5, len(out)))

    def edit(self):
        header = f"{DIR}/changing/aiter/3rdparty/composable_kernel/include/ck_tile/ops/fmha/block/variants.hpp"
        with open(header) as f:
            text = f.read()
        text = text.replace(SECOND, FIRST) if SECOND in text else text.replace(FIRST, SECOND)
        with open(header + ".new", "w") as f:
            f.write(text)
        os.rename(header + ".new", header)
        self.builder = subprocess.Popen([DIR + "/changing/build"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def go_on(self, everybody=False):
        for at, pid in list(self.stopped):
            if everybody or time.monotonic() > at:
                send(pid, signal.SIGCONT)
                self.stopped.remove((at, pid))

    def run(self):
        self.begun = time.monotonic()
        while self.counts["right"] < RIGHT and not self.wrong:
            while len(self.running) < PROCESSES:
                self.start()
            self.reap()
            self.go_on()
            self.hit_somebody()
            time.sleep(0.3)
        self.go_on(True)
        last = time.monotonic() + PATIENCE
        while self.running and time.monotonic() < last:
            self.reap()
            time.sleep(0.1)
        for p in filter(None, [self.cleaner, self.builder]):
            p.wait()
        self.counts["hang"] = len(self.running)

    def finish(self):
        last = time.monotonic() + PATIENCE
        while ours() and time.monotonic() < last:
            time.sleep(0.2)
        left = [f"process {pid} {name}" for pid, name in ours()]
        for v in "12":
            if digests(f"{DIR}/i-{v}") != self.right[v]:
                self.wrong.append(f"at the end: version {v} is not the stock build's")
        subprocess.run([BUILD + "/bin/ckjit-prebuild", "clean", "--all", "--cache-dir", CACHE], check=True, stdout=subprocess.DEVNULL)
        for base, _, files in os.walk(CACHE):
            left += [os.path.join(base, f) for f in files if f != "capacity"]
        left += [d for d in os.listdir(CACHE) if d not in (".locks", ".logs", ".pch", ".compilers")]
        print(f"{PROCESSES} processes, {time.monotonic() - self.begun:.0f} s: " + ", ".join(f"{k} {n}" for k, n in sorted(self.counts.items())))
        for w in self.wrong[:20]:
            print("WRONG: " + w)
        for w in left[:20]:
            print("LEFT: " + w)
        return not self.wrong and not left and not self.counts["hang"]


soak = Soak()
soak.run()
sys.exit(0 if soak.finish() else 1)
