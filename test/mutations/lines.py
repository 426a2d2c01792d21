"""lines.py - command lines as real builds have them, and what mutates them.

A line is a list of words. Its files are those of FILES, made anew for each run; `{S}` in a word is the directory that
they are in. Nothing here starts a process: see compare.py.
"""
import random
import re
import string

KERNEL = b"""#include "kernel.hpp"
using trait_0 = traits<128, true>;
template <> float kernel_fwd_<trait_0>(const stream& s, args a) { return launch<trait_0>(s, a); }
"""
FILES = {
    "inc/kernel.hpp": b"""#pragma once
#include "deep.hpp"
struct stream { int id; };
struct args { int n; };
template <int N, bool B> struct traits {};
template <class T> float kernel_fwd_(const stream& s, args a);
template <class T> float launch(const stream& s, args a) { return s.id + a.n + DEEP; }
""",
    "inc/deep.hpp": b"#include <sys.hpp>\n#define DEEP 1\n",
    "sys/sys.hpp": b"#pragma once\n",
    "kernel.cpp": KERNEL,
    "user.cpp": b"""#include "kernel.hpp"
float user() { return kernel_fwd_<traits<128, true>>(stream{1}, args{2}); }
""",
    "forced.h": b"#define FORCED 1\n",
    "blob.cu": KERNEL, "blob.hip": KERNEL, "blob.cpp": KERNEL, "d/blob.cu": KERNEL,
    "host.cpp": b"int host() { return 0; }\n", "host.cu": b"int host() { return 0; }\n",
    "main.cpp": b"int main() { return 0; }\n", "c.c": b"int c(void) { return 0; }\n",
    "clang.cfg": b"-DCFG=1\n", "out/keep": b"", "srcdir.cu/keep": b"",
}
SOURCES = ["blob.cu", "blob.hip", "blob.cpp", "d/blob.cu", "host.cpp", "host.cu", "main.cpp", "c.c"]

# From builds of aiter (hipcc by ninja), composable kernel (CMake) and mini-aiter; shortened, with the files of above.
AITER = """-DWITH_HIP -I{S}/inc -isystem sys -fPIC -std=c++17 -O3 -DUSE_ROCM -DENABLE_FP8 -DCK_TILE_FMHA_FWD_FAST_EXP2=1
 -DCK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=3 -DCK_TILE_USE_OCP_FP8=0 -D__HIP_PLATFORM_AMD__=1 -U__HIP_NO_HALF_CONVERSIONS__
 -mllvm -enable-post-misched=0 -mllvm -inline-threshold=300 -Wno-undefined-func-template -Wno-unused-result
 -fno-offload-uniform-block -fgpu-flush-denormals-to-zero -Wno-switch-bool -Wno-vla-cxx-extension -Wno-macro-redefined
 --offload-arch=gfx90a --offload-arch=gfx908""".replace("-fno-offload-uniform-block", "").split()
CMAKE = """-DCK_USE_XDL -DCK_ENABLE_INT8="ON" -D'NAME=a b' -I{S}/inc -isystem {S}/sys -O3 -DNDEBUG -std=gnu++17 -fPIC
 -fvisibility=hidden -fvisibility-inlines-hidden -Wall -Wextra -Wno-c++98-compat -ftemplate-backtrace-limit=0
 -fbracket-depth=512 --offload-arch=gfx90a -fcolor-diagnostics""".replace('"ON"', '\\"ON\\"').replace("-D'NAME=a b'", "-DNAME=a\0b").split()
