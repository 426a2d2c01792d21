/* nvccargs.c - nvcc's command line: a table of its options and its grammar. What comes of an option is
 * cc_apply()'s.
 *
 * Where nvcc reads a line otherwise than gcc and clang do, and who paid for it:
 *
 *  - Most options have two names. The long one has two dashes, the short one has one, and there is no other
 *    way: `--o x` and `-output-file x` are unknown options. Both names must be known with their value, or a
 *    depfile's name is a second source: `--dependency-output x.d` (ccache issue 1663, sccache 2708), `-ccbin
 * g++` (sccache 1147), `-diag-suppress 1407` (sccache 2372).
 *  - A value is the next word, or stands behind `=`: `-o x`, `-o=x`, `--output-file=x`. Never joined (`-ox`,
 *    `-isystemd`), but for seven options of one letter (`-Id`, `-O2`, `-t4`). A whole name goes before a
 * joined value: `-ldir` is --libdevice-directory, not library "dir"; `-lib` is an archive.
 *  - A list is cut at commas: `-I a,b` is two directories. `"a,b"` and `a\,b` are one element; blanks around
 * an element go, empty ones too: OpenCV passes `-Xcompiler ,"-fsigned-char","-W"` (ccache issue 1325).
 *  - `-x` holds for every file of the line, those before it, too, and objects: `nvcc x.o -x cu` compiles x.o.
 *    The last of several counts, as it does for all that is not a list.
 *  - Suffixes are few, and lower case: x.C, x.hip and libx.so.1 are no files that nvcc knows what to do with.
 *  - `-Werror` takes a value. Unknown options end the call, unless --forward-unknown-to-host-compiler is
 *    anywhere on the line: then each is a word for the host compiler, and takes no value.
 *  - The words of -Xcompiler are pasted into a command line for the shell, after having been cut at commas.
 * So PyTorch writes `--compiler-options ''"'"'-fPIC'"'"''`, a word with quotes in it, which the shell takes
 * away; and `-Xcompiler -Wl,x.o` is `g++ -Wl x.o`. They are collected and read as a line of gcc's.
 *  - `@x` is no response file, but a file that nvcc does not know (Kokkos issue 5712); `-optf x` is one
 * (ccache 47), and may name others. White space separates the words of it, "…" groups them, '…' does not.
 * Relative names in it are taken from the compiler's directory.
 *  - `-odir d` is for names made by default only. -MD writes x.d beside the object, or in that directory.
 *  - `-dc`, `-dlto`, `code=lto_90`, and `-r` with `-c`, make an object whose device code is complete after
 *    another link only.
 *
 * The table has been compared with what nvcc 13.0 and 13.5 take, name by name (test/nvcc-arguments.sh does it
 * again). Another version may take more or less: what is not SURE, the wrapper asks the compiler.
 */
#include "ccscan.h"
#include "core/base/path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* How a value is taken, beside enum form. */
enum {
  MAYBE = 32,             /* it is not the next word where that is an option */
  LIST = 64,              /* it is cut at commas */
  VALUE = SEPARATE,       /* the next word, or behind "=" */
  VALUES = VALUE | LIST,  /* … */
  LETTER = VALUE | JOINED /* … or the rest of the word */
};

/* what an option does, beyond enum what */
enum {
  RELOCATABLE = WHATS, /* -rdc true */
  DEVICE_C,            /* -dc */
  PARTIAL_LINK,        /* -r */
  DEVICE_LINK,
  ARCH,
  TO_HOST,     /* -Xcompiler A,B */
  TO_TOOL,     /* -Xptxas A,B and the like */
  FORWARD,     /* unknown options are … row.mode: bits of the ones below */
  TEMPORARIES, /* -objtemp */
  EFFORT,      /* nothing of what comes out depends on it */
  DIRECTORY,   /* -odir */
  BINARY,      /* -ccbin: a program, a directory, or a name that is looked for in PATH */
  OPTIONS_FILE,
};
enum { TO_COMPILER = 1, TO_LD = 2 };

struct option {
  const char *brief; /* NULL: it has only one name */
  struct row row;
};

