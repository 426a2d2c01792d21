#!/usr/bin/env python3
"""takeover.py COMPILE SHIM TEMPLATE DIR ROUNDS [WAITERS [SEED]] - a holder of a lock is stopped, and all who wait lose patience at once.

A round, in a cache of its own: a compile is stopped (SIGSTOP, its keeper as well) while its compiler runs; WAITERS more want the same
entry, with a patience of a second, and take its place; then it goes on. Its compiler ends before them or after them, or is killed: a failure
that is none, for by then it was given up. What must hold:

    every process says that the entry is there     no compile lost its directory to another, none was told of a failure that is none
    the entry is there: nothing is compiled for one process more
    the directory of the one that is stopped stays for as long as it is
    no directory and no lock is left

One more is not left to chance: of two who wait the one that gives up later finds the lock of the first in the place of the one that it
has waited for, and waits for that.

How many compile is not looked at: on a busy machine one that only is slow may look stopped, and that has to do no harm.
"""
import glob
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

COMPILE, SHIM, TEMPLATE, DIR = sys.argv[1:5]
ROUNDS = int(sys.argv[5])
WAITERS = int(sys.argv[6]) if len(sys.argv) > 6 else 16
SEED = int(sys.argv[7]) if len(sys.argv) > 7 else random.SystemRandom().randrange(1 << 32)
AT_ONCE = 6
ID = "5a" * 24


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return [int(word) for word in f.read().split()]


def has_open(process, file):
    """Whether PROCESS, or the one that works for it, has the FILE of this os.stat() open, which may have lost its name."""
    for pid in [process.pid, *children(process.pid)]:
        for link in glob.glob(f"/proc/{pid}/fd/*"):
            try:
                if os.path.samestat(os.stat(link), file):
                    return True
            except OSError:
                pass  # it was closed just now
    return False


class Round:
    def __init__(self, n):
        self.random = random.Random(f"{SEED} {n}")
        self.dir = f"{DIR}/{n}"
        self.cache = self.dir + "/cache"
        self.log = self.dir + "/log"
        self.hold = self.dir + "/k.hold"
        os.makedirs(self.dir)
        for name, text in ("k.cu", str(n)), ("k.hold", ""), ("log", ""):
            with open(f"{self.dir}/{name}", "w") as f:
                f.write(text)

    def start(self, control=None, patience="1"):
        flags = f"--log={self.log} --template={TEMPLATE} --control={control or self.dir} --sleep={self.random.choice((1, 20, 60))}"
        return subprocess.Popen([COMPILE, "--hipcc", SHIM, "--blob-source", self.dir + "/k.cu", "--blob-flags", flags, "--build-id", ID, "--cache", "--output",
                                 self.cache + "/k.so"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                env={**os.environ, "CK_JIT_LOCK_PATIENCE": patience}, cwd=self.dir)

    def compiles(self):
        with open(self.log) as f:
            return sum(line.startswith("start ") for line in f)

    def directories(self):
        return {name for name in os.listdir(self.cache) if name.startswith(".tmp-")}

    def started(self, process, n):
        """Wait for the N-th compile; a message if PROCESS ends before."""
        while self.compiles() < n:
            if process.poll() is not None:
                return f"compile {n}: " + process.communicate()[0]
            time.sleep(0.01)
        return None

    def stop_first(self):
        """The first compile, its processes, which are stopped, and a message if it did not get there."""
        holder = self.start()
        wrong = self.started(holder, 1)
        stopped = [] if wrong else [holder.pid, *children(holder.pid)]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        return holder, stopped, wrong

    def run_later(self):
        """One gives up after a second and compiles; another gives up after four, with the file of the first lock in its hands."""
        holder, stopped, wrong = self.stop_first()
        if wrong:
            return [wrong]
        second = self.dir + "/second"
        os.mkdir(second)
        open(second + "/k.hold", "w").close()
        lock = f"{self.cache}/.locks/{ID}"
        its = os.stat(lock)
        later = self.start("/nonexistent", "4")
        while not has_open(later, its):
            time.sleep(0.01)
        sooner = self.start(second)
        wrong = self.started(sooner, 2)
        if wrong:
            return [wrong]
        its = os.stat(lock)
        while self.compiles() < 3 and not has_open(later, its):
            time.sleep(0.01)
        wrong = []
        if self.compiles() > 2 or not os.path.exists(lock) or not os.path.samestat(os.stat(lock), its):
            wrong.append("who gave up later has removed the lock of who gave up before")
        os.unlink(second + "/k.hold")
        os.unlink(self.hold)
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        for what, process in ("stopped", holder), ("sooner", sooner), ("later", later):
            out = process.communicate()[0]
            if process.returncode:
                wrong.append(f"{what}: {process.returncode}: {out}")
        return wrong

    def run(self):
        """What is wrong; a list."""
        holder, stopped, wrong = self.stop_first()
        if wrong:
            return [wrong]
        its = self.directories()
        ends = self.random.choice(("before", "after", "killed"))
        if ends == "before":
            os.unlink(self.hold)
        if ends == "killed":
            os.kill(children(stopped[1])[0], signal.SIGKILL)
        waiters = [self.start("/nonexistent") for _ in range(WAITERS)]
        wrong = []
        for n, waiter in enumerate(waiters):
            out = waiter.communicate()[0]
            if waiter.returncode:
                wrong.append(f"waiter {n}: {waiter.returncode}: {out}")
        if not its or not its <= self.directories():
            wrong.append(f"the directory of the one that is stopped was removed: {its - self.directories()}")
        if ends == "after":
            os.unlink(self.hold)
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        out = holder.communicate()[0]
        if holder.returncode:
            wrong.append(f"the one that was stopped: {holder.returncode}: {out}")
        if ends == "killed":
            os.unlink(self.hold)
        before = self.compiles()
        last = self.start()
        out = last.communicate()[0]
        if last.returncode or self.compiles() != before:
            wrong.append(f"afterwards: {last.returncode}, {self.compiles() - before} compiles: {out}")
        left = [name for name in os.listdir(self.cache) if name.startswith(".tmp-") or name.startswith(".ckjit-")]
        left += [".locks/" + name for name in os.listdir(self.cache + "/.locks")]
        if left:
            wrong.append(f"left: {left}")
        return wrong


def main():
    with ThreadPoolExecutor(AT_ONCE) as pool:
        later = pool.submit(Round(ROUNDS).run_later)
        rounds = list(pool.map(lambda n: (n, Round(n).run()), range(ROUNDS)))
        rounds.append((ROUNDS, later.result()))
    bad = [(n, wrong) for n, wrong in rounds if wrong]
    for n, wrong in bad[:10]:
        for line in wrong[:3]:
            print(f"round {n}: {line[:600]}")
    waiters = sum(line.startswith("waiter") for _, wrong in bad for line in wrong)
    print(f"takeover: {ROUNDS} rounds of {WAITERS} waiters, seed {SEED}: {len(bad)} wrong, {waiters} waiters told of a failure")
    sys.exit(1 if bad else 0)


main()
