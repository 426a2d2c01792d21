/* ccargs.c - see ccargs.h. One table of options, one loop over the words.
 *
 * Why a table: a compiler's command line cannot be read without knowing which options take the next word.
 * Take one too few and `-mllvm --amdgpu-x` ends as a file, or `-MF foo.d` as an object; one too many and the
 * source is gone. The field paid for each of these; what the table and the loop are built around:
 *
 *  - Separate or joined is a matter of each option, not of its length: `-o x`, `-ox`, `-include x`,
 * `-includex`,
 *    `-MFx`, but `-target x` only. `--include x` was once read by Bear with x as the source (Bear issue 562).
 *  - The longest name wins, not the first: `-include-pch x` is no `-include` of "-pch"; `-objcmt-…` is no
 * `-o`.
 *  - The value of a pair may look like anything: `-Xclang -c`, `-Xlinker -r`, `-mllvm -S`, `-D -E`, `-o -c`.
 *  - The word behind `-Xarch_…` still means what it means (ccache issue 1198: it was skipped like any value,
 * and a header that changed was not seen).
 *  - `-x` holds for the files behind it only, and makes a source of anything, `x.o` too; `-x none` ends it.
 *  - `-` is a source, `--` ends the options (clang), `-l` takes its value either way, `@file` is expanded
 * before.
 *  - `-v` beside a source compiles it; `--version` and `-###` beside a source do not.
 *  - `-emit-llvm -c`, `--genco -c`, `-M -c`, `-fsyntax-only -c` make no object. CMake writes a precompiled
 * header with `-Xclang -emit-pch … -c` (ccache issue 539).
 *  - `-MD` with `-o` names its target and its file by the output as it was given, directory included (ccache
 *    issues 134 and 499).
 *  - An option that is not in the table is one word. Joined values that mean nothing here (`-DX`, `-O2`) need
 * no row.
 *
 * The rows of separate values were compared with what clang 15 and gcc 12 take, option by option;
 * test/wrapper-scan.sh does it again for the ones that matter.
 */
