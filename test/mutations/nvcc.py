"""nvcc.py - real nvcc's --dryrun against what the scanner says of a line, for lines of real builds and mutated ones.

    nvcc.py --nvcc NVCC --unit build/test/unit/nvccargs --work DIR [--seed N] [--count N] [--seconds S]

What must hold, the scanner being conservative: a line that it would let the wrapper record (one source, one object, nothing
beside) is that to nvcc, with the same source, object, depfile, directories and headers; where nothing is in doubt nvcc takes
it. A link has the same inputs. The seeds marked `unit` must stay recordable.
"""
import argparse
import os
import random
import re
import shlex
import subprocess
import sys
import time

FILES = {
    "x.cu": "__global__ void k() {}\n", "y.cu": "__global__ void k() {}\n", "d/x.cu": "__global__ void k() {}\n", "h.cpp": "int h;\n",
    "a.h": "", "b.h": "", "q.optf": "-DQ -I q\n", "two.optf": '-optf q.optf\n"-DTWO=ab" -O3', "out.optf": "-o two.o", "o/keep": "",
    "x.o": "", "lib/libz.so": "",
}

TORCH = """-DWITH_CUDA -I{S}/inc -isystem {S}/torch/include -isystem /usr/include/python3.11 -D__CUDA_NO_HALF_OPERATORS__
 -D__CUDA_NO_HALF_CONVERSIONS__ -D__CUDA_NO_BFLOAT16_CONVERSIONS__ -D__CUDA_NO_HALF2_OPERATORS__ --expt-relaxed-constexpr
 --compiler-options '-fPIC' -O3 -std=c++17 -gencode=arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90
 -gencode=arch=compute_90,code=compute_90 -DTORCH_API_INCLUDE_EXTENSION_H -DTORCH_EXTENSION_NAME=x_cuda
 -D_GLIBCXX_USE_CXX11_ABI=1""".split()
FLASH = """-U__CUDA_NO_HALF_OPERATORS__ -U__CUDA_NO_BFLOAT16_CONVERSIONS__ --expt-relaxed-constexpr --expt-extended-lambda
 --use_fast_math --threads 4 -Xptxas -v -DFLASHATTENTION_DISABLE_DROPOUT -lineinfo""".split()
CMAKE = """-forward-unknown-to-host-compiler -DGGML_CUDA -D_XOPEN_SOURCE=600 -I{S}/inc/. --options-file q.optf -isystem=/opt/x/include
 -O3 -DNDEBUG -std=c++17 --generate-code=arch=compute_90,code=[compute_90,sm_90] -Xcompiler=-fPIC -use_fast_math
 -extended-lambda -Wmissing-declarations -compress-mode=size""".split()
MAKE = "-O3 -m64 -ccbin g++ -Xcompiler -Wall,-Wextra -Xptxas -maxrregcount=96 -std=c++11 -gencode=arch=compute_75,code=sm_75".split()