CMAKE = [w.replace("\0", " ") for w in CMAKE]
SEEDS = [("hipcc", line.split() if isinstance(line, str) else line) for line in (
    ["-x", "hip"] + AITER + ["-MMD", "-MF", "blob.cuda.o.d", "-c", "blob.cu", "-o", "blob.cuda.o"],
    ["-MD", "-MF", "out/b.d", "-MT", "out/b.o", "-o", "out/b.o"] + CMAKE + ["-x", "hip", "-c", "{S}/blob.cpp"],
    AITER + ["-c", "-x", "hip", "d/blob.cu"],
    ["-x", "hip"] + CMAKE + ["-c", "{S}/blob.cu", "-o", "{S}/out/x.o", "-MD", "-MP"],
    "-x hip -Iinc -Isys -O2 -fPIC -c blob.cu -o blob.o",
    "-Iinc -iquote sys -isystem sys -O2 -c blob.hip -o out/blob.o -Wp,-MD,out/.blob.d",
    "-c -x hip -I inc -idirafter sys -include forced.h -Xclang -fno-validate-pch blob.cpp -oblob.o",
    "-c -x hip -Iinc -Isys --std=c++20 --param ssp-buffer-size=4 -MMD -MQ a$b -MP blob.cu",
    "-E -Iinc -Isys -x hip blob.cu", "-S -Iinc -Isys -x hip blob.cu -o blob.s", "-M -Iinc -Isys -x hip blob.cu",
    "-MM -Iinc -Isys -x hip blob.cu -o x.d", "-fsyntax-only -Iinc -Isys -x hip blob.cu", "--version", "-v",
    "-x hip -c /dev/null -o /dev/null -mllvm -enable-post-misched=0", "-x hip -c -Iinc -Isys -o x.o -",
    "-c -Iinc -Isys -x hip blob.cu d/blob.cu", "-c -fPIC host.cpp -o host.o -MMD -MF host.d", "-c c.c",
    "-x c++ -Iinc -Isys -c blob.cu -o blob.o -- ", "-x hip -Iinc -Isys -c -o blob.o -- blob.cu",
    "host.cpp main.cpp -o prog", "-shared -fPIC -x c++ host.cpp -x none -o libx.so -L. -lm -Wl,-rpath,$ORIGIN -Wl,-Bsymbolic",
    "-print-search-dirs", "-dumpmachine", "-x hip -### -c blob.cu",
    # what aiter's ninja calls at the end
    "main.o host.o -o prog -Wl,--as-needed -lm",
    "-shared host.o -o out/libx.so -L{S} -Wl,-rpath,{S}", "-r host.o main.o -o both.o",
)] + [("c++", line.split()) for line in (
    "-Iinc -Isys -O2 -Wall -fPIC -MMD -MF x.d -c blob.cpp -o blob.o", "-c -std=c++17 -g -Iinc -isystem sys blob.cpp -MD",
    "-pthread -shared host.o main.o -o libx.so", "-x c++ -c -Iinc -Isys blob.cu -o out/blob.o -Werror",
    "-c host.cpp", "-E host.cpp", "-include forced.h -Iinc -Isys -c blob.cpp -o b.o",
)]

# those of which the post-build linker has a part; it takes a second
LINKS = [(program, line.split()) for program, line in (
    ("c++", "-shared -fPIC kernel.o user.o -o libk.so -Wl,-rpath,$ORIGIN -L. -lm"), ("c++", "kernel.o user.o main.o -o prog -Wl,--as-needed"),
    ("c++", "-pthread -shared -o out/libk.so -Wl,--start-group kernel.o user.o -Wl,--end-group"), ("c++", "-r kernel.o -o both.o"),
    ("c++", "-shared host.o -o libh.so -Wl,kernel.o"),
)]

# those that compile one kernel: the rest passes through, whatever is done to it
UNITS = [(program, words) for program, words in SEEDS if "-c" in words and any(w.endswith(("/blob.cu", "blob.cpp", "blob.cu", "blob.hip")) for w in words)
         and not {"-###", "-fsyntax-only", "-"} & set(words)]

