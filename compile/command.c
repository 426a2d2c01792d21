/* command.c - builds the arguments with which the compiler is called.
 *
 * A blob was recorded as a compile to an object file. The command here makes a shared object that
 * is loaded into the library's process. So -c and -fvisibility=hidden are removed, and -shared,
 * -fPIC, -Bsymbolic and the build id are added; the architectures are those of this machine unless
 * the flags name some. nvcc has other words for the same options.
 *
 *     the plain command      compile and link in one: error messages name it
 *     an object, its link    in two: for a launcher, and for the parts of a blob with -fgpu-rdc
 *     the link of parts      of many objects
 *
 * Exports have their own commands (compile/export/command.c), made from the same pieces.
 */
#include "command.h"
#include "core/base/path.h"
#include "core/cc/compiler.h"

/* Flags that a command for an object file has and one for a loadable blob must not have: hidden,
 * its functions could not be found. The manifest has none of them; flags copied by hand from a
 * build do. */
bool command_keeps_flag(const char *flag) {
  return strcmp(flag, "-c") != 0 && strcmp(flag, "-fvisibility=hidden") != 0;
}

static bool is_device_source(const char *source) {
  static const char *const ext[] = {".cu", ".hip", ".cpp", ".cc", ".cxx"};
  for (size_t i = 0; i < sizeof ext / sizeof *ext; i++)
    if (str_ends(source, ext[i]))
      return true;
  return false;
}

bool command_is_cuda(const struct compile_task *t) {
  return t->kind->runtime == RUNTIME_CUDA;
}

/* Do flags that were copied by hand from a build say it? */
static bool has_archs(const struct compile_task *t) {
  for (size_t i = 0; i < t->cc.nwords; i++)
    if (cc_is_arch(&t->cc.words[i]))
      return true;
  return false;
}

void command_add_archs(struct argv *c, const struct compile_task *t, const char *archs) {
  const char *word;
  for (size_t n; (word = ckjit_arch_next(&archs, &n));)
    compiler_add_arch(c, t->kind->dialect, word, n);
}

static void add_archs(struct argv *c, const struct compile_task *t) {
  if (!has_archs(t))
    command_add_archs(c, t, t->archs);
}

/* -x c++ among FLAGS: not HIP, whatever the compiler is */
static bool has_cxx(const struct argv *flags) {
  for (size_t i = 0; i + 1 < flags->n; i++)
    if (strcmp(flags->args[i], "-x") == 0 && strcmp(flags->args[i + 1], "hip") != 0)
      return true;
  return argv_has(flags, "-xc++") || argv_has(flags, "-xc");
}

/* A blob that the build compiled with the C++ compiler has no architectures, and g++ knows no such
 * language. */
bool command_is_hip(const struct compile_task *t) {
  return *t->archs || t->kind->clang;
}

/* Appends SOURCE, with -x hip before it if its name does not imply HIP. Returns true if a language
 * option is in force after it. */
bool command_add_source(struct argv *c, const struct compile_task *t, const char *source) {
  /* clang takes a .cu for CUDA. Files after -x are of that language too, including libraries given
   * by name. */
  bool language = argv_has_prefix(&t->flags, "-x");
  if (!language && !command_is_cuda(t) && command_is_hip(t) && is_device_source(source)) {
    argv_add_words(c, "-x", "hip", NULL);
    language = true;
  }
  argv_add(c, source);
  return language;
}

/* what every form begins with: the program, the flags, the architectures */
static void add_compiler(struct argv *c, const struct compile_task *t) {
  argv_add(c, t->compiler);
  for (size_t i = 0; i < t->flags.n; i++)
    if (command_keeps_flag(t->flags.args[i]))
      argv_add(c, t->flags.args[i]);
  add_archs(c, t);
}

static void add_shared(struct argv *c, const struct compile_task *t) {
  if (!argv_has(&t->flags, "-shared"))
    argv_add(c, "-shared");
  if (!argv_has(&t->flags, "-fPIC"))
    argv_add(c, "-fPIC");
  /* The blob's calls among its own functions must not go to the stubs of the same names, which the
   * library exports. Which variable it uses, the runtime decides (ck_jit_imports.h). */
  argv_add(c, "-Wl,-Bsymbolic-functions");
  argv_addf(c, "-Wl,--build-id=" TASK_NOTE, TASK_NOTE_OF(t));
}

void command_add_output(struct argv *c, const struct compile_task *t, const char *output) {
  if (compiler_expands(t->kind, output)) { /* a cache directory with $ in its name */
    argv_addf(c, "-o%s", output);
    return;
  }
  argv_add_words(c, "-o", output, NULL);
}

/* ---- nvcc's way to say the same ---- */

/* The link flags of a library, which are g++'s. nvcc adds CUDA's runtime by itself, linked in; a
 * library that has it as a shared one shares it with its blobs. */
void command_add_cuda_link(struct argv *c, const struct compile_task *t) {
  bool runtime = false;
  for (size_t i = 0; i < t->link.n; i++) {
    const char *word = t->link.args[i];
    runtime |= str_starts(word, "-lcudart");
    if (str_starts(word, "-Wl,")) {
      argv_add_words(c, "-Xlinker", word + strlen("-Wl,"), NULL);
    } else {
      argv_add(c, word);
    }
  }
  if (runtime && !argv_has_prefix(&t->link, "-cudart"))
    argv_add(c, "-cudart=none");
}