# kind, line: `unit` is recordable, `link` a link; `other` is neither
SEEDS = [(kind, line.split() if isinstance(line, str) else line) for kind, line in (
    ("unit", ["--generate-dependencies-with-compile", "--dependency-output", "o/x.cuda.o.d"] + TORCH + ["-c", "x.cu", "-o", "o/x.cuda.o"]),
    ("unit", TORCH + FLASH + ["-c", "x.cu", "-o", "o/x.o"]),
    ("unit", TORCH + ["-ccbin", "gcc", "-c", "d/x.cu", "-o", "o/x.o", "-MD", "-MF", "o/x.d"]),
    ("unit", CMAKE + ["-MD", "-MT", "o/x.cu.o", "-MF", "o/x.cu.o.d", "-x", "cu", "-c", "{S}/x.cu", "-o", "o/x.cu.o"]),
    ("unit", CMAKE + ["-MMD", "-x", "cu", "-c", "h.cpp", "-o", "o/h.cpp.o"]),
    ("other", CMAKE + ["-MD", "-x", "cu", "-rdc=true", "-c", "x.cu", "-o", "o/x.o"]),
    ("unit", MAKE + ["-c", "x.cu"]), ("unit", MAKE + ["-MMD", "-c", "d/x.cu", "-odir", "o"]),
    ("unit", "-c x.cu -o=o/x.o -I=a -Ib --include-path=c -isystem d"), ("unit", "-dw x.cu -O2"),
    ("unit", "-c x.cu -Xcompiler -I/opt/x,-include,/dev/null -Ia -include a.h -MD"),
    ("unit", "-c x.cu --optimize 3 --std c++17 --machine 64 -Werror all-warnings -t4 -rdc=false --default-stream per-thread"),
    ("unit", "-c -Xcudafe --diag_suppress=20012,--display_error_number -Xfatbin=-compress-all x.cu -arch=sm_90 -objtemp"),
    ("unit", "-c -arch compute_90 -code sm_90,compute_90 x.cu --split-compile=2 -jobserver --objdir-as-tempdir"),
    ("unit", "-c h.cpp -Xcompiler -Wall -o h.o -MD"), ("unit", "-c x.cu -MMD -MP -MF o/k.d -MT t"), ("unit", "-Wno-deprecated-gpu-targets -c x.cu"),
    ("unit", "-c -optf two.optf x.cu"), ("unit", "x.cu --compile -optf q.optf,out.optf"), ("unit", "-c x.cu -G -g -lineinfo -maxrregcount=64 -res-usage"),
    ("unit", ["-c", "x.cu", "-Xcompiler", ',"-fsigned-char","-Wall"', "-Xcompiler", ",-fPIC,-O2", "-diag-suppress", "1407"]), ("other", "-c h.cpp -MD -objtemp"),
    ("unit", "-c -w -v x.cu --ftz=true -prec-div false --fmad=true -restrict -allow-unsupported-compiler"),
    ("other", "-dc x.cu -o x.o"), ("other", "-c x.cu -dlto -arch=sm_90"), ("other", "-c x.cu --keep"), ("other", "-c x.cu --keep --keep-dir o"),
    ("other", "-c x.cu y.cu"), ("other", "-ptx x.cu -o x.ptx"), ("other", "-cubin -arch=sm_90 x.cu"), ("other", "-fatbin x.cu"), ("other", "-E x.cu"),
    ("other", "-M x.cu"), ("other", "-MM x.cu -MF x.d"), ("other", "-cuda x.cu"), ("other", "-lib x.o y.cu -o lib.a"), ("other", "-dlink x.o -o y.o"),
    ("other", "--version"), ("other", "-c x.o"), ("other", "-c x.cu -ewp -arch=sm_90"), ("other", "-c x.cu -clean"),
    ("other", "-c x.cu -gencode arch=compute_90,code=lto_90 -rdc=true"), ("other", "-c x.cu -Xcompiler -o,z.o"), ("other", "-c x.cu -I a,b"),
    ("link", "-shared x.o -o lib.so -L lib,l2 -lz -lcublas -Xlinker -rpath,/x -cudart shared"), ("link", "x.cu h.cpp -o prog -lz -L=lib"),
    ("link", "-shared -Xcompiler -fPIC x.o y.o -Xlinker=--no-as-needed --linker-options -soname,libx.so -o o/lib.so --library=a,b"),
    ("link", "x.o -l:libz.so -o prog -ccbin g++ -nodlink"), ("link", "-link x.o h.obj libq.a libr.so"), ("link", "-r x.o y.o -o z.o"),
)]
WORDS = """-c -o x.cu y.cu h.cpp x.o lib.so -o=p.o -I a -Ib,c -I=d -D -DX=1 -UY -isystem e -isystem=f -include a.h -Ofc -dlink -hls -run-args -objtemp -isystem -O3 -O 2 -std=c++17 -x cu -x=c++ -x
 c -MD -MMD -MF m.d -MF=n.d -MT t -MP -odir o -odir=o -Xcompiler -fPIC -Xcompiler=-Wall,-O1 -Xcompiler -I/opt/x --compiler-options -g
 -Xlinker -rpath,/y -Xptxas -v -dc -dw -lib -shared -link -r -ptx -cubin -E -M -rdc=true -rdc false -dlto --keep -t4 -t 2 --threads=2 -G
 -lineinfo -use_fast_math -arch=sm_90 -arch sm_80 -code=sm_90 -gencode arch=compute_90,code=sm_90 -forward-unknown-to-host-compiler
 -forward-unknown-opts -Wall -Wextra -Werror all-warnings -fPIC -ldir -lib -lz -Llib -optf q.optf --options-file=out.optf -ccbin gcc -e k -m64
 --optimize=1 --output-file p.o --bogus -zzz -- - -w -g -v --time -keep-dir o -Ofc max -lto -ewp -nodlink -cudart none""".split()


