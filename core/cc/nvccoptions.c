/* nvccoptions.c - nvcc's options, and how a word is matched to one.
 *
 *  - Most options have two names: a long one with two dashes and a short one with one. `--o x` and
 *    `-output-file x` are unknown options. The table must know that both names take a value;
 *    otherwise the value is read as a second source: `--dependency-output x.d` (ccache issue 1663,
 *    sccache 2708), `-ccbin g++` (sccache 1147), `-diag-suppress 1407` (sccache 2372).
 *  - A value is the next word or follows `=`: `-o x`, `-o=x`, `--output-file=x`. It is never joined
 *    (`-ox`, `-isystemd`), except for seven options of one letter (`-Id`, `-O2`, `-t4`). A full
 *    name wins over a joined value: `-ldir` is --libdevice-directory, not library "dir"; `-lib`
 *    makes an archive.
 *  - `-Werror` takes a value.
 *
 * The table was compared with nvcc 13.0 and 13.5, name by name; test/nvcc-arguments.sh repeats
 * that. Other versions may accept more or less: for options that are not SURE, the wrapper asks the
 * compiler.
 */
#include "ccoptions.h"
#include "core/base/path.h"

#include <string.h>

/* How an option takes its value, in addition to enum form and LIST. */
enum {
  /* the next word, unless that is an option */
  MAYBE = 32,
  VALUE = SEPARATE,       /* the next word, or after "=" */
  VALUES = VALUE | LIST,  /* … cut at commas */
  LETTER = VALUE | JOINED /* … or the rest of the word */
};

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
  {"-run", {"--run", FLAG, RUN, 0}},
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

  /* outputs, and the language of the input */
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

  /* header search paths, and macros */
  {"-I", {"--include-path", LETTER | LIST | SURE, DIR, CC_DIR_USER}},
  {"-isystem", {"--system-include", VALUES | SURE, DIR, CC_DIR_SYSTEM}},
  {"-include", {"--pre-include", VALUES, FORCED, 0}},
  {"-D", {"--define-macro", LETTER | LIST | SURE, MACRO, 0}},
  {"-U", {"--undefine-macro", LETTER | LIST | SURE, MACRO, 0}},

  /* for which GPUs */
  {"-arch", {"--gpu-architecture", VALUE, ARCH, CC_ROLE_ARCH}},
  {"-code", {"--gpu-code", VALUES, ARCH, CC_ROLE_CODE}},
  {"-gencode", {"--generate-code", VALUES, ARCH, CC_ROLE_GENCODE}},

  /* for the linker */
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

  /* words passed on to one of nvcc's programs */
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

  /* device code that is incomplete, or only part of it */
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

  /* how nvcc works, without effect on the output */
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
  {"-run-args", {"--run-args", VALUES, RUN, 0}},
  {"-noprof", {"--dont-use-profile", FLAG, NOTHING, 0}},
  {"-use-local-env", {"--use-local-env", FLAG, NOTHING, 0}},
  {"-force-cl-env-setup", {"--force-cl-env-setup", FLAG, NOTHING, 0}},
  {"-allow-unsupported-compiler", {"--allow-unsupported-compiler", FLAG, NOTHING, 0}},
  {NULL, {"--cl-version", VALUE, NOTHING, 0}},
  {"-qpp-config", {"--qpp-config", VALUE, NOTHING, 0}},
  {"-cuda-api-version", {"--cuda-api-version", VALUE, NOTHING, 0}},
  {"-nvvm-version", {"--nvvm-version", VALUE, NOTHING, 0}},
  {"-tool-name", {"--tool-name", VALUE, NOTHING, 0}},

  /* in the table only for how they take a value */
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

enum cc_lang nvcc_language_of(const char *file) {
  const char *dot = strrchr(path_base(file), '.');
  for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
    if (strcmp(dot + 1, suffixes[i].suffix) == 0)
      return suffixes[i].lang;
  return CC_LANG_NONE;
}

enum cc_lang nvcc_language(const char *name) {
  return strcmp(name, "cu") == 0    ? CC_LANG_CUDA
         : strcmp(name, "c++") == 0 ? CC_LANG_CXX
         : strcmp(name, "c") == 0   ? CC_LANG_C
                                    : CC_LANG_NONE;
}

static bool is_name(const char *name, const char *word, size_t n) {
  return name && strlen(name) == n && memcmp(name, word, n) == 0;
}

/* The option that WORD is; *VALUE is the part of its value that is in WORD, NULL if none is. */
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

const struct row *nvcc_take_option(char *const *args, size_t *at, const char **value) {
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