#include "ccscan.h"
#include "core/base/path.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct row rows[] = {
  /* how far it goes */
  {"-c", FLAG | SURE, MODE, CC_COMPILE},              {"--compile", FLAG, MODE, CC_COMPILE},
  {"-S", FLAG, MODE, CC_ASSEMBLY},             {"--assemble", FLAG, MODE, CC_ASSEMBLY},
  {"-E", FLAG, MODE, CC_PREPROCESS},           {"--preprocess", FLAG, MODE, CC_PREPROCESS},
  {"-M", FLAG, MODE, CC_PREPROCESS},           {"--dependencies", FLAG, MODE, CC_PREPROCESS},
  {"-MM", FLAG, MODE, CC_PREPROCESS},          {"--user-dependencies", FLAG, MODE, CC_PREPROCESS},
  {"-fsyntax-only", FLAG, MODE, CC_SYNTAX},    {"--analyze", FLAG, MODE, CC_SYNTAX},
  {"-verify-pch", FLAG, MODE, CC_SYNTAX},
  {"-emit-llvm", FLAG, MODE, CC_IR},           {"-emit-ast", FLAG, MODE, CC_IR},
  {"--precompile", FLAG, MODE, CC_IR},         {"-fmodule-header", JOINED, MODE, CC_IR},
  {"-emit-interface-stubs", FLAG, MODE, CC_IR}, {"--emit-static-lib", FLAG, MODE, CC_IR},
  {"-rewrite-objc", FLAG, MODE, CC_IR},        {"--migrate", FLAG, MODE, CC_IR},
  {"-extract-api", FLAG, MODE, CC_IR},         {"-module-file-info", FLAG, MODE, CC_IR},
  {"--genco", FLAG, MODE, CC_DEVICE},          {"--offload-device-only", FLAG, MODE, CC_DEVICE},
  {"--cuda-device-only", FLAG, MODE, CC_DEVICE}, {"-fhip-emit-relocatable", FLAG, MODE, CC_DEVICE},
  {"-r", FLAG, MODE, CC_RELOCATABLE},
  {"--version", FLAG, MODE, CC_QUERY},         {"-###", FLAG, MODE, CC_QUERY},
  {"-print-", JOINED, MODE, CC_QUERY},         {"--print-", JOINED, MODE, CC_QUERY},
  {"-dumpmachine", FLAG, MODE, CC_QUERY},      {"-dumpversion", FLAG, MODE, CC_QUERY},
  {"-dumpfullversion", FLAG, MODE, CC_QUERY},  {"-dumpspecs", FLAG, MODE, CC_QUERY},
  {"--help", JOINED, MODE, CC_QUERY},          {"-help", FLAG, MODE, CC_QUERY},
  {"--target-help", FLAG, MODE, CC_QUERY},     {"--autocomplete=", JOINED, MODE, CC_QUERY},
  {"-cc1", JOINED, MODE, CC_QUERY},            {"-fdriver-only", FLAG, MODE, CC_QUERY},
  /* hipcc answers these itself */
  {"--cxxflags", FLAG, MODE, CC_QUERY},        {"--ldflags", FLAG, MODE, CC_QUERY},
  {"--short-version", FLAG, MODE, CC_QUERY},

  /* what comes out, and of what */
  {"-o", EITHER | SURE, OUTPUT, 0},                   {"--output", SEPARATE, OUTPUT, 0},
  {"--output=", JOINED, OUTPUT, 0},            {"-objcmt-", JOINED, NOTHING, 0},
  {"-object", FLAG, NOTHING, 0},
  {"-x", EITHER | SURE, LANGUAGE, 0},                 {"--language", SEPARATE, LANGUAGE, 0},
  {"--language=", JOINED, LANGUAGE, 0},

  /* depfiles */
  {"-MD", FLAG | SURE, DEPS_ALL, 0},                  {"--write-dependencies", FLAG, DEPS_ALL, 0},
  {"-MMD", FLAG | SURE, DEPS_USER, 0},                {"--write-user-dependencies", FLAG, DEPS_USER, 0},
  {"-MF", EITHER | SURE, DEPS_FILE, 0},               {"-MP", FLAG | SURE, DEPS_PHONY, 0},
  {"-MT", EITHER | SURE, DEPS_TARGET, 0},             {"-MQ", EITHER | SURE, DEPS_QUOTED, 0},
  {"-MV", FLAG, SIDE, 0},                      {"-MG", FLAG, SIDE, 0},                      {"-MJ", EITHER, SIDE, 0},
  {"-dependency-file", SEPARATE, SIDE, 0},     {"-dependency-dot", SEPARATE, SIDE, 0},
  {"-module-dependency-dir", SEPARATE, SIDE, 0},

  /* where headers are */
  {"-I", EITHER | SURE, DIR, CC_DIR_USER},            {"--include-directory", SEPARATE, DIR, CC_DIR_USER},
  {"--include-directory=", JOINED, DIR, CC_DIR_USER},
  {"-iquote", EITHER | SURE, DIR, CC_DIR_QUOTE},      {"-isystem", EITHER | SURE, DIR, CC_DIR_SYSTEM},
  {"-isystem-after", EITHER, DIR, CC_DIR_AFTER}, {"-cxx-isystem", EITHER, DIR, CC_DIR_SYSTEM},
  {"-stdlib++-isystem", EITHER, DIR, CC_DIR_SYSTEM},
  {"-idirafter", EITHER | SURE, DIR, CC_DIR_AFTER},   {"--include-directory-after", SEPARATE, DIR, CC_DIR_AFTER},
  {"--include-directory-after=", JOINED, DIR, CC_DIR_AFTER},
  {"-include", EITHER, FORCED, 0},             {"--include", SEPARATE, FORCED, 0},
  {"--include=", JOINED, FORCED, 0},           {"-imacros", EITHER, FORCED, 0},
  {"--imacros", SEPARATE, FORCED, 0},          {"--imacros=", JOINED, FORCED, 0},
  {"-include-pch", EITHER, PATH, 0},        {"-include-pth", EITHER, PATH, 0},

  /* the linker's */
  {"-l", EITHER, LIBRARY, 0},                  {"-L", EITHER, LIBDIR, 0},
  {"--library-directory", SEPARATE, LIBDIR, 0}, {"--library-directory=", JOINED, LIBDIR, 0},
  {"-static", FLAG, STATIC, 0},                {"-static-pie", FLAG, STATIC, 0},
  {"--static", FLAG, STATIC, 0},

  /* words for one of the compiler's own programs */
  {"-Wl,", JOINED, TO_LINKER, 0},              {"-Xlinker", SEPARATE, TO_LINKER_WORD, 0},
  {"--for-linker", SEPARATE, TO_LINKER_WORD, 0}, {"--for-linker=", JOINED, TO_LINKER_WORD, 0},
  {"-Wp,", JOINED | SURE, TO_PREPROCESSOR, 0},        {"-Xpreprocessor", SEPARATE, TO_CPP_WORD, 0},
  {"-Xclang", SEPARATE, TO_FRONTEND, 0},       {"-Xclang=", JOINED, TO_FRONTEND, 0},
  {"-Xarch_", JOINED_NEXT, TO_ARCH, 0},        {"-Xoffload-linker", JOINED_NEXT, NOTHING, 0},
  {"-Xopenmp-target", SEPARATE, NOTHING, 0},   {"-Xopenmp-target=", JOINED_NEXT, NOTHING, 0},
  {"-Xassembler", SEPARATE, NOTHING, 0},       {"-Xanalyzer", SEPARATE, NOTHING, 0},
  {"-Xcuda-fatbinary", SEPARATE, NOTHING, 0},  {"-Xcuda-ptxas", SEPARATE, NOTHING, 0},
  {"-Xclangas", SEPARATE, NOTHING, 0},         {"-ivfsstatcache", SEPARATE, NOTHING, 0},
  {"-mllvm", SEPARATE, NOTHING, 0},            {"-mmlir", SEPARATE, NOTHING, 0},

  /* More comes out than an object, or the line is not all (--config), or the object is not code that can be linked by itself. -fgpu-rdc: device code
     that only the device link makes complete. -working-directory moves every name on the line. */
  {"-fgpu-rdc", FLAG, RDC_ON, 0},              {"-fno-gpu-rdc", FLAG, RDC_OFF, 0},
  {"-fcuda-rdc", FLAG, RDC_ON, 0},             {"-fno-cuda-rdc", FLAG, RDC_OFF, 0},
  {"-save-temps", JOINED, SIDE, 0},            {"--save-temps", JOINED, SIDE, 0},
  {"-save-stats", JOINED, SIDE, 0},            {"--save-stats", JOINED, SIDE, 0},
  {"--coverage", FLAG, SIDE, 0},               {"-coverage", FLAG, SIDE, 0},
  {"-fprofile-arcs", FLAG, SIDE, 0},           {"-ftest-coverage", FLAG, SIDE, 0},
  {"-gsplit-dwarf", JOINED, SIDE, 0},          {"-fdump-", JOINED, SIDE, 0},
  {"-fstack-usage", FLAG, SIDE, 0},            {"-fcallgraph-info", JOINED, SIDE, 0},
  {"-ftime-trace", JOINED, SIDE, 0},           {"-fproc-stat-report=", JOINED, SIDE, 0},
  {"-fsave-optimization-record", JOINED, SIDE, 0}, {"-foptimization-record-", JOINED, SIDE, 0},
  {"-fopt-info", JOINED, SIDE, 0},             {"-aux-info", SEPARATE, SIDE, 0},
  {"-serialize-diagnostics", SEPARATE, SIDE, 0}, {"--serialize-diagnostics", SEPARATE, SIDE, 0},
  {"-gen-cdb-fragment-path", SEPARATE, SIDE, 0}, {"-fmodule-output", JOINED, SIDE, 0},
  {"-fmodules-ts", FLAG, SIDE, 0},             {"-fdiagnostics-format=sarif-file", FLAG, SIDE, 0},
  {"-fdiagnostics-format=json-file", FLAG, SIDE, 0},
  {"-Wa,-a", JOINED, SIDE, 0},                 {"-fthinlto-index=", JOINED, SIDE, 0},
  {"-working-directory", SEPARATE, SIDE, 0},   {"-working-directory=", JOINED, SIDE, 0},
  {"--driver-mode=", JOINED, SIDE, 0},
  {"-wrapper", SEPARATE, SIDE, 0},             {"-filelist", SEPARATE, SIDE, 0},

  {"-D", EITHER | SURE, MACRO, 0},             {"-U", EITHER | SURE, MACRO, 0},

  /* known for their value only. Not here: -G, a number for MIPS and Hexagon only. */
  {"-A", SEPARATE, NOTHING, 0},                {"-B", EITHER, PATH, 0},
  {"-F", EITHER, PATH, 0},
  {"-T", SEPARATE, PATH, 0},
  {"-Tbss", SEPARATE, NOTHING, 0},             {"-Tdata", SEPARATE, NOTHING, 0},
  {"-Ttext", SEPARATE, NOTHING, 0},            {"-b", SEPARATE, NOTHING, 0},
  {"-e", SEPARATE, NOTHING, 0},                {"-h", SEPARATE, NOTHING, 0},
  {"-u", SEPARATE, NOTHING, 0},                {"-z", SEPARATE, NOTHING, 0},
  {"-arch", SEPARATE, NOTHING, 0},             {"-target", SEPARATE, NOTHING, 0},
  {"-gcc-toolchain", SEPARATE, PATH, 0},    {"-resource-dir", SEPARATE, PATH, 0},
  {"-rpath", SEPARATE, NOTHING, 0},            {"-undefined", SEPARATE, NOTHING, 0},
  {"-framework", SEPARATE, NOTHING, 0},        {"-install_name", SEPARATE, NOTHING, 0},
  {"-iframework", SEPARATE, PATH, 0},       {"-imultilib", SEPARATE, NOTHING, 0},
  {"-imultiarch", SEPARATE, NOTHING, 0},       {"-iprefix", SEPARATE, NOTHING, 0},
  {"-isysroot", EITHER, PATH, 0},         {"-ivfsoverlay", EITHER, PATH, 0},
  {"-iwithprefix", SEPARATE, NOTHING, 0},      {"-iwithprefixbefore", SEPARATE, NOTHING, 0},
  {"-iwithsysroot", SEPARATE, NOTHING, 0},     {"-iframeworkwithsysroot", SEPARATE, NOTHING, 0},
  {"-dumpbase", SEPARATE, NOTHING, 0},
  {"-dumpbase-ext", SEPARATE, NOTHING, 0},     {"-dumpdir", SEPARATE, NOTHING, 0},
  {"-meabi", SEPARATE, NOTHING, 0},            {"-mthread-model", SEPARATE, NOTHING, 0},
  {"-fdebug-compilation-dir", SEPARATE, NOTHING, 0}, {"-ftrapv-handler", SEPARATE, NOTHING, 0},
  {"-fmodules-user-build-path", SEPARATE, NOTHING, 0},
  {"-fxray-instruction-threshold", SEPARATE, NOTHING, 0},
  {"-ccc-gcc-name", SEPARATE, NOTHING, 0},     {"-ccc-install-dir", SEPARATE, NOTHING, 0},
  {"--analyzer-output", SEPARATE, NOTHING, 0}, {"--assert", SEPARATE, NOTHING, 0},
  {"--config", SEPARATE, SIDE, 0},             {"--config=", JOINED, SIDE, 0},          {"--define-macro", SEPARATE, NOTHING, 0},
  {"--undefine-macro", SEPARATE, NOTHING, 0},  {"--entry", SEPARATE, NOTHING, 0},
  {"--force-link", SEPARATE, NOTHING, 0},      {"--include-prefix", SEPARATE, NOTHING, 0},
  {"--include-with-prefix", SEPARATE, NOTHING, 0}, {"--param", SEPARATE, NOTHING, 0},
  {"--include-with-prefix-after", SEPARATE, NOTHING, 0}, {"--prefix", SEPARATE, NOTHING, 0},
  {"--include-with-prefix-before", SEPARATE, NOTHING, 0}, {"--specs", SEPARATE, NOTHING, 0},
  {"--std", SEPARATE, NOTHING, 0},             {"--sysroot", SEPARATE, PATH, 0},
  {"--dumpbase", SEPARATE, NOTHING, 0},        {"--dumpbase-ext", SEPARATE, NOTHING, 0},
  {"--dumpdir", SEPARATE, NOTHING, 0},

  {"--sysroot=", JOINED, PATH, 0},             {"--gcc-toolchain=", JOINED, PATH, 0},
  {"-resource-dir=", JOINED, PATH, 0},         {"--rocm-path=", JOINED, PATH, 0},
  {"--hip-path=", JOINED, PATH, 0},            {"--rocm-device-lib-path=", JOINED, PATH, 0},
  {"--hip-device-lib-path=", JOINED, PATH, 0}, {"-fplugin=", JOINED, PATH, 0},
  {"-fpass-plugin=", JOINED, PATH, 0},         {"-fprofile-use=", JOINED, PATH, 0},
  {"-fprofile-instr-use=", JOINED, PATH, 0},   {"-fprofile-sample-use=", JOINED, PATH, 0},

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