/* INPUT, a source or an object, after the words that C has already. */
static void add_cuda_library(struct argv *c, const struct compile_task *t, const char *input,
                             const char *output) {
  argv_add_words(c, "-shared", "-Xcompiler", "-fPIC", "-Xlinker", NULL);
  argv_addf(c, "-Bsymbolic-functions,--build-id=" TASK_NOTE, TASK_NOTE_OF(t));
  command_add_output(c, t, output);
  argv_add(c, input);
  command_add_cuda_link(c, t);
}

void command_plain(struct argv *c, const struct compile_task *t, const char *output) {
  if (command_is_cuda(t)) {
    add_compiler(c, t);
    add_cuda_library(c, t, t->source, output);
    return;
  }
  add_compiler(c, t);
  add_shared(c, t);
  command_add_output(c, t, output);
  if (command_add_source(c, t, t->source))
    argv_add_words(c, "-x", "none", NULL);
  /* after the source: a linker with --as-needed takes only libraries for symbols that were missing
   * before them */
  argv_add_all(c, t->link.args);
}

/* ---- an object, of a part or for a launcher ---- */

/* Words of the linker's among FLAGS[I …]: how many. They say nothing to a compile, and make it one
 * that ccache and distcc do not take. */
static size_t linker_words(const struct compile_task *t, size_t i) {
  const struct argv *flags = &t->flags;
  const char *flag = flags->args[i];
  if (strcmp(flag, "-Xlinker") == 0)
    return i + 1 < flags->n ? 2 : 1;
  if (command_is_cuda(t)) /* -lineinfo is no library; one does no harm beside -c */
    return strcmp(flag, "-shared") == 0;
  return strcmp(flag, "-shared") == 0 || str_starts(flag, "-Wl,") || str_starts(flag, "-l");
}

void command_object(struct argv *c, const struct compile_task *t, const struct argv *launcher,
                    const char *seed, const char *object) {
  if (launcher)
    argv_add_all(c, launcher->args);
  argv_add(c, t->compiler);
  for (size_t i = 0; i < t->flags.n; i++) {
    size_t skip = linker_words(t, i);
    if (skip)
      i += skip - 1;
    else if (command_keeps_flag(t->flags.args[i]))
      argv_add(c, t->flags.args[i]);
  }
  add_archs(c, t);
  if (command_is_cuda(t)) {
    argv_add_words(c, "-Xcompiler", "-fPIC", NULL);
  } else if (!argv_has(&t->flags, "-fPIC")) {
    argv_add(c, "-fPIC");
  }
  if (seed)
    argv_add(c, seed);
  argv_add(c, "-c");
  command_add_output(c, t, object);
  command_add_source(c, t, t->source);
}

/* Words of a compile's flags that concern sources; the rest may concern the code, which may be made
 * when it is linked. */
static bool is_of_source(const struct cc_word *w, const char *word) {
  return w->role == CC_ROLE_DIR || w->role == CC_ROLE_FORCED || w->role == CC_ROLE_MACRO ||
         w->role == CC_ROLE_LANGUAGE || str_starts(word, "-W") || str_starts(word, "-std=");
}

/* The beginning of a link of T's objects without words that concern sources: the program, the
 * flags, the architectures. */
static void add_linking_compiler(struct argv *c, const struct compile_task *t) {
  argv_add(c, t->compiler);
  for (size_t i = 0; i < t->cc.nwords; i++) {
    const struct cc_word *w = &t->cc.words[i];
    if (!command_keeps_flag(t->flags.args[w->arg]) || is_of_source(w, t->flags.args[w->arg]))
      continue;
    argv_add(c, t->flags.args[w->arg]);
    if (w->pair)
      argv_add(c, t->flags.args[w->arg + 1]);
  }
  add_archs(c, t);
}

void command_link_object(struct argv *c, const struct compile_task *t, const char *object,
                         const char *output) {
  if (command_is_cuda(t)) { /* nvcc has no word for "an object follows" after -x cu. */
    add_linking_compiler(c, t);
    add_cuda_library(c, t, object, output);
    return;
  }
  add_compiler(c, t);
  add_shared(c, t);
  /* With -Werror among the flags, one that only a compile has a use for would else be an error. */
  argv_add(c, "-Wno-unused-command-line-argument");
  command_add_output(c, t, output);
  /* what hipcc says by itself, and clang tells from a source, but not from an object */
  if (t->kind->clang && !compiler_is_hipcc(t->kind) && is_device_source(t->source) && !has_cxx(&t->flags))
    argv_add(c, "--hip-link");
  if (argv_has_prefix(&t->flags, "-x"))
    argv_add_words(c, "-x", "none", NULL);
  argv_add(c, object);
  argv_add_all(c, t->link.args);
}

/* ---- the link of the parts of a blob ---- */

void command_link_parts(struct argv *c, const struct compile_task *t, const char *output,
                        const struct argv *objects) {
  add_linking_compiler(c, t);
  argv_add_words(c, "-Qunused-arguments", "--hip-link", "-shared", "-fPIC", "-Wl,-Bsymbolic-functions", NULL);
  argv_addf(c, "-Wl,--build-id=" TASK_NOTE, TASK_NOTE_OF(t));
  command_add_output(c, t, output);
  if (objects)
    argv_add_all(c, objects->args);
  argv_add_all(c, t->link.args);
}
