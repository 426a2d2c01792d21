#!/usr/bin/env python3
"""inject.py kill|errors BUILD DIR [COUNT [SEED]] - faults at each step of the cache protocol, by strace's fault injection.

DIR/lib is a library of test/unit/runtime_fixture.sh with three kernels. One is called, or built ahead, while a system call fails or
is the process's last; what is lost and what must hold:

    the call gives the right value or an error that names the kernel     never a wrong value, never a crash
    the next call, without a fault, gives the right value                so nothing torn, stale or locked is left
    after one more compile nothing is left but entries                   no directory, no lock, no process

How many system calls a process makes depends on what waits for what; so a point far on may be behind the end of its process, and kill
nothing. That the others do kill is certain of those points that any run comes to: they are the calls of a run that finds all done.
PATIENCE, in seconds, only ends what hangs.
"""
import collections
import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

MODE, BUILD, DIR = sys.argv[1:4]
COUNT = int(sys.argv[4]) if len(sys.argv) > 4 else 0
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else 1
DRIVER = DIR + "/lib/driver"
COMPILE = DIR + "/lib/ck_jit/ckjit-compile"
PATIENCE = 1800
VALUES = {0: "1005", 1: "1105", 2: "1205"}

# What writes, and what else the protocol stands on. A close that strace lets fail has closed nothing, which no kernel does: the host, with its
# end of a pipe still open, would wait for itself.
CALLS = ["openat", "write", "pwrite64", "mkdir", "rename", "renameat2", "fsync", "fchmod", "flock", "unlink", "clone", "vfork", "execve", "pipe2", "mmap",
         "utimensat", "fstat", "newfstatat", "read", "pread64", "getdents64", "wait4", "access", "close", "rmdir", "lseek", "setitimer", "dup2"]
ERRORS = ["ENOSPC", "EROFS", "EMFILE", "EINTR", "EACCES", "EIO", "ENOMEM"]