/* .cuh is a source for hipcc only; gcc and clang hand it to the linker, which refuses it */
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

static enum cc_lang by_name(const char *name) {
  for (size_t i = 0; i < sizeof languages / sizeof languages[0]; i++)
    if (strcmp(name, languages[i].name) == 0)
      return languages[i].lang;
  return CC_LANG_OTHER;
}

static enum cc_lang by_suffix(const char *file) {
  const char *dot = strrchr(path_base(file), '.');
  for (size_t i = 0; dot && i < sizeof suffixes / sizeof suffixes[0]; i++)
    if (strcmp(dot + 1, suffixes[i].suffix) == 0)
      return suffixes[i].lang;
  return CC_LANG_NONE;
}

/* The row with the longest name that WORD can be; NULL where no row is. */
const struct row *cc_find_row(const char *word) {
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

/* ---- the scan ---- */

void cc_set_mode(struct scan *s, enum cc_mode mode) {
  if (!s->has_mode || mode < s->out->mode)
    s->out->mode = mode;
  s->has_mode = true;
}

void cc_side_output(struct scan *s, const char *option) {
  if (!s->out->side_output)
    s->out->side_output = option;
}

void cc_add_input(struct scan *s, enum cc_input_kind kind, const char *text, enum cc_lang lang) {
  struct ccargs *a = s->out;
  a->inputs = xrealloc(a->inputs, (a->ninputs + 1) * sizeof *a->inputs);
  a->inputs[a->ninputs++] = (struct cc_input){kind, lang, text, s->at};
  a->nsources += kind == CC_IN_SOURCE;
}

void cc_add_word(struct scan *s, size_t arg, enum cc_role role, bool sure, const char *value) {
  struct ccargs *a = s->out;
  if (!sure && !a->doubt)
    a->doubt = s->args[arg];
  if ((a->nwords & (a->nwords - 1)) == 0)
    a->words = xrealloc(a->words, (a->nwords ? 2 * a->nwords : 16) * sizeof *a->words);
  a->words[a->nwords++] = (struct cc_word){arg, role, s->at > arg, sure, value};
}

void cc_add_file(struct scan *s, const char *name, enum cc_lang lang) {
  cc_add_word(s, s->at, CC_ROLE_FILE, true, name);
  bool is_stdin = strcmp(name, "-") == 0;
  if (is_stdin)
    s->out->from_stdin = true;
  if (is_stdin && lang == CC_LANG_NONE)
    lang = CC_LANG_OTHER;
  cc_add_input(s, lang == CC_LANG_NONE ? CC_IN_FILE : CC_IN_SOURCE, name, lang);
}

static void add_dir(struct ccargs *a, enum cc_dir_kind kind, const char *dir) {
  a->dirs = xrealloc(a->dirs, (a->ndirs + 1) * sizeof *a->dirs);
  a->dirs[a->ndirs++] = (struct cc_dir){kind, dir};
}

static void add_forced(struct ccargs *a, const char *file) {
  a->forced = xrealloc(a->forced, (a->nforced + 1) * sizeof *a->forced);
  a->forced[a->nforced++] = file;
}

static void add_target(struct cc_deps *d, const char *text, bool quote) {
  d->targets = xrealloc(d->targets, (d->ntargets + 1) * sizeof *d->targets);
  d->targets[d->ntargets++] = (struct cc_target){text, quote};
}

static void want_deps(struct cc_deps *d, bool system) {
  /* -MD stays where both are given, as in clang; gcc takes the last. A superset either way. */
  d->system = d->system || system;
  d->wanted = true;
}

/* One word that the linker gets. Which of its options take a value is not looked up: a value that is no
 * object is a file that holds no stub. */
void cc_linker_word(struct scan *s, const char *word) {
  if (strcmp(word, "-r") == 0 || strcmp(word, "-i") == 0 || strcmp(word, "--relocatable") == 0)
    cc_set_mode(s, CC_RELOCATABLE);
  else if (strcmp(word, "-Bstatic") == 0 || strcmp(word, "-dn") == 0 || strcmp(word, "-non_shared") == 0)
    cc_add_input(s, CC_IN_STATIC, word, CC_LANG_NONE);
  else if (strcmp(word, "-Bdynamic") == 0 || strcmp(word, "-dy") == 0 || strcmp(word, "-call_shared") == 0)
    cc_add_input(s, CC_IN_DYNAMIC, word, CC_LANG_NONE);
  else if (str_starts(word, "-l") && word[2])
    cc_add_input(s, CC_IN_LIBRARY, word + 2, CC_LANG_NONE);
  else if (str_starts(word, "-L") && word[2])
    cc_add_input(s, CC_IN_LIBDIR, word + 2, CC_LANG_NONE);
  else if (word[0] == '@' && word[1])
    cc_add_input(s, CC_IN_RESPONSE, word + 1, CC_LANG_NONE);
  else if (word[0] && word[0] != '-')
    cc_add_input(s, CC_IN_FILE, word, CC_LANG_NONE);
}

/* TEXT at its commas; the words belong to out->own */
static size_t cut(struct ccargs *a, const char *text) {
  size_t first = a->own.n;
  for (const char *p = text;; p++) {
    size_t n = strcspn(p, ",");
    argv_add_own(&a->own, xstrndup(p, n));
    p += n;
    if (!*p)
      return first;
  }
}

/* -Wp,-MD,x.d (the Linux kernel's way): here the file follows -MD. With more in it gcc and clang differ, and
 * beside other options for depfiles as well. Macros are in a word of their own. */
static void preprocessor_words(struct scan *s, const char *option, const char *text) {
  struct ccargs *a = s->out;
  size_t first = cut(a, text), n = a->own.n - first;
  char *const *words = a->own.args + first;
  if (n == 2 && (strcmp(words[0], "-MD") == 0 || strcmp(words[0], "-MMD") == 0)) {
    if (a->deps.wanted || a->deps.file)
      cc_side_output(s, option);
    want_deps(&a->deps, words[0][2] == 'D');
    a->deps.file = words[1];
    s->wp_deps = true;
    return;
  }
  for (size_t i = 0; i < n; i++)
    if (!str_starts(words[i], "-D") && !str_starts(words[i], "-U"))
      cc_side_output(s, option);
}

/* One word for clang's front end. It knows far more actions than the driver. */
static void frontend_word(struct scan *s, const char *word) {
  static const char *const actions[] = {
      "-emit-",    "-ast-",   "-E",           "-S",          "-fsyntax-only",     "-analyze",
      "-rewrite-", "-P",      "-M",           "-load",       "-code-completion",  "-fdump-",
      "-fmodule-", "-plugin", "-dependency-", "-stats-file", "-working-directory"};
  enum cc_role role = s->frontend_role; /* what the word before said of this one */
  s->frontend_role = CC_ROLE_OTHER;
  if (role == CC_ROLE_FORCED)
    add_forced(s->out, word);
  if (role != CC_ROLE_OTHER)
    return;
  if (strcmp(word, "-include") == 0) /* CMake's precompiled headers: -Xclang -include -Xclang x.hxx */
    s->frontend_role = CC_ROLE_FORCED;
  else if (strcmp(word, "-include-pch") == 0)
    s->frontend_role = CC_ROLE_PATH;
  else if (str_starts(word, "-i") || str_starts(word, "-I"))
    cc_side_output(s, "-Xclang"); /* where headers are */
  s->has_pch |= str_starts(word, "-include-pch");
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
    if (str_starts(word, actions[i]))
      cc_set_mode(s, CC_IR);
}

enum cc_role cc_role_of(const struct row *r, const char *value) {
  switch ((enum what)r->what) {
  case MODE:
    return r->mode == CC_COMPILE ? CC_ROLE_COMPILE : CC_ROLE_OTHER;
  case OUTPUT:
    return CC_ROLE_OUTPUT;
  case LANGUAGE:
    return CC_ROLE_LANGUAGE;
  case DIR:
    return CC_ROLE_DIR;
  case FORCED:
    return CC_ROLE_FORCED;
  case PATH:
  case LIBDIR:
    return CC_ROLE_PATH;
  case MACRO:
    return CC_ROLE_MACRO;
  case TO_PREPROCESSOR:
    return str_starts(value, "-M") ? CC_ROLE_DEPFILE : CC_ROLE_OTHER;
  case DEPS_ALL:
  case DEPS_USER:
  case DEPS_FILE:
  case DEPS_TARGET:
  case DEPS_QUOTED:
  case DEPS_PHONY:
    return CC_ROLE_DEPFILE;
  default:
    return CC_ROLE_OTHER;
  }
}

void cc_apply(struct scan *s, const struct row *r, const char *option, const char *value) {
  struct ccargs *a = s->out;
  switch ((enum what)r->what) {
  case NOTHING:
    break;
  case MODE:
    cc_set_mode(s, (enum cc_mode)r->mode);
    break;
  case SIDE:
    cc_side_output(s, option);
    break;
  case RDC_ON:
    s->rdc = option;
    break;
  case RDC_OFF:
    s->rdc = NULL;
    break;
  case OUTPUT:
    if (a->output && !a->doubt)
      a->doubt = option; /* the last one wins, or gcc's depfile is lost between them */
    a->output = value;
    break;
  case MACRO:
  case WHATS:
    break;
  case PATH:
    s->has_pch |= str_starts(option, "-include-p");
    break;
  case LANGUAGE:
    s->lang = by_name(value);
    s->forced_lang = s->lang != CC_LANG_NONE;
    break;
  case DIR:
    add_dir(a, (enum cc_dir_kind)r->mode, value);
    break;
  case FORCED:
    add_forced(a, value);
    break;
  case DEPS_ALL:
  case DEPS_USER:
    if (s->wp_deps)
      cc_side_output(s, option);
    want_deps(&a->deps, r->what == DEPS_ALL);
    break;
  case DEPS_FILE:
    if (s->wp_deps || !*value)
      cc_side_output(s, option);
    a->deps.file = value;
    break;
  case DEPS_TARGET:
  case DEPS_QUOTED:
    add_target(&a->deps, value, r->what == DEPS_QUOTED);
    break;
  case DEPS_PHONY:
    a->deps.phony = true;
    break;
  case LIBRARY:
    cc_add_input(s, CC_IN_LIBRARY, value, CC_LANG_NONE);
    break;
  case LIBDIR:
    cc_add_input(s, CC_IN_LIBDIR, value, CC_LANG_NONE);
    break;
  case STATIC:
    a->is_static = true;
    break;
  case TO_PREPROCESSOR:
    preprocessor_words(s, option, value);
    break;
  case TO_LINKER:
    for (size_t i = cut(a, value), end = a->own.n; i < end; i++)
      cc_linker_word(s, a->own.args[i]);
    break;
  case TO_LINKER_WORD:
    cc_linker_word(s, value);
    break;
  case TO_FRONTEND:
    frontend_word(s, value);
    break;
  case TO_CPP_WORD:
    if (!str_starts(value, "-D") && !str_starts(value, "-U"))
      cc_side_output(s, option);
    break;
  case TO_ARCH: {
    const struct row *inner = value[0] == '-' ? cc_find_row(value) : NULL;
    const char *path = inner ? value + strlen(inner->name) : "";
    if (*path == '/' && (inner->what == DIR || inner->what == FORCED || inner->what == PATH))
      cc_apply(s, inner, value, path); /* for one of the passes, and a depfile is for both */
    else if (inner && inner->what != NOTHING && inner->what != MACRO)
      cc_side_output(s, value);
    break;
  }
  }
}

/* NAME or NAME=TEXT, and a name that no language gives a meaning of its own, as it does to `defined`, `and`
 * and
 * __VA_ARGS__ */
bool cc_is_plain_macro(const char *text) {
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) || text[n] == '_')
    n++;
  return isupper((unsigned char)text[0]) && (!text[n] || text[n] == '=') && !strpbrk(text, "\n\r");
}

