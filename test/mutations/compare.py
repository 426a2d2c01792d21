#!/usr/bin/env python3
"""compare.py - the wrapper against the stock compiler, on mutated command lines (lines.py).

    compare.py --build DIR --work DIR --hipcc PROGRAM [--first N] [--count N] [--jobs N] [--seconds N] [--show N]

Each line runs twice in the same directory, made anew: by the stock compiler, and by bin/hipcc or bin/c++ of a fake home
whose real compiler that one is. What was passed through must be the same to the byte: exit status, output, files; of
fifteen lines in sixteen only the words that reached the compiler. Of what was recorded the stock compiler must have made
the same files with status 0, unless the only errors are in the text of the sources; its depfile names no header that
ours does not; the recorded command, run with an empty environment, makes the same object; and, for some, the flags that
the post-build linker keeps compile from another directory. A link of stubs must end as that of the real objects.

Exit status 1 where anything differs. The lines are printed, made as short as they can be with the same outcome.
"""
import argparse
import collections
import json
import multiprocessing
import os
import re
import shutil
import stat
import subprocess
import sys
import time

import lines

STANDARD = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": "/nonexistent",
            **{name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}}
Result = collections.namedtuple("Result", "status out files")
IN_SOURCE = re.compile(rb"^(?!<built-in>|<command.line>)[^\n:]+:\d+:\d+: (fatal )?error: ", re.M)
TEMPORARY = re.compile(rb"(?<=[/-])[0-9a-zA-Z_.+-]*?-?[0-9a-zA-Z]{6}(\.(o|s|out|cui?|hipi?|ii|i|lto_priv|ltrans\w*|res|le|d|cdtor\.\w|hipfb|rsp|preproc|sh))")


def norm(text):
    """Without the names of temporary files, process numbers and times."""
    text = re.sub(rb"\x1b\[[0-9;]*m|(total|user|mem)=[0-9.]+", b"", text)
    text = TEMPORARY.sub(rb"TEMPORARY\1", text)
    text = re.sub(rb"\d+\.\d+( ?\(|%| ms| s\b|\b)", b"N", text)
    return re.sub(rb"/tmp/[^\s/:'\"]+(?![^\s:'\"])|\bpid \d+", b"TEMPORARY", text)


class Place:
    """The directory of one worker: scratch directory, fake home, what the real programs are."""

    def __init__(self, options, number):
        self.options = options
        self.top = os.path.abspath(f"{options.work}/{number}")
        shutil.rmtree(self.top, ignore_errors=True)
        self.scratch, self.home, self.tmp = self.top + "/s", self.top + "/h", self.top + "/tmp"
        for d in ("/h/bin", "/h/w", "/h/real/bin", "/tmp"):
            os.makedirs(self.top + d)
        self.real = {"hipcc": os.path.abspath(options.hipcc), "c++": options.cxx}
        for name in ("hipcc", "c++"):
            shutil.copy(f"{options.build}/libexec/ckjit/ckjit-wrap", f"{self.home}/bin/{name}")
        subprocess.run(["cc", "-O1", os.path.dirname(os.path.abspath(__file__)) + "/logger.c", "-o", f"{self.top}/logger"], check=True)
        if options.flags:
            shutil.copy(options.flags, f"{self.top}/flags")
        self.logged = {name: f"{self.top}/log-{name}" for name in self.real}
        for name, directory in self.logged.items():
            os.mkdir(directory)
            shutil.copy(f"{self.top}/logger", f"{directory}/{name}")
            os.symlink(self.real[name], f"{directory}/real")
        with open(f"{self.home}/ckjit.conf", "w") as f:
            f.write(f"ckjit-home=1\nreal_home={self.home}/real\nreal_compiler={self.real['hipcc']}\nreal_cxx={self.real['c++']}\n"
                    f"work={self.home}/w\nlink={os.path.abspath(options.build)}/libexec/ckjit/ckjit-link\n"
                    "home_var=ROCM_PATH\ncompiler=hipcc\ncxx=c++\n")
        self.objects = {"stock": {}, "ours": {}}
        self.reset(lines.Line("hipcc", []), "stock")
        for name in ("host", "main", "user", "kernel"):
            for side, program in (("stock", self.real["c++"]), ("ours", f"{self.home}/bin/c++")):
                subprocess.run([program, "-fPIC", "-Iinc", "-Isys", "-c", f"{name}.cpp", "-o", f"{self.top}/{name}.o"], cwd=self.scratch,
                               env=STANDARD, check=True)
                with open(f"{self.top}/{name}.o", "rb") as f:
                    self.objects[side][f"{name}.o"] = f.read()

    def path(self, name):
        return os.path.join(os.fsencode(self.scratch), os.fsencode(name))

    def reset(self, line, side):
        if os.path.isdir(self.scratch):
            os.chmod(self.scratch, 0o755)
        shutil.rmtree(self.scratch, ignore_errors=True)
        for name, content in {**lines.FILES, **self.objects[side], **line.files}.items():
            path = self.path(line.moves.get(name, name))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(content)
        os.symlink("blob.cu", self.path("link.cu"))
        os.symlink("out/linked.o", self.path("link.o"))
        os.symlink("nowhere/x.o", self.path("dangling.o"))
        os.mkdir(self.path("locked"), 0o555)

    def snapshot(self):
        found = {}
        top = os.fsencode(self.scratch)
        for base, dirs, files in os.walk(top):
            for name in files + [d for d in dirs if os.path.islink(os.path.join(base, d))]:
                path = os.path.join(base, name)
                try:
                    mode = os.lstat(path).st_mode
                except FileNotFoundError:
                    continue  # the temporary file of a program that another one left behind
                if stat.S_ISLNK(mode):
                    content = b"-> " + os.readlink(path)
                elif stat.S_ISREG(mode):
                    with open(path, "rb") as f:
                        content = f.read()
                else:
                    content = b"special"
                found[path[len(top) + 1:]] = content
        return found

    def run(self, program, words, environment, standard_input=b"", cwd=None):
        words = [w.replace("{S}", self.scratch) for w in words]
        try:
            p = subprocess.run([program] + words, cwd=cwd or self.scratch, input=standard_input, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, env={**STANDARD, "TMPDIR": self.tmp, **environment}, timeout=1800)
            status, out = p.returncode, p.stdout
        except subprocess.TimeoutExpired:
            status, out = "timeout", b""
        except OSError:
            status, out = "impossible", b""  # a word too long for exec
        return Result(status, out, self.snapshot())


