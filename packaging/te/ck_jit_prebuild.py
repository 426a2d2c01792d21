#!/usr/bin/env python3
"""ck_jit_prebuild.py list|build|clean|cache - CK JIT's command line for ckjit-prebuild

    list   [BLOB...] [--all] [--arch LIST] [--format human|blob-list]
           the blobs that the library has, and those that it lacks: then the status is 1
    build  [BLOB...] [--all] [--arch LIST] [--jobs N] [--force] [--hipcc FILE] [--verbose]
           compile those that the library has; the others are warned about
    clean  [--stalled] [--verbose]
           all entries of the cache; --stalled: those that are not of this library's present build,
           and what killed compiles left. With blobs, only their entries
    cache  [--format human|blob-list] [--write-blob-list FILE] [--current]
           the entries of the cache; --current: only those of this library's present build

All take --manifest FILE and --cache-dir DIR, also before the command; list, build and clean take
--blob NAME and --blob-list FILE, which may be repeated; list and build take --root DIR, --matrix
FILE and --name-format FORMAT; build takes --job-memory, --times and --shard of `ckjit build`.

--arch drops the blobs of other architectures before any other check. A name that ends with a family
is for that: _gfx9 for all gfx9 but gfx950, _gfx11 for all gfx11 but gfx115x. build --arch "A;B"
makes entries for each architecture. Other commands are ckjit-prebuild's.
"""
import collections
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
CONFIG = "ck_jit_config.json"  # beside the manifest: {"name": the default cache's name}

# The options of each command, and whether they take a value.
EVERYWHERE = {"manifest": True, "cache-dir": True, "help": False}
BLOBS = {"blob": True, "blob-list": True, "all": False, "root": True, "matrix": True,
         "name-format": True, "arch": True}
OPTIONS = {
    "list": dict(BLOBS, format=True),
    "build": dict(BLOBS, jobs=True, force=False, hipcc=True, verbose=False,
                  **{"rocm-lib": True, "job-memory": True, "times": True, "shard": True}),
    "clean": {"blob": True, "blob-list": True, "all": False, "stalled": False, "verbose": False},
    "cache": {"format": True, "write-blob-list": True, "current": False, "root": True,
              "arch": True},
}
# A family without some of its members: CK has others for those.
WITHOUT = {"gfx9": "gfx950", "gfx11": "gfx115"}


def say(severity, message):
    sys.stdout.flush()
    sys.stderr.write("ck_jit_prebuild.py: %s: %s\n" % (severity, message))


def die(status, message):
    say("error", message)
    sys.exit(status)


def find_program():
    for path in (os.path.join(HERE, "ckjit-prebuild"),
                 os.path.join(HERE, "ckjit", "bin", "ckjit-prebuild")):
        if os.access(path, os.X_OK):
            return path
    die(1, "there is no ckjit-prebuild beside %s: expected it where ck_jit_build.py --install-dir "
           "put both" % HERE)


# ---- the command line ----


class Request:
    """A command, the values of its options and its operands."""

    def __init__(self, words):
        self.command, self.values, self.operands = None, {}, []
        at, ended = 0, False
        while at < len(words) and (self.command in OPTIONS or not self.command):
            word = words[at]
            at += 1
            if word == "--" and not ended:
                ended = True
            elif ended or not word.startswith("-") or word == "-":
                self.add_operand(word)
            else:
                at = self.add_option(word, words, at)

    def add_operand(self, word):
        if self.command is None:
            self.command = word
        else:
            self.operands.append(word)

    def add_option(self, word, words, at):
        """Store WORD, and its value in WORDS[AT]; returns the next index."""
        name, given, value = word.partition("=")
        if word[:2] in ("-h", "-j"):
            name, given, value = {"-h": "--help", "-j": "--jobs"}[word[:2]], word[2:], word[2:]
        name, table = name[2:], dict(OPTIONS.get(self.command, {}), **EVERYWHERE)
        fitting = [name] if name in table else [n for n in table if name and n.startswith(name)]
        if len(fitting) != 1:
            die(2, "%s'%s' is %s; see --help" % (
                self.command + ": " if self.command else "", word,
                "ambiguous: --" + ", --".join(fitting) if fitting else "no option of it"))
        if table[fitting[0]] and not given:
            if at == len(words):
                die(2, "--%s: expected a value after it" % fitting[0])
            value, at = words[at], at + 1
        self.values.setdefault(fitting[0], []).append(value)
        return at

    def has(self, name):
        return name in self.values

    def last(self, name, default=None):
        return self.values.get(name, [default])[-1]

    def passed(self, *names):
        """The options NAMES as they were given, for ckjit-prebuild."""
        return [word for n in names for v in self.values.get(n, [])
                for word in (["--" + n, v] if OPTIONS["build"].get(n, True) else ["--" + n])]

    def archs(self):
        found = [a for v in self.values.get("arch", []) for a in re.split(r"[;, ]+", v) if a]
        return list(dict.fromkeys(found))

    def format(self):
        value = self.last("format", "human")
        if value not in ("human", "blob-list"):
            die(2, "--format %s: expected human or blob-list" % value)
        return value

    def names_blobs(self):
        return bool(self.operands) or any(self.has(n) for n in ("blob", "blob-list", "all",
                                                                "matrix"))