/* Does every compiler take the option of row R with this value? */
static bool is_plain(const struct row *r, const char *value) {
  if (!(r->form & SURE))
    return false;
  if (r->what == MACRO)
    return cc_is_plain_macro(value);
  if (r->what == LANGUAGE)
    return strcmp(value, "hip") == 0 || strcmp(value, "c++") == 0 || strcmp(value, "none") == 0;
  if (r->what == TO_PREPROCESSOR)
    return str_starts(value, "-M"); /* what else is in it, preprocessor_words() does not vouch for */
  if (!(r->form & EITHER))
    return true;
  /* `-o -c` is a slip more often than a name; gcc ends for a directory with a name too long */
  return value[0] && value[0] != '-' && strlen(value) <= NAME_MAX;
}

/* The option at args[at], and its value where it takes the next word; at is left on its last word. */
static void take_option(struct scan *s) {
  size_t first = s->at;
  const char *word = s->args[first], *value = "";
  const struct row *r = cc_find_row(word);
  if (!r) {
    cc_add_word(s, first, CC_ROLE_OTHER, false, "");
    return;
  }
  size_t len = strlen(r->name);
  bool next = (r->form & JOINED_NEXT) || ((r->form & SEPARATE) && !word[len]);
  if (next) {
    value = s->args[s->at + 1];
    if (!value) {
      cc_add_word(s, first, CC_ROLE_OTHER, false, "");
      cc_set_mode(s, CC_QUERY); /* the compiler will say what is missing */
      return;
    }
    s->at++;
  } else if (r->form & JOINED) {
    value = word + len;
  }
  enum cc_role role = r->what == TO_FRONTEND ? s->frontend_role : cc_role_of(r, value);
  cc_add_word(s, first, role, is_plain(r, value), value);
  /* Debian's hipcc puts `-x hip` before every word that ends as a source does, but behind -o. */
  if (role == CC_ROLE_DEPFILE && by_suffix(value) >= CC_LANG_C && by_suffix(value) <= CC_LANG_CUDA)
    cc_side_output(s, word);
  cc_apply(s, r, word, value);
}

