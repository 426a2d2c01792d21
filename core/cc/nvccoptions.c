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
#include "core/base/words.h"

/* How an option takes its value, in addition to enum form and LIST. */
enum {
  /* the next word, unless that is an option */
  MAYBE = 32,
  VALUE = SEPARATE,       /* the next word, or after "=" */
  VALUES = VALUE | LIST,  /* … cut at commas */
  LETTER = VALUE | JOINED /* … or the rest of the word */
};

/* clang-format off */
static const struct row rows[] = {
  /* how far it goes */
  {"-c --compile", FLAG | SURE, MODE, CC_COMPILE},
  {"-dc --device-c", FLAG, DEVICE_C, CC_COMPILE},
  {"-dw --device-w", FLAG, MODE, CC_COMPILE},
  {"-link --link", FLAG, NOTHING, 0},
  {"-lib --lib", FLAG, MODE, CC_ARCHIVE},
  {"-r --relocatable-link", FLAG, PARTIAL_LINK, 0},
  {"-dlink --device-link", FLAG, DEVICE_LINK, 0},
  {"-run --run", FLAG, RUN, 0},
  {"-E --preprocess -M --generate-dependencies -MM --generate-nonsystem-dependencies",
   FLAG, MODE, CC_PREPROCESS},
  {"-cuda --cuda -ptx --ptx -ltoir --ltoir -optix-ir --optix-ir", FLAG, MODE, CC_IR},
  {"-cubin --cubin -fatbin --fatbin", FLAG, MODE, CC_DEVICE},
  {"-dryrun --dryrun -clean --clean-targets -h --help -V --version -arch-ls --list-gpu-arch"
   " -code-ls --list-gpu-code", FLAG, MODE, CC_QUERY},

  /* outputs, and the language of the input */
  {"-o --output-file", VALUE | SURE, OUTPUT, 0},
  {"-odir --output-directory", VALUE, DIRECTORY, 0},
  {"-x --x", VALUE | SURE, LANGUAGE, 0},
  {"-optf --options-file", VALUES, OPTIONS_FILE, 0},
  {"-forward-unknown-to-host-compiler --forward-unknown-to-host-compiler",
   FLAG, FORWARD, TO_COMPILER},
  {"-forward-unknown-to-host-linker --forward-unknown-to-host-linker", FLAG, FORWARD, TO_LD},
  {"-forward-unknown-opts --forward-unknown-opts", FLAG, FORWARD, TO_COMPILER | TO_LD},

  /* depfiles */
  {"-MD --generate-dependencies-with-compile", FLAG | SURE, DEPS_ALL, 0},
  {"-MMD --generate-nonsystem-dependencies-with-compile", FLAG | SURE, DEPS_USER, 0},
  {"-MF --dependency-output", VALUE | SURE, DEPS_FILE, 0},
  {"-MT --dependency-target-name", VALUE | SURE, DEPS_TARGET, 0},
  {"-MP --generate-dependency-targets", FLAG, DEPS_PHONY, 0},

  /* header search paths, and macros */
  {"-I --include-path", LETTER | LIST | SURE, DIR, CC_DIR_USER},
  {"-isystem --system-include", VALUES | SURE, DIR, CC_DIR_SYSTEM},
  {"-include --pre-include", VALUES, FORCED, 0},
  {"-D --define-macro", LETTER | LIST | SURE, MACRO, 0},
  {"-U --undefine-macro", LETTER | LIST | SURE, MACRO, 0},

  /* for which GPUs */
  {"-arch --gpu-architecture", VALUE, ARCH, CC_ROLE_ARCH},
  {"-code --gpu-code", VALUES, ARCH, CC_ROLE_CODE},
  {"-gencode --generate-code", VALUES, ARCH, CC_ROLE_GENCODE},

  /* for the linker */
  {"-l --library", LETTER | LIST, LIBRARY, 0},
  {"-L --library-path", LETTER | LIST, LIBDIR, 0},
  {"-shared --shared -nodlink --no-device-link -reloc-ptx --relocatable-ptx", FLAG, NOTHING, 0},
  {"-cudart --cudart -cudadevrt --cudadevrt", VALUE, NOTHING, 0},
  {"-hls --host-linker-script", VALUE | MAYBE, SIDE, 0},
  {"-aug-hls --augment-host-linker-script -host-r --host-relocatable-link", FLAG, SIDE, 0},
  {"-arbin --archiver-binary", VALUE, BINARY, 0},

  /* words passed on to one of nvcc's programs */
  {"-Xcompiler --compiler-options", VALUES, TO_HOST, 0},
  {"-Xlinker --linker-options", VALUES, TO_LINKER_WORD, 0},
  {"-Xarchive --archive-options", VALUES, NOTHING, 0},
  {"-Xcudafe --cudafe-options -Xcicc --cicc-options -Xptxas --ptxas-options -Xnvlink"
   " --nvlink-options -Xfatbin --fatbin-options -Xnvasm --nvasm-options -Xnvdisasm"
   " --nvdisasm-options", VALUES, TO_TOOL, 0},
  {"--all-prefix --cpp-prefix --cudafe-prefix --cicc-prefix --ptxas-prefix --nvlink-prefix",
   VALUE, SIDE, 0},

  /* device code that is incomplete, or only part of it */
  {"-rdc --relocatable-device-code", VALUE, RELOCATABLE, 0},
  {"-dlto --dlink-time-opt -lto --lto -ewp --extensible-whole-program -fdevice-syntax-only"
   " --fdevice-syntax-only", FLAG, SIDE, 0},
  {"-e --entries -use-cubin --use-cubin", VALUES, SIDE, 0},
  {"--export-dir --extern-mode --intern-mode", VALUE, SIDE, 0},

  /* more files than the object and the depfile */
  {"-keep --keep -save-temps --save-temps -tdump --tdump", FLAG, SIDE, 0},
  {"-keep-dir --keep-dir -time --time -fdevice-time-trace --fdevice-time-trace", VALUE, SIDE, 0},

  /* how nvcc works, without effect on the output */
  {"-t --threads", LETTER, EFFORT, 0},
  {"-split-compile --split-compile", VALUE, EFFORT, 0},
  {"-jobserver --jobserver", FLAG, EFFORT, 0},
  {"-objtemp --objdir-as-tempdir", FLAG, TEMPORARIES, 0},

  /* other compilers, other files */
  {"-ccbin --compiler-bindir", VALUE, BINARY, 0},
  {"-ldir --libdevice-directory", VALUE, PATH, 0},
  {"-target-dir --target-directory --cl-version -qpp-config --qpp-config -cuda-api-version"
   " --cuda-api-version -nvvm-version --nvvm-version -tool-name --tool-name", VALUE, NOTHING, 0},
  {"-idp --input-drive-prefix -ddp --dependency-drive-prefix -dp --drive-prefix", VALUE, SIDE, 0},
  {"-run-args --run-args", VALUES, RUN, 0},
  {"-noprof --dont-use-profile -use-local-env --use-local-env -force-cl-env-setup"
   " --force-cl-env-setup -allow-unsupported-compiler --allow-unsupported-compiler",
   FLAG, NOTHING, 0},

  /* in the table only for how they take a value */
  {"-O --optimize", LETTER, NOTHING, 0},
  {"-Ofc --Ofast-compile", VALUE | MAYBE, NOTHING, 0},
  {"-std --std -m --machine -dopt --dopt -split-compile-extended --split-compile-extended"
   " -ftemplate-backtrace-limit --ftemplate-backtrace-limit -ftemplate-depth"
   " --ftemplate-depth -static-global-template-stub --static-global-template-stub"
   " -device-entity-has-hidden-visibility --device-entity-has-hidden-visibility -maxrregcount"
   " --maxrregcount -ftz --ftz -prec-div --prec-div -prec-sqrt --prec-sqrt -fmad --fmad"
   " --device-compilation -default-stream --default-stream -no-libdevice --no-libdevice"
   " -compress-mode --compress-mode -brief-diag --brief-diagnostics -jtd --jump-table-density"
   " -device-stack-protector --device-stack-protector -frandom-seed --frandom-seed -sanitize"
   " --sanitize -dQ --version-ident -ok", VALUE, NOTHING, 0},
  {"-m64 --m64 -g --debug -G --device-debug -lineinfo --generate-line-info -no-lineinfo-ia "
   "--no-lineinfo-ia -pg --profile -gen-opt-lto --gen-opt-lto -noeh --no-exceptions -nodinline "
   "--no-device-inline -aggressive-inline --aggressive-inline -nohdinitlist "
   "--no-host-device-initializer-list -nohdmoveforward --no-host-device-move-forward "
   "-expt-relaxed-constexpr --expt-relaxed-constexpr -expt-extended-lambda --expt-extended-lambda "
   "-extended-lambda --extended-lambda -v --verbose --no-align-double -use_fast_math "
   "--use_fast_math -fassociative-math --fassociative-math -extra-device-vectorization "
   "--extra-device-vectorization -legacy-launch-seq --legacy-launch-seq -no-shadow-functions "
   "--no-shadow-functions -nvasm-loopback --nvasm-loopback -global_var --global_var -dD --dD -w "
   "--disable-warnings -keep-device-functions --keep-device-functions -src-in-ptx --source-in-ptx "
   "-restrict --restrict -restrict-in-struct --restrict-in-struct -Wreorder --Wreorder "
   "-Wdefault-stream-launch --Wdefault-stream-launch -Wmissing-launch-bounds "
   "--Wmissing-launch-bounds -Wext-lambda-captures-this --Wext-lambda-captures-this "
   "-Wno-deprecated-declarations --Wno-deprecated-declarations -Wno-deprecated-gpu-targets "
   "--Wno-deprecated-gpu-targets -res-usage --resource-usage -no-compress --no-compress "
   "-astoolspatch --compile-as-tools-patch -err-no --display-error-number -no-err-no "
   "--no-display-error-number", FLAG, NOTHING, 0},
  {"-opt-info --optimization-info -Werror --Werror -diag-error --diag-error -diag-suppress"
   " --diag-suppress -diag-warn --diag-warn", VALUES, NOTHING, 0},

  /* not in 13.0, but in 13.5 */
  {"-enable-tile --enable-tile -simt-only --simt-only -v2 --verbose2 -prune --prune"
   " -Wconversion --Wconversion -concat --concat -skip-ptx-semantics-check"
   " --skip-ptx-semantics-check -utf-8 --utf-8 -safety-compat --safety-compatibility",
   FLAG, NOTHING, 0},
  {"-tile-preview --tile-preview -fdevice-time-trace-granularity --fdevice-time-trace-granularity "
   "-fmax-errors --fmax-errors -stdlib --stdlib -fdevice-sanitize --fdevice-sanitize", VALUE, NOTHING, 0},
  {"-tile-only --tile-only", FLAG, SIDE, 0},
  {"-tilebc --tilebc", FLAG, MODE, CC_IR},
  {"-tilecubin --tilecubin -tilefatbin --tilefatbin", FLAG, MODE, CC_DEVICE},
  {"-Xtileiras --tileiras-options -Xnvprune --nvprune-options", VALUES, TO_TOOL, 0},
  {"-apply-controls --apply-controls", VALUE, SIDE, 0},
};
/* clang-format on */
enum { NROWS = sizeof rows / sizeof *rows };

