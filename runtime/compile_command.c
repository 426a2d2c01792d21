/* compile_command.c - which compiler, and with which arguments. */
#include "compile.h"
#include "core/ccargs.h"
#include "core/env.h"
#include "core/path.h"

#include <stdlib.h>
#include <string.h>

/* ---- the compiler ---- */

static char *not_found(const char *by_default) {
  bool built = by_default && *by_default;
  return xasprintf(
      "there is no hipcc: not%s%s%s on the PATH, in $ROCM_PATH/bin or in /opt/rocm/bin; set CK_JIT_HIPCC "
      "to the compiler",
      built ? " at the build's " : "", built ? by_default : "", built ? "," : "");
}

char *compile_find_compiler(char **compiler, const char *option, const char *by_default) {
  const char *said = option ? option : env_get("CK_JIT_HIPCC"), *rocm = secure_getenv("ROCM_PATH");
  if (said) {
    /* What the user names is what is used; another compiler would give other code under the same key. */
    *compiler = path_which(said);
    return *compiler ? NULL
                     : xasprintf("the compiler '%s' (%s) is not there or not executable", said,
                                 option ? "--hipcc" : "CK_JIT_HIPCC");
  }
  *compiler = by_default && *by_default ? path_which(by_default) : NULL;
  if (!*compiler)
    *compiler = path_which("hipcc");
  if (!*compiler && rocm && *rocm) {
    char *p = path_join(rocm, "bin/hipcc");
    *compiler = path_which(p);
    free(p);
  }
  if (!*compiler)
    *compiler = path_which("/opt/rocm/bin/hipcc");
  return *compiler ? NULL : not_found(by_default);
}

/* ---- the arguments ---- */

static bool has_word(const struct argv *flags, const char *word) {
  for (size_t i = 0; i < flags->n; i++)
    if (strcmp(flags->args[i], word) == 0)
      return true;
  return false;
}

static bool has_prefix(const struct argv *flags, const char *prefix) {
  for (size_t i = 0; i < flags->n; i++)
    if (str_starts(flags->args[i], prefix))
      return true;
  return false;
}

/* Flags that a command for an object file has and one for a loadable blob must not have: hidden, its
 * functions could not be found. The manifest has none of them; flags copied by hand from a build do. */
static bool is_kept(const char *flag) {
  return strcmp(flag, "-c") != 0 && strcmp(flag, "-fvisibility=hidden") != 0;
}

static bool is_device_source(const char *source) {
  static const char *const ext[] = {".cu", ".hip", ".cpp", ".cc", ".cxx"};
  for (size_t i = 0; i < sizeof ext / sizeof *ext; i++)
    if (str_ends(source, ext[i]))
      return true;
  return false;
}

static void add_archs(struct argv *c, const struct compile_task *t) {
  if (has_prefix(&t->flags, "--offload-arch"))
    return;
  const char *at = t->archs, *word;
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    argv_addf(c, "--offload-arch=%.*s", (int)n, word);
}

static bool is_host_compiler(const char *program) {
  const char *base = path_base(program);
  return str_starts(base, "c++") || str_starts(base, "g++") || strstr(base, "-c++") || strstr(base, "-g++");
}

/* The source, as HIP where it has to be said; true where a language is in force behind it. */
static bool add_source(struct argv *c, const struct compile_task *t) {
  /* clang takes a .cu for CUDA. What follows -x is of that language too, libraries given by name included. */
  bool language = has_prefix(&t->flags, "-x");
  /* A blob that the build compiled with the C++ compiler has no architectures, and g++ knows no such
   * language. */
  bool hip = *t->archs || !is_host_compiler(t->compiler);
  if (!language && hip && is_device_source(t->source)) {
    argv_add(c, "-x");
    argv_add(c, "hip");
    language = true;
  }
  argv_add(c, t->source);
  return language;
}

void compile_command_object(struct argv *c, const struct compile_task *t, const char *output) {
  argv_add(c, t->compiler);
  for (size_t i = 0; i < t->flags.n; i++)
    if (is_kept(t->flags.args[i]))
      argv_add(c, t->flags.args[i]);
  add_archs(c, t);
  if (!has_word(&t->flags, "-fPIC"))
    argv_add(c, "-fPIC");
  argv_add(c, "-c");
  argv_add(c, "-o");
  argv_add(c, output);
  add_source(c, t);
}

/* What of a compile's flags is about sources; the rest may be about the code, which is made when it is
 * linked. */
static bool is_of_source(const struct cc_word *w, const char *word) {
  return w->role == CC_ROLE_DIR || w->role == CC_ROLE_FORCED || w->role == CC_ROLE_MACRO ||
         w->role == CC_ROLE_LANGUAGE || str_starts(word, "-W") || str_starts(word, "-std=");
}

void compile_command_link(struct argv *c, const struct compile_task *t, const char *output,
                          const struct argv *objects) {
  struct ccargs flags;
  argv_add(c, t->compiler);
  ccargs_scan(&flags, t->flags.args);
  for (size_t i = 0; i < flags.nwords; i++) {
    const struct cc_word *w = &flags.words[i];
    if (!is_kept(t->flags.args[w->arg]) || is_of_source(w, t->flags.args[w->arg]))
      continue;
    argv_add(c, t->flags.args[w->arg]);
    if (w->pair)
      argv_add(c, t->flags.args[w->arg + 1]);
  }
  ccargs_free(&flags);
  add_archs(c, t);
  static const char *const words[] = {"-Qunused-arguments", "--hip-link", "-shared", "-fPIC",
                                      "-Wl,-Bsymbolic"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    argv_add(c, words[i]);
  argv_addf(c, "-Wl,--build-id=0x%s", t->hex);
  argv_add(c, "-o");
  argv_add(c, output);
  for (size_t i = 0; objects && i < objects->n; i++)
    argv_add(c, objects->args[i]);
  argv_add_all(c, t->link.args);
}

void compile_command(struct argv *c, const struct compile_task *t, const char *output) {
  /* CK_JIT_COMPILER_LAUNCHER's words go here, before the compiler. */
  argv_add(c, t->compiler);
  for (size_t i = 0; i < t->flags.n; i++)
    if (is_kept(t->flags.args[i]))
      argv_add(c, t->flags.args[i]);
  add_archs(c, t);
  if (!has_word(&t->flags, "-shared"))
    argv_add(c, "-shared");
  if (!has_word(&t->flags, "-fPIC"))
    argv_add(c, "-fPIC");
  /* The blob's calls among its own functions must not go to the stubs of the same names, which the library
   * exports. */
  argv_add(c, "-Wl,-Bsymbolic");
  argv_addf(c, "-Wl,--build-id=0x%s", t->hex);
  argv_add(c, "-o");
  argv_add(c, output);
  if (add_source(c, t)) {
    argv_add(c, "-x");
    argv_add(c, "none");
  }
  argv_add_all(
      c,
      t->link.args); /* behind the source: a linker with --as-needed takes only what was missed before it */
}