static bool is_file(const struct cc_input *in) {
  return in->kind == CC_IN_SOURCE || in->kind == CC_IN_FILE || in->kind == CC_IN_LIBRARY ||
         in->kind == CC_IN_RESPONSE;
}

static void scan_words(struct scan *s) {
  bool options = true;
  for (; s->args[s->at]; s->at++) {
    const char *word = s->args[s->at];
    if (options && strcmp(word, "--") == 0) {
      options = false;
      cc_add_word(s, s->at, CC_ROLE_END, false, ""); /* gcc has none */
    } else if (options && word[0] == '-' && word[1]) {
      take_option(s);
    } else {
      cc_add_file(s, word, s->forced_lang ? s->lang : by_suffix(word));
    }
  }
}

void ccargs_scan(struct ccargs *a, enum cc_dialect dialect, char *const *args) {
  static char *const none[] = {NULL};
  *a = (struct ccargs){.mode = CC_LINK};
  struct scan s = {.out = a, .args = args ? args : none};
  if (dialect == CC_NVCC)
    nvcc_scan(&s);
  else
    scan_words(&s);
  if (s.has_pch && a->deps.wanted)
    cc_side_output(&s, "-include-pch"); /* what it was made of belongs in the depfile */
  a->rdc = s.rdc;
  if (s.rdc) /* last: where it is the only reason, the wrapper knows what to do */
    cc_side_output(&s, s.rdc);
  /* gcc and nvcc refuse what says how a depfile shall be where none is asked for */
  if (!a->doubt && !a->deps.wanted && (a->deps.file || a->deps.ntargets || a->deps.phony))
    a->doubt = "-MF";
  bool any = false;
  for (size_t i = 0; i < a->ninputs; i++) {
    any = any || is_file(&a->inputs[i]);
    if (!a->source && a->inputs[i].kind == CC_IN_SOURCE)
      a->source = &a->inputs[i];
  }
  if (!any)
    a->mode = CC_QUERY;
}