/* clang-format off */
static const struct option options[] = {
  /* how far it goes */
  {"-c", {"--compile", FLAG | SURE, MODE, CC_COMPILE}},
  {"-dc", {"--device-c", FLAG, DEVICE_C, CC_COMPILE}},
  {"-dw", {"--device-w", FLAG, MODE, CC_COMPILE}},
  {"-link", {"--link", FLAG, NOTHING, 0}},
  {"-lib", {"--lib", FLAG, MODE, CC_ARCHIVE}},
  {"-r", {"--relocatable-link", FLAG, PARTIAL_LINK, 0}},
  {"-dlink", {"--device-link", FLAG, DEVICE_LINK, 0}},
  {"-run", {"--run", FLAG, SIDE, 0}},
  {"-E", {"--preprocess", FLAG, MODE, CC_PREPROCESS}},
  {"-M", {"--generate-dependencies", FLAG, MODE, CC_PREPROCESS}},
  {"-MM", {"--generate-nonsystem-dependencies", FLAG, MODE, CC_PREPROCESS}},
  {"-cuda", {"--cuda", FLAG, MODE, CC_IR}},
  {"-ptx", {"--ptx", FLAG, MODE, CC_IR}},
  {"-ltoir", {"--ltoir", FLAG, MODE, CC_IR}},
  {"-optix-ir", {"--optix-ir", FLAG, MODE, CC_IR}},
  {"-cubin", {"--cubin", FLAG, MODE, CC_DEVICE}},
  {"-fatbin", {"--fatbin", FLAG, MODE, CC_DEVICE}},
  {"-dryrun", {"--dryrun", FLAG, MODE, CC_QUERY}},
  {"-clean", {"--clean-targets", FLAG, MODE, CC_QUERY}},
  {"-h", {"--help", FLAG, MODE, CC_QUERY}},
  {"-V", {"--version", FLAG, MODE, CC_QUERY}},
  {"-arch-ls", {"--list-gpu-arch", FLAG, MODE, CC_QUERY}},
  {"-code-ls", {"--list-gpu-code", FLAG, MODE, CC_QUERY}},

  /* what comes out, and of what */
  {"-o", {"--output-file", VALUE | SURE, OUTPUT, 0}},
  {"-odir", {"--output-directory", VALUE, DIRECTORY, 0}},
  {"-x", {"--x", VALUE | SURE, LANGUAGE, 0}},
  {"-optf", {"--options-file", VALUES, OPTIONS_FILE, 0}},
  {"-forward-unknown-to-host-compiler", {"--forward-unknown-to-host-compiler", FLAG, FORWARD, TO_COMPILER}},
  {"-forward-unknown-to-host-linker", {"--forward-unknown-to-host-linker", FLAG, FORWARD, TO_LD}},
  {"-forward-unknown-opts", {"--forward-unknown-opts", FLAG, FORWARD, TO_COMPILER | TO_LD}},

  /* depfiles */
  {"-MD", {"--generate-dependencies-with-compile", FLAG | SURE, DEPS_ALL, 0}},
  {"-MMD", {"--generate-nonsystem-dependencies-with-compile", FLAG | SURE, DEPS_USER, 0}},
  {"-MF", {"--dependency-output", VALUE | SURE, DEPS_FILE, 0}},
  {"-MT", {"--dependency-target-name", VALUE | SURE, DEPS_TARGET, 0}},
  {"-MP", {"--generate-dependency-targets", FLAG, DEPS_PHONY, 0}},

  /* where headers are, and macros */
  {"-I", {"--include-path", LETTER | LIST | SURE, DIR, CC_DIR_USER}},
  {"-isystem", {"--system-include", VALUES | SURE, DIR, CC_DIR_SYSTEM}},
  {"-include", {"--pre-include", VALUES, FORCED, 0}},
  {"-D", {"--define-macro", LETTER | LIST | SURE, MACRO, 0}},
  {"-U", {"--undefine-macro", LETTER | LIST | SURE, MACRO, 0}},

  /* for which GPUs */
  {"-arch", {"--gpu-architecture", VALUE, ARCH, 0}},
  {"-code", {"--gpu-code", VALUES, ARCH, 0}},
  {"-gencode", {"--generate-code", VALUES, ARCH, 0}},

  /* the linker's */
  {"-l", {"--library", LETTER | LIST, LIBRARY, 0}},
  {"-L", {"--library-path", LETTER | LIST, LIBDIR, 0}},
  {"-shared", {"--shared", FLAG, NOTHING, 0}},
  {"-cudart", {"--cudart", VALUE, NOTHING, 0}},
  {"-cudadevrt", {"--cudadevrt", VALUE, NOTHING, 0}},
  {"-nodlink", {"--no-device-link", FLAG, NOTHING, 0}},
  {"-hls", {"--host-linker-script", VALUE | MAYBE, SIDE, 0}},
  {"-aug-hls", {"--augment-host-linker-script", FLAG, SIDE, 0}},
  {"-host-r", {"--host-relocatable-link", FLAG, SIDE, 0}},
  {"-reloc-ptx", {"--relocatable-ptx", FLAG, NOTHING, 0}},
  {"-arbin", {"--archiver-binary", VALUE, BINARY, 0}},

  /* words for one of the programs that it calls */
  {"-Xcompiler", {"--compiler-options", VALUES, TO_HOST, 0}},
  {"-Xlinker", {"--linker-options", VALUES, TO_LINKER_WORD, 0}},
  {"-Xarchive", {"--archive-options", VALUES, NOTHING, 0}},
  {"-Xcudafe", {"--cudafe-options", VALUES, TO_TOOL, 0}},
  {"-Xcicc", {"--cicc-options", VALUES, TO_TOOL, 0}},
  {"-Xptxas", {"--ptxas-options", VALUES, TO_TOOL, 0}},
  {"-Xnvlink", {"--nvlink-options", VALUES, TO_TOOL, 0}},
  {"-Xfatbin", {"--fatbin-options", VALUES, TO_TOOL, 0}},
  {"-Xnvasm", {"--nvasm-options", VALUES, TO_TOOL, 0}},
  {"-Xnvdisasm", {"--nvdisasm-options", VALUES, TO_TOOL, 0}},
  {NULL, {"--all-prefix", VALUE, SIDE, 0}},
  {NULL, {"--cpp-prefix", VALUE, SIDE, 0}},
  {NULL, {"--cudafe-prefix", VALUE, SIDE, 0}},
  {NULL, {"--cicc-prefix", VALUE, SIDE, 0}},
  {NULL, {"--ptxas-prefix", VALUE, SIDE, 0}},
  {NULL, {"--nvlink-prefix", VALUE, SIDE, 0}},

  /* device code that is not complete, or not all of it */
  {"-rdc", {"--relocatable-device-code", VALUE, RELOCATABLE, 0}},
  {"-dlto", {"--dlink-time-opt", FLAG, SIDE, 0}},
  {"-lto", {"--lto", FLAG, SIDE, 0}},
  {"-ewp", {"--extensible-whole-program", FLAG, SIDE, 0}},
  {"-e", {"--entries", VALUES, SIDE, 0}},
  {"-fdevice-syntax-only", {"--fdevice-syntax-only", FLAG, SIDE, 0}},
  {"-use-cubin", {"--use-cubin", VALUES, SIDE, 0}},
  {NULL, {"--export-dir", VALUE, SIDE, 0}},
  {NULL, {"--extern-mode", VALUE, SIDE, 0}},
  {NULL, {"--intern-mode", VALUE, SIDE, 0}},

  /* more files than the object and the depfile */
  {"-keep", {"--keep", FLAG, SIDE, 0}},
  {"-keep-dir", {"--keep-dir", VALUE, SIDE, 0}},
  {"-save-temps", {"--save-temps", FLAG, SIDE, 0}},
  {"-time", {"--time", VALUE, SIDE, 0}},
  {"-fdevice-time-trace", {"--fdevice-time-trace", VALUE, SIDE, 0}},
  {"-tdump", {"--tdump", FLAG, SIDE, 0}},

  /* how it goes about it */
  {"-t", {"--threads", LETTER, EFFORT, 0}},
  {"-split-compile", {"--split-compile", VALUE, EFFORT, 0}},
  {"-jobserver", {"--jobserver", FLAG, EFFORT, 0}},
  {"-objtemp", {"--objdir-as-tempdir", FLAG, TEMPORARIES, 0}},

  /* other compilers, other files */
  {"-ccbin", {"--compiler-bindir", VALUE, BINARY, 0}},
  {"-ldir", {"--libdevice-directory", VALUE, PATH, 0}},
  {"-target-dir", {"--target-directory", VALUE, NOTHING, 0}},
  {"-idp", {"--input-drive-prefix", VALUE, SIDE, 0}},
  {"-ddp", {"--dependency-drive-prefix", VALUE, SIDE, 0}},
  {"-dp", {"--drive-prefix", VALUE, SIDE, 0}},
  {"-run-args", {"--run-args", VALUES, NOTHING, 0}},
  {"-noprof", {"--dont-use-profile", FLAG, NOTHING, 0}},
  {"-use-local-env", {"--use-local-env", FLAG, NOTHING, 0}},
  {"-force-cl-env-setup", {"--force-cl-env-setup", FLAG, NOTHING, 0}},
  {"-allow-unsupported-compiler", {"--allow-unsupported-compiler", FLAG, NOTHING, 0}},
  {NULL, {"--cl-version", VALUE, NOTHING, 0}},
  {"-qpp-config", {"--qpp-config", VALUE, NOTHING, 0}},
  {"-cuda-api-version", {"--cuda-api-version", VALUE, NOTHING, 0}},
  {"-nvvm-version", {"--nvvm-version", VALUE, NOTHING, 0}},
  {"-tool-name", {"--tool-name", VALUE, NOTHING, 0}},

  /* known for how they take a value only */
  {"-O", {"--optimize", LETTER, NOTHING, 0}},
  {"-Ofc", {"--Ofast-compile", VALUE | MAYBE, NOTHING, 0}},
  {"-std", {"--std", VALUE, NOTHING, 0}},
  {"-m", {"--machine", VALUE, NOTHING, 0}},
  {"-m64", {"--m64", FLAG, NOTHING, 0}},
  {"-g", {"--debug", FLAG, NOTHING, 0}},
  {"-G", {"--device-debug", FLAG, NOTHING, 0}},
  {"-lineinfo", {"--generate-line-info", FLAG, NOTHING, 0}},
  {"-no-lineinfo-ia", {"--no-lineinfo-ia", FLAG, NOTHING, 0}},
  {"-pg", {"--profile", FLAG, NOTHING, 0}},
  {"-opt-info", {"--optimization-info", VALUES, NOTHING, 0}},
  {"-dopt", {"--dopt", VALUE, NOTHING, 0}},
  {"-gen-opt-lto", {"--gen-opt-lto", FLAG, NOTHING, 0}},
  {"-split-compile-extended", {"--split-compile-extended", VALUE, NOTHING, 0}},
  {"-ftemplate-backtrace-limit", {"--ftemplate-backtrace-limit", VALUE, NOTHING, 0}},
  {"-ftemplate-depth", {"--ftemplate-depth", VALUE, NOTHING, 0}},
  {"-noeh", {"--no-exceptions", FLAG, NOTHING, 0}},
  {"-nodinline", {"--no-device-inline", FLAG, NOTHING, 0}},
  {"-aggressive-inline", {"--aggressive-inline", FLAG, NOTHING, 0}},
  {"-nohdinitlist", {"--no-host-device-initializer-list", FLAG, NOTHING, 0}},
  {"-nohdmoveforward", {"--no-host-device-move-forward", FLAG, NOTHING, 0}},
  {"-expt-relaxed-constexpr", {"--expt-relaxed-constexpr", FLAG, NOTHING, 0}},
  {"-expt-extended-lambda", {"--expt-extended-lambda", FLAG, NOTHING, 0}},
  {"-extended-lambda", {"--extended-lambda", FLAG, NOTHING, 0}},
  {"-static-global-template-stub", {"--static-global-template-stub", VALUE, NOTHING, 0}},
  {"-device-entity-has-hidden-visibility", {"--device-entity-has-hidden-visibility", VALUE, NOTHING, 0}},
  {"-v", {"--verbose", FLAG, NOTHING, 0}},
  {NULL, {"--no-align-double", FLAG, NOTHING, 0}},
  {"-maxrregcount", {"--maxrregcount", VALUE, NOTHING, 0}},
  {"-use_fast_math", {"--use_fast_math", FLAG, NOTHING, 0}},
  {"-ftz", {"--ftz", VALUE, NOTHING, 0}},
  {"-prec-div", {"--prec-div", VALUE, NOTHING, 0}},
  {"-prec-sqrt", {"--prec-sqrt", VALUE, NOTHING, 0}},
  {"-fmad", {"--fmad", VALUE, NOTHING, 0}},
  {"-fassociative-math", {"--fassociative-math", FLAG, NOTHING, 0}},
  {"-extra-device-vectorization", {"--extra-device-vectorization", FLAG, NOTHING, 0}},
  {"-legacy-launch-seq", {"--legacy-launch-seq", FLAG, NOTHING, 0}},
  {"-no-shadow-functions", {"--no-shadow-functions", FLAG, NOTHING, 0}},
  {"-nvasm-loopback", {"--nvasm-loopback", FLAG, NOTHING, 0}},
  {"-global_var", {"--global_var", FLAG, NOTHING, 0}},
  {NULL, {"--device-compilation", VALUE, NOTHING, 0}},
  {"-default-stream", {"--default-stream", VALUE, NOTHING, 0}},
  {"-dD", {"--dD", FLAG, NOTHING, 0}},
  {"-w", {"--disable-warnings", FLAG, NOTHING, 0}},
  {"-keep-device-functions", {"--keep-device-functions", FLAG, NOTHING, 0}},
  {"-src-in-ptx", {"--source-in-ptx", FLAG, NOTHING, 0}},
  {"-restrict", {"--restrict", FLAG, NOTHING, 0}},
  {"-restrict-in-struct", {"--restrict-in-struct", FLAG, NOTHING, 0}},
  {"-Wreorder", {"--Wreorder", FLAG, NOTHING, 0}},
  {"-Wdefault-stream-launch", {"--Wdefault-stream-launch", FLAG, NOTHING, 0}},
  {"-Wmissing-launch-bounds", {"--Wmissing-launch-bounds", FLAG, NOTHING, 0}},
  {"-Wext-lambda-captures-this", {"--Wext-lambda-captures-this", FLAG, NOTHING, 0}},
  {"-Wno-deprecated-declarations", {"--Wno-deprecated-declarations", FLAG, NOTHING, 0}},
  {"-Wno-deprecated-gpu-targets", {"--Wno-deprecated-gpu-targets", FLAG, NOTHING, 0}},
  {"-Werror", {"--Werror", VALUES, NOTHING, 0}},
  {"-no-libdevice", {"--no-libdevice", VALUE, NOTHING, 0}},
  {"-res-usage", {"--resource-usage", FLAG, NOTHING, 0}},
  {"-no-compress", {"--no-compress", FLAG, NOTHING, 0}},
  {"-compress-mode", {"--compress-mode", VALUE, NOTHING, 0}},
  {"-astoolspatch", {"--compile-as-tools-patch", FLAG, NOTHING, 0}},
  {"-err-no", {"--display-error-number", FLAG, NOTHING, 0}},
  {"-no-err-no", {"--no-display-error-number", FLAG, NOTHING, 0}},
  {"-diag-error", {"--diag-error", VALUES, NOTHING, 0}},
  {"-diag-suppress", {"--diag-suppress", VALUES, NOTHING, 0}},
  {"-diag-warn", {"--diag-warn", VALUES, NOTHING, 0}},
  {"-brief-diag", {"--brief-diagnostics", VALUE, NOTHING, 0}},
  {"-jtd", {"--jump-table-density", VALUE, NOTHING, 0}},
  {"-device-stack-protector", {"--device-stack-protector", VALUE, NOTHING, 0}},
  {"-frandom-seed", {"--frandom-seed", VALUE, NOTHING, 0}},
  {"-sanitize", {"--sanitize", VALUE, NOTHING, 0}},
  {"-dQ", {"--version-ident", VALUE, NOTHING, 0}},
  {"-ok", {NULL, VALUE, NOTHING, 0}},

  /* not in 13.0, but in 13.5 */
  {"-enable-tile", {"--enable-tile", FLAG, NOTHING, 0}},
  {"-tile-preview", {"--tile-preview", VALUE, NOTHING, 0}},
  {"-tile-only", {"--tile-only", FLAG, SIDE, 0}},
  {"-simt-only", {"--simt-only", FLAG, NOTHING, 0}},
  {"-tilebc", {"--tilebc", FLAG, MODE, CC_IR}},
  {"-tilecubin", {"--tilecubin", FLAG, MODE, CC_DEVICE}},
  {"-tilefatbin", {"--tilefatbin", FLAG, MODE, CC_DEVICE}},
  {"-Xtileiras", {"--tileiras-options", VALUES, TO_TOOL, 0}},
  {"-Xnvprune", {"--nvprune-options", VALUES, TO_TOOL, 0}},
  {"-apply-controls", {"--apply-controls", VALUE, SIDE, 0}},
  {"-fdevice-time-trace-granularity", {"--fdevice-time-trace-granularity", VALUE, NOTHING, 0}},
  {"-v2", {"--verbose2", FLAG, NOTHING, 0}},
  {"-fmax-errors", {"--fmax-errors", VALUE, NOTHING, 0}},
  {"-stdlib", {"--stdlib", VALUE, NOTHING, 0}},
  {"-prune", {"--prune", FLAG, NOTHING, 0}},
  {"-Wconversion", {"--Wconversion", FLAG, NOTHING, 0}},
  {"-concat", {"--concat", FLAG, NOTHING, 0}},
  {"-fdevice-sanitize", {"--fdevice-sanitize", VALUE, NOTHING, 0}},
  {"-skip-ptx-semantics-check", {"--skip-ptx-semantics-check", FLAG, NOTHING, 0}},
  {"-utf-8", {"--utf-8", FLAG, NOTHING, 0}},
  {"-safety-compat", {"--safety-compatibility", FLAG, NOTHING, 0}},
};
/* clang-format on */
enum { NOPTIONS = sizeof options / sizeof *options };