def rules(depfile):
    """Targets as written, prerequisites of the first rule, all other targets."""
    text = depfile.replace(b"\\\n", b" ")
    first, *rest = text.split(b"\n")
    target, _, names = (first + b" ").partition(b": ")
    split = re.compile(rb"(?<!\\) +")
    return target, [n for n in split.split(names.strip()) if n], [r.rstrip(b":") for r in rest if r]


def system_header(name):
    return name.startswith((b"/usr/", b"/lib", b"/opt/"))


class Comparison:
    def __init__(self, place, line, thorough):
        self.place, self.line, self.thorough = place, line, thorough
        self.problem = None

    def call(self, program, side):
        self.place.reset(self.line, side)
        before = self.place.snapshot()
        r = self.place.run(program, self.line.words, self.line.environment, self.line.standard_input)
        return r, {k: v for k, v in r.files.items() if before.get(k) != v}, [k for k in before if k not in r.files]

    def quick(self):
        """As run(), but what passes through is not compiled: the words that would have reached the compiler are compared."""
        place, name = self.place, self.line.program
        words = f"{place.logged[name]}/words"
        if os.path.exists(words):
            os.remove(words)
        if self.has_stub():
            return self.run()
        variable = {"hipcc": "CK_JIT_HIPCC", "c++": "CK_JIT_CXX"}[name]
        line, self.line = self.line, self.line.copy()
        self.line.environment[variable] = f"{place.logged[name]}/{name}"
        ours, ours_made, ours_lost = self.call(f"{place.home}/bin/{name}", "ours")
        self.line = line
        if not os.path.exists(words) or ours_made or ours_lost or ours.status:
            return self.run()
        with open(words, "rb") as f:
            reached = f.read()
        self.stock, self.ours = Result(0, b"", {}), Result(0, reached, {})
        given = b"".join(os.fsencode(w.replace("{S}", place.scratch)) + b"\0" for w in line.words)
        return "passed through", None if reached == given else "passed through with other words"

    def run(self):
        """(kind, what is wrong or None)"""
        place = self.place
        manifest = f"{place.home}/w/manifest.json.ndjson"
        if os.path.exists(manifest):
            os.remove(manifest)
        stock, made, lost = self.call(place.real[self.line.program], "stock")
        if stock.status in ("timeout", "impossible"):
            return stock.status, None
        ours, ours_made, ours_lost = self.call(f"{place.home}/bin/{self.line.program}", "ours")
        record = None
        if os.path.exists(manifest):
            with open(manifest, encoding="utf-8") as f:
                record = json.loads(f.read().splitlines()[-1])
        kind = record["kind"] if record else "none"
        self.stock, self.ours = stock, ours
        if kind == "blob":
            return "blob", self.recorded(record, stock, made, ours, ours_made, ours_lost)
        if not record and ours.status:  # a blob that could not be written
            if stock.status == 0:
                return "failed", "refused, but the stock compiler succeeds"
            left = [n for n in ours_made if n not in made] + [n for n in ours_lost if n not in lost]
            return "failed", f"refused, and left or lost {left}" if left else None
        if kind == "link" and (self.has_stub() or b"ckjit-link: " in ours.out):
            return "link of a stub", self.linked(stock, made, lost, ours, ours_made, ours_lost)
        wrong = self.differs(stock, made, lost, ours, ours_made, ours_lost)
        if wrong:  # from run to run differ precompiled headers of gcc, traces, what several processes print
            again = self.call(place.real[self.line.program], "stock")
            wrong = None if self.differs(stock, made, lost, *again) else wrong
        return kind, f"passed through with {wrong}" if wrong else None

    def has_stub(self):
        return any("kernel.o" in w for w in self.line.words) or any(b"kernel.o" in f for f in self.line.files.values())

    def linked(self, stock, made, lost, ours, ours_made, ours_lost):
        """The post-build linker says more than the linker, and its library has other bytes."""
        if b"which gcc and clang read differently" in ours.out:
            return None
        if any("dangling" in w for w in self.line.words):
            return None  # ours replaces the link
        if stock.status and not ours.status and re.search(rb"(multiple definition|duplicate symbol).*", stock.out):
            return None  # one stub given twice is one blob of ours (docs/reliability.md)
        if (stock.status == 0) != (ours.status == 0):
            return "linked with another status"
        if stock.status:  # what was there before a link that fails may stay
            return "linked with other files" if set(ours_made) - set(made) or set(ours_lost) - set(lost) else None
        return "linked with other files" if set(made) != set(ours_made) or lost != ours_lost else None

    def differs(self, stock, made, lost, ours, ours_made, ours_lost):
        if stock.status != ours.status:
            return "another status"
        if set(made) != set(ours_made) or lost != ours_lost:
            return "other files"
        if any(norm(made[n]) != norm(ours_made[n]) for n in made):
            return "another content"
        return "another output" if norm(stock.out) != norm(ours.out) else None

    def recorded(self, record, stock, made, ours, ours_made, ours_lost):
        if ours.status:
            return "recorded, and failed"
        if stock.status:
            out = norm(stock.out)
            errors = [m for m in out.splitlines() if b"error: " in m and not IN_SOURCE.match(m)]
            in_source = IN_SOURCE.search(out)
            return None if in_source and not errors else "recorded, but the stock compiler fails"
        if ours.out:
            return "recorded with an output"
        if set(made) != set(ours_made) or ours_lost:
            return "recorded with other files"
        scratch = os.fsencode(self.place.scratch) + b"/"
        output = os.fsencode(record["output"]) if record["output"].isascii() else record["output"].encode("utf-8", "surrogateescape")
        written = {os.path.realpath(os.path.join(scratch, n)): n for n in made}
        if os.path.realpath(output) not in written:
            return "recorded under another name"
        name = written[os.path.realpath(output)]
        for n in made:
            if n != name:
                wrong = self.depfile(made[n], ours_made[n])
                if wrong:
                    return wrong
        if self.thorough or self.line.files or self.line.environment:
            return self.compiles(record, made[name], name)
        return None

    def depfile(self, theirs, ours):
        if any(set("\n\t\\") & set(new) for new in [*self.line.moves.values(), *self.line.words]):
            return None  # what clang writes there is not what make reads
        target, names, phony = rules(theirs)
        our_target, our_names, our_phony = rules(ours)
        without_dot = re.compile(rb"^(\./+)+")  # gcc takes it away from targets, clang does not; to make it is the same
        # gcc names the target of -Wp,-MD by the source, wherever the object goes; ours is clang's
        gcc = self.line.program == "c++" and any(w.startswith("-Wp,-M") for w in self.line.words)
        if not gcc and without_dot.sub(b"", target) != without_dot.sub(b"", our_target):
            return "depfile with another target"
        # clang calls a directory that the line spells in two ways by either
        real = lambda n: os.path.realpath(os.path.join(os.fsencode(self.place.scratch), n.replace(b"\\ ", b" ").replace(b"$$", b"$")))
        names, our_names = [real(n) for n in names if not system_header(n)], [real(n) for n in our_names]
        phony, our_phony = [real(n) for n in phony if not system_header(n)], [real(n) for n in our_phony]
        if names and names[:1] != our_names[:1]:
            return "depfile with another first name"
        if [n for n in names if n not in our_names]:
            return "depfile lacks a header"
        return "depfile lacks a phony target" if [n for n in phony if n not in our_phony] else None

    def compiles(self, record, object_, name):
        self.place.reset(self.line, "ours")
        args = [a.encode("utf-8", "surrogateescape") for a in record["args"]]
        p = subprocess.run([record["compiler"]] + args, cwd=self.place.scratch, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, env={**STANDARD, "TMPDIR": self.place.tmp})
        if p.returncode:
            self.ours = self.ours._replace(out=p.stdout)
            return "the recorded command does not compile"
        if self.place.snapshot().get(name) != object_:
            return "the recorded command makes another object"
        if self.place.options.flags:
            with open(self.place.top + "/record", "w", encoding="utf-8") as f:
                f.write(json.dumps(record, ensure_ascii=True) + "\n")
            flags = subprocess.run([self.place.top + "/flags", self.place.top + "/record"], stdout=subprocess.PIPE, check=True).stdout
            flags = flags.split(b"\0")[:-1]
            source = record["source"].encode("utf-8", "surrogateescape")
            p = subprocess.run([record["compiler"]] + flags + [b"-c", b"-o", b"kept.o", source], cwd=self.place.tmp,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**STANDARD, "TMPDIR": self.place.tmp})
            if p.returncode:
                self.ours = self.ours._replace(out=repr(flags).encode() + p.stdout)
                return "the flags that are kept do not compile"
        return None