# valid, invalid, and valid for one of the compilers or in one place only
POOL = [w.split(" ") for w in """-c|-S|-E|-M|-MM|-fsyntax-only|-###|--version|-v|-save-temps|-save-temps=obj|--save-temps|-MD|-MMD|-MP|-MG|-MV|-MF x.d
-MFx.d|-MF out/x.d|-MF|-MT t|-MT|-MQ a$b|-MTx|-MJ x.json|-o x.o|-ox.o|-o|-o out/y.o|-o out|-o missing/x.o|-o -|-o /dev/null|--output x.o
--output=x.o|--output|-x hip|-x c++|-xhip|-x cuda|-x c|-x none|-x c++-header|-x foo|-x|-x assembler|-x hip-cpp-output|-x ir|--language=hip
-Iinc|-I inc|-I|-Inone|-isystem sys|-isystemsys|-isystem|-iquote inc|-idirafter sys|-include forced.h|-includeforced.h
-include none.h|-include|--include forced.h|--include=forced.h|-imacros forced.h|-imacros none.h|-include-pch none.pch|-include d
-DX|-D X|-DX=1|-DX=a\\ b|-D(|-D=|-D|-D 1|-DX(a)=a|-D X=" " |-UX|-U|-U 1|-DX=-c|-D -E|-std=c++17|-std=c++99|-std=|-std=c++14|-std=c99|--std c++20|--std=c++20|-std c++17
-O0|-O1|-O2|-O3|-O4|-O9|-Os|-Oz|-Og|-Ofast|-Ofoo|-O-1|-O|-g|-g0|-g3|-ggdb|-g99|-gfoo|-gdwarf-4|-gdwarf-99|-gline-tables-only|-gsplit-dwarf
-fPIC|-fpic|-fPIE|-fno-pic|-fPIX|-fvisibility=hidden|-fvisibility=foo|-fvisibility|-fno-such|-fgpu-rdc|-fno-gpu-rdc|-fcuda-rdc|-flto|-flto=thin
-fno-lto|-fuse-ld=lld|-fuse-ld=nosuch|-march=native|-march=foo|-mcpu=foo|-mtune=native|-mavx2|-mnosuch|-m32|-m99|-mcmodel=large|-mcmodel=foo
-target x86_64-linux-gnu|--target=x86_64-linux-gnu|--target=foo|-target|-arch x86_64|-arch foo|--offload-arch=gfx90a|--offload-arch=gfx9999
--offload-arch=native|--offload-arch gfx90a|--offload-arch|--offload-arch=|--offload-arch=gfx90a:xnack+|--offload-arch=gfx90a,gfx942|--no-offload-arch=all
--cuda-device-only|--cuda-host-only|--offload-device-only|--offload-host-only|--offload-host-device|--cuda-compile-host-device|--genco|--cuda-gpu-arch=gfx90a
-mllvm -inline-threshold=300|-mllvm -nosuch|-mllvm|-mllvm -o|-Xclang -c|-Xclang -emit-llvm|-Xclang -fsyntax-only|-Xclang -nosuch|-Xclang|-Xclang -opaque-pointers
-Xclang -E|-Xclang -S|-Xclang -dependency-file -Xclang z.d|-Xclang -emit-pch|-Xclang -include -Xclang forced.h|-Xclang -main-file-name -Xclang y.cu
-Xarch_host -O1|-Xarch_host -c|-Xarch_host -S|-Xarch_device -O1|-Xarch_device -S|-Xarch_host|-Xarch_host -includeforced.h|-Xarch_host -MD|-Xarch_host -DX|-Xarch_gfx90a -O1
-Xpreprocessor -DX|-Xpreprocessor -MD|-Xpreprocessor|-Wp,-MD,x.d|-Wp,-MMD,x.d|-Wp,-MD|-Wp,-DX|-Wp,-v|-Wp,|-Wp,-MD,x.d,-MP|-Wp,-MF,y.d|-Wp,-MT,t
-Wl,-r|-Wl,--as-needed|-Wl,-z,defs|-Wl,host.o|-Wl,@l.rsp|-Wl,|-Xlinker -r|-Xlinker|-Wa,--noexecstack|-Wa,--foo|-Wa,-al=x.lst|-Wa,-MD,y.d
-Wall|-Wextra|-Werror|-Wno-error|-Wnosuch|-Weverything|-w|-W|-Wno-|-Werror=nosuch|-Werror=unused-command-line-argument|-Wfatal-errors|-pedantic|-pedantic-errors|-Qunused-arguments
-pipe|-pthread|-static|-shared|-r|-rdynamic|-s|-nostdinc|-nostdinc++|-nostdlib|-nodefaultlibs|-lm|-l m|-l|-lnone|-L.|-L|-L none|-T x.ld|-z defs|-u sym|-e main
--param a=1|--param ssp-buffer-size=8|--param|--param=a|--config clang.cfg|--config=clang.cfg|--config none.cfg|--config|-fplugin=none.so|-fpass-plugin=none.so|-load
-emit-llvm|-emit-ast|--precompile|--analyze|-ftime-trace|-ftime-trace=x|-ftime-report|-fcoverage-mapping|-fprofile-instr-generate|--coverage|-fprofile-arcs|-ftest-coverage
-fsanitize=address|-fsanitize=foo|-fsanitize=thread|-fopenmp|-fmodules|-fmodules-cache-path=mc|-fdump-record-layouts|-fdump-tree-all|-fstack-usage|-fsave-optimization-record|-foptimization-record-file=y
-serialize-diagnostics x.dia|--serialize-diagnostics x.dia|-fdiagnostics-format=json|-fdiagnostics-color=always|-fdiagnostics-color=foo|-ferror-limit=0|-ferror-limit=x|-ftemplate-depth=9|-ftemplate-depth=x
-fdebug-compilation-dir d|-fdebug-compilation-dir=d|-fdebug-prefix-map=a=b|-fdebug-prefix-map=x|-ffile-prefix-map=a=b|-frandom-seed=1|-working-directory d|-working-directory=d|-resource-dir none|-ivfsoverlay none
-isysroot /|--sysroot=/|--sysroot=none|--sysroot none|--gcc-toolchain=/usr|-B.|-B .|-Bnone|-no-canonical-prefixes|-fno-integrated-as|-fno-integrated-cc1|-integrated-as|-no-integrated-cpp
-help|--help|-print-search-dirs|-print-file-name=x|-dumpversion|-dumpmachine|-cc1|-cc1as|-fdriver-only|-ccc-print-phases|-ccc-print-bindings|-ccc-gcc-name foo|--driver-mode=gcc|--driver-mode=cl|--driver-mode=foo
--|-|--foo|-foo|foo|none.o|none.cu|host.o|blob.cu|host.cpp|d|srcdir.cu|/dev/null|@none.rsp|@|@d|-imultilib x|-iprefix x|-A x|-A x(y)|-b x|-aux-info x|-dumpbase x|-dumpdir d/|-wrapper x
-nogpulib|-nogpuinc|-nohipwrapperinc|--hip-link|--hip-device-lib-path=none|--rocm-path=/usr|--rocm-path=none|--hip-path=none|-fgpu-sanitize|-fhip-new-launch-api|-mcode-object-version=4|-mcode-object-version=99
-ffast-math|-ffp-contract=fast|-ffp-contract=foo|-fno-exceptions|-fno-rtti|-fexceptions|-fms-extensions|-fshort-enums|-fpack-struct=x|-fstack-protector|-fcommon|-ffunction-sections|-fno-builtin|-fno-builtin-x
-include forced.h -include none.h|-fpch-instantiate-templates|-fmacro-prefix-map=a=b|-falign-functions=x|-finput-charset=utf-8|-finput-charset=foo|-fmessage-length=0|-fmessage-length=x|-fmax-errors=1|-fno-color-diagnostics
-fgpu-default-stream=per-thread|-fgpu-default-stream=foo|-fcuda-short-ptr|-fuse-cuid=none|-fuse-cuid=foo|-cuid=x|-fmodule-header|-fmodules-ts|-fbuild-session-timestamp=x|-index-header-map|-fretain-comments-from-system-headers
-amdgpu-target=gfx90a|--amdgpu-target=gfx90a|--amdhsa-code-object-version=4|-hc|-use_fast_math|--expt-relaxed-constexpr|-lineinfo|-arch=sm_80|-gencode arch=compute_80|-Xptxas -v|-dc|-rdc=true|--keep|-t 4|-G
--write-dependencies|--write-user-dependencies|--compile|--assemble|--preprocess|--define-macro X|--define-macro=X|--undefine-macro=X|--include-directory inc|--include-directory=inc|--include-directory-after=inc|-cxx-isystem sys|-iwithprefix x|-iframework x|-F x
-object|-objcmt-x|-output|-orphan|-ofoo.o|-MDx|-MPx|-cx|-cc|-xx|-Sx|-include=x|-is|-isyste|-std=c++1|-fPI|-offload-arch=gfx90a|---|-=|-\t|-o\t|- o""".replace("\n", "|").split("|")]
POOL = [[w.replace("\\t", "\t") for w in p] for p in POOL]