static const struct {
  const char *suffix;
  enum cc_lang lang;
} suffixes[] = {
    {"cu", CC_LANG_CUDA}, {"c", CC_LANG_C},       {"cc", CC_LANG_CXX},    {"cpp", CC_LANG_CXX},
    {"cxx", CC_LANG_CXX}, {"i", CC_LANG_OTHER},   {"ii", CC_LANG_OTHER},  {"s", CC_LANG_ASM},
    {"S", CC_LANG_ASM},   {"cup", CC_LANG_OTHER}, {"gpu", CC_LANG_OTHER},
};

static enum cc_lang by_suffix(const char *file) {
  const char *dot = strrchr(path_base(file), '.');
  for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
    if (strcmp(dot + 1, suffixes[i].suffix) == 0)
      return suffixes[i].lang;
  return CC_LANG_NONE;
}

static bool is_name(const char *name, const char *word, size_t n) {
  return name && strlen(name) == n && memcmp(name, word, n) == 0;
}

/* The option that WORD is; what of its value stands in the word, NULL: nothing. */
static const struct row *find(const char *word, const char **value) {
  size_t n = strcspn(word, "=");
  *value = word[n] ? word + n + 1 : NULL;
  for (size_t i = 0; i < NOPTIONS; i++)
    if (is_name(options[i].row.name, word, n) || is_name(options[i].brief, word, n))
      return &options[i].row;
  *value = word + 2;
  for (size_t i = 0; word[1] != '-' && i < NOPTIONS; i++)
    if ((options[i].row.form & JOINED) && options[i].brief[1] == word[1])
      return &options[i].row;
  return NULL;
}

