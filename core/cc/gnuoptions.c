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

#include <string.h>

/* clang-format off */
static const struct row rows[] = {
  /* how far it goes */
  {"-c", FLAG | SURE, MODE, CC_COMPILE},
  {"--compile", FLAG, MODE, CC_COMPILE},
  {"-S", FLAG, MODE, CC_ASSEMBLY},
  {"--assemble", FLAG, MODE, CC_ASSEMBLY},
  {"-E", FLAG, MODE, CC_PREPROCESS},
  {"--preprocess", FLAG, MODE, CC_PREPROCESS},
  {"-M", FLAG, MODE, CC_PREPROCESS},
  {"--dependencies", FLAG, MODE, CC_PREPROCESS},
  {"-MM", FLAG, MODE, CC_PREPROCESS},
  {"--user-dependencies", FLAG, MODE, CC_PREPROCESS},
  {"-fsyntax-only", FLAG, MODE, CC_SYNTAX},
  {"--analyze", FLAG, MODE, CC_SYNTAX},
  {"-verify-pch", FLAG, MODE, CC_SYNTAX},
  {"-emit-llvm", FLAG, EMIT_LLVM, 0},
  {"-emit-ast", FLAG, MODE, CC_IR},
  {"--precompile", FLAG, MODE, CC_IR},
  {"-fmodule-header", JOINED, MODE, CC_IR},
  {"-emit-interface-stubs", FLAG, MODE, CC_IR},
  {"--emit-static-lib", FLAG, MODE, CC_IR},
  {"-rewrite-objc", FLAG, MODE, CC_IR},
  {"--migrate", FLAG, MODE, CC_IR},
  {"-extract-api", FLAG, MODE, CC_IR},
  {"-module-file-info", FLAG, MODE, CC_IR},
  {"--genco", FLAG, MODE, CC_DEVICE},
  {"--offload-device-only", FLAG, MODE, CC_DEVICE},
  {"--cuda-device-only", FLAG, MODE, CC_DEVICE},
  {"-fhip-emit-relocatable", FLAG, MODE, CC_DEVICE},
  {"-r", FLAG, MODE, CC_RELOCATABLE},
  {"--version", FLAG, MODE, CC_QUERY},
  {"-###", FLAG, MODE, CC_QUERY},
  {"-ccc-print-bindings", FLAG, MODE, CC_QUERY},
  {"-ccc-print-phases", FLAG, MODE, CC_QUERY},
  {"-print-", JOINED, MODE, CC_QUERY},
  {"--print-", JOINED, MODE, CC_QUERY},
  {"-dumpmachine", FLAG, MODE, CC_QUERY},
  {"-dumpversion", FLAG, MODE, CC_QUERY},
  {"-dumpfullversion", FLAG, MODE, CC_QUERY},
  {"-dumpspecs", FLAG, MODE, CC_QUERY},
  {"--help", JOINED, MODE, CC_QUERY},
  {"-help", FLAG, MODE, CC_QUERY},
  {"--target-help", FLAG, MODE, CC_QUERY},
  {"--autocomplete=", JOINED, MODE, CC_QUERY},
  {"-cc1", JOINED, MODE, CC_QUERY},
  {"-fdriver-only", FLAG, MODE, CC_QUERY},
  /* hipcc answers these itself */
  {"--cxxflags", FLAG, MODE, CC_QUERY},
  {"--ldflags", FLAG, MODE, CC_QUERY},
  {"--short-version", FLAG, MODE, CC_QUERY},

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
  {"-MV", FLAG, SIDE, 0},
  {"-MG", FLAG, SIDE, 0},
  {"-MJ", EITHER, SIDE, 0},
  {"-dependency-file", SEPARATE, SIDE, 0},
  {"-dependency-dot", SEPARATE, SIDE, 0},
  {"-module-dependency-dir", SEPARATE, SIDE, 0},

  /* header search paths */
  {"-I", EITHER | SURE, DIR, CC_DIR_USER},
  {"--include-directory", SEPARATE, DIR, CC_DIR_USER},
  {"--include-directory=", JOINED, DIR, CC_DIR_USER},
  {"-iquote", EITHER | SURE, DIR, CC_DIR_QUOTE},
  {"-isystem", EITHER | SURE, DIR, CC_DIR_SYSTEM},
  {"-isystem-after", EITHER, DIR, CC_DIR_AFTER},
  {"-cxx-isystem", EITHER, DIR, CC_DIR_SYSTEM},
  {"-stdlib++-isystem", EITHER, DIR, CC_DIR_SYSTEM},
  {"-internal-isystem", SEPARATE, DIR, CC_DIR_SYSTEM}, /* these two are clang -cc1's */
  {"-internal-externc-isystem", SEPARATE, DIR, CC_DIR_SYSTEM},
  {"-idirafter", EITHER | SURE, DIR, CC_DIR_AFTER},
  {"--include-directory-after", SEPARATE, DIR, CC_DIR_AFTER},
  {"--include-directory-after=", JOINED, DIR, CC_DIR_AFTER},
  {"-include", EITHER, FORCED, 0},
  {"--include", SEPARATE, FORCED, 0},
  {"--include=", JOINED, FORCED, 0},
  {"-imacros", EITHER, FORCED, 0},
  {"--imacros", SEPARATE, FORCED, 0},
  {"--imacros=", JOINED, FORCED, 0},
  {"-include-pch", EITHER, READS, 0},
  {"-include-pth", EITHER, READS, 0},
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
  {"-static", FLAG, STATIC, 0},
  {"-static-pie", FLAG, STATIC, 0},
  {"--static", FLAG, STATIC, 0},

  /* words passed on to one of the compiler's own programs */
  {"-Wl,", JOINED, TO_LINKER, 0},
  {"-Xlinker", SEPARATE, TO_LINKER_WORD, 0},
  {"--for-linker", SEPARATE, TO_LINKER_WORD, 0},
  {"--for-linker=", JOINED, TO_LINKER_WORD, 0},
  {"-Wp,", JOINED | SURE, TO_PREPROCESSOR, 0},
  {"-Xpreprocessor", SEPARATE, TO_CPP_WORD, 0},
  {"-Xclang", SEPARATE, TO_FRONTEND, 0},
  {"-Xclang=", JOINED, TO_FRONTEND, 0},
  {"-Xarch_", JOINED_NEXT, TO_ARCH, 0},
  {"-Xoffload-linker", JOINED_NEXT, NOTHING, 0},
  {"-Xopenmp-target", SEPARATE, NOTHING, 0},
  {"-Xopenmp-target=", JOINED_NEXT, NOTHING, 0},
  {"-Wa,", JOINED, TO_ASSEMBLER, 0},
  {"-Xassembler", SEPARATE, TO_ASSEMBLER, 0},
  {"-Xanalyzer", SEPARATE, NOTHING, 0},
  {"-Xcuda-fatbinary", SEPARATE, NOTHING, 0},
  {"-Xcuda-ptxas", SEPARATE, NOTHING, 0},
  {"-Xclangas", SEPARATE, NOTHING, 0},
  {"-mllvm", SEPARATE, NOTHING, 0},
  {"-mmlir", SEPARATE, NOTHING, 0},

  /* There are more outputs than an object, or the line is not everything (--config), or the object
   * is not code that can be linked by itself. -fgpu-rdc: device code that only a device link
   * completes. -working-directory moves every name on the line. */
  {"-fgpu-rdc", FLAG, RDC_ON, 0},
  {"-fno-gpu-rdc", FLAG, RDC_OFF, 0},
  {"-fcuda-rdc", FLAG, RDC_ON, 0},
  {"-fno-cuda-rdc", FLAG, RDC_OFF, 0},
  {"-save-temps", JOINED, SIDE, 0},
  {"--save-temps", JOINED, SIDE, 0},
  {"-save-stats", JOINED, SIDE, 0},
  {"--save-stats", JOINED, SIDE, 0},
  {"--coverage", FLAG, SIDE, 0},
  {"-coverage", FLAG, SIDE, 0},
  {"-fprofile-arcs", FLAG, SIDE, 0},
  {"-ftest-coverage", FLAG, SIDE, 0},
  {"-gsplit-dwarf", JOINED, SIDE, 0},
  {"-fdump-", JOINED, SIDE, 0},
  {"-fstack-usage", FLAG, SIDE, 0},
  {"-fcallgraph-info", JOINED, SIDE, 0},
  {"-ftime-trace", JOINED, SIDE, 0},
  {"-fproc-stat-report=", JOINED, SIDE, 0},
  {"-fsave-optimization-record", JOINED, SIDE, 0},
  {"-foptimization-record-", JOINED, SIDE, 0},
  {"-fopt-info", JOINED, SIDE, 0},
  {"-aux-info", SEPARATE, SIDE, 0},
  {"-serialize-diagnostics", SEPARATE, SIDE, 0},
  {"--serialize-diagnostics", SEPARATE, SIDE, 0},
  {"-gen-cdb-fragment-path", SEPARATE, SIDE, 0},
  {"-fmodule-output", JOINED, SIDE, 0},
  {"-fmodules-ts", FLAG, SIDE, 0},
  {"-fdiagnostics-format=sarif-file", FLAG, SIDE, 0},
  {"-fdiagnostics-format=json-file", FLAG, SIDE, 0},
  {"-fthinlto-index=", JOINED, SIDE, 0},
  {"-working-directory", SEPARATE, SIDE, 0},
  {"-working-directory=", JOINED, SIDE, 0},
  {"--driver-mode=", JOINED, SIDE, 0},
  {"-wrapper", SEPARATE, SIDE, 0},
  {"-filelist", SEPARATE, SIDE, 0},

  {"-D", EITHER | SURE, MACRO, 0},
  {"-U", EITHER | SURE, MACRO, 0},

  /* in the table only because they take a value. Not here: -G, a number for MIPS and Hexagon
   * only. */
  {"-A", SEPARATE, NOTHING, 0},
  {"-B", EITHER, PATH, 0},
  {"-F", EITHER, PATH, 0},
  {"-T", SEPARATE, PATH, 0},
  {"-Tbss", SEPARATE, NOTHING, 0},
  {"-Tdata", SEPARATE, NOTHING, 0},
  {"-Ttext", SEPARATE, NOTHING, 0},
  {"-b", SEPARATE, NOTHING, 0},
  {"-e", SEPARATE, NOTHING, 0},
  {"-h", SEPARATE, NOTHING, 0},
  {"-u", SEPARATE, NOTHING, 0},
  {"-z", SEPARATE, NOTHING, 0},
  {"-arch", SEPARATE, NOTHING, 0},
  {"-target", SEPARATE, NOTHING, 0},
  {"-gcc-toolchain", SEPARATE, PATH, 0},
  {"-resource-dir", SEPARATE, PATH, 0},
  {"-rpath", SEPARATE, NOTHING, 0},
  {"-undefined", SEPARATE, NOTHING, 0},
  {"-framework", SEPARATE, NOTHING, 0},
  {"-install_name", SEPARATE, NOTHING, 0},
  {"-iframework", SEPARATE, PATH, 0},
  {"-imultilib", SEPARATE, NOTHING, 0},
  {"-imultiarch", SEPARATE, NOTHING, 0},
  {"-iprefix", SEPARATE, NOTHING, 0},
  {"-isysroot", EITHER, PATH, 0},
  {"-iwithprefix", SEPARATE, NOTHING, 0},
  {"-iwithprefixbefore", SEPARATE, NOTHING, 0},
  {"-iwithsysroot", SEPARATE, NOTHING, 0},
  {"-iframeworkwithsysroot", SEPARATE, NOTHING, 0},
  {"-dumpbase", SEPARATE, NOTHING, 0},
  {"-dumpbase-ext", SEPARATE, NOTHING, 0},
  {"-dumpdir", SEPARATE, NOTHING, 0},
  {"-meabi", SEPARATE, NOTHING, 0},
  {"-mthread-model", SEPARATE, NOTHING, 0},
  {"-fdebug-compilation-dir", SEPARATE, NOTHING, 0},
  {"-ftrapv-handler", SEPARATE, NOTHING, 0},
  {"-fmodules-user-build-path", SEPARATE, NOTHING, 0},
  {"-fxray-instruction-threshold", SEPARATE, NOTHING, 0},
  {"-ccc-gcc-name", SEPARATE, NOTHING, 0},
  {"-ccc-install-dir", SEPARATE, NOTHING, 0},
  {"--analyzer-output", SEPARATE, NOTHING, 0},
  {"--assert", SEPARATE, NOTHING, 0},
  {"--config", SEPARATE, SIDE, 0},
  {"--config=", JOINED, SIDE, 0},
  {"--define-macro", SEPARATE, NOTHING, 0},
  {"--undefine-macro", SEPARATE, NOTHING, 0},
  {"--entry", SEPARATE, NOTHING, 0},
  {"--force-link", SEPARATE, NOTHING, 0},
  {"--include-prefix", SEPARATE, NOTHING, 0},
  {"--include-with-prefix", SEPARATE, NOTHING, 0},
  {"--param", SEPARATE, NOTHING, 0},
  {"--include-with-prefix-after", SEPARATE, NOTHING, 0},
  {"--prefix", SEPARATE, NOTHING, 0},
  {"--include-with-prefix-before", SEPARATE, NOTHING, 0},
  {"--std", SEPARATE, NOTHING, 0},
  {"--sysroot", SEPARATE, PATH, 0},
  {"--dumpbase", SEPARATE, NOTHING, 0},
  {"--dumpbase-ext", SEPARATE, NOTHING, 0},
  {"--dumpdir", SEPARATE, NOTHING, 0},

  {"--sysroot=", JOINED, PATH, 0},
  {"--gcc-toolchain=", JOINED, PATH, 0},
  {"-resource-dir=", JOINED, PATH, 0},
  {"--rocm-path=", JOINED, PATH, 0},
  {"--hip-path=", JOINED, PATH, 0},
  {"--rocm-device-lib-path=", JOINED, PATH, 0},
  {"--hip-device-lib-path=", JOINED, PATH, 0},

  /* a file whose content decides what is made */
  {"-specs", SEPARATE, READS, 1},
  {"-specs=", JOINED, READS, 1},
  {"--specs", SEPARATE, READS, 1},
  {"--specs=", JOINED, READS, 1},
  {"-ivfsoverlay", EITHER, READS, 1},
  {"--vfsoverlay", SEPARATE, READS, 1},
  {"-vfsoverlay", SEPARATE, READS, 1},
  {"-ivfsstatcache", SEPARATE, READS, 0},
  {"-fprofile-use=", JOINED, READS, 0},
  {"-fprofile-instr-use=", JOINED, READS, 0},
  {"-fprofile-sample-use=", JOINED, READS, 0},
  {"-fprofile-instrument-use-path=", JOINED, READS, 0},
  {"-fprofile-remapping-file=", JOINED, READS, 0},
  {"-fprofile-list=", JOINED, READS, 0},
  {"-fmemory-profile-use=", JOINED, READS, 0},
  {"-fauto-profile=", JOINED, READS, 0},
  {"-fsanitize-ignorelist=", JOINED, READS, 0},
  {"-fsanitize-blacklist=", JOINED, READS, 0},
  {"-fsanitize-system-ignorelist=", JOINED, READS, 0},
  {"-fsanitize-coverage-allowlist=", JOINED, READS, 0},
  {"-fsanitize-coverage-ignorelist=", JOINED, READS, 0},
  {"-fsanitize-coverage-whitelist=", JOINED, READS, 0},
  {"-fsanitize-coverage-blacklist=", JOINED, READS, 0},
  {"-fxray-always-instrument=", JOINED, READS, 0},
  {"-fxray-never-instrument=", JOINED, READS, 0},
  {"-fxray-attr-list=", JOINED, READS, 0},
  {"-fbasic-block-sections=list=", JOINED, READS, 0},
  {"-frandomize-layout-seed-file=", JOINED, READS, 0},
  {"-frewrite-map-file=", JOINED, READS, 0},
  {"-fembed-offload-object=", JOINED, READS, 0},
  {"-fmodule-file=", JOINED, READS, 0},
  {"-mlink-builtin-bitcode", SEPARATE, READS, 0},

  /* The files that are read are unknown: a program chooses them, or their names are made from the
   * output's. */
  {"-fplugin=", JOINED, SIDE, 0},
  {"-fplugin-arg-", JOINED, SIDE, 0},
  {"-fpass-plugin=", JOINED, SIDE, 0},
  {"-iplugindir=", JOINED, SIDE, 0},
  {"-fprofile-use", FLAG, SIDE, 0},
  {"-fprofile-instr-use", FLAG, SIDE, 0},
  {"-fprofile-sample-use", FLAG, SIDE, 0},
  {"-fauto-profile", FLAG, SIDE, 0},
  {"-fbranch-probabilities", FLAG, SIDE, 0},
  {"-fmodules", FLAG, SIDE, 0},
  {"-fcxx-modules", FLAG, SIDE, 0},
  {"-fmodule-map-file=", JOINED, SIDE, 0},
  {"-fmodule-mapper=", JOINED, SIDE, 0},
  {"-fprebuilt-module-path=", JOINED, SIDE, 0},
  {"--config-system-dir=", JOINED, SIDE, 0},
  {"--config-user-dir=", JOINED, SIDE, 0},
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
  const char *suffix;
  enum cc_lang lang;
} suffixes[] = {
    {"c", CC_LANG_C},        {"cc", CC_LANG_CXX},     {"cp", CC_LANG_CXX},     {"cxx", CC_LANG_CXX},
    {"cpp", CC_LANG_CXX},    {"CPP", CC_LANG_CXX},    {"c++", CC_LANG_CXX},    {"C", CC_LANG_CXX},
    {"CC", CC_LANG_CXX},     {"hip", CC_LANG_HIP},    {"cu", CC_LANG_CUDA},    {"cuh", CC_LANG_CUDA},
    {"s", CC_LANG_ASM},      {"S", CC_LANG_ASM},      {"sx", CC_LANG_ASM},     {"h", CC_LANG_HEADER},
    {"H", CC_LANG_HEADER},   {"hh", CC_LANG_HEADER},  {"hp", CC_LANG_HEADER},  {"hpp", CC_LANG_HEADER},
    {"hxx", CC_LANG_HEADER}, {"h++", CC_LANG_HEADER}, {"tcc", CC_LANG_HEADER}, {"i", CC_LANG_OTHER},
    {"ii", CC_LANG_OTHER},   {"cui", CC_LANG_OTHER},  {"hipi", CC_LANG_OTHER}, {"m", CC_LANG_OTHER},
    {"mi", CC_LANG_OTHER},   {"mm", CC_LANG_OTHER},   {"mii", CC_LANG_OTHER},  {"M", CC_LANG_OTHER},
    {"ll", CC_LANG_OTHER},   {"bc", CC_LANG_OTHER},   {"f", CC_LANG_OTHER},    {"F", CC_LANG_OTHER},
    {"f90", CC_LANG_OTHER},  {"F90", CC_LANG_OTHER},  {"cl", CC_LANG_OTHER},   {"cppm", CC_LANG_OTHER},
    {"ixx", CC_LANG_OTHER},  {"pcm", CC_LANG_OTHER},  {"ast", CC_LANG_OTHER},  {"pch", CC_LANG_OTHER},
    {"gch", CC_LANG_OTHER},
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
    if (strcmp(dot + 1, suffixes[i].suffix) == 0)
      return suffixes[i].lang;
  return CC_LANG_NONE;
}

const struct row *gnu_find_option(const char *word) {
  const struct row *best = NULL;
  size_t best_len = 0, word_len = strlen(word);
  for (const struct row *r = rows; r < rows + sizeof rows / sizeof rows[0]; r++) {
    if (r->name[1] != word[1])
      continue;
    size_t len = strlen(r->name);
    if (len < best_len || len > word_len || memcmp(r->name, word, len) != 0)
      continue;
    bool exact = len == word_len;
    if (exact ? r->form & (FLAG | SEPARATE | JOINED | JOINED_NEXT) : r->form & (JOINED | JOINED_NEXT)) {
      best = r;
      best_len = len;
    }
  }
  return best;
}

const char *ccargs_directory(char *const *args, size_t *at) {
  const struct row *r = is_option(args[*at]) ? gnu_find_option(args[*at]) : NULL;
  if (!r || r->what != DIR)
    return NULL;
  size_t len = strlen(r->name);
  if ((r->form & JOINED) && args[*at][len])
    return args[*at] + len;
  return r->form & SEPARATE && args[*at + 1] ? args[++*at] : NULL;
}
