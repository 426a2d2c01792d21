/* gnuoptions.c - the options of gcc, clang and hipcc, the names of their languages and the suffixes
 * of their sources.
 *
 * A compiler's command line cannot be read without knowing which options take the next word. Miss
 * one, and `--amdgpu-x` of `-mllvm --amdgpu-x` becomes a file, or `foo.d` of `-MF foo.d` an object;
 * assume one too many, and the source disappears. Other tools learnt each of these the hard way:
 *
 *  - Separate or joined is a property of each option, not of its length: `-o x`, `-ox`, `-include
 *    x`, `-includex`, `-MFx`, but only `-target x`. Bear once read `--include x` with x as the
 *    source (Bear issue 562).
 *  - The longest name wins, not the first: `-include-pch x` is not `-include` of "-pch", and
 *    `-objcmt-…` is not `-o`.
 *  - An option that is not in the table is one word. Joined values that do not matter here (`-DX`,
 *    `-O2`) need no row.
 *  - `-emit-llvm -c`, `--genco -c`, `-M -c`, `-fsyntax-only -c` make no object.
 *  - `-v` with a source compiles it; `--version` and `-###` with a source do not.
 *
 * The rows with separate values were compared with clang 15 and gcc 12, option by option;
 * test/wrapper-scan.sh repeats that for the ones that matter.
 */
#include "ccoptions.h"
#include "core/base/path.h"
#include "core/base/words.h"

#include <pthread.h>