ODD = ["a b{}", "it's{}", 'say "x"{}', "new\nline{}", "$(touch pwned){}", "`touch pwned`{}", "back\\slash{}", ";&|<>*?{}", "tab\t{}", "%s%n{}",
       "-dash{}", "@at{}", "#hash{}", "é{}", "a=b{}", "a:b{}", "a,b{}", "$x{}", "{}{}".replace("{}", "x", 1), "~x{}", "[x]{}", "{{x}}{}", " {}", "x{} "]
ENVIRONMENT = [("CPATH", "inc"), ("CPATH", "inc:"), ("CPATH", ":"), ("CPLUS_INCLUDE_PATH", "inc:sys"), ("C_INCLUDE_PATH", "inc"),
               ("DEPENDENCIES_OUTPUT", "env.d"), ("DEPENDENCIES_OUTPUT", "env.d t"), ("SUNPRO_DEPENDENCIES", "env.d"),
               ("CCC_OVERRIDE_OPTIONS", "+-DX"), ("CCC_OVERRIDE_OPTIONS", "# x-O2 +-fno-such"), ("CCC_PRINT_OPTIONS", "1"),
               ("CC_PRINT_HEADERS", "1"), ("CC_PRINT_OPTIONS", "1"), ("CC_PRINT_OPTIONS_FILE", "o.log"), ("CC_LOG_DIAGNOSTICS", "1"),
               ("CC_LOG_DIAGNOSTICS_FILE", "d.log"), ("CC_PRINT_HEADERS_FILE", "h.log"), ("CC_PRINT_PROC_STAT", "1"),
               ("CC_PRINT_PROC_STAT_FILE", "p.log"), ("HIPCC_COMPILE_FLAGS_APPEND", "-DX"), ("HIPCC_COMPILE_FLAGS_APPEND", "-fno-such"),
               ("CLANG_CONFIG_FILE_SYSTEM_DIR", "."), ("SOURCE_DATE_EPOCH", "1"), ("SOURCE_DATE_EPOCH", "x"), ("COMPILER_PATH", "none"),
               ("GCC_EXEC_PREFIX", "none"), ("LIBRARY_PATH", "."), ("OBJC_INCLUDE_PATH", "inc"), ("GCC_COMPARE_DEBUG", "1"),
               ("TMPDIR", "none"), ("RC_DEBUG_OPTIONS", "1"), ("AS_SECURE_LOG_FILE", "s.log"), ("FORCE_COLOR", "1"),
               ("PWD", "/"), ("CL", "/c"), ("_CL_", "/c"), ("MACOSX_DEPLOYMENT_TARGET", "1"), ("CLANG_CRASH_DIAGNOSTICS_DIR", "x"),
               ("CLANG_NO_DEFAULT_CONFIG", "1"), ("LLVM_PROFILE_FILE", "x")]
