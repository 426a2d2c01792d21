#!/usr/bin/env python3
"""inject.py kill|errors BUILD DIR [COUNT [SEED]] - faults at each step of the cache protocol, by strace's fault injection.

DIR/lib is a library of test/unit/runtime_fixture.sh with three kernels. One is called, or built ahead, while a system call fails or
is the process's last; what is lost and what must hold:

    the call gives the right value or an error that names the kernel     never a wrong value, never a crash, never an end without a word
    the next call, without a fault, gives the right value                so nothing torn, stale or locked is left
    after one more compile nothing is left but entries                   no directory, no lock, no process; and of a file that is written
                                                                         beside its name, NAME.tmp…, nothing once an hour has passed

A process may end by a signal where strace's log says that this one was killed by the fault, and nowhere else. What the dynamic linker does
about a fault before main() is its own affair: the log says that, too, for it has the last calls before main().

How many system calls a process makes depends on what waits for what; so a point far on may be behind the end of its process, and kill
nothing. That the others do kill is certain of those points that any run comes to: they are the calls of a run that finds all done.
PATIENCE, in seconds, only ends what hangs. SEED chooses the COUNT points (0: all); it is another each time, and said.
"""
import collections
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

MODE, BUILD, DIR = sys.argv[1:4]
COUNT = int(sys.argv[4]) if len(sys.argv) > 4 else 0
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else random.SystemRandom().randrange(1 << 24)
DRIVER = DIR + "/lib/driver"
COMPILE = DIR + "/lib/ck_jit/ckjit-compile"
PATIENCE = 1800
ONLY = os.environ.get("ONLY", "")  # a pattern: the points whose names it matches, as `compile: pwrite64 1: EIO`
VALUES = {0: "1005", 1: "1105", 2: "1205"}

# What writes, and what else the protocol stands on. Not close: one that strace lets fail has closed nothing, which no kernel does, and a
# process whose end of a pipe is still open waits for itself.
CALLS = ["openat", "write", "pwrite64", "mkdir", "rename", "renameat2", "fsync", "fchmod", "flock", "unlink", "clone", "vfork", "execve", "pipe2", "mmap",
         "utimensat", "fstat", "newfstatat", "read", "pread64", "getdents64", "wait4", "access", "rmdir", "lseek", "setitimer", "dup2"]
ERRORS = ["ENOSPC", "EROFS", "EMFILE", "EINTR", "EACCES", "EIO", "ENOMEM", "ESTALE"]


# What stays in a cache; and a file that was not given its name.
STAYS = re.compile(r"value\d(\.[0-9a-f]{48})?\.so|\.(locks|logs|compilers|pch|times|stats|used)|\.used/[^/]+|\.locks/capacity|\.compilers/[0-9a-f]{32}|\.logs/.*\.log"
                   r"|\.locks/[0-9a-f]{48}\.failed")
UNNAMED = re.compile(r"[^/]*/?[^/]+\.tmp[.-]?[0-9A-Za-z]+")


class Point:
    """One place for a cache, and the programs that use it."""

    def __init__(self, n):
        self.dir = f"{DIR}/points/{n}"
        self.cache = self.dir + "/cache"
        os.makedirs(self.dir)

    def environment(self, **more):
        return {**os.environ, "CK_JIT_CACHE_DIR": self.cache, **more}

    def start(self, command, **environment):
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                env=self.environment(**environment), cwd=self.dir)

    def run(self, command, trace=()):
        return ended(self.start([*trace, *command]))

    def call(self, kernel, trace=()):
        return self.run([DRIVER, "value", str(kernel), "5"], trace)

    def left(self, unnamed):
        """What is in the cache and is not to stay; UNNAMED: or else such files as have not got their name."""
        found = []
        for base, dirs, files in os.walk(self.cache):
            for name in files + dirs:
                path = os.path.relpath(os.path.join(base, name), self.cache)
                if not STAYS.fullmatch(path) and unnamed == bool(name in files and UNNAMED.fullmatch(path)):
                    found.append(path)
        return found

    def trace(self):
        try:
            with open(self.dir + "/trace", errors="replace") as f:
                return f.read().splitlines()
        except OSError:
            return []


