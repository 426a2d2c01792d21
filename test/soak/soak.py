#!/usr/bin/env python3
"""soak.py BUILD DIR RIGHT PROCESSES [MINUTES] - one cache, many processes, and everything that can happen to them.

DIR has stock-1, stock-2 (two versions of mini-aiter, built by hipcc alone), i-1, i-2 (the same, by ckjit) and changing/, a build of ckjit's whose
header is edited to and fro between the versions and linked again. Processes that each call one variant are started all the time, PROCESSES
at once, until RIGHT of them were right and MINUTES are over. Meanwhile processes and compilers are killed, compiles are stopped, some for
longer than CK_JIT_LOCK_PATIENCE, and continued, the cache is cleaned and limited.

Whatever a process prints as its result must be the stock build's to the bit. It may end by a signal if it was sent that signal here. It may
fail if a fault explains it, and for no other reason, whatever it says:

    a kill or a stop    of a process that worked on the kernel, by the build id or the stem that both the message and the command lines of that
                        process and its ancestors have, while the call was running
    an edit             of the header, for a call of the build that changes, while it was running: before an edit the trees are the same, and so are
                        the keys, but who waits for a compile of the other tree is told nothing of what happens to that tree

DIR/faults.log has each fault and each failure, by time and process. At the end every variant of both versions is right, and neither a process
nor a lock nor a temporary file is left.
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
MINUTES = float(sys.argv[5]) if len(sys.argv) > 5 else 0
PATIENCE = 1800  # seconds; they only end what hangs
SEED = int(os.environ.get("SEED", "1"))
LOCK_PATIENCE = 20  # seconds; a holder that shows no life for so long is given up
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHECK = TOP + "/examples/mini-aiter/check.py"
CACHE = DIR + "/cache"
FIRST, SECOND = "sum *= p.scale;", "sum *= p.scale * 1.000001f;"
ENV = {**os.environ, "CK_JIT_CACHE_DIR": CACHE, "CK_JIT_HIPCC": DIR + "/hipcc", "CK_JIT_KFD_ROOT": DIR + "/none", "CK_JIT_LOCK_PATIENCE": str(LOCK_PATIENCE)}
NAMES = re.compile(r"[0-9a-f]{48}|\bfmha_[a-z]+_\w*d\d+\w*")  # by which a message and a command line are known to be of one kernel


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


def read(pid, file):
    try:
        with open(f"/proc/{pid}/{file}", "rb") as f:
            return f.read().decode(errors="replace")
    except OSError:
        return ""


def status(pid):
    """Parent, state and start time of PID; None if it is gone."""
    m = re.search(r"\) (\S) (\d+) (?:\S+ ){17}(\d+)", read(pid, "stat"))
    return m and (int(m[2]), m[1], m[3])


def family(pid):
    """PID and its ancestors up to the last that is a ckjit-compile."""
    line, compile_ = [pid], 0
    while (s := status(line[-1])) and s[0] > 1:
        if read(line[-1], "comm").strip() == "ckjit-compile":
            compile_ = len(line)
        line.append(s[0])
    return line[:compile_] or [pid]


def below(pid):
    found = []
    for child in map(int, read(pid, f"task/{pid}/children").split()):
        found += [child, *below(child)]
    return found


class Fault:
    """Something done to PIDS, with the kernels that they worked on; over once the last of them is gone."""

    def __init__(self, what, pids, names=()):
        self.what, self.names, self.begun, self.over = what, set(names), time.monotonic(), None
        self.alive = {pid: status(pid) for pid in pids}

    def look(self):
        """Note the end, when it has come."""
        for pid, was in list(self.alive.items()):
            now = status(pid)
            if not now or now[1] == "Z" or not was or now[2] != was[2]:
                del self.alive[pid]
        if not self.alive and not self.over:
            self.over = time.monotonic()

    def explains(self, call, said):
        """Whether a failure of CALL that SAID this is of this fault: it ran meanwhile, and it is of the same kernel."""
        return call.begun < (self.over or call.ended) + 1 and self.begun < call.ended and bool(self.names & set(NAMES.findall(said)))


class Call:
    def __init__(self, process, version, variant):
        self.process, self.version, self.variant, self.begun, self.ended = process, version, variant, time.monotonic(), None


class Soak:
    def __init__(self):
        self.random = random.Random(SEED)
        self.right = {v: digests(f"{DIR}/stock-{v}") for v in "12"}
        self.variants = sorted(set(self.right["1"]) & set(self.right["2"]))
        if self.right["1"] == self.right["2"]:
            sys.exit("the two versions have the same results: nothing would be noticed")
        self.running = {}
        self.stopped = []
        self.faults, self.edits, self.killed = [], [], set()
        self.log = open(DIR + "/faults.log", "w", buffering=1)
        self.counts = collections.Counter()
        self.wrong = []
        self.cleaner = self.builder = None
        self.version = "1"

    def start(self):
        version = self.random.choice(["1", "2", "changing"])
        # changing has the forward library alone
        variant = self.random.choice([v for v in self.variants if version != "changing" or v.startswith("fwd")])
        env = dict(ENV, CK_JIT_PCH="1" if self.random.random() < 0.1 else "0")
        if self.random.random() < 0.3:
            env["CK_JIT_CACHE_MAX_FILES"] = str(len(self.variants))
        if self.random.random() < 0.1:
            env["CK_JIT_CACHE_MAX_SIZE"] = "2M"
        where = f"{DIR}/changing/lib" if version == "changing" else f"{DIR}/i-{version}"
        p = subprocess.Popen([sys.executable, CHECK, where, "--only", variant, "--digest"], env=env, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
        self.running[p.pid] = Call(p, version, variant)

    def note(self, text):
        self.log.write(f"{time.monotonic() - self.begun:9.2f} {text}\n")

    def judge(self, call):
        p, version, variant = call.process, call.version, call.variant
        out = p.stdout.read()
        p.stdout.close()
        found = re.search(rf"^{re.escape(variant)} +ok .*  ([0-9a-f]{{16}})$", out, re.M)
        expected = [self.right[v][variant] for v in ("12" if version == "changing" else version)]
        who = f"{version} {variant}, process {p.pid} from {call.begun - self.begun:.2f} to {call.ended - self.begun:.2f}"
        if found:
            self.counts["right" if found[1] in expected else "wrong"] += 1
            if found[1] not in expected:
                self.wrong.append(f"{who}: {found[1]} instead of {expected}")
            return
        why = self.why(call, out)
        self.note(f"failed: {who}: {why or 'UNEXPLAINED'}: status {p.returncode}: {out[-3000:]!r}")
        self.counts[f"failed: {why}" if why else "wrong"] += 1
        if not why:
            self.wrong.append(f"{who}: no fault explains this: status {p.returncode}: {out[-1500:]}")

    def why(self, call, said):
        """Which kind of fault explains that CALL failed and SAID this; None: none."""
        if call.process.returncode < 0:
            return "killed" if (call.process.pid, -call.process.returncode) in self.killed else None
        for fault in self.faults:
            if fault.explains(call, said):
                return fault.what
        for begun, over in self.edits:
            if call.version == "changing" and call.begun < (over or call.ended) and begun < call.ended:
                return "edit"
        return None

    def reap(self):
        for fault in self.faults:
            if not fault.over:
                fault.look()
        if self.edits and not self.edits[-1][1] and self.builder.poll() is not None:
            self.edits[-1][1] = time.monotonic()
            self.note(f"built, status {self.builder.returncode}")
        for pid, call in list(self.running.items()):
            if call.process.poll() is not None:
                del self.running[pid]
                call.ended = time.monotonic()
                self.judge(call)

    def hit(self, what, pid, sig, all_below=False):
        """Send SIG to PID, of a compile, or to all of that compile's processes. Whether it was there."""
        line = family(pid)
        everybody = [line[-1], *below(line[-1])]
        names = {n for p in {*line, *everybody} for n in NAMES.findall(read(p, "cmdline"))}
        fault = Fault(what, everybody, names)  # before it is done: what it does may be over at once
        targets = everybody if all_below else [pid]
        for target in targets:
            try:
                os.kill(target, sig)
            except ProcessLookupError:
                if target == pid:
                    return []
        self.faults.append(fault)
        self.note(f"{what}: {signal.Signals(sig).name} to {targets} of {everybody}: {' '.join(sorted(names))}")
        return targets

    def hit_somebody(self):
        all_ = ours()
        callers = [p for p in self.running]
        compiles = [pid for pid, name in all_ if name == "ckjit-compile"]
        compilers = [pid for pid, name in all_ if name.startswith(("clang", "lld", "hipcc", "perl", "sh"))]
        kind = self.random.choice(["caller", "compile", "compile", "compiler", "stop", "long stop", "clean", "build"])
        if kind == "caller" and callers:
            pid = self.random.choice(callers)
            self.killed.add((pid, signal.SIGKILL))
            os.kill(pid, signal.SIGKILL)
            self.note(f"caller: SIGKILL to {pid}")
        elif kind == "compile" and compiles:
            if not self.hit(kind, self.random.choice(compiles), self.random.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])):
                return
        elif kind == "compiler" and compilers:
            if not self.hit(kind, self.random.choice(compilers), signal.SIGKILL):
                return
        elif kind == "stop" and compiles:
            self.stopped.append((time.monotonic() + self.random.uniform(1, 6), self.hit(kind, self.random.choice(compiles), signal.SIGSTOP)))
        elif kind == "long stop" and compiles and not any(len(pids) > 1 for _, pids in self.stopped):
            # all of a compile, so that it shows no life, until it was given up
            self.stopped.append((time.monotonic() + LOCK_PATIENCE + self.random.uniform(3, 15), self.hit(kind, self.random.choice(compiles), signal.SIGSTOP, True)))
        elif kind == "clean" and (not self.cleaner or self.cleaner.poll() is not None) and self.random.random() < 0.3:
            what = self.random.choice([["--all"], ["--manifest", f"{DIR}/i-1/ck_jit/ck_jit_manifest.json", *self.stems()]])
            self.cleaner = subprocess.Popen([BUILD + "/bin/ckjit-prebuild", "clean", "--cache-dir", CACHE, *what], stdout=subprocess.DEVNULL)
            self.note(f"clean {' '.join(what)}")
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
        self.edits.append([time.monotonic(), None])
        self.note(f"edit to version {2 if SECOND in text else 1}")
        self.builder = subprocess.Popen([DIR + "/changing/build"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def go_on(self, everybody=False):
        for at, pids in list(self.stopped):
            if everybody or time.monotonic() > at:
                for pid in pids:
                    try:
                        os.kill(pid, signal.SIGCONT)
                    except ProcessLookupError:
                        pass
                self.stopped.remove((at, pids))
                self.counts["were stopped for longer than the patience"] += len(pids) > 1 and not everybody

    def is_enough(self):
        return (self.counts["right"] >= RIGHT and time.monotonic() - self.begun >= 60 * MINUTES
                and self.counts["were stopped for longer than the patience"] > 0)

    def run(self):
        self.begun = time.monotonic()
        while not self.is_enough() and not self.wrong:
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
        left += [d for d in os.listdir(CACHE) if d not in (".locks", ".logs", ".pch", ".compilers", ".host")]
        counted = sum(n for what, n in self.counts.items() if what.startswith("failed: "))
        print(f"{counted} calls failed, each by a fault that was done to it; {len(self.wrong)} by none")
        print(f"{PROCESSES} processes, {time.monotonic() - self.begun:.0f} s: " + ", ".join(f"{k} {n}" for k, n in sorted(self.counts.items())))
        for w in self.wrong[:20]:
            print("WRONG: " + w)
        for w in left[:20]:
            print("LEFT: " + w)
        return not self.wrong and not left and not self.counts["hang"]


soak = Soak()
soak.run()
sys.exit(0 if soak.finish() else 1)