def shortest(place, line, problem):
    """Words that do not matter taken out, as long as the same is wrong."""
    i = 0
    while i < len(line.words):
        less = line.copy()
        del less.words[i]
        if Comparison(place, less, True).run()[1] == problem:
            line = less
        else:
            i += 1
    return line


def work(arguments):
    options, number, out = arguments
    place = Place(options, number)
    end = time.monotonic() + options.seconds
    counts, shown = collections.Counter(), collections.Counter()
    for seed in range(options.first + number, options.first + options.count, options.jobs):
        if time.monotonic() > end:
            break
        line = lines.line_of(seed)
        comparison = Comparison(place, line, seed % 8 == 0)
        kind, problem = comparison.run() if seed % 16 == 0 else comparison.quick()
        counts[kind] += 1
        if problem and "timeout" not in problem:
            counts[f"FINDING {problem}"] += 1
            shown[problem] += 1
            if shown[problem] <= options.show:
                short = shortest(place, line, problem)
                again = Comparison(place, short, True)
                again.run()
                out.put(f"{seed}: {problem}\n  {short.describe()}\n  stock {again.stock.status}: "
                        f"{again.stock.out[-900:].decode(errors='replace').strip()}\n  ours {again.ours.status}: "
                        f"{again.ours.out[-900:].decode(errors='replace').strip()}\n")
    out.put(counts)