VALUED = ("-o", "-I", "-D", "-U", "-x", "-MF", "-MT", "-MQ", "-isystem", "-iquote", "-idirafter", "-include", "-L", "-l")


class Line:
    """One call: the program's name, its words, what is special about its surroundings."""

    def __init__(self, program, words):
        self.program, self.words = program, list(words)
        self.environment, self.files, self.moves, self.standard_input = {}, {}, {}, b""
        self.read_only = None

    def copy(self):
        line = Line(self.program, self.words)
        line.environment, line.files, line.moves = dict(self.environment), dict(self.files), dict(self.moves)
        line.standard_input, line.read_only = self.standard_input, self.read_only
        return line

    def describe(self):
        parts = [f"{k}={v!r}" for k, v in self.environment.items()] + [self.program] + [repr(w) for w in self.words]
        parts += [f"{k!r}: {v!r}" for k, v in self.files.items()] + [f"{k} is {v!r}" for k, v in self.moves.items()]
        parts = [re.sub(r"x{40,}", lambda m: f"x*{len(m[0])}", p) for p in parts]
        return " ".join(parts + ([f"(not writable: {self.read_only})"] if self.read_only else []))


def quote(word, how):
    """WORD as it is written in a response file, in one of several ways, the last one wrong on purpose."""
    if how == 0:
        return "".join("\\" + c if c in " \t\n\\'\"" else c for c in word) or '""'
    if how == 1 and "'" not in word and "\\" not in word:
        return f"'{word}'"
    if how == 2:
        return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if how == 3:
        return word[:1] + '"' + word[1:].replace("\\", "\\\\").replace('"', '\\"') + '"' if word else "''"
    return word


def mutate_delete(r, line):
    if line.words:
        i = r.randrange(len(line.words))
        del line.words[i:i + r.choice((1, 1, 1, 2, 5))]


def mutate_duplicate(r, line):
    if line.words:
        i = r.randrange(len(line.words))
        part = line.words[i:i + r.choice((1, 1, 2))]
        at = r.randrange(len(line.words) + 1)
        line.words[at:at] = part


def mutate_swap(r, line):
    if len(line.words) > 1:
        i, j = r.randrange(len(line.words)), r.randrange(len(line.words))
        line.words[i], line.words[j] = line.words[j], line.words[i]


def mutate_insert(r, line):
    at = r.randrange(len(line.words) + 1)
    line.words[at:at] = r.choice(POOL)


def mutate_split(r, line):
    places = [i for i, w in enumerate(line.words) if any(w.startswith(v) for v in VALUED)]
    if places:
        i = r.choice(places)
        option = max((v for v in VALUED if line.words[i].startswith(v)), key=len)
        if line.words[i] == option:
            line.words[i:i + 2] = ["".join(line.words[i:i + 2])]
        else:
            line.words[i:i + 1] = [option, line.words[i][len(option):]]