/* clang-format off */
static const struct row rows[] = {
  /* how far it goes */
  {"-c", FLAG | SURE, MODE, CC_COMPILE},
  {"--compile", FLAG, MODE, CC_COMPILE},
  {"-S --assemble", FLAG, MODE, CC_ASSEMBLY},
  {"-E --preprocess -M --dependencies -MM --user-dependencies", FLAG, MODE, CC_PREPROCESS},
  {"-fsyntax-only --analyze -verify-pch", FLAG, MODE, CC_SYNTAX},
  {"-emit-llvm", FLAG, EMIT_LLVM, 0},
  {"-emit-ast --precompile -emit-interface-stubs --emit-static-lib -rewrite-objc --migrate"
   " -extract-api -module-file-info", FLAG, MODE, CC_IR},
  {"-fmodule-header", JOINED, MODE, CC_IR},
  {"--genco --offload-device-only --cuda-device-only -fhip-emit-relocatable",
   FLAG, MODE, CC_DEVICE},
  {"-r", FLAG, MODE, CC_RELOCATABLE},
  {"--version -### -ccc-print-bindings -ccc-print-phases -dumpmachine -dumpversion"
   " -dumpfullversion -dumpspecs -help --target-help -fdriver-only", FLAG, MODE, CC_QUERY},
  {"-print- --print- --help --autocomplete= -cc1", JOINED, MODE, CC_QUERY},
  /* hipcc answers these itself */
  {"--cxxflags --ldflags --short-version", FLAG, MODE, CC_QUERY},

  /* outputs, and the language of the input */
  {"-o", EITHER | SURE, OUTPUT, 0},
  {"--output", SEPARATE, OUTPUT, 0},
  {"--output=", JOINED, OUTPUT, 0},
  {"-objcmt-", JOINED, SIDE, 0}, /* those that clang does not know are `-o bjcmt-…` */
  {"-object", FLAG, NOTHING, 0},
  {"-x", EITHER | SURE, LANGUAGE, 0},
  {"--language", SEPARATE, LANGUAGE, 0},
  {"--language=", JOINED, LANGUAGE, 0},

  /* depfiles */
  {"-MD", FLAG | SURE, DEPS_ALL, 0},
  {"--write-dependencies", FLAG, DEPS_ALL, 0},
  {"-MMD", FLAG | SURE, DEPS_USER, 0},
  {"--write-user-dependencies", FLAG, DEPS_USER, 0},
  {"-MF", EITHER | SURE, DEPS_FILE, 0},
  {"-MP", FLAG | SURE, DEPS_PHONY, 0},
  {"-MT", EITHER | SURE, DEPS_TARGET, 0},
  {"-MQ", EITHER | SURE, DEPS_QUOTED, 0},
  {"-MV -MG", FLAG, SIDE, 0},
  {"-MJ", EITHER, SIDE, 0},
  {"-dependency-file -dependency-dot -module-dependency-dir", SEPARATE, SIDE, 0},

  /* header search paths */
  {"-I", EITHER | SURE, DIR, CC_DIR_USER},
  {"--include-directory", SEPARATE, DIR, CC_DIR_USER},
  {"--include-directory=", JOINED, DIR, CC_DIR_USER},
  {"-iquote", EITHER | SURE, DIR, CC_DIR_QUOTE},
  {"-isystem", EITHER | SURE, DIR, CC_DIR_SYSTEM},
  {"-isystem-after", EITHER, DIR, CC_DIR_AFTER},
  {"-cxx-isystem -stdlib++-isystem", EITHER, DIR, CC_DIR_SYSTEM},
  {"-internal-isystem", SEPARATE, DIR, CC_DIR_SYSTEM}, /* these two are clang -cc1's */
  {"-internal-externc-isystem", SEPARATE, DIR, CC_DIR_SYSTEM},
  {"-idirafter", EITHER | SURE, DIR, CC_DIR_AFTER},
  {"--include-directory-after", SEPARATE, DIR, CC_DIR_AFTER},
  {"--include-directory-after=", JOINED, DIR, CC_DIR_AFTER},
  {"-include -imacros", EITHER, FORCED, 0},
  {"--include --imacros", SEPARATE, FORCED, 0},
  {"--include= --imacros=", JOINED, FORCED, 0},
  {"-include-pch -include-pth", EITHER, READS, 0},
  {"--embed-dir", SEPARATE, DIR, CC_DIR_EMBED},
  {"--embed-dir=", JOINED, DIR, CC_DIR_EMBED},

  /* for which GPUs */
  {"--offload-arch", SEPARATE, ARCH, CC_ROLE_ARCH}, /* hipcc takes it, clang does not */
  {"--offload-arch=", JOINED, ARCH, CC_ROLE_ARCH},

  /* for the linker */
  {"-l", EITHER, LIBRARY, 0},
  {"-L", EITHER, LIBDIR, 0},
  {"--library-directory", SEPARATE, LIBDIR, 0},
  {"--library-directory=", JOINED, LIBDIR, 0},
  {"-static -static-pie --static", FLAG, STATIC, 0},

  /* words passed on to one of the compiler's own programs */
  {"-Wl,", JOINED, TO_LINKER, 0},
  {"-Xlinker --for-linker", SEPARATE, TO_LINKER_WORD, 0},
  {"--for-linker=", JOINED, TO_LINKER_WORD, 0},
  {"-Wp,", JOINED | SURE, TO_PREPROCESSOR, 0},
  {"-Xpreprocessor", SEPARATE, TO_CPP_WORD, 0},
  {"-Xclang", SEPARATE, TO_FRONTEND, 0},
  {"-Xclang=", JOINED, TO_FRONTEND, 0},
  {"-Xarch_", JOINED_NEXT, TO_ARCH, 0},
  {"-Xoffload-linker -Xopenmp-target=", JOINED_NEXT, NOTHING, 0},
  {"-Xopenmp-target -Xanalyzer -Xcuda-fatbinary -Xcuda-ptxas -Xclangas -mllvm -mmlir",
   SEPARATE, NOTHING, 0},
  {"-Wa,", JOINED, TO_ASSEMBLER, 0},
  {"-Xassembler", SEPARATE, TO_ASSEMBLER, 0},

  /* There are more outputs than an object, or the line is not everything (--config), or the object
   * is not code that can be linked by itself. -fgpu-rdc: device code that only a device link
   * completes. -working-directory moves every name on the line. */
  {"-fgpu-rdc -fcuda-rdc", FLAG, RDC_ON, 0},
  {"-fno-gpu-rdc -fno-cuda-rdc", FLAG, RDC_OFF, 0},
  {"-save-temps --save-temps -save-stats --save-stats -gsplit-dwarf -fdump- -fcallgraph-info"
   " -ftime-trace -fproc-stat-report= -fsave-optimization-record -foptimization-record-"
   " -fopt-info -fmodule-output -fthinlto-index= -working-directory= --driver-mode=",
   JOINED, SIDE, 0},
  {"--coverage -coverage -fprofile-arcs -ftest-coverage -fstack-usage -fmodules-ts"
   " -fdiagnostics-format=sarif-file -fdiagnostics-format=json-file", FLAG, SIDE, 0},
  {"-aux-info -serialize-diagnostics --serialize-diagnostics -gen-cdb-fragment-path"
   " -working-directory -wrapper -filelist", SEPARATE, SIDE, 0},

  {"-D -U", EITHER | SURE, MACRO, 0},

  /* in the table only because they take a value. Not here: -G, a number for MIPS and Hexagon
   * only. */
  {"-A -Tbss -Tdata -Ttext -b -e -h -u -z -arch -target -rpath -undefined -framework"
   " -install_name -imultilib -imultiarch -iprefix -iwithprefix -iwithprefixbefore"
   " -iwithsysroot -iframeworkwithsysroot -dumpbase -dumpbase-ext -dumpdir -meabi"
   " -mthread-model -fdebug-compilation-dir -ftrapv-handler -fmodules-user-build-path"
   " -fxray-instruction-threshold -ccc-gcc-name -ccc-install-dir --analyzer-output --assert"
   " --define-macro --undefine-macro --entry --force-link --include-prefix"
   " --include-with-prefix --param --include-with-prefix-after --prefix"
   " --include-with-prefix-before --std --dumpbase --dumpbase-ext --dumpdir",
   SEPARATE, NOTHING, 0},
  {"-B -F -isysroot", EITHER, PATH, 0},
  {"-T", SEPARATE, PATH, 1}, /* a script of the linker's */
  {"-gcc-toolchain -resource-dir -iframework --sysroot", SEPARATE, PATH, 0},
  {"--config", SEPARATE, SIDE, 0},
  {"--config=", JOINED, SIDE, 0},

  {"--sysroot= --gcc-toolchain= -resource-dir= --rocm-path= --hip-path="
   " --rocm-device-lib-path= --hip-device-lib-path=", JOINED, PATH, 0},

  /* a file whose content decides what is made */
  {"-specs --specs --vfsoverlay -vfsoverlay", SEPARATE, READS, 1},
  {"-specs= --specs=", JOINED, READS, 1},
  {"-ivfsoverlay", EITHER, READS, 1},
  {"-ivfsstatcache -mlink-builtin-bitcode", SEPARATE, READS, 0},
  {"-fprofile-use= -fprofile-instr-use= -fprofile-sample-use= -fprofile-instrument-use-path="
   " -fprofile-remapping-file= -fprofile-list= -fmemory-profile-use= -fauto-profile="
   " -fsanitize-ignorelist= -fsanitize-blacklist= -fsanitize-system-ignorelist="
   " -fsanitize-coverage-allowlist= -fsanitize-coverage-ignorelist="
   " -fsanitize-coverage-whitelist= -fsanitize-coverage-blacklist= -fxray-always-instrument="
   " -fxray-never-instrument= -fxray-attr-list= -fbasic-block-sections=list="
   " -frandomize-layout-seed-file= -frewrite-map-file= -fembed-offload-object= -fmodule-file=",
   JOINED, READS, 0},

  /* The files that are read are unknown: a program chooses them, or their names are made from the
   * output's. */
  {"-fplugin= -fplugin-arg- -fpass-plugin= -iplugindir= -fmodule-map-file= -fmodule-mapper="
   " -fprebuilt-module-path= --config-system-dir= --config-user-dir=", JOINED, SIDE, 0},
  {"-fprofile-use -fprofile-instr-use -fprofile-sample-use -fauto-profile"
   " -fbranch-probabilities -fmodules -fcxx-modules", FLAG, SIDE, 0},
};
/* clang-format on */