bool ccargs_expand(struct argv *v, enum cc_dialect dialect, const char *cwd, char *const *args) {
  return dialect == CC_NVCC ? nvcc_expand(v, cwd, args) : argv_expand(v, cwd, args);
}

bool ccargs_split(struct argv *v, enum cc_dialect dialect, const char *text) {
  return dialect == CC_NVCC ? nvcc_split(v, text) : argv_split(v, text, strlen(text));
}

void ccargs_free(struct ccargs *a) {
  free(a->words);
  free(a->inputs);
  free(a->deps.targets);
  free(a->dirs);
  free(a->forced);
  argv_free(&a->own);
  *a = (struct ccargs){0};
}

/* ---- names ---- */

static char *default_name(const struct ccargs *a, const char *suffix) {
  char *stem = path_stem(a->source->text), *name = xasprintf("%s%s", stem, suffix);
  free(stem);
  return name;
}

/* NAME in the directory of -odir; takes it over */
static char *in_directory(const struct ccargs *a, char *name) {
  if (!a->directory)
    return name;
  char *path = path_join(a->directory, name);
  free(name);
  return path;
}

char *ccargs_output(const struct ccargs *a) {
  if (a->output)
    return xstrdup(a->output);
  if (a->mode == CC_ARCHIVE)
    return in_directory(a, xstrdup("a.a"));
  if (!a->source || a->mode >= CC_RELOCATABLE)
    return in_directory(a, xstrdup("a.out"));
  return in_directory(a, default_name(a, a->mode == CC_ASSEMBLY ? ".s" : ".o"));
}