class Ended:
    """How a program ended; STATUS is None if it did not."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __str__(self):
        return "it hangs" if self.status is None else f"{self.status} {self.out[-500:]!r} {self.err[-500:]!r}"


def ended(p):
    try:
        out, err = p.communicate(timeout=PATIENCE)
        return Ended(p.returncode, out, err)
    except subprocess.TimeoutExpired:
        p.kill()
        p.communicate()
        return Ended(None, "", "")


def strace(p, calls, what, follow=True):
    """In front of a command. The log has the last calls before main(), and who started whom, too."""
    return ["strace", "-q", "-y", "-o", p.dir + "/trace", *(["-f"] if follow else []), "-e", f"trace={calls},prlimit64,munmap,clone,vfork", "-e", f"inject={calls}:{what}"]


def processes(p):
    """The log of each process, the one that strace has started first: {number: lines}."""
    found = {}
    for line in p.trace():  # with -f each line begins with a number
        m = re.fullmatch(r"(?:(\d+) +)?(.*)", line)
        found.setdefault(m[1], []).append(m[2])
    return found


def first_process(p):
    return next(iter(processes(p).values()), [])


def before_main(p):
    """Whether the fault hit the dynamic linker of the process that strace has started: its last calls are these two."""
    for line in first_process(p):
        if "(INJECTED)" in line:
            return True
        if line.startswith(("prlimit64(", "munmap(")):
            break
    return False


def hit(p, pattern):
    return any("(INJECTED)" in line and re.search(pattern, line) for line in p.trace())


def is_killed(p, or_its_child=False):
    """Whether the fault killed the process that strace has started; or the first that this one has started."""
    logs, first = processes(p), first_process(p)
    child = next((m[1] for m in map(re.compile(r"clone\(.* = (\d+)").match, first) if m), None)
    killed = "+++ killed by SIGKILL +++"
    return killed in first or (or_its_child and killed in logs.get(child, []))


def check(n, name, run):
    """RUN(point) puts the fault in. Returns what is wrong, or None."""
    p = Point(n)
    killed, wrong = run(p)
    for kernel, what in (0, "the next call"), (1, "another kernel"):
        if not wrong:
            e = p.call(kernel)
            if e.status != 0 or e.out.strip() != VALUES[kernel] or e.err:
                wrong = f"{what}: {e}"
    if not wrong and p.left(False):
        wrong = f"left behind: {p.left(False)}"
    if not wrong and p.left(True):
        wrong = later(p)
    if not wrong and not wait_for_end(p):
        wrong = "a process is left"
    if not wrong:
        shutil.rmtree(p.dir)
    return killed, wrong and f"{name}: {wrong}"


def later(p):
    """Two hours later a compile removes what has not got its name."""
    old = p.left(True)
    for name in old:
        os.utime(f"{p.cache}/{name}", (time.time() - 7200,) * 2)
    e = p.call(2)
    if e.status != 0 or e.out.strip() != VALUES[2]:
        return f"two hours later: {e}"
    return f"left for ever: {p.left(True)}" if p.left(True) else None


def names_it(p, text):
    """Whether each error and warning in TEXT names what it is about: the kernel, a path of ours, or a process."""
    heads = re.findall(r"^(?:\S+: )?(?:error|warning): .*", text, re.M)
    return bool(heads) and all(re.search(rf"value[012]|{re.escape(p.dir)}|{re.escape(DIR)}|process \d+", h) for h in heads)


def right_or_said(p, e):
    """A call of kernel 0 that was in trouble: its value, or an error that names the kernel and gives a reason; warnings name their object."""
    said = not e.err or names_it(p, e.err)
    if e.status == 0:
        return said and e.out.strip() == VALUES[0]
    return said and e.status == 3 and e.out.startswith("error: ckjit: value0: ") and len(e.out) > 40


def compile_command(p):
    return [COMPILE, "--blob-source", DIR + "/lib/ck_jit/src/value0.cu", "--blob-flags", os.environ["FLAGS"], "--build-id", os.environ["BUILD_ID"], "--cache",
            "--output", p.cache + "/value0.so", "--arch", "gfx942;gfx950"]


def error_point(program, call, error, when):
    def run(p):
        e = p.run(program_command(program, p), strace(p, call, f"error={error}:when={when}", follow=program != "host"))
        if e.status is not None and before_main(p):
            return False, None
        if e.status is not None and call == "write" and hit(p, r"write\([12]\b"):
            return False, None if e.status >= 0 else str(e)  # what was lost are its own words
        good = right_or_said(p, e) if program == "host" else done_or_said(p, e)
        return False, None if good else str(e)

    return f"{program}: {call} {when}: {error}", run


def not_synced(p):
    """Whether the entry, or the directory that has its name, could not be written through to the disk. Some file systems cannot do
    that for a directory; an interrupted call is made again."""
    entry, directory = rf"{re.escape(p.cache)}/\.tmp-[^/>]*/[^/>]*\.so", re.escape(p.cache)
    return hit(p, rf"fsync\(\d+<{entry}>\) .* (?!EINTR)E[A-Z]+ ") or hit(p, rf"fsync\(\d+<{directory}>\) .* (?!EINTR|EINVAL|EROFS)E[A-Z]+ ")


def done_or_said(p, e):
    """ckjit-compile has made the entry, or an error says why not."""
    if e.status == 0:
        if not_synced(p):
            return False
        found = ended(p.start([DRIVER, "value", "0", "5"], CK_JIT_HIPCC="/nonexistent"))
        return found.status == 0 and found.out.strip() == VALUES[0] and (not e.err or names_it(p, e.err))
    return e.status == 1 and "ckjit-compile: error: " in e.err and names_it(p, e.err)


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
        e = p.run(program_command(program, p), ["strace", "-qq", *follow, "-o", f"{p.dir}/{run}"])
        if e.status != 0:
            sys.exit(f"{program} without a fault: {e}")
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
        other = p.start([DRIVER, "value", "0", "5"]) if contended else None
        # of ckjit-compile keeper, worker and compiler, whichever gets so far
        e = p.run(program_command(program, p), strace(p, call, f"signal=KILL:when={when}", follow=program == "compile"))
        wrong = None if e.status is not None and survived(program, p, e) else str(e)
        if other:
            e = ended(other)
            if not wrong and not right_or_said(p, e):
                wrong = f"the other one: {e}"
        wait_for_end(p)
        return any("+++ killed by SIGKILL +++" in line for line in p.trace()), wrong

    return f"{program}: killed at {call} {when}{', with another waiting' if contended else ''}", run


def survived(program, p, e):
    """Whether PROGRAM was killed by the fault, or did its work, or says what became of a process that it has started."""
    if e.status == -signal.SIGKILL:
        return is_killed(p, or_its_child=program == "compile")  # the keeper ends as its worker has
    if program == "host":
        return right_or_said(p, e)
    if program == "compile":
        return done_or_said(p, e)
    return e.status == 0 and re.search(r"^[0-2] compiled, [0-2] in the cache already, 0 failed", e.out, re.M) is not None


def wait_for_end(p):
    """What a killed caller had started ends by itself; whether it did."""
    end = time.monotonic() + PATIENCE
    while subprocess.run(["pgrep", "-f", p.cache], stdout=subprocess.PIPE).stdout:
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def main():
    probe = subprocess.run(["strace", "-qq", "-f", "-o", "/dev/null", "-e", "trace=getpid", "-e", "inject=getpid:error=EPERM:when=1", "true"], capture_output=True, text=True)
    if probe.returncode:
        print("strace cannot be used here: " + probe.stderr.strip())
        sys.exit(77)
    if MODE == "kill":
        counts = {program: steps(program) for program in ("compile", "host", "prebuild")}
        # The first execve is strace's own start of the program: it may be over before the injection is in force.
        points = [(*kill_point(program, call, n, contended), n <= least[call] and (call, n) != ("execve", 1)) for program, (calls, least) in counts.items() for call, n in calls
                  for contended in (False, True)]
    else:
        points = [(*error_point(program, call, error, when), False) for program in ("compile", "host") for call in CALLS for error in ERRORS for when in range(1, 9)]
    points = [point for point in points if re.search(ONLY, point[0])]
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