def mutate(rng, line):
    line = list(line)
    for _ in range(rng.choice((1, 1, 2, 3))):
        at = rng.randrange(len(line) + 1)
        kind = rng.randrange(7)
        if kind <= 2 or not line:
            line.insert(at, rng.choice(WORDS))
        elif kind == 3:
            del line[rng.randrange(len(line))]
        elif kind == 4:
            i, k = rng.randrange(len(line)), rng.randrange(len(line))
            line[i], line[k] = line[k], line[i]
        elif kind == 5:  # another spelling: joined, apart, one dash more or fewer
            i = rng.randrange(len(line))
            word = line[i]
            if "=" in word and word.startswith("-") and rng.random() < 0.5:
                line[i : i + 1] = word.split("=", 1)
            elif word.startswith("-"):
                line[i] = rng.choice((word[1:], "-" + word, word + "=", word + "x", word.replace(",", " "), word.upper(), '"' + word + '"'))
            elif i:
                line[i - 1 : i + 1] = [line[i - 1] + rng.choice(("", "=", ",")) + word]
        else:
            line.insert(at, line[rng.randrange(len(line))])
    return line


class Refused(Exception):
    pass


BUILT_IN = ("cudadevrt", "cudart", "cudart_static", "rt", "pthread", "dl")


def is_temporary(path):
    return "tmpxft_" in path


def dryrun(nvcc, line, work):
    """what nvcc would do: {objects, sources, depfiles, dirs, forced, link, archive, files}"""
    done = subprocess.run([nvcc, "--dryrun"] + line, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=1800)
    text = done.stdout + done.stderr
    if "fatal   :" in text or done.returncode:
        raise Refused(next((t for t in text.splitlines() if "fatal" in t), text[-300:]))
    r = {"objects": [], "sources": [], "depfiles": [], "dirs": None, "forced": None, "link": None, "archive": None, "files": set(), "relocatable": False,
         "raw": text}
    for command in text.splitlines():
        if not command.startswith("#$ "):
            continue
        command = command[3:]
        m = re.match(r"-- Filter Dependencies -- > (.*)", command)
        if m:
            r["depfiles"].append(m.group(1).strip())
            continue
        if re.match(r"[A-Z_]+=", command) or command.startswith("_"):
            continue
        try:
            words = shlex.split(command)
        except ValueError:
            raise Refused("unreadable: " + command)
        last = max((i for i in range(len(words) - 1) if words[i] == "-o"), default=None)
        out = words[last + 1] if last else None
        if out and not is_temporary(out):
            r["files"].add(out)
        r["files"].update(w.split("=", 1)[1] for w in words if w.startswith("--create=") and not is_temporary(w))
        r["relocatable"] |= "--device-c" in words or "-D__CUDACC_RDC__" in words
        if "cr" in words[1:2] or "cr" in words:
            r["archive"] = words[words.index("cr") + 1]
        elif "-Wl,--start-group" in words:
            group = words[words.index("-Wl,--start-group") + 1 : words.index("-Wl,--end-group")]
            files, i = [], 0
            while i < len(group):
                if group[i] == "-Xlinker":
                    i += 1
                    if not group[i].startswith("-"):
                        files.append(group[i])
                elif not group[i].startswith("-") and not is_temporary(group[i]):
                    files.append(group[i])
                i += 1
            libraries = [w[2:] for w in group if w.startswith("-l") and w[2:] not in BUILT_IN]
            directories = [w[2:] for w in group if w.startswith("-L") and "/bin/../" not in w]
            r["link"] = {"out": out, "files": sorted(files), "libraries": libraries, "directories": directories}
        elif ("-E" in words or "-c" in words) and out and not any(w.endswith("link.stub") for w in words):
            source = words[last - 1]
            if not is_temporary(source) and source not in r["sources"]:
                r["sources"].append(source)
            if r["dirs"] is None and not is_temporary(source):
                r["dirs"], r["forced"] = directories_of(words)
            if "-c" in words and not is_temporary(out):
                r["objects"].append(out)
    return r