# ---- architectures ----


def family_of(stem):
    """gfx950 of fmha_..._gfx950; None of a name without one."""
    found = re.search(r"_(gfx[0-9a-f]+)$", stem)
    return found and found.group(1)


def plain(arch):
    return arch.split(":")[0]


def is_of_family(stem, arch):
    family = family_of(stem)
    if family is None:
        return True
    but = WITHOUT.get(family)
    return plain(arch).startswith(family) and not (but and plain(arch).startswith(but))


def is_built_for(row, arch):
    """gfx942, or something that only ckjit can judge, such as gfx9-4-generic."""
    built = [plain(a) for a in row["architectures"]]
    return not built or any(a == plain(arch) or not re.match(r"gfx[0-9a-f]+$", a) for a in built)


def is_for(row, arch):
    return is_of_family(row["stem"], arch) and is_built_for(row, arch)


# ---- ckjit-prebuild ----


def ask(words):
    """The output of WORDS and its status; its messages are printed by the caller."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return (done.stdout.decode("utf-8", "surrogateescape"), done.returncode,
            done.stderr.decode("utf-8", "replace"))


def status_of(words, names=None, **how):
    """The status of WORDS, which reads NAMES."""
    if names is not None:
        how["input"] = "".join(n + "\n" for n in names).encode("utf-8", "surrogateescape")
    sys.stdout.flush()
    status = subprocess.run(words, **how).returncode
    return status if status >= 0 else 128 - status


def resolve(program, request):
    """(rows of the requested blobs, names that the library does not have), of all architectures"""
    words = request.passed("manifest", "cache-dir", "root", "blob", "blob-list", "matrix",
                           "name-format")
    words += ["--all"] if request.has("all") else []
    out, status, messages = ask([program, "list", "--json"] + words + ["--"] + request.operands)
    rows = [json.loads(line) for line in out.splitlines()]
    unknown = [r["stem"] for r in rows if r["state"] == "unknown"]
    if not unknown:  # else the messages are about them
        sys.stderr.write(messages)
        if status:
            sys.exit(status)
    return [r for r in rows if r["state"] != "unknown"], list(dict.fromkeys(unknown))


def entries(program, request, *options):
    """(the cache directory, its entries, as `ckjit cache --json` describes them)"""
    named = request.last("cache-dir") or os.environ.get("CK_JIT_CACHE_DIR")
    if named and not os.path.exists(named):
        return os.path.abspath(named), []
    out, status, messages = ask([program, "cache", "--json"] + list(options)
                                + request.passed("manifest", "cache-dir"))
    if status:
        sys.stderr.write(messages)
        sys.exit(status)
    told = json.loads(out)
    return told["cache"], sorted(told["files"], key=lambda e: e["file"])


def remove(directory, files):
    for e in files:
        try:
            os.remove(os.path.join(directory, e["file"]))
        except FileNotFoundError:
            pass  # another process removed it


def print_names(names):
    sys.stdout.buffer.write("".join(n + "\n" for n in names).encode("utf-8", "surrogateescape"))


# ---- commands ----


def run_list(program, request):
    archs, how = request.archs(), request.format()
    rows, unknown = resolve(program, request)
    found = [r for r in rows if not archs or any(is_for(r, a) for a in archs)]
    missing = [n for n in unknown if not archs or any(is_of_family(stem(n), a) for a in archs)]
    if how == "blob-list":
        print_names(r["stem"] for r in found)
    else:
        print("Found%s:   %d" % (" (arch=%s)" % request.last("arch") if archs else "", len(found)))
        print("Missing:  %d" % len(missing))
        sys.stdout.flush()
        print_names("  + %s  [%s]" % (r["stem"], " ".join(sorted(r["architectures"])))
                    for r in found)
        print_names("  - %s  (not in manifest)" % n for n in missing)
    return 1 if missing else 0


def stem(name):
    return os.path.basename(name).split(".")[0]


def warn_of_nothing(arch, rows, unknown):
    """None of them is for ARCH."""
    others = collections.Counter(family_of(r["stem"]) or " and ".join(r["architectures"])
                                 for r in rows if not is_for(r, arch))
    others.update(family_of(stem(n)) for n in unknown if not is_of_family(stem(n), arch))
    missing = any(is_of_family(stem(n), arch) for n in unknown)
    say("warning", "nothing to build for %s: the %snames are for other architectures: %s" % (
        arch, "other " if missing else "",
        ", ".join("%s (%d)" % (a, n) for a, n in sorted(others.items()))))


def warn_of_missing(missing):
    say("warning", "%d blob(s) not in manifest:" % len(missing))
    sys.stderr.write("".join("  %s\n" % n for n in missing))


def forget(program, request, names, arch):
    """--force: remove the entries of NAMES for ARCH."""
    directory, files = entries(program, request, "--current")
    wanted = set(names)
    remove(directory, [e for e in files if e["stem"] in wanted and (
        not arch or not e["architectures"] or plain(arch) in map(plain, e["architectures"]))])


def run_build(program, request):
    if not request.names_blobs():
        die(1, "no blobs requested: expected names, --blob, --blob-list or --all")
    if request.has("hipcc"):
        os.environ["CK_JIT_HIPCC"] = request.last("hipcc")
    if request.has("rocm-lib"):
        say("note", "--rocm-lib is not used: the compiler links with its own ROCm")
    archs = request.archs()
    rows, unknown = resolve(program, request)
    os.environ.pop("CK_JIT_EXTRA_CACHE_KEY", None)  # it has been warned about
    missing = [n for n in unknown if not archs or any(is_of_family(stem(n), a) for a in archs)]
    if missing:
        warn_of_missing(missing)
    command = [program, "build", "--blob-list", "-"] + request.passed(
        "manifest", "cache-dir", "root", "jobs", "job-memory", "times", "shard")
    command += ["--verbose"] if request.has("verbose") else []
    worst, any_found = 0, False
    for arch in archs or [None]:
        names = [r["stem"] for r in rows if not arch or is_for(r, arch)]
        any_found |= bool(names)
        if not names:
            if arch and (rows or len(missing) < len(unknown)):
                warn_of_nothing(arch, rows, unknown)
            continue
        if request.has("force"):
            forget(program, request, names, arch)
        worst = max(worst, status_of(command + (["--arch", arch] if arch else []), names))
    if missing and not any_found:
        die(1, "nothing to build: the library has none of the names")
    return worst


def run_cache(program, request):
    how, archs = request.format(), request.archs()
    options = request.passed("root") + (["--current"] if request.has("current") else [])
    directory, files = entries(program, request, *options)
    if archs:
        files = [e for e in files if any(is_for(e, a) for a in archs)]
    stems = sorted({e["stem"] for e in files})
    if how == "blob-list":
        print_names(stems)
    else:
        print("Cache: %s  (%d entries)" % (directory, len(files)))
        sys.stdout.flush()
        print_names("  %s  (%s B)" % (e["file"], format(e["bytes"], ",")) for e in files)
    for file in request.values.get("write-blob-list", []):
        with open(file + ".part", "w", encoding="utf-8", errors="surrogateescape") as f:
            f.writelines(s + "\n" for s in stems)
        os.replace(file + ".part", file)
        say("note", "wrote %d blob name(s) to %s" % (len(stems), os.path.abspath(file)))
    return 0


def run_clean(program, request):
    passed = request.passed("manifest", "cache-dir")
    if request.operands or request.has("blob") or request.has("blob-list"):
        if request.has("all") or request.has("stalled"):
            die(2, "clean: expected blobs, --all or --stalled")
        os.execv(program, [program, "clean"] + passed + request.passed("blob", "blob-list")
                 + ["--"] + request.operands)
    directory, files = entries(program, request)
    if request.has("stalled"):
        current = {e["file"] for e in entries(program, request, "--current")[1]}
        files = [e for e in files if e["file"] not in current]
        remove(directory, files)
    if os.path.isdir(directory):
        status = status_of([program, "clean", "--stalled" if request.has("stalled") else "--all"]
                           + request.passed("cache-dir"), stdout=subprocess.DEVNULL)
        if status:
            return status
    for e in files if request.has("verbose") else []:
        print("Removed %s" % os.path.join(directory, e["file"]))
    if files:
        print("Removed %d file(s) from %s." % (len(files), directory))
    else:
        print("%s in %s." % ("No stale entries" if request.has("stalled") else "Nothing to clean",
                             directory))
    return 0


COMMANDS = {"list": run_list, "build": run_build, "clean": run_clean, "cache": run_cache}


def choose_cache(request):
    """The default cache is that of the library: its name is beside the manifest."""
    manifest = request.last("manifest") or os.environ.get("CK_JIT_MANIFEST")
    for directory in [os.path.dirname(os.path.abspath(manifest))] if manifest else [] + [HERE]:
        try:
            with open(os.path.join(directory, CONFIG), encoding="utf-8") as f:
                os.environ.setdefault("CK_JIT_NAME", json.load(f)["name"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # the default name


def main():
    words = sys.argv[1:]
    request = Request(words)
    if request.command is None or (request.command in COMMANDS and request.has("help")):
        print(__doc__)
        return 0 if request.has("help") else 2
    program = find_program()
    choose_cache(request)
    if request.command not in COMMANDS:
        os.execv(program, [program] + words)
    return COMMANDS[request.command](program, request)


try:
    sys.exit(main())
except OSError as error:
    die(1, "%s: %s" % (error.filename, error.strerror))