/* gcc's suffixes, of which nvcc knows a few, and two of its own. */
enum cc_lang nvcc_language_of(const char *file) {
  const char *dot = strrchr(path_base(file), '.'), *suffix = dot ? dot + 1 : "";
  if (words_have("cup gpu", suffix, strlen(suffix)))
    return CC_LANG_OTHER;
  return words_have("cu c cc cpp cxx i ii s S", suffix, strlen(suffix)) ? gnu_language_of(file)
                                                                        : CC_LANG_NONE;
}

enum cc_lang nvcc_language(const char *name) {
  return strcmp(name, "cu") == 0    ? CC_LANG_CUDA
         : strcmp(name, "c++") == 0 ? CC_LANG_CXX
         : strcmp(name, "c") == 0   ? CC_LANG_C
                                    : CC_LANG_NONE;
}

/* The option that WORD is; *VALUE is the part of its value that is in WORD, NULL if none is. */
static const struct row *find(const char *word, const char **value) {
  size_t n = strcspn(word, "=");
  *value = word[n] ? word + n + 1 : NULL;
  for (size_t i = 0; i < NROWS; i++)
    if (words_have(rows[i].names, word, n))
      return &rows[i];
  *value = word + 2;
  for (size_t i = 0; word[1] != '-' && i < NROWS; i++)
    if ((rows[i].form & JOINED) && rows[i].names[1] == word[1])
      return &rows[i];
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