def mutate_truncate(r, line):
    places = [i for i, w in enumerate(line.words) if not w.startswith("/") and "{S}" not in w and len(w) > 1]
    if places:
        i = r.choice(places)
        line.words[i] = line.words[i][:r.randrange(1, len(line.words[i]))]


def mutate_letter(r, line):
    places = [i for i, w in enumerate(line.words) if "/" not in w and "{S}" not in w and w]
    if places:
        i = r.choice(places)
        k = r.randrange(len(line.words[i]))
        line.words[i] = line.words[i][:k] + r.choice(string.ascii_letters + "-=,.:+ ") + line.words[i][k + r.randrange(2):]


def mutate_response(r, line):
    """Some of the words come from a file, which may contain another one."""
    name = f"r{len(line.files)}.rsp"
    i = r.randrange(len(line.words) + 1)
    j = r.randrange(i, len(line.words) + 1)
    how = r.choice((0, 0, 1, 2, 3, 4))
    text = r.choice((" ", "\n", "\t", "\r\n", " \f")).join(quote(w, how) for w in line.words[i:j])
    text += r.choice(("", "\n", " ", " # comment", "\\", "'", '"x', "\n# -c\n", "\0", " -DX\0Y"))
    line.words[i:j] = ["@" + name]
    line.files[name] = text.encode(errors="surrogateescape")


def mutate_name(r, line):
    """A source gets another name, everywhere on the line."""
    used = [s for s in SOURCES if any(w in (s, "{S}/" + s) for w in line.words)]
    if used:
        old = r.choice(used)
        suffix = r.choice((old[old.rindex("."):],) * 4 + (".cuh", ".CU", ".c++", ".cxx", ".C", ".cc", "", ".", ".o", ".hpp", ".ii", ".x.cu"))
        new = r.choice(ODD).format(suffix)
        line.moves[old] = new
        line.words = [w if w not in (old, "{S}/" + old) else w[:-len(old)] + new for w in line.words]


def mutate_output(r, line):
    for i in range(len(line.words) - 1):
        if line.words[i] in ("-o", "-MF"):
            line.words[i + 1] = r.choice(("missing/x.o", "out", "locked/x.o", "d/../x.o", "./x.o", "x", "x.", ".o", "blob.cu", "out//x.o",
                                          "link.o", "dangling.o", "x.o/", "", "-", "/dev/null", "/dev/stdout") + tuple(o.format(".o") for o in ODD))


def mutate_empty(r, line):
    line.words.insert(r.randrange(len(line.words) + 1), "")


def mutate_long(r, line):
    # not longer: clang compares what it does not know with all that it knows
    option, length = r.choice((("-DX=", 70000), ("-I", 255), ("-I", 70000), ("", 255), ("", 4096), ("-f", 256), ("-DX=", 140000)))
    line.words.insert(r.randrange(len(line.words) + 1), option + "x" * length)


def mutate_environment(r, line):
    name, value = r.choice(ENVIRONMENT)
    line.environment[name] = value


def mutate_program(r, line):
    line.program = r.choice(("hipcc", "c++"))


def mutate_source(r, line):
    for s in SOURCES:
        if s in line.words:
            line.words[line.words.index(s)] = r.choice(SOURCES + ["none.cu", "srcdir.cu", "-", "/dev/null", "d/../blob.cu", "./blob.cu", "link.cu", "d//blob.cu"])
            return


MUTATIONS = [(mutate_insert, 10), (mutate_delete, 4), (mutate_duplicate, 3), (mutate_swap, 3), (mutate_split, 3), (mutate_truncate, 3),
             (mutate_letter, 3), (mutate_response, 3), (mutate_name, 2), (mutate_output, 2), (mutate_empty, 1), (mutate_long, 1),
             (mutate_environment, 3), (mutate_program, 1), (mutate_source, 1)]


def line_of(seed):
    """The line of this number, always the same one."""
    r = random.Random(seed)
    line = Line(*r.choice(LINKS if r.randrange(150) == 0 else r.choice((UNITS, UNITS, SEEDS))))
    line.standard_input = r.choice((b"", KERNEL))
    for _ in range(r.choice((1, 1, 1, 2, 2, 3, 5))):
        mutation = r.choices([m for m, _ in MUTATIONS], [w for _, w in MUTATIONS])[0]
        mutation(r, line)
    return line
