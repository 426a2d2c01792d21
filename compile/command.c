/* command.c - which compiler, and with which arguments. */
#include "compile.h"
#include "compile/export/export.h"
#include "core/cc/compiler.h"
#include "core/base/env.h"
#include "core/base/path.h"

#include <stdlib.h>
#include <string.h>

/* ---- the compiler ---- */

static char *not_found(const struct compiler *kind, const char *by_default) {
  bool built = by_default && *by_default;
  return xasprintf("there is no %s: not%s%s%s on the PATH, in $%s/bin or in %s/bin; set %s to the compiler",
                   kind->name, built ? " at the build's " : "", built ? by_default : "", built ? "," : "",
                   kind->home_vars[0], kind->homes[0], kind->variable);
}

/* DIR/bin/NAME where it is a program; free() it */
static char *compiler_in(const struct compiler *kind, const char *dir) {
  char *file = dir && *dir ? xasprintf("%s/bin/%s", dir, kind->name) : NULL,
       *found = file ? path_which(file) : NULL;
  free(file);
  return found;
}

char *compile_find_compiler(char **compiler, const char *named, const char *option, const char *by_default) {
  const char *alike = by_default && *by_default ? by_default : option ? option : "";
  const struct compiler *kind = named ? compiler_named(named) : compiler_meant(alike);
  const char *said = option ? option : env_get(kind->variable);
  if (said) {
    /* What the user names is what is used; another compiler would give other code under the same key. */
    *compiler = path_which(said);
    return *compiler ? NULL
                     : xasprintf("the compiler '%s' (%s) is not there or not executable", said,
                                 option ? "--hipcc" : kind->variable);
  }
  *compiler = by_default && *by_default ? path_which(by_default) : NULL;
  if (!*compiler)
    *compiler = path_which(kind->name);
  if (!*compiler)
    *compiler = compiler_in(kind, secure_getenv(kind->home_vars[0]));
  if (!*compiler)
    *compiler = compiler_in(kind, kind->homes[0]);
  return *compiler ? NULL : not_found(kind, by_default);
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

static bool is_cuda(const struct compile_task *t) {
  return compiler_dialect(t->compiler) == CC_NVCC;
}

/* Whether flags that were copied by hand from a build say it. */
static bool has_archs(const struct compile_task *t) {
  struct argv archs = {0};
  compiler_archs(&archs, t->compiler, t->flags.args);
  bool any = archs.n > 0;
  argv_free(&archs);
  return any;
}

static void add_archs(struct argv *c, const struct compile_task *t) {
  if (has_archs(t))
    return;
  const char *at = t->archs, *word;
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    compiler_add_arch(c, t->compiler, word, n);
}

/* -x c++ among FLAGS: not HIP, whatever the compiler is */
static bool has_cxx(const struct argv *flags) {
  for (size_t i = 0; i + 1 < flags->n; i++)
    if (strcmp(flags->args[i], "-x") == 0 && strcmp(flags->args[i + 1], "hip") != 0)
      return true;
  return has_word(flags, "-xc++") || has_word(flags, "-xc");
}

static bool is_host_compiler(const char *program) {
  const char *base = path_base(program);
  return str_starts(base, "c++") || str_starts(base, "g++") || strstr(base, "-c++") || strstr(base, "-g++");
}

/* A blob that the build compiled with the C++ compiler has no architectures, and g++ knows no such language.
 */
static bool is_hip(const struct compile_task *t) {
  return *t->archs || !is_host_compiler(t->compiler);
}

/* The source, as HIP where it has to be said; true where a language is in force behind it. */
static bool add_source(struct argv *c, const struct compile_task *t) {
  /* clang takes a .cu for CUDA. What follows -x is of that language too, libraries given by name included. */
  bool language = has_prefix(&t->flags, "-x");
  if (!language && !is_cuda(t) && is_hip(t) && is_device_source(t->source)) {
    argv_add(c, "-x");
    argv_add(c, "hip");
    language = true;
  }
  argv_add(c, t->source);
  return language;
}

/* what every form begins with: the program, the flags, the architectures */
static void add_compiler(struct argv *c, const struct compile_task *t) {
  argv_add(c, t->compiler);
  for (size_t i = 0; i < t->flags.n; i++)
    if (is_kept(t->flags.args[i]))
      argv_add(c, t->flags.args[i]);
  add_archs(c, t);
}

static void add_shared(struct argv *c, const struct compile_task *t) {
  if (!has_word(&t->flags, "-shared"))
    argv_add(c, "-shared");
  if (!has_word(&t->flags, "-fPIC"))
    argv_add(c, "-fPIC");
  /* The blob's calls among its own functions must not go to the stubs of the same names, which the library
   * exports. */
  argv_add(c, "-Wl,-Bsymbolic");
  argv_addf(c, "-Wl,--build-id=0x%s", t->hex);
}

static void add_output(struct argv *c, const char *output) {
  argv_add(c, "-o");
  argv_add(c, output);
}

/* ---- nvcc's way to say the same ---- */

/* The link flags of a library, which are g++'s. nvcc adds CUDA's runtime by itself, linked in; a library that
 * has it as a shared one shares it with its blobs. */
static void add_cuda_link(struct argv *c, const struct compile_task *t) {
  bool runtime = false;
  for (size_t i = 0; i < t->link.n; i++) {
    const char *word = t->link.args[i];
    runtime |= str_starts(word, "-lcudart");
    if (str_starts(word, "-Wl,")) {
      argv_add(c, "-Xlinker");
      argv_add(c, word + strlen("-Wl,"));
    } else {
      argv_add(c, word);
    }
  }
  if (runtime && !has_prefix(&t->link, "-cudart"))
    argv_add(c, "-cudart=none");
}

static void cuda_command(struct argv *c, const struct compile_task *t, const char *output) {
  add_compiler(c, t);
  argv_add(c, "-shared");
  argv_add(c, "-Xcompiler");
  argv_add(c, "-fPIC");
  argv_add(c, "-Xlinker");
  argv_addf(c, "-Bsymbolic,--build-id=0x%s", t->hex);
  add_output(c, output);
  argv_add(c, t->source);
  add_cuda_link(c, t);
}

void compile_command(struct argv *c, const struct compile_task *t, const char *output) {
  if (is_cuda(t)) {
    cuda_command(c, t, output);
    return;
  }
  add_compiler(c, t);
  add_shared(c, t);
  add_output(c, output);
  if (add_source(c, t)) {
    argv_add(c, "-x");
    argv_add(c, "none");
  }
  argv_add_all(
      c,
      t->link.args); /* behind the source: a linker with --as-needed takes only what was missed before it */
}

/* ---- an object, of a part or for a launcher ---- */

/* Words of the linker's among FLAGS[I …]: how many. They say nothing to a compile, and make it one that
 * ccache and distcc do not take. */
static size_t linker_words(const struct compile_task *t, size_t i) {
  const struct argv *flags = &t->flags;
  const char *flag = flags->args[i];
  if (strcmp(flag, "-Xlinker") == 0)
    return i + 1 < flags->n ? 2 : 1;
  if (is_cuda(t)) /* -lineinfo is no library; one does no harm beside -c */
    return strcmp(flag, "-shared") == 0;
  return strcmp(flag, "-shared") == 0 || str_starts(flag, "-Wl,") || str_starts(flag, "-l");
}

void compile_command_object(struct argv *c, const struct compile_task *t, const struct argv *launcher,
                            const char *seed, const char *object) {
  if (launcher)
    argv_add_all(c, launcher->args);
  argv_add(c, t->compiler);
  for (size_t i = 0; i < t->flags.n; i++) {
    size_t skip = linker_words(t, i);
    if (skip)
      i += skip - 1;
    else if (is_kept(t->flags.args[i]))
      argv_add(c, t->flags.args[i]);
  }
  add_archs(c, t);
  if (is_cuda(t)) {
    argv_add(c, "-Xcompiler");
    argv_add(c, "-fPIC");
  } else if (!has_word(&t->flags, "-fPIC")) {
    argv_add(c, "-fPIC");
  }
  if (seed)
    argv_add(c, seed);
  argv_add(c, "-c");
  add_output(c, object);
  add_source(c, t);
}

void compile_command_link_object(struct argv *c, const struct compile_task *t, const char *object,
                                 const char *output) {
  add_compiler(c, t);
  add_shared(c, t);
  /* With -Werror among the flags, one that only a compile has a use for would else be an error. */
  argv_add(c, "-Wno-unused-command-line-argument");
  add_output(c, output);
  if (is_hip(t) && is_device_source(t->source) && strstr(path_base(t->compiler), "clang") &&
      !has_cxx(&t->flags))
    argv_add(
        c,
        "--hip-link"); /* what hipcc says by itself, and clang tells from a source, but not from an object */
  if (has_prefix(&t->flags, "-x")) {
    argv_add(c, "-x");
    argv_add(c, "none");
  }
  argv_add(c, object);
  argv_add_all(c, t->link.args);
}

/* ---- the link of the parts of a blob ---- */

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
  ccargs_scan(&flags, compiler_dialect(t->compiler), t->flags.args);
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

/* ---- what is exported ---- */

/* The flags without what says which architectures: the export says it. -x is for a SOURCE, not for objects
 * and PTX. */
static void add_cuda_flags(struct argv *c, const struct compile_task *t, bool source) {
  struct ccargs flags;
  ccargs_scan(&flags, CC_NVCC, t->flags.args);
  for (size_t i = 0; i < flags.nwords; i++) {
    const struct cc_word *w = &flags.words[i];
    const char *flag = t->flags.args[w->arg];
    if (!is_kept(flag) || strcmp(flag, "-shared") == 0 || compiler_is_arch(t->compiler, w, t->flags.args) ||
        (w->role == CC_ROLE_LANGUAGE && !source))
      continue;
    argv_add(c, flag);
    if (w->pair)
      argv_add(c, t->flags.args[w->arg + 1]);
  }
  ccargs_free(&flags);
}

/* LTO-IR is asked for by the virtual architecture: lto_90 for sm_90, lto_80 for sm_86:compute_80. */
static void add_lto_arch(struct argv *c, const struct compile_task *t, const char *arch) {
  const char *number = strrchr(arch, '_');
  char *lto = xasprintf("lto%s", number ? number : arch);
  compiler_add_arch(c, t->compiler, number ? lto : arch, strlen(number ? lto : arch));
  free(lto);
}

static void add_cuda_archs(struct argv *c, const struct compile_task *t, const char *archs) {
  const char *word;
  for (size_t n; (word = ckjit_arch_next(&archs, &n));)
    compiler_add_arch(c, t->compiler, word, n);
}

static void cuda_export_command(struct argv *c, const struct compile_task *t, enum export_format format,
                                const char *archs, const char *output) {
  static const char *const modes[] = {[EXPORT_SO] = "-c",
                                      [EXPORT_OBJ] = "-c",
                                      [EXPORT_CODE_OBJECT] = "-cubin",
                                      [EXPORT_BITCODE] = "-ltoir",
                                      [EXPORT_ASM] = "-ptx"};
  argv_add(c, t->compiler);
  add_cuda_flags(c, t, !str_ends(t->source, ".ptx"));
  if (format == EXPORT_BITCODE)
    add_lto_arch(c, t, archs);
  else
    add_cuda_archs(c, t, archs);
  argv_add(c, modes[format]);
  if (!export_is_device(format)) {
    argv_add(c, "-Xcompiler");
    argv_add(c, "-fPIC");
  }
  add_output(c, output);
  argv_add(c, t->source);
}

/* What the library is called, by way of a file that the linker's driver reads: nvcc splits what is behind
 * -Xlinker at commas and blanks, and takes $ for a variable of its own. Its name is quoted for nvcc's shell.
 */
static void add_cuda_soname(struct argv *c, const char *name, const char *output) {
  char *file = xasprintf("%s.soname", output);
  struct buf word = {0};
  buf_puts(&word, "\"-soname=");
  for (; *name; name++) {
    if (strchr("\"\\", *name))
      buf_putc(&word, '\\');
    buf_putc(&word, *name);
  }
  buf_puts(&word, "\"\n");
  file_write(file, word.data, word.len, 0600); /* else the driver says that it is not there */
  argv_add(c, "-Xlinker");
  argv_addf(c, "\"@%s\"", file);
  buf_free(&word);
  free(file);
}

static void cuda_link_command(struct argv *c, const struct compile_task *t, const struct argv *objects,
                              const char *output) {
  argv_add(c, t->compiler);
  add_cuda_flags(c, t, false);
  add_cuda_archs(c, t, t->archs);
  static const char *const words[] = {"-shared", "-Xcompiler", "-fPIC", "-Xlinker",
                                      "-Bsymbolic,--build-id=sha1"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    argv_add(c, words[i]); /* the build id is not ckjit's: it is no cache entry */
  if (t->soname)
    add_cuda_soname(c, t->soname, output);
  add_output(c, output);
  argv_add_all(c, objects->args);
  add_cuda_link(c, t);
}

/* The architectures are said apart, and an object of -flto is no code yet: it must link without clang. */
static void add_export_flags(struct argv *c, const struct compile_task *t, const char *archs) {
  argv_add(c, t->compiler);
  for (size_t i = 0; i < t->flags.n; i++) {
    const char *flag = t->flags.args[i];
    if (is_kept(flag) && !str_starts(flag, "--offload-arch") && !str_starts(flag, "-flto") &&
        strcmp(flag, "-shared") != 0)
      argv_add(c, flag);
  }
  const char *at = archs, *word;
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    argv_addf(c, "--offload-arch=%.*s", (int)n, word);
  if (!has_word(&t->flags, "-fPIC"))
    argv_add(c, "-fPIC");
}

void compile_export_command(struct argv *c, const struct compile_task *t, enum export_format format,
                            const char *archs, const char *output) {
  if (is_cuda(t)) {
    cuda_export_command(c, t, format, archs, output);
    return;
  }
  add_export_flags(c, t, archs);
  if (is_hip(t)) {
    /* clang makes it of the command line, in which the output's name is of no consequence to the code. */
    argv_addf(c, "-cuid=%s", t->hex);
    /* hipcc adds options of the link; a build with -Werror must not fail of them. */
    argv_add(c, "-Qunused-arguments");
  }
  if (export_is_device(format)) {
    argv_add(c, "--cuda-device-only");
    if (!strchr(archs, ';'))
      argv_add(c, "--no-gpu-bundle-output");
  }
  argv_add(c, format == EXPORT_ASM ? "-S" : "-c");
  if (format == EXPORT_BITCODE)
    argv_add(c, "-emit-llvm");
  argv_add(c, "-o");
  argv_add(c, output);
  add_source(c, t);
}

void compile_link_command(struct argv *c, const struct compile_task *t, const struct argv *objects,
                          const char *output) {
  if (is_cuda(t)) {
    cuda_link_command(c, t, objects, output);
    return;
  }
  add_export_flags(c, t, t->archs);
  if (is_hip(t))
    argv_add(c, "-Qunused-arguments");
  argv_add(c, "-shared");
  argv_add(c, "-Wl,-Bsymbolic");
  argv_add(c, "-Wl,--build-id=sha1"); /* not ckjit's: it is no cache entry */
  if (t->soname)
    argv_addf(c, "-Wl,-soname,%s", t->soname);
  argv_add(c, "-o");
  argv_add(c, output);
  argv_add(c, "-x"); /* -x hip in the flags would take the objects for sources */
  argv_add(c, "none");
  argv_add_all(c, objects->args);
  argv_add_all(c, t->link.args);
}