def directories_of(words):
    dirs, forced, i = [], [], 0
    while i < len(words):
        if words[i] in ("-isystem", "-include", "-I"):
            kind, value, i = words[i], words[i + 1], i + 1
        elif words[i] in ("-D", "-U"):
            kind, i = None, i + 1
        elif words[i].startswith("-I"):
            kind, value = "-I", words[i][2:]
        else:
            kind = None
        if kind == "-include" and value != "cuda_runtime.h":
            forced.append(value)
        elif kind in ("-I", "-isystem") and "/bin/../" not in value:
            dirs.append(("user=" if kind == "-I" else "system=") + value)
        i += 1
    return sorted(dirs, key=lambda d: d.startswith("system=")), forced


class Summary:
    """the line that test/unit/nvccargs prints, of names without spaces"""

    def __init__(self, text):
        self.text = text
        self.mode, rest = text.split(" > ", 1)
        words = rest.split(" ")
        self.output, words = words[0], words[1:]
        self.sources, self.files, self.libraries, self.directories, self.dirs, self.forced = [], [], [], [], [], []
        self.depfile = self.side = self.doubt = None
        self.unclear = False
        for i, w in enumerate(words):
            if w.startswith("side="):
                self.side = w
                self.doubt = None
            elif w.startswith("doubt="):
                self.doubt = w
            elif w == "unclear" and i == len(words) - 1:
                self.unclear = True
            elif w.startswith("deps="):
                self.depfile = w[5:].replace(",system", "").replace(",phony", "")
            elif w.startswith(("user=", "system=")):
                self.dirs.append(w)
            elif w.startswith("forced="):
                self.forced.append(w[7:])
            elif w.startswith("-l"):
                self.libraries.append(w[2:])
            elif w.startswith("-L"):
                self.directories.append(w[2:])
            elif re.search(r":(c|c\+\+|cuda|asm|other|header|hip)$", w):
                self.sources.append(w.rsplit(":", 1)[0])
            elif not w.startswith(("target=", "-B", "quote=", "after=")):
                self.files.append(w)
        self.dirs.sort(key=lambda d: d.startswith("system="))

    def is_recordable(self):
        return self.mode == "compile" and len(self.sources) == 1 and not self.side and not self.unclear and not self.files


def of_objtemp(file, s):
    """Is FILE a temporary one of -objtemp? It is beside the object, or, with -odir as well, in the current directory."""
    return file.startswith((s.output + ".", os.path.basename(s.output) + "."))


def differences(kind, line, s, real, why):
    """what is wrong with summary s of the line, given what nvcc does (None: it refuses, because of why)"""
    wrong = []

    def differ(what, ours, theirs):
        if ours != theirs:
            wrong.append(f"{what}: the scanner says {ours!r}, nvcc {theirs!r}")

    if kind == "unit" and not s.is_recordable():
        wrong.append("is not recordable any more")
    if kind == "link" and s.mode not in ("link", "relocatable") or kind == "other" and s.is_recordable():
        wrong.append(f"is no `{kind}`")
    if real is None:
        if kind:
            wrong.append(f"nvcc refuses it: {why}")
        if s.is_recordable() and not s.doubt:
            wrong.append(f"nothing is in doubt, but nvcc refuses it: {why}")
        return wrong
    if s.is_recordable() and s.sources != ["-"]:
        differ("objects", [s.output], real["objects"])
        differ("depfiles", [s.depfile] if s.depfile else [], real["depfiles"])
        differ("sources", s.sources, [f for f in real["sources"] if f in s.sources or not of_objtemp(f, s)])
        differ("directories", s.dirs, real["dirs"])
        differ("headers", s.forced, real["forced"])
        differ("other files", [], sorted(f for f in real["files"] - {s.output} if not of_objtemp(f, s)))
        differ("relocatable", False, real["relocatable"])
    # words of -Xcompiler stand elsewhere
    if real["link"] and s.mode != "query" and not s.side and not s.unclear and (kind or not any("ompiler" in w for w in line)):
        differ("mode", s.mode if s.mode in ("link", "relocatable") else "link", s.mode)
        differ("output", s.output, real["link"]["out"])
        differ("files", sorted(f for f in s.files), real["link"]["files"])
        differ("libraries", s.libraries, real["link"]["libraries"])
        differ("library directories", s.directories, real["link"]["directories"])
    if real["archive"] and s.mode != "query":
        differ("archive", ("archive", s.output), (s.mode, real["archive"]))
    if s.mode in ("link", "relocatable") and not s.side and not s.unclear and not real["link"]:
        wrong.append("the scanner says link, nvcc makes none")
    return wrong