def main():
    parser = argparse.ArgumentParser()
    for name, default in (("build", None), ("work", None), ("hipcc", None), ("cxx", "/usr/bin/c++"), ("flags", "")):
        parser.add_argument("--" + name, default=default, required=default is None)
    for name, default in (("first", 0), ("count", 500), ("jobs", os.cpu_count()), ("seconds", 10 ** 6), ("show", 3)):
        parser.add_argument("--" + name, type=int, default=default)
    options = parser.parse_args()
    queue, total, start = multiprocessing.Queue(), collections.Counter(), time.monotonic()
    workers = [multiprocessing.Process(target=work, args=((options, n, queue),)) for n in range(options.jobs)]
    for w in workers:
        w.start()
    while any(w.is_alive() for w in workers) or not queue.empty():
        try:
            message = queue.get(timeout=0.2)
        except Exception:  # nothing yet
            continue
        if isinstance(message, str):
            print(message, flush=True)
        else:
            total += message
    findings = {k: n for k, n in total.items() if k.startswith("FINDING")}
    count = sum(n for k, n in total.items() if k not in findings)
    print(f"{count} lines in {time.monotonic() - start:.0f} s:", ", ".join(f"{n} {k}" for k, n in sorted(total.items()) if k not in findings))
    for k, n in sorted(findings.items()):
        print(f"{k}: {n}")
    died = any(w.exitcode for w in workers)
    sys.exit(1 if findings or died or not count else 0)


if __name__ == "__main__":
    main()