class Point:
    """One place for a cache, and the programs that use it."""

    def __init__(self, n):
        self.dir = f"{DIR}/points/{n}"
        self.cache = self.dir + "/cache"
        os.makedirs(self.dir)

    def environment(self, **more):
        return {**os.environ, "CK_JIT_CACHE_DIR": self.cache, **more}

    def run(self, command, trace=(), timeout=PATIENCE):
        p = subprocess.Popen([*trace, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                             env=self.environment(), cwd=self.dir)
        try:
            out, _ = p.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            p.kill()
            return None, "it hangs"
        return p.returncode, out

    def call(self, kernel, trace=()):
        return self.run([DRIVER, "value", str(kernel), "5"], trace)

    def left(self):
        found = []
        for base, dirs, files in os.walk(self.cache):
            for name in files + dirs:
                path = os.path.relpath(os.path.join(base, name), self.cache)
                if not re.fullmatch(r"value\d(\.[0-9a-f]{48})?\.so|\.(locks|logs|compilers|pch|times)|\.locks/capacity|\.compilers/[0-9a-f]{32}|\.logs/.*\.log"
                                    r"|\.locks/[0-9a-f]{48}\.failed|.*\.tmp-[0-9a-z]{6}", path):
                    found.append(path)
        return found


def strace(calls, what, follow=True):
    return ["strace", "-qq", "-o", "/dev/null", *(["-f"] if follow else []), "-e", "trace=" + calls, "-e", f"inject={calls}:{what}"]


def check(n, name, run):
    """RUN(point) puts the fault in. Returns what is wrong, or None."""
    p = Point(n)
    killed, wrong = run(p)
    if not wrong:
        status, out = p.call(0)
        if out.strip() != VALUES[0]:
            wrong = f"the next call: {status} {out[-500:]!r}"
    if not wrong:
        status, out = p.call(1)
        if out.strip() != VALUES[1]:
            wrong = f"another kernel: {status} {out[-500:]!r}"
    if not wrong and p.left():
        wrong = f"left behind: {p.left()}"
    if not wrong and not wait_for_end(p):
        wrong = "a process is left"
    if not wrong:
        shutil.rmtree(p.dir)
    return killed, wrong and f"{name}: {wrong}"


def right_or_said(out):
    """A call that was in trouble: its value, or an error that names the kernel."""
    return out.strip() == VALUES[0] or (out.startswith("error: ckjit: value0: ") and len(out) > 40)


def compile_command(p):
    return [COMPILE, "--blob-source", DIR + "/lib/ck_jit/src/value0.cu", "--blob-flags", os.environ["FLAGS"], "--build-id", os.environ["BUILD_ID"], "--cache",
            "--output", p.cache + "/value0.so", "--arch", "gfx942;gfx950"]


def error_point(program, call, error, when):
    def run(p):
        trace = strace(call, f"error={error}:when={when}")
        if program == "host":
            status, out = p.call(0, strace(call, f"error={error}:when={when}", follow=False))
            if status is None or (not right_or_said(out) and not loader_failed(out)):
                return False, f"{status} {out[-500:]!r}"
            return False, None
        status, out = p.run(compile_command(p), trace)
        if status is None or (status < 0 and not (call == "mmap" and when == 1)):  # that one is the dynamic linker's
            return False, f"ckjit-compile: {status} {out[-500:]!r}"
        if status and not loader_failed(out) and "ckjit-compile: " not in out:
            return False, f"ckjit-compile says nothing: {status} {out[-500:]!r}"
        if status == 0 and not any(name.endswith(".so") for name in os.listdir(p.cache)):  # the plain name or the keyed one
            return False, f"ckjit-compile: done, but there is no entry: {out[-500:]!r}"
        return False, None

    return f"{program}: {call} {when}: {error}", run


def loader_failed(out):
    """Before main() it is the dynamic linker that fails, in its own words."""
    return "error while loading shared libraries" in out or "cannot allocate TLS" in out or "strace: " in out or out == ""


def program_command(program, p):
    if program == "host":
        return [DRIVER, "value", "0", "5"]
    if program == "compile":
        return compile_command(p)
    return [BUILD + "/bin/ckjit-prebuild", "build", "--manifest", DIR + "/manifest.json", "--root", DIR + "/lib/ck_jit", "--cache-dir", p.cache, "--jobs",
            "2", "value0", "value1"]


def steps(program):
    """The system calls that PROGRAM makes, this time, as (name, ordinal among those of the name); of its children as well if those
    are killed, too, for strace counts for each process. And how many of each name it makes at least: in a run that finds its entries."""
    p = Point("steps-" + program)
    follow = ["-ff"] if program == "compile" else []
    found = []
    for run in "first", "second":
        status, out = p.run(program_command(program, p), ["strace", "-qq", *follow, "-o", f"{p.dir}/{run}"])
        if status:
            sys.exit(f"{program} without a fault: {status} {out}")
        wait_for_end(p)
        most = collections.Counter()
        for name in os.listdir(p.dir):
            if name.startswith(run):
                with open(f"{p.dir}/{name}", errors="replace") as trace:
                    most |= collections.Counter(m[1] for m in map(re.compile(r"(\w+)\(").match, trace) if m)
        found.append(most)
    shutil.rmtree(p.dir)
    # the first execve is strace's own, which has not begun to count yet
    return [(name, n) for name, most in found[0].items() for n in range(1 + (name == "execve"), most + 1)], found[0] & found[1]


def kill_point(program, call, when, contended):
    """With CONTENDED another process calls the same kernel meanwhile, so that somebody waits for what is killed."""
    def run(p):
        other = subprocess.Popen([DRIVER, "value", "0", "5"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 errors="replace", env=p.environment(), cwd=p.dir) if contended else None
        # of ckjit-compile keeper, worker and compiler, whichever gets so far
        trace = ["strace", "-q", "-o", p.dir + "/trace", *(["-f"] if program == "compile" else []), "-e", "trace=" + call, "-e",
                 f"inject={call}:signal=KILL:when={when}"]
        status, out = p.run(program_command(program, p), trace)
        wrong = "it hangs" if status is None else None
        if other:
            try:
                out = other.communicate(timeout=PATIENCE)[0]
            except subprocess.TimeoutExpired:
                other.kill()
                wrong = "the other one hangs"
            if not wrong and not right_or_said(out):
                wrong = f"the other one: {other.returncode} {out[-500:]!r}"
        wait_for_end(p)
        return "+++ killed by SIGKILL +++" in open(p.dir + "/trace", errors="replace").read(), wrong

    return f"{program}: killed at {call} {when}{', with another waiting' if contended else ''}", run


def wait_for_end(p):
    """What a killed caller had started ends by itself; whether it did."""
    end = time.monotonic() + PATIENCE
    while subprocess.run(["pgrep", "-f", p.cache], stdout=subprocess.PIPE).stdout:
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def main():
    probe = subprocess.run([*strace("getpid", "error=EPERM:when=1"), "true"], capture_output=True, text=True)
    if probe.returncode:
        print("strace cannot be used here: " + probe.stderr.strip())
        sys.exit(77)
    if MODE == "kill":
        counts = {program: steps(program) for program in ("compile", "host", "prebuild")}
        # The first execve is strace's own start of the program: it may be over before the injection is in force.
        points = [(*kill_point(program, call, n, contended), n <= least[call] and (call, n) != ("execve", 1)) for program, (calls, least) in counts.items() for call, n in calls
                  for contended in (False, True)]
    else:
        points = [(*error_point(program, call, error, when), False) for program in ("compile", "host") for call in CALLS for error in ERRORS for when in range(1, 9)
                  if (program, call) != ("host", "close")]
    random.Random(SEED).shuffle(points)
    if COUNT:
        points = points[:COUNT]
    with ThreadPoolExecutor(max(2, os.cpu_count())) as pool:
        results = list(pool.map(lambda item: check(item[0], *item[1][:2]), enumerate(points)))
    wrong = [w for _, w in results if w]
    wrong += [f"{name}: nothing was killed" for (name, _, certain), (killed, w) in zip(points, results) if certain and not killed and not w]
    for w in wrong:
        print(w)
    killed = sum(1 for k, _ in results if k)
    certain = sum(1 for point in points if point[2])
    print(f"{MODE}: {len(points)} points, {killed} of them killed it, {certain} had to, {len(wrong)} wrong")
    sys.exit(1 if wrong or (MODE == "kill" and not certain) else 0)


main()