# they take a value, whatever nvcc --help says
VALUED = ("-MF", "--dependency-output", "-qpp-config", "--qpp-config")


def table(nvcc):
    """name, whether it takes a value: from nvcc --help"""
    text = subprocess.run([nvcc, "--help"], capture_output=True, text=True, check=True).stdout
    found = []
    for m in re.finditer(r"^(--[\w-]+)( \S.*?)? +\(?(--?[\w-]+)\)? *$", text, re.M):
        found += [(name, bool(m.group(2)) or name in VALUED) for name in {m.group(1), m.group(3)}]
    return found


def scan(unit, lines, work):
    def quote(word):
        return re.sub(r"([\s\\\"'])", r"\\\1", word) or '""'

    text = "".join(" ".join(map(quote, line)) + "\n" for line in lines)
    out = subprocess.run([unit, "-"], input=text, cwd=work, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(out) == len(lines), (len(out), len(lines))
    return [Summary(t) for t in out]


def check_table(args):
    names = table(args.nvcc)
    if len(names) < 100:
        sys.exit(f"only {len(names)} names found in {args.nvcc} --help")
    lines = [[name, "x.cu", "-c"] for name, _ in names] + [[name + "=zz", "x.cu", "-c"] for name, _ in names]
    got = scan(args.unit, lines, args.work)
    wrong, unknown = 0, []
    for (name, takes), alone, joined in zip(names, got, got[len(names) :]):
        known_flag, takes_next = joined.mode == "query" and name not in ("-x", "--x"), "x.cu" not in alone.sources
        if not known_flag and not takes_next:
            unknown.append(name)
        elif takes != takes_next or takes == known_flag:
            print(f"{name}: nvcc --help says {'a value' if takes else 'a flag'}; scanned: {alone.text} | {joined.text}")
            wrong += 1
    print(f"{len(names)} names of options compared; unknown here: {' '.join(unknown) or 'none'}")
    version = subprocess.run([args.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    # what another version adds is in doubt wherever it is given
    return wrong + (len(unknown) if "release 13.0" in version else 0)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--nvcc", required=True)
    p.add_argument("--unit", required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--count", type=int, default=300)
    p.add_argument("--seconds", type=float, default=1e9)
    args = p.parse_args()
    for name, text in FILES.items():
        path = os.path.join(args.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
    wrong = check_table(args)
    lines = [(kind, [w.replace("{S}", args.work) for w in line]) for kind, line in SEEDS]
    for n in range(args.count):
        rng = random.Random(args.seed + n)
        lines.append((None, mutate(rng, rng.choice(lines[: len(SEEDS)])[1])))
    end = time.time() + args.seconds
    summaries = scan(args.unit, [line for _, line in lines], args.work)
    compared = refused = recordable = 0
    for (kind, line), s in zip(lines, summaries):
        if time.time() > end:
            break
        if "-run" in line or "--version" in line or "-V" in line:
            continue
        why = real = None
        try:
            real = dryrun(args.nvcc, line, args.work)
        except Refused as e:
            why, refused = e, refused + 1
        compared += 1
        recordable += s.is_recordable()
        bad = differences(kind, line, s, real, why)
        if bad:
            wrong += 1
            print(f"nvcc {shlex.join(line)}\n  {s.text}\n  " + "\n  ".join(bad))
    print(f"{compared} command lines compared, of which nvcc refuses {refused} and {recordable} would be recorded")
    sys.exit(1 if wrong or compared < len(SEEDS) else 0)


main()