/* An option of the line at args[*at], which becomes its last word, and its value: "" for a flag, NULL where
 * one is missing or too many. NULL for no option that is known. */
static const struct row *take(char *const *args, size_t *at, const char **value) {
  const struct row *r = find(args[*at], value);
  if (!r)
    return NULL;
  if (r->form & FLAG)
    *value = *value ? NULL : "";
  else if (!*value && (r->form & MAYBE) && (!args[*at + 1] || args[*at + 1][0] == '-'))
    *value = "";
  else if (!*value && (*value = args[*at + 1]))
    ++*at;
  return r;
}

static bool is_option(const char *word) {
  return word[0] == '-' && word[1];
}

/* ---- lists ---- */

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* ELEMENT without the blanks around it, where anything is left. Takes it over; true where it had none. */
static bool add_element(struct argv *out, struct buf *element) {
  const char *text = element->data ? element->data : "";
  size_t all = strlen(text), n = all;
  for (; n && is_blank(*text); n--)
    text++;
  while (n && is_blank(text[n - 1]))
    n--;
  if (n)
    argv_add_own(out, xstrndup(text, n));
  buf_free(element);
  return n == all;
}

/* The elements of list TEXT; double quotes stay with KEEP. True where TEXT was as plain as it looks. */
static bool cut_list(struct argv *out, const char *text, bool keep) {
  struct buf element = {0};
  bool plain = true, quoted = false;
  for (const char *p = text; *p; p++) {
    if (*p == ',' && !quoted) {
      plain &= add_element(out, &element);
      continue;
    }
    plain &= *p != '"' && *p != '\\';
    if (*p == '"')
      quoted = !quoted;
    if (*p == '\\' && (p[1] == ',' || p[1] == '"'))
      buf_putc(&element, *++p);
    else if (*p != '"' || keep)
      buf_putc(&element, *p);
  }
  return add_element(out, &element) && plain && !quoted;
}