static const struct {
  const char *name;
  enum cc_lang lang;
} languages[] = {
    {"c", CC_LANG_C},
    {"c++", CC_LANG_CXX},
    {"hip", CC_LANG_HIP},
    {"cuda", CC_LANG_CUDA},
    {"assembler", CC_LANG_ASM},
    {"assembler-with-cpp", CC_LANG_ASM},
    {"c-header", CC_LANG_HEADER},
    {"c++-header", CC_LANG_HEADER},
    {"c++-user-header", CC_LANG_HEADER},
    {"c++-system-header", CC_LANG_HEADER},
    {"none", CC_LANG_NONE}, /* back to suffixes */
};

/* .cuh is a source for hipcc only; gcc and clang pass it to the linker, which rejects it */
static const struct {
  const char *all; /* separated by blanks */
  enum cc_lang lang;
} suffixes[] = {
    {"c", CC_LANG_C},
    {"cc cp cxx cpp CPP c++ C CC", CC_LANG_CXX},
    {"hip", CC_LANG_HIP},
    {"cu cuh", CC_LANG_CUDA},
    {"s S sx", CC_LANG_ASM},
    {"h H hh hp hpp hxx h++ tcc", CC_LANG_HEADER},
    {"i ii cui hipi m mi mm mii M ll bc f F f90 F90 cl cppm ixx pcm ast pch gch", CC_LANG_OTHER},
};