char *ccargs_depfile(const struct ccargs *a) {
  if (a->deps.file)
    return xstrdup(a->deps.file);
  if (!a->output)
    return in_directory(a, a->source ? default_name(a, ".d") : xstrdup("a.d"));
  const char *base = path_base(a->output), *dot = strrchr(base, '.');
  size_t n = dot ? (size_t)(dot - a->output) : strlen(a->output);
  return xasprintf("%.*s.d", (int)n, a->output);
}

/* ---- the files of a link ---- */

/* -lNAME in the -L directories; free() it, NULL where none has it */
static char *find_library(const struct ccargs *a, const char *name, bool static_only) {
  for (size_t i = 0; i < a->ninputs; i++) {
    if (a->inputs[i].kind != CC_IN_LIBDIR)
      continue;
    const char *dir = a->inputs[i].text;
    char *file = NULL;
    if (name[0] == ':') {
      file = path_join(dir, name + 1);
    } else if (!static_only) {
      file = xasprintf("%s/lib%s.so", dir, name);
      if (file_exists(file))
        return file;
      free(file);
      file = xasprintf("%s/lib%s.a", dir, name);
    } else {
      file = xasprintf("%s/lib%s.a", dir, name);
    }
    if (file_exists(file))
      return file;
    free(file);
  }
  return NULL;
}