/* ---- words for the programs that nvcc calls ---- */

/* What nvcc's line is beside a struct scan. */
struct line {
  struct scan *scan;
  unsigned forward;        /* TO_COMPILER, TO_LD */
  const char *partial;     /* -r */
  const char *temporaries; /* -objtemp */
  struct host_word {
    const char *text;
    size_t arg; /* the word of the line that it stands in */
  } * host;
  size_t nhost;
};

/* The words that the shell makes of list VALUE, pasted into a command line. False where it may do more than
 * take quotes away: then only nvcc can tell. */
static bool pasted(struct argv *out, const char *value) {
  struct argv elements = {0};
  struct buf text = {0};
  cut_list(&elements, value, true);
  for (size_t i = 0; i < elements.n; i++)
    buf_printf(&text, "%s%s", i ? " " : "", elements.args[i]);
  bool clear = !text.len || argv_split(out, text.data, text.len);
  argv_free(&elements);
  buf_free(&text);
  return clear && !strpbrk(value, "\\$`;&|<>()*?[]{}#~!\n");
}

/* takes TEXT over */
static void add_host_word(struct line *l, char *text) {
  struct ccargs *a = l->scan->out;
  argv_add_own(&a->own, text);
  l->host = xrealloc(l->host, (l->nhost + 1) * sizeof *l->host);
  l->host[l->nhost++] = (struct host_word){text, l->scan->at};
}