enum cc_lang gnu_language(const char *name) {
  for (size_t i = 0; i < sizeof languages / sizeof languages[0]; i++)
    if (strcmp(name, languages[i].name) == 0)
      return languages[i].lang;
  return CC_LANG_OTHER;
}

enum cc_lang gnu_language_of(const char *file) {
  const char *dot = strrchr(path_base(file), '.');
  for (size_t i = 0; dot && i < sizeof suffixes / sizeof suffixes[0]; i++)
    if (words_have(suffixes[i].all, dot + 1, strlen(dot + 1)))
      return suffixes[i].lang;
  return CC_LANG_NONE;
}

/* All names of all rows: a wrapper looks for each word of a command line. */
static struct named {
  const char *name;
  size_t length;
  const struct row *row;
} names[512];
static size_t nnames;

static void split_names(void) {
  for (const struct row *r = rows; r < rows + sizeof rows / sizeof rows[0]; r++)
    for (const char *at = r->names; *at; at += *at == ' ') {
      names[nnames++] = (struct named){at, strcspn(at, " "), r};
      at += names[nnames - 1].length;
    }
}

const struct row *gnu_find_option(const char *word, size_t *length) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const struct row *best = NULL;
  size_t word_len = strlen(word);
  pthread_once(&once, split_names);
  *length = 0;
  for (const struct named *n = names; n < names + nnames; n++) {
    if (n->name[1] != word[1] || n->length < *length || n->length > word_len ||
        memcmp(n->name, word, n->length) != 0)
      continue;
    unsigned joined = JOINED | JOINED_NEXT, forms = n->length == word_len ? FLAG | SEPARATE | joined : joined;
    if (n->row->form & forms) {
      best = n->row;
      *length = n->length;
    }
  }
  return best;
}

const struct row *gnu_take_option(char *const *args, size_t *at, const char **value) {
  size_t length;
  const char *word = args[*at];
  const struct row *r = gnu_find_option(word, &length);
  *value = "";
  if (r && ((r->form & JOINED_NEXT) || ((r->form & SEPARATE) && !word[length])))
    *at += (*value = args[*at + 1]) != NULL;
  else if (r && (r->form & JOINED))
    *value = word + length;
  return r;
}

const char *ccargs_directory(char *const *args, size_t *at) {
  size_t last = *at;
  const char *value;
  const struct row *r = is_option(args[last]) ? gnu_take_option(args, &last, &value) : NULL;
  if (!r || r->what != DIR)
    return NULL;
  *at = last;
  return value;
}