static bool each_library(const struct ccargs *a, const struct cc_input *in, const char *name,
                         bool static_only, cc_each_file *each, void *user) {
  char *file = find_library(a, name, static_only);
  bool go_on = !file || each(file, in, user);
  free(file);
  return go_on;
}

static bool each_response_word(const struct ccargs *a, const struct cc_input *in, bool static_only,
                               cc_each_file *each, void *user) {
  char *at = xasprintf("@%s", in->text), *args[] = {at, NULL};
  struct argv words = {0};
  argv_expand(&words, "", args);
  bool go_on = true;
  for (size_t i = 0; go_on && i < words.n; i++) {
    const char *word = words.args[i];
    if (str_starts(word, "-l"))
      go_on = each_library(a, in, word + 2, static_only, each, user);
    else if (word[0] != '-' && word[0] != '@')
      go_on = each(word, in, user);
  }
  argv_free(&words);
  free(at);
  return go_on;
}

void ccargs_link_files(const struct ccargs *a, cc_each_file *each, void *user) {
  bool static_only = a->is_static, go_on = true;
  for (size_t i = 0; go_on && i < a->ninputs; i++) {
    const struct cc_input *in = &a->inputs[i];
    switch (in->kind) {
    case CC_IN_FILE:
      go_on = each(in->text, in, user);
      break;
    case CC_IN_LIBRARY:
      go_on = each_library(a, in, in->text, static_only, each, user);
      break;
    case CC_IN_RESPONSE:
      go_on = each_response_word(a, in, static_only, each, user);
      break;
    case CC_IN_STATIC:
      static_only = true;
      break;
    case CC_IN_DYNAMIC:
      static_only = a->is_static;
      break;
    case CC_IN_SOURCE:
    case CC_IN_LIBDIR:
      break;
    }
  }
}
