#!/usr/bin/env python3
"""ck_jit_prebuild.py list|build|clean|cache - CK JIT's command line for ckjit-prebuild

    list   [BLOB...] [--arch LIST] [--format human|blob-list]      human is what ckjit-prebuild prints; blob-list: names, one a line
    build  [BLOB...] [--all] [--arch LIST] [--jobs N]              of each architecture the blobs that are for it
    clean  [BLOB...] [--all] [--stalled]
    cache  [--format human|blob-list] [--write-blob-list FILE] [--current]
           what is in the cache directory; --current: only what this library, with this compiler, would load

All take --blob-list FILE, --manifest FILE, --cache-dir DIR and --root DIR, and list and build whatever else ckjit-prebuild knows.
--arch is a filter: a blob with an architecture at the end of its name, as fmha_..._gfx950, is for that one, and one that ends with _gfx9 is for
gfx942 and gfx950. Every architecture of LIST gets entries of its own.
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
NAME_FILE = "ck_jit_name"


def die(status, message):
    sys.stderr.write("ck_jit_prebuild.py: error: %s\n" % message)
    sys.exit(status)


def find_program():
    for path in os.path.join(HERE, "ckjit-prebuild"), os.path.join(HERE, "ckjit", "bin", "ckjit-prebuild"):
        if os.access(path, os.X_OK):
            return path
    die(1, "there is no ckjit-prebuild beside %s: expected it where ck_jit_build.py --install-dir put both" % HERE)


def take(words, name, flag=False):
    """The values of --NAME, which are removed from WORDS; of a FLAG whether it is there."""
    values, at = [], 0
    while at < len(words):
        if words[at] == name and flag:
            values.append(True)
            del words[at]
        elif words[at] == name:
            if at + 1 == len(words):
                die(2, "%s: expected a value behind it" % name)
            values.append(words[at + 1])
            del words[at : at + 2]
        elif words[at].startswith(name + "=") and not flag:
            values.append(words[at][len(name) + 1 :])
            del words[at]
        else:
            at += 1
    return bool(values) if flag else values


def archs_of(words):
    found = []
    for value in take(words, "--arch"):
        found += [a for a in re.split(r"[;, ]+", value) if a]
    return list(dict.fromkeys(found))


def format_of(words):
    formats = take(words, "--format") or ["human"]
    if formats[-1] not in ("human", "blob-list"):
        die(2, "--format %s: expected human or blob-list" % formats[-1])
    return formats[-1]


def is_for(row, arch):
    """Whether the blob of this row of `list --json` is for ARCH, as gfx942 or gfx942:sramecc+:xnack-"""
    plain = arch.split(":")[0]
    tag = re.search(r"_(gfx[0-9a-f]+)$", row["stem"])
    if tag:
        return plain.startswith(tag.group(1))
    return not row["architectures"] or plain in [a.split(":")[0] for a in row["architectures"]]


def rows(program, words):
    """What `list --json` says of each blob. Ends as ckjit-prebuild does if that fails."""
    done = subprocess.run([program, "list", "--json"] + words, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.returncode)
    return [json.loads(line) for line in done.stdout.decode("utf-8", "surrogateescape").splitlines()]


def print_names(names):
    sys.stdout.buffer.write("".join(n + "\n" for n in names).encode("utf-8", "surrogateescape"))


def run_list(program, words):
    archs, how = archs_of(words), format_of(words)
    if how == "human" and not archs:
        os.execv(program, [program, "list"] + words)
    found = [r for r in rows(program, words + (["--arch", archs[0]] if len(archs) == 1 else [])) if not archs or any(is_for(r, a) for a in archs)]
    print_names(r["stem"] if how == "blob-list" else "%s\tknown\t%s" % (r["stem"], r["state"]) for r in found)
    return 0


def run_build(program, words):
    archs = archs_of(words)
    if not archs:
        os.execv(program, [program, "build"] + words)
    everything = take(words, "--all", True)
    options = list(words)
    passed = []  # what `list` has to be told, too: everything but how compiles are run
    jobs = [w for name in ("--jobs", "-j", "--job-memory") for v in take(options, name) for w in (name, v)]
    jobs += ["--verbose"] if take(options, "--verbose", True) else []
    for name in "--manifest", "--cache-dir", "--root":
        passed += [w for v in take(options, name) for w in (name, v)]
    known = rows(program, passed + options + (["--all"] if everything else []))
    worst = 0
    for arch in archs:
        names = [r["stem"] for r in known if is_for(r, arch)]
        if not names:
            sys.stderr.write("ck_jit_prebuild.py: note: no blob is for %s: of %d none\n" % (arch, len(known)))
            continue
        done = subprocess.run([program, "build", "--arch", arch, "--blob-list", "-"] + passed + jobs,
                              input="".join(n + "\n" for n in names).encode("utf-8", "surrogateescape"))
        worst = max(worst, done.returncode if done.returncode >= 0 else 128 - done.returncode)
    return worst


def cache_directory(given):
    """As ckjit-prebuild chooses it: docs/environment.md"""
    if given or os.environ.get("CK_JIT_CACHE_DIR"):
        return given or os.environ["CK_JIT_CACHE_DIR"]
    xdg, name = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("CK_JIT_NAME") or "ck_jit"
    return os.path.join(xdg if xdg.startswith("/") else os.path.expanduser("~/.cache"), name)


def human(size):
    for unit in "B", "KiB", "MiB", "GiB":
        if size < 1024 or unit == "GiB":
            return "%d %s" % (size, unit) if unit == "B" else "%.1f %s" % (size, unit)
        size /= 1024


def run_cache(program, words):
    how, files, current = format_of(words), take(words, "--write-blob-list"), take(words, "--current", True)
    directory = cache_directory((take(words, "--cache-dir") or [None])[-1])
    archs = archs_of(words)
    entries = {}  # stem: sizes of its entries
    if os.path.isdir(directory):
        for e in os.scandir(directory):
            m = re.match(r"([^.].*?)(\.[0-9a-f]{48})?\.so$", e.name)
            if m and e.is_file(follow_symlinks=False):
                entries.setdefault(m.group(1), []).append(e.stat().st_size)
    if current:
        listed = words + ["--cache-dir", directory]
        states = [rows(program, listed + ["--arch", a]) for a in archs] if archs else [rows(program, listed)]
        loaded = {r["stem"] for of_arch in states for r in of_arch if r["state"] == "cached"}
        entries = {stem: sizes for stem, sizes in entries.items() if stem in loaded}
    elif words:
        take(words, "--manifest"), take(words, "--root")
        if words:
            die(2, "cache: unknown argument '%s'; expected --format, --write-blob-list, --current, --cache-dir, --manifest, --root or --arch" % words[0])
    if archs and not current:
        entries = {stem: sizes for stem, sizes in entries.items() if any(is_for({"stem": stem, "architectures": []}, a) for a in archs)}
    for file in files:
        with open(file + ".part", "w", encoding="utf-8", errors="surrogateescape") as f:
            f.writelines(stem + "\n" for stem in sorted(entries))
        os.replace(file + ".part", file)
    if how == "blob-list":
        print_names(sorted(entries))
    else:
        print("Cache directory: %s" % directory)
        print("Cached blobs: %d in %d files, %s%s" % (len(entries), sum(map(len, entries.values())), human(sum(map(sum, entries.values()))),
                                                    ", current" if current else ""))
    return 0


COMMANDS = {"list": run_list, "build": run_build, "cache": run_cache}


def main():
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if words else 2
    program = find_program()
    if os.path.exists(os.path.join(HERE, NAME_FILE)) and not os.environ.get("CK_JIT_NAME"):
        with open(os.path.join(HERE, NAME_FILE), encoding="utf-8") as f:
            os.environ["CK_JIT_NAME"] = f.read().strip()
    if words[0] not in COMMANDS or "--help" in words:
        os.execv(program, [program] + words)  # clean, and what CK JIT does not have
    return COMMANDS[words[0]](program, words[1:])


try:
    sys.exit(main())
except OSError as error:
    die(1, "%s: %s" % (error.filename, error.strerror))