static void host_words(struct line *l, const char *option, const char *value) {
  struct argv words = {0};
  if (!pasted(&words, value))
    cc_side_output(l->scan, option);
  for (size_t i = 0; i < words.n; i++)
    add_host_word(l, words.args[i]);
  free(words.args);
}

static void linker_words(struct scan *s, const char *value) {
  struct argv *own = &s->out->own;
  size_t i = own->n;
  pasted(own, value);
  for (; i < own->n; i++)
    cc_linker_word(s, own->args[i]);
}

/* Words for ptxas, cicc and so on. What they may write elsewhere, or as code that is to be linked, is not of
 * this. */
static void tool_words(struct scan *s, const char *option, const char *value) {
  static const char *const prefixes[] = {"-o",         "--out",     "--compile-only", "--options-file",
                                         "--keep",     "--gen_",    "--stub",         "--create",
                                         "--embedded", "--cmdline", "--relocatable"};
  struct argv words = {0};
  cut_list(&words, value, false);
  for (size_t i = 0; i < words.n; i++) {
    bool odd = strpbrk(words.args[i], "$`;&|<>()\n") || strcmp(words.args[i], "-c") == 0 ||
               strcmp(words.args[i], "-r") == 0;
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
      odd |= str_starts(words.args[i], prefixes[k]);
    if (odd)
      cc_side_output(s, option);
  }
  argv_free(&words);
}

/* One option of the host compiler's. It gets each twice at least, to preprocess and to compile. */
static void host_option(struct scan *s, const struct row *r, const char *option, const char *value) {
  switch (r->what) {
  case NOTHING:
  case MACRO:
    break;
  case DIR:
  case FORCED:
  case PATH:
    if (value[0] != '/')
      cc_side_output(s, option); /* nobody behind us looks for names in these words */
    cc_apply(s, r, option, value);
    break;
  case LIBRARY:
  case LIBDIR:
  case STATIC:
  case TO_LINKER:
  case TO_LINKER_WORD:
  case TO_CPP_WORD:
    cc_apply(s, r, option, value);
    break;
  case TO_PREPROCESSOR:
    if (str_starts(value, "-D") || str_starts(value, "-U"))
      cc_apply(s, r, option, value);
    else
      cc_side_output(s, option);
    break;
  default:
    cc_side_output(s, option);
  }
}

/* The last K of N elements go before the others. */
static void rotate(void *elements, size_t size, size_t n, size_t k) {
  if (!k || k == n)
    return;
  char *all = elements, *last = xmalloc(k * size);
  memcpy(last, all + (n - k) * size, k * size);
  memmove(all + k * size, all, (n - k) * size);
  memcpy(all, last, k * size);
  free(last);
}

/* All words for the host compiler, which may be pairs: -Xcompiler -include -Xcompiler x.h. On its line they
 * stand before nvcc's own directories and headers. */
static void scan_host(struct line *l) {
  struct scan *s = l->scan;
  struct ccargs *a = s->out;
  size_t ndirs = a->ndirs, nforced = a->nforced;
  for (size_t i = 0; i < l->nhost; i++) {
    const char *word = l->host[i].text, *value = "";
    s->at = l->host[i].arg;
    const struct row *r = is_option(word) ? cc_find_row(word) : NULL;
    if (word[0] == '@' && word[1]) {
      cc_side_output(s, word);
      cc_add_input(s, CC_IN_RESPONSE, word + 1, CC_LANG_NONE);
    } else if (!is_option(word)) {
      cc_add_input(s, CC_IN_FILE, word, CC_LANG_NONE);
    }
    if (!r)
      continue;
    size_t len = strlen(r->name);
    if ((r->form & JOINED_NEXT) || ((r->form & SEPARATE) && !word[len]))
      value = ++i < l->nhost ? l->host[i].text : NULL;
    else if (r->form & JOINED)
      value = word + len;
    if (value)
      host_option(s, r, word, value);
    else
      cc_side_output(s, word);
  }
  rotate(a->dirs, sizeof *a->dirs, a->ndirs, a->ndirs - ndirs);
  rotate(a->forced, sizeof *a->forced, a->nforced, a->nforced - nforced);
}

/* ---- the scan ---- */

static enum cc_role role_of(const struct row *r, const char *value) {
  switch (r->what) {
  case ARCH:
    return CC_ROLE_ARCH;
  case TO_HOST:
    return CC_ROLE_HOST;
  case TO_LINKER_WORD:
    return CC_ROLE_LINKER;
  case EFFORT:
  case TEMPORARIES:
    return CC_ROLE_EFFORT;
  case DIRECTORY:
    return CC_ROLE_OUTPUT;
  case BINARY:
    return strchr(value, '/') ? CC_ROLE_PATH : CC_ROLE_OTHER;
  default:
    return r->what < WHATS ? cc_role_of(r, value) : CC_ROLE_OTHER;
  }
}

static enum cc_lang by_name(const char *name) {
  return strcmp(name, "cu") == 0    ? CC_LANG_CUDA
         : strcmp(name, "c++") == 0 ? CC_LANG_CXX
         : strcmp(name, "c") == 0   ? CC_LANG_C
                                    : CC_LANG_NONE;
}

/* Does every nvcc take the option of row R with this value? */
static bool is_plain(const struct row *r, const char *value) {
  if (!(r->form & SURE))
    return false;
  if (r->form & FLAG)
    return true;
  if (r->what == LANGUAGE)
    return by_name(value) != CC_LANG_NONE;
  if (strpbrk(value, "\\\"'`$\n") || ((r->form & LIST) && strpbrk(value, ", \t")))
    return false;
  if (r->what == MACRO)
    return cc_is_plain_macro(value);
  return value[0] && value[0] != '-' && strlen(value) <= NAME_MAX;
}

/* nvcc pastes names into command lines for the shell, and not all of them with care: x$HOME.cu is another
 * file, and of a`b` it asks the shell. */
static bool is_odd_name(const char *name) {
  return strpbrk(name, "$`\"\\\n") != NULL;
}

static void apply_list(struct scan *s, const struct row *r, const char *option, const char *value) {
  struct ccargs *a = s->out;
  size_t first = a->own.n;
  bool plain = cut_list(&a->own, value, false);
  /* whoever rewrites the line afterwards takes the value for one name */
  if ((r->what == DIR || r->what == FORCED) && (!plain || a->own.n != first + 1))
    cc_side_output(s, option);
  for (size_t i = first, end = a->own.n; i < end; i++)
    cc_apply(s, r, option, a->own.args[i]);
}

static void apply(struct line *l, const struct row *r, const char *option, const char *value) {
  struct scan *s = l->scan;
  struct ccargs *a = s->out;
  switch (r->what) {
  case RELOCATABLE:
    s->rdc = strcmp(value, "false") == 0 ? NULL : option;
    return;
  case DEVICE_C:
    cc_set_mode(s, CC_COMPILE);
    s->rdc = option;
    return;
  case PARTIAL_LINK:
    l->partial = option;
    cc_set_mode(s, CC_RELOCATABLE);
    return;
  case DEVICE_LINK:
    cc_set_mode(s, CC_DEVICE);
    return;
  case ARCH:
    if (strstr(value, "lto_"))
      cc_side_output(s, option);
    return;
  case TO_HOST:
    host_words(l, option, value);
    return;
  case TO_LINKER_WORD:
    linker_words(s, value);
    return;
  case TO_TOOL:
    tool_words(s, option, value);
    return;
  case DIRECTORY:
    a->directory = value;
    return;
  case TEMPORARIES:
    l->temporaries = option;
    return;
  case OPTIONS_FILE:
    cc_side_output(s, option);
    return;
  case FORWARD:
  case EFFORT:
  case BINARY:
    return;
  case LANGUAGE: /* see find_language */
    if (by_name(value) == CC_LANG_NONE)
      cc_set_mode(s, CC_QUERY);
    return;
  case DEPS_TARGET:
    a->deps.ntargets = 0;
    break;
  }
  enum cc_role role = cc_role_of(r, value);
  if ((role == CC_ROLE_OUTPUT || role == CC_ROLE_DEPFILE) && is_odd_name(value))
    cc_side_output(s, option);
  if (r->form & LIST)
    apply_list(s, r, option, value);
  else
    cc_apply(s, r, option, value);
}

static void take_option(struct line *l) {
  struct scan *s = l->scan;
  size_t first = s->at;
  const char *word = s->args[first], *value;
  const struct row *r = take(s->args, &s->at, &value);
  if (!r || !value) {
    cc_add_word(s, first, CC_ROLE_OTHER, false, "");
    if (r)
      cc_set_mode(s, CC_QUERY); /* nvcc will say what is missing, or too much */
    else if (l->forward & TO_COMPILER)
      add_host_word(l, xstrdup(word));
    if (!r && (l->forward & TO_LD))
      cc_linker_word(s, word);
    return;
  }
  cc_add_word(s, first, role_of(r, value), is_plain(r, value), value);
  apply(l, r, word, value);
}

/* What holds for the line as a whole, wherever it stands: the language of all files, what becomes of unknown
 * options. */
static void find_language(struct line *l) {
  struct scan *s = l->scan;
  const char *value;
  for (size_t at = 0; s->args[at]; at++) {
    const struct row *r = is_option(s->args[at]) ? take(s->args, &at, &value) : NULL;
    if (!r || !value)
      continue;
    if (r->what == FORWARD)
      l->forward |= r->mode;
    if (r->what == LANGUAGE) {
      s->lang = by_name(value);
      s->forced_lang = s->lang != CC_LANG_NONE;
    }
  }
}

void nvcc_scan(struct scan *s) {
  struct line l = {.scan = s};
  struct ccargs *a = s->out;
  find_language(&l);
  for (; s->args[s->at]; s->at++) {
    const char *word = s->args[s->at];
    if (is_option(word)) {
      take_option(&l);
      continue;
    }
    cc_add_file(s, word, s->forced_lang ? s->lang : by_suffix(word));
    if (is_odd_name(word))
      cc_side_output(s, word);
  }
  scan_host(&l);
  free(l.host);
  if (l.partial && a->mode == CC_COMPILE)
    s->rdc = l.partial; /* it compiles for another link, too */
  /* nvcc 13.0 leaves x.ii of a host source beside the object */
  for (size_t i = 0; l.temporaries && i < a->ninputs; i++)
    if (a->inputs[i].kind == CC_IN_SOURCE && a->inputs[i].lang != CC_LANG_CUDA)
      cc_side_output(s, l.temporaries);
  /* the object is named by -o, but the depfile's target gets the directory */
  if (a->directory && a->output && a->deps.wanted && !a->deps.ntargets)
    cc_side_output(s, "-odir");
}

/* ---- options files ---- */

/* Files that name themselves end somewhere. */
enum { MAX_NESTING = 32, MAX_FILES = 2000 };

struct expansion {
  struct argv *out;
  const char *cwd;
  int files; /* read so far */
  bool clear;
};

/* The words of TEXT: white space separates them, "…" groups and goes. What becomes of a backslash depends on
 * what is around it, in one of two passes of nvcc's. */
static bool split(struct argv *out, const char *text, size_t len) {
  bool clear = !memchr(text, '\\', len) && !memchr(text, 0, len);
  for (const char *p = text, *end = text + len;;) {
    while (p < end && is_blank(*p))
      p++;
    if (p == end)
      return clear;
    struct buf word = {0};
    bool quoted = false;
    buf_add(&word, "", 0);
    for (; p < end && *p && (quoted || !is_blank(*p)); p++) {
      if (*p == '"')
        quoted = !quoted;
      else
        buf_putc(&word, *p);
    }
    argv_add_own(out, word.data);
    if (quoted || (p < end && !*p))
      return false;
  }
}

static void expand(struct expansion *e, char *const *args, int depth);

static void expand_file(struct expansion *e, const char *name, int depth) {
  char *file = path_join(e->cwd, name), *text = NULL;
  size_t len;
  if (depth < MAX_NESTING && e->files < MAX_FILES && file_is_regular(file))
    text = file_read(file, &len);
  free(file);
  if (!text) {
    e->clear = false;
    argv_addf(e->out, "--options-file=%s", name);
    return;
  }
  e->files++;
  struct argv words = {0};
  e->clear &= split(&words, text, len);
  free(text);
  if (words.n)
    expand(e, words.args, depth + 1);
  argv_free(&words);
}

static void expand(struct expansion *e, char *const *args, int depth) {
  for (size_t at = 0; args[at]; at++) {
    size_t first = at;
    const char *value = NULL;
    const struct row *r = is_option(args[at]) ? take(args, &at, &value) : NULL;
    if (r && value && r->what == OPTIONS_FILE) {
      struct argv names = {0};
      cut_list(&names, value, false);
      for (size_t i = 0; i < names.n; i++)
        expand_file(e, names.args[i], depth);
      argv_free(&names);
      continue;
    }
    if (r && !value && depth)
      e->clear = false; /* the next word of the line is not its value */
    for (size_t i = first; i <= at; i++)
      argv_add(e->out, args[i]);
  }
}

bool nvcc_expand(struct argv *out, const char *cwd, char *const *args) {
  struct expansion e = {.out = out, .cwd = cwd, .clear = true};
  if (args)
    expand(&e, args, 0);
  return e.clear;
}

/* In a variable double quotes group, and stay; a backslash is nothing special between words. */
bool nvcc_split(struct argv *out, const char *text) {
  bool clear = !strchr(text, '"');
  for (const char *p = text + strspn(text, " \t\r\n"); *p; p += strspn(p, " \t\r\n")) {
    size_t n = strcspn(p, " \t\r\n");
    argv_add_own(out, xstrndup(p, n));
    p += n;
  }
  return clear;
}
