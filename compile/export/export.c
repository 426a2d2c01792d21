/* export.c - one kernel, or several joined, in a form that needs no ckjit; and how HIP's compiler
 * makes it.
 *
 * The host's forms are what any build makes of the source: an object file with the code objects in it, and a
 * shared object linked from that. They are compiled in that order in any case, because it is in the object
 * file that a symbol can be given another name, and that several kernels become one.
 *
 * The device's forms come from the compiler's own options for them (--cuda-device-only). Where kernels are
 * joined or renamed it goes by way of LLVM's bitcode:
 *
 *     source ──> bitcode ─┐
 *     source ──> bitcode ─┴─ llvm-link ──> text ── rename ──> bitcode, assembler or code object
 *
 * That is no other code than the direct way's: the bitcode has been through all optimisations, and the last
 * step is the device pass that the compiler's driver itself lists (-###), with bitcode for its input and what
 * has been done left out. clang's -save-temps works in the same way. Code objects cannot be joined as they
 * are: each has one note of metadata, and a loader reads the first.
 *
 * Whatever comes out is looked at before it is kept: it must hold a kernel for each architecture.
 */
#include "export.h"
#include "core/cc/compiler.h"
#include "core/base/elf.h"
#include "core/base/path.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

char *export_new_file(struct export *x, const char *extension) {
  return xasprintf("%s/export-%d%s", x->temporary, x->files++, extension);
}

char *export_run(struct export *x, const struct argv *command) {
  char *log = xasprintf("%s/log-%d", x->temporary, x->logs++);
  if (x->t->verbose) {
    char *text = argv_join(command->args);
    note("%s: %s", x->t->stem, text);
    free(text);
  }
  char *why = compile_run(x->t, command, log);
  free(log);
  return why;
}

char *export_run_compiler(struct export *x, const struct argv *command) {
  return compile_launched_command(x->t, x->temporary, command) ? NULL : export_run(x, command);
}

static char *cannot_read(const struct export *x, const char *file) {
  return xasprintf("%s: cannot read %s: %s", x->t->stem, file, strerror(errno));
}

/* ---- asking the driver ---- */

static void take_step(struct export *x, const char *line, size_t n) {
  struct argv words = {0};
  argv_split(&words, line, n);
  bool device = false, cc1 = words.n > 1 && strcmp(words.args[1], "-cc1") == 0, lld = false;
  for (size_t i = 0; i < words.n; i++) {
    device |= strcmp(words.args[i], "-fcuda-is-device") == 0;
    lld |= strcmp(words.args[i], "-flavor") == 0;
  }
  bool bundler = words.n && strstr(path_base(words.args[0]), "offload-bundler");
  struct argv *to = cc1 && device ? &x->pass : lld ? &x->link : bundler ? &x->bundler : NULL;
  if (to && !to->n)
    argv_add_all(to, words.args);
  argv_free(&words);
}

/* the line of TEXT that says what is wrong, on a line of its own; "" where there is none. free() it */
static char *error_line(const char *text) {
  for (const char *line = text; line && *line;) {
    size_t n = strcspn(line, "\n");
    const char *error = memmem(line, n, "error: ", strlen("error: "));
    if (error)
      return xasprintf("\n  %.*s", (int)(line + n - error), error);
    line += n + (line[n] == '\n');
  }
  return xstrdup("");
}

/* Fill in what the driver lists: how it makes OUTPUT, FORMAT for ARCH (or a list), from the source. */
static char *ask_driver(struct export *x, enum export_format format, const char *arch, const char *output) {
  const struct compile_task *t = x->t;
  struct argv command = {0}, words = {0};
  compile_export_command(&command, t, format, arch, output);
  argv_add(&words, t->compiler);
  argv_add(&words, "-###");
  size_t compiler = 0; /* a launcher may stand before it */
  while (command.args[compiler] && strcmp(command.args[compiler], t->compiler) != 0)
    compiler++;
  argv_add_all(&words, command.args + compiler + 1);
  char *answer = export_new_file(x, ".plan"), *text = NULL;
  int fd = open(answer, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), status = -1;
  pid_t pid;
  size_t len;
  if (fd >= 0 && compile_child_start(&pid, &words, environ, fd) == 0)
    while (compile_child_wait(&status) != pid)
      ;
  if (fd >= 0)
    close(fd);
  text = file_read(answer, &len);
  argv_free(&x->pass);
  argv_free(&x->link);
  argv_free(&x->bundler);
  for (const char *line = text; status == 0 && line && *line;) {
    size_t n = strcspn(line, "\n");
    if (str_starts(line, " \""))
      take_step(x, line, n);
    line += n + (line[n] == '\n');
  }
  free(x->tools);
  x->tools = x->pass.n ? path_dir(x->pass.args[0]) : NULL;
  char *error = status ? error_line(text) : xstrdup(""), *why = NULL;
  x->refused = *error != 0;
  if (x->refused)
    why = xasprintf("%s: the compiler %s cannot compile for architecture %s%s", t->stem, t->compiler, arch,
                    error);
  else if (!x->pass.n)
    why =
        xasprintf("%s: the compiler %s does not say how it compiles for %s (-###), which is needed for what "
                  "is exported as %s",
                  t->stem, t->compiler, arch, export_format_name(format));
  argv_free(&command);
  argv_free(&words);
  free(answer);
  free(error);
  free(text);
  return why;
}

/* Fill in tools alone. */
static char *ask_for_tools(struct export *x) {
  const char *at = x->t->archs;
  size_t n;
  const char *word = ckjit_arch_next(&at, &n);
  char *arch = xstrndup(word ? word : "", word ? n : 0);
  char *why = ask_driver(x, EXPORT_CODE_OBJECT, arch, "/dev/null");
  free(arch);
  return why;
}

/* The program NAME that belongs to the compiler; NULL with *WHY. free() it */
static char *find_tool(const struct export *x, const char *name, char **why) {
  char *tool = path_join(x->tools, name);
  *why = NULL;
  if (access(tool, X_OK) == 0)
    return tool;
  *why = xasprintf("%s: there is no %s beside the compiler in %s; install the LLVM tools of its version",
                   x->t->stem, name, x->tools);
  free(tool);
  return NULL;
}

/* ---- is there code? ---- */

/* another architecture of the library than ARCH (N bytes), for which there is code; free() it */
static char *code_elsewhere(struct export *x, const char *arch, size_t n);

static char *no_kernel(const struct export *x, const char *arch, size_t n) {
  const char *built = x->t->built;
  return xasprintf(
      "%s: no code for %.*s: nothing in it is compiled for that architecture (an #if leaves the kernel "
      "out)%s%s",
      x->t->stem, (int)n, arch, built && *built ? "; the library was built for " : "",
      built && *built ? built : "");
}

char *export_judge(struct export *x, const struct kernels *k, const char *arch, size_t n) {
  if (!k->names.n)
    return no_kernel(x, arch, n);
  if (k->empty < k->names.n)
    return NULL;
  /* Empty everywhere is what the source says; empty here alone is an #if. */
  char *other = code_elsewhere(x, arch, n), *why = NULL;
  if (other)
    why = xasprintf(
        "%s: no code for %.*s: all that is compiled for it is an empty kernel (an #if leaves its body "
        "out), other than for %s",
        x->t->stem, (int)n, arch, other);
  else
    warn("%s: the kernel is empty for %.*s", x->t->stem, (int)n, arch);
  free(other);
  return why;
}

static char *check_device(struct export *x, enum export_format format, const char *file, const char *arch) {
  struct kernels k = {0};
  size_t len;
  char *text = file_read(file, &len), *why = NULL;
  bool ours = text && (format == EXPORT_CODE_OBJECT ? kernels_of_code_object(&k, text, len)
                       : format == EXPORT_ASM       ? kernels_of_asm(&k, text)
                                                    : kernels_of_ir(&k, text));
  if (!ours)
    why = xasprintf("%s: what the compiler %s made is no %s for AMD's GPUs", x->t->stem, x->t->compiler,
                    export_format_name(format));
  else
    why = export_judge(x, &k, arch, strlen(arch));
  kernels_free(&k);
  free(text);
  return why;
}

static char *compile_one(struct export *x, enum export_format format, const char *archs, const char *output) {
  struct argv command = {0};
  compile_export_command(&command, x->t, format, archs, output);
  char *why = export_run_compiler(x, &command);
  argv_free(&command);
  return why;
}

static bool look(struct export *x, struct kernels *k, const char *arch) {
  char *file = export_new_file(x, ".co");
  size_t len;
  char *why = compile_one(x, EXPORT_CODE_OBJECT, arch, file), *bytes = why ? NULL : file_read(file, &len);
  bool found = bytes && kernels_of_code_object(k, bytes, len);
  free(bytes);
  free(why);
  free(file);
  return found;
}

static char *code_elsewhere(struct export *x, const char *arch, size_t n) {
  const char *at = x->t->built ? x->t->built : "", *word;
  char *found = NULL;
  for (size_t m; !found && (word = ckjit_arch_next(&at, &m));) {
    if (export_same_arch(word, m, arch, n))
      continue;
    char *other = xstrndup(word, m);
    struct kernels k = {0};
    if (x->way->look(x, &k, other) && k.empty < k.names.n)
      found = xstrdup(other);
    kernels_free(&k);
    free(other);
  }
  return found;
}

/* ---- the device ---- */

/* The device pass from INPUT, LLVM's text or bitcode, that has been optimised before. With TEXT, the output
 * is that file, LLVM's text; else it is what the driver was asked for. */
static char *run_pass(struct export *x, const char *input, const char *text) {
  const struct argv *w = &x->pass;
  struct argv command = {0};
  if (w->n < 4 || strcmp(w->args[w->n - 3], "-x") != 0)
    return xasprintf("%s: the device pass of %s does not end with its source; it cannot be given another",
                     x->t->stem, x->t->compiler);
  for (size_t i = 0; i < w->n - 3; i++) {
    bool with_word = i + 1 < w->n - 3;
    if (with_word && strcmp(w->args[i], "-mlink-builtin-bitcode") == 0) {
      i++; /* it is in already; again would do no harm, and take a while */
      continue;
    }
    argv_add(&command, w->args[i]);
    if (with_word && text && strcmp(w->args[i], "-o") == 0) {
      argv_add(&command, text);
      i++;
    }
  }
  if (text)
    argv_add(&command, "-emit-llvm"); /* the last of its kind counts */
  argv_add(&command, "-disable-llvm-passes");
  argv_add(&command, "-x");
  argv_add(&command, "ir");
  argv_add(&command, input);
  char *why = export_run(x, &command);
  argv_free(&command);
  return why;
}

/* the directory of the file behind -o in WORDS must be there */
static void make_output_dir(const struct argv *words) {
  for (size_t i = 0; i + 1 < words->n; i++)
    if (strcmp(words->args[i], "-o") == 0) {
      char *dir = path_dir(words->args[i + 1]);
      dir_make(dir);
      free(dir);
    }
}

/* FILES, bitcode, as one text in *TEXT, which is the caller's */
static char *join_bitcode(struct export *x, const struct argv *files, char **text) {
  char *joined = export_new_file(x, ".ll"), *why;
  if (files->n == 1) {
    why = run_pass(x, files->args[0], joined);
  } else {
    struct argv command = {0};
    char *tool = find_tool(x, "llvm-link", &why);
    if (tool) {
      argv_add_own(&command, tool);
      argv_add(&command, "-S");
      argv_add(&command, "-o");
      argv_add(&command, joined);
      argv_add_all(&command, files->args);
      why = export_run(x, &command);
    }
    argv_free(&command);
  }
  size_t len;
  if (!why && !(*text = file_read(joined, &len)))
    why = cannot_read(x, joined);
  free(joined);
  return why;
}

/* why --symbol SYMBOL, which means OLD (NULL: the only one), fits none of K */
static char *not_one_kernel(const struct export *x, const char *symbol, const char *old,
                            const struct kernels *k) {
  struct buf b = {0};
  if (old)
    buf_printf(&b, "%s: --symbol %s: it has no kernel '%s', but", x->t->stem, symbol, old);
  else
    buf_printf(&b, "%s: --symbol %s: %zu kernels could be meant; say --symbol OLD=%s with OLD one of",
               x->t->stem, symbol, k->names.n, symbol);
  for (size_t i = 0; i < k->names.n; i++)
    buf_printf(&b, "\n  %s", k->names.args[i]);
  return b.data;
}

static bool is_kernel(const struct kernels *k, const char *name) {
  for (size_t i = 0; i < k->names.n; i++)
    if (strcmp(k->names.args[i], name) == 0)
      return true;
  return false;
}

char *export_choose_kernel(const struct export *x, const char *symbol, const struct kernels *k, char **old) {
  export_symbol_parse(symbol, old);
  if (*old ? !is_kernel(k, *old) : k->names.n != 1)
    return not_one_kernel(x, symbol, *old, k);
  if (!*old)
    *old = xstrdup(k->names.args[0]);
  return NULL;
}

/* Rename by one --symbol in *TEXT. */
static char *rename_kernel(struct export *x, const char *symbol, char **text) {
  struct kernels k = {0};
  char *unused, *old = NULL, *why = NULL;
  const char *name = export_symbol_parse(symbol, &unused);
  kernels_of_ir(&k, *text);
  why = export_choose_kernel(x, symbol, &k, &old);
  if (!why) {
    char *renamed = symbol_rename_ir(*text, old, name, &why);
    if (renamed) {
      free(*text);
      *text = renamed;
    } else {
      char *what = why ? why : xstrdup("it cannot be found in the compiler's text");
      why = xasprintf("%s: %s", x->t->stem, what);
      free(what);
    }
  }
  kernels_free(&k);
  free(unused);
  free(old);
  return why;
}

/* FILES, bitcode for ARCH, joined and renamed, to OUTPUT */
static char *device_from_bitcode(struct export *x, const struct argv *files, const char *arch,
                                 const char *output) {
  const struct compile_task *t = x->t;
  struct kernels k = {0};
  char *text = NULL, *why = ask_driver(x, t->format, arch, output), *input = export_new_file(x, ".ll");
  if (!why)
    why = join_bitcode(x, files, &text);
  for (size_t i = 0; !why && i < t->symbols->n; i++)
    why = rename_kernel(x, t->symbols->args[i], &text);
  if (!why && !kernels_of_ir(&k, text))
    why = xasprintf("%s: what the compiler %s made is no bitcode for AMD's GPUs", t->stem, t->compiler);
  if (!why)
    why = export_judge(x, &k, arch, strlen(arch));
  if (!why && file_write(input, text, strlen(text), 0600))
    why = xasprintf("%s: cannot write %s: %s", t->stem, input, strerror(errno));
  if (!why) {
    make_output_dir(&x->pass);
    why = run_pass(x, input, NULL);
  }
  if (!why && t->format == EXPORT_CODE_OBJECT)
    why = x->link.n ? export_run(x, &x->link)
                    : xasprintf("%s: the compiler %s lists no linker for %s", t->stem, t->compiler, arch);
  kernels_free(&k);
  free(text);
  free(input);
  return why;
}

/* Whether FILE, bitcode for ARCH, has a kernel. */
static char *check_bitcode(struct export *x, const char *file, const char *arch) {
  char *text = export_new_file(x, ".ll"), *why = ask_driver(x, EXPORT_BITCODE, arch, "/dev/null");
  if (!why)
    why = run_pass(x, file, text);
  if (!why)
    why = check_device(x, EXPORT_BITCODE, text, arch);
  free(text);
  return why;
}

/* what there is for one architecture */
static char *make_device(struct export *x, const char *arch, const char *output) {
  const struct compile_task *t = x->t;
  if (t->parts->n)
    return device_from_bitcode(x, t->parts, arch, output);
  if (!t->symbols->n) {
    char *why = compile_one(x, t->format, arch, output);
    if (why)
      return why;
    return t->format == EXPORT_BITCODE ? check_bitcode(x, output, arch)
                                       : check_device(x, t->format, output, arch);
  }
  struct argv files = {0};
  argv_add_own(&files, export_new_file(x, ".bc"));
  char *why = compile_one(x, EXPORT_BITCODE, arch, files.args[0]);
  if (!why)
    why = device_from_bitcode(x, &files, arch, output);
  argv_free(&files);
  return why;
}

/* ---- bundles ---- */

/* The file for TARGET (N bytes), such as hipv4-amdgcn-amd-amdhsa--gfx942, among FILES, one for each of the
 * task's architectures in their order; NULL: there is none. */
static const char *file_of_target(const struct export *x, const struct argv *files, const char *target,
                                  size_t n) {
  const char *arch = memmem(target, n, "-gfx", 4), *at = x->t->archs, *word;
  size_t i = 0;
  for (size_t m; arch && i < files->n && (word = ckjit_arch_next(&at, &m)); i++)
    if (export_same_arch(arch + 1, n - (size_t)(arch + 1 - target), word, m))
      return files->args[i];
  return NULL;
}

/* The inputs of the bundler for TARGETS, a ',' list in the driver's own order. */
static char *add_inputs(const struct export *x, struct argv *command, const char *targets,
                        const struct argv *files) {
  for (const char *at = targets; *at;) {
    size_t n = strcspn(at, ",");
    const char *file = str_starts(at, "host-") ? "/dev/null" : file_of_target(x, files, at, n);
    if (!file)
      return xasprintf("%s: the compiler %s bundles for %.*s, which was not asked for", x->t->stem,
                       x->t->compiler, (int)n, at);
    argv_addf(command, "-input=%s", file);
    at += n + (at[n] == ',');
  }
  return NULL;
}

/* FILES, a code object for each of the task's architectures, as one file that HIP's loader takes: with the
 * command that the driver itself would use. */
static char *bundle(struct export *x, const struct argv *files, const char *output) {
  struct argv command = {0};
  char *why = ask_driver(x, EXPORT_CODE_OBJECT, x->t->archs, output);
  const char *targets = NULL;
  for (size_t i = 0; i < x->bundler.n && !why; i++) {
    const char *word = x->bundler.args[i];
    if (str_starts(word, "-targets="))
      targets = word + strlen("-targets=");
    if (str_starts(word, "-output="))
      argv_addf(&command, "-output=%s", output);
    else if (!str_starts(word, "-input="))
      argv_add(&command, word);
  }
  if (!why)
    why = targets
              ? add_inputs(x, &command, targets, files)
              : xasprintf("%s: the compiler %s does not say how it bundles code objects (-###); export one "
                          "architecture at a time",
                          x->t->stem, x->t->compiler);
  if (!why)
    why = export_run(x, &command);
  argv_free(&command);
  return why;
}

static char *make_device_all(struct export *x, const char *file) {
  const struct compile_task *t = x->t;
  struct argv archs = {0}, files = {0};
  const char *at = t->archs, *word;
  char *why = NULL;
  for (size_t n; (word = ckjit_arch_next(&at, &n));)
    argv_addf(&archs, "%.*s", (int)n, word);
  if (!archs.n)
    why = xasprintf("%s: --format %s is of one architecture: say --arch", t->stem,
                    export_format_name(t->format));
  else if (archs.n == 1)
    why = x->way->device(x, archs.args[0], file);
  else if (t->format != EXPORT_CODE_OBJECT)
    why = xasprintf("%s: --format %s is of one architecture, not of %s", t->stem,
                    export_format_name(t->format), t->archs);
  else if (t->parts->n == archs.n)
    why = x->way->bundle(x, t->parts, file);
  else if (t->parts->n)
    why = xasprintf("%s: expected a --part for each of %s", t->stem, t->archs);
  else {
    for (size_t i = 0; i < archs.n && !why; i++) {
      argv_add_own(&files, export_new_file(x, ".co"));
      why = x->way->piece(x, archs.args[i], files.args[i]);
    }
    if (!why)
      why = x->way->bundle(x, &files, file);
  }
  argv_free(&archs);
  argv_free(&files);
  return why;
}

/* ---- the host ---- */

/* Unpack the compressed fat binary BYTES by the compiler's own tool: the code object for ARCH in *OUT. */
static char *unpack(struct export *x, const char *bytes, size_t size, const char *arch, char **out,
                    size_t *len) {
  char *why = x->tools ? NULL : ask_for_tools(x);
  char *tool = why ? NULL : find_tool(x, "clang-offload-bundler", &why);
  char *packed = export_new_file(x, ".fat"), *object = export_new_file(x, ".co");
  struct argv command = {0};
  *out = NULL;
  if (tool && file_write(packed, bytes, size, 0600) == 0) {
    argv_add(&command, tool);
    argv_add(&command, "-unbundle");
    argv_add(&command, "-allow-missing-bundles");
    argv_add(&command, "-type=o");
    argv_addf(&command, "-targets=hipv4-amdgcn-amd-amdhsa--%s", arch);
    argv_addf(&command, "-input=%s", packed);
    argv_addf(&command, "-output=%s", object);
    why = export_run(x, &command);
  }
  if (!why && !(*out = file_read(object, len)))
    why = cannot_read(x, object);
  argv_free(&command);
  free(packed);
  free(object);
  free(tool);
  return why;
}

/* Whether the fat binary BYTES has code for ARCH. */
static char *check_fat(struct export *x, const char *bytes, size_t size, const char *arch) {
  struct kernels k = {0};
  size_t len = 0;
  char *unpacked = NULL, *why = NULL;
  const char *object = NULL;
  if (bundle_is_compressed(bytes, size))
    why = unpack(x, bytes, size, arch, &unpacked, &len);
  object = unpacked ? unpacked : bundle_find(bytes, size, arch, strlen(arch), &len);
  if (!why && (!object || !kernels_of_code_object(&k, object, len)))
    why = no_kernel(x, arch, strlen(arch));
  if (!why)
    why = export_judge(x, &k, arch, strlen(arch));
  kernels_free(&k);
  free(unpacked);
  return why;
}

/* The object FILE must have code for every architecture. */
static char *check_object(struct export *x, const char *file) {
  const struct compile_task *t = x->t;
  size_t size, index = 0;
  char *bytes = file_read(file, &size), *why = NULL;
  struct elf e;
  struct elf_section fat = {0};
  if (!bytes || !elf_open(&e, bytes, size, NULL) || e.type != ET_REL)
    why = xasprintf("%s: what the compiler %s made is no object file", t->stem, t->compiler);
  bool has_fat = !why && elf_find(&e, ".hip_fatbin", &index, &fat) && fat.data;
  const char *at = t->archs, *word;
  for (size_t n; !why && (word = ckjit_arch_next(&at, &n));) {
    char *arch = xstrndup(word, n);
    why = has_fat ? check_fat(x, (const char *)fat.data, fat.size, arch) : no_kernel(x, word, n);
    free(arch);
  }
  free(bytes);
  return why;
}

/* Rename by one --symbol in the one of OBJECTS that has it. */
static char *rename_function(const struct export *x, const char *symbol, const struct argv *objects) {
  char *old, *why = NULL;
  const char *name = export_symbol_parse(symbol, &old);
  bool found = false;
  if (!old && objects->n > 1)
    why = xasprintf("--symbol %s: say --symbol OLD=%s, for there are %zu kernels", name, name, objects->n);
  for (size_t i = 0; i < objects->n && !found && !why; i++)
    why = symbol_rename_object(objects->args[i], old, name, &found);
  if (!why && !found)
    why = xasprintf("--symbol %s: it defines no function %s", symbol, old);
  char *whole = why ? xasprintf("%s: %s", x->t->stem, why) : NULL;
  free(old);
  free(why);
  return whole;
}

/* OBJECTS as one object file, by the linker of the compiler proper */
static char *link_partially(struct export *x, const struct argv *objects, const char *output) {
  struct argv command = {0};
  char *why = *x->t->archs && !x->tools ? ask_for_tools(x) : NULL;
  if (!why) {
    /* not hipcc, which adds libraries to every link */
    char *clang = x->tools ? xstrdup(x->pass.args[0]) : xstrdup(x->t->compiler);
    argv_add_own(&command, clang);
    argv_add(&command, "-r");
    argv_add(&command, "-nostdlib");
    argv_add(&command, "-o");
    argv_add(&command, output);
    argv_add_all(&command, objects->args);
    why = export_run(x, &command);
  }
  argv_free(&command);
  return why;
}

static char *make_object(struct export *x, const char *output) {
  char *why = compile_one(x, EXPORT_OBJ, x->t->archs, output);
  return why ? why : check_object(x, output);
}

static char *make_host(struct export *x, const char *file) {
  const struct compile_task *t = x->t;
  struct argv objects = {0}, command = {0};
  char *why = NULL;
  for (size_t i = 0; i < t->parts->n && !why; i++) { /* copies: one may be renamed */
    argv_add_own(&objects, export_new_file(x, ".o"));
    if (file_copy(t->parts->args[i], objects.args[i]))
      why = cannot_read(x, t->parts->args[i]);
  }
  if (!t->parts->n) {
    argv_add_own(&objects, export_new_file(x, ".o"));
    why = x->way->object(x, objects.args[0]);
  }
  for (size_t i = 0; !why && i < t->symbols->n; i++)
    why = rename_function(x, t->symbols->args[i], &objects);
  if (!why && t->format == EXPORT_SO) {
    compile_link_command(&command, t, &objects, file);
    why = export_run(x, &command);
  } else if (!why && objects.n > 1) {
    why = x->way->join(x, &objects, file);
  } else if (!why && rename(objects.args[0], file)) {
    why = xasprintf("%s: cannot make %s: %s", t->stem, file, strerror(errno));
  }
  argv_free(&command);
  argv_free(&objects);
  return why;
}

/* ---- all of it ---- */

/* Whether the compiler knows ARCH: a driver that lists its steps has looked at it. One that lists none will
 * show it when it compiles. */
static char *probe(struct export *x, const char *arch) {
  char *why = ask_driver(x, EXPORT_CODE_OBJECT, arch, "/dev/null");
  if (!x->refused) {
    free(why);
    why = NULL;
  }
  return why;
}

static const struct export_way export_hip = {.probe = probe,
                                             .device = make_device,
                                             .piece = make_device,
                                             .bundle = bundle,
                                             .object = make_object,
                                             .join = link_partially,
                                             .look = look};

static char *probe_all(struct export *x) {
  const char *at = x->t->archs, *word;
  char *why = NULL;
  for (size_t n; !why && (word = ckjit_arch_next(&at, &n));) {
    char *arch = xstrndup(word, n);
    why = x->way->probe(x, arch);
    free(arch);
  }
  return why;
}

/* nvcc's tools cannot be given every name: fatbinary takes a comma for a separator, nvcc itself $ for a
 * variable. Where DIR has such, work in it, with plain names. The files to be joined are copied into it, in
 * PARTS. */
static bool work_inside(const struct compile_task *t, const char *dir, struct argv *parts) {
  bool plain = compiler_dialect(t->compiler) != CC_NVCC;
  for (const char *s = dir; *s && !plain; s++)
    if (!isalnum((unsigned char)*s) && !strchr("/._-+", *s))
      break;
    else
      plain = !s[1];
  if (plain)
    return false;
  for (size_t i = 0; i < t->parts->n; i++) {
    argv_addf(parts, "part-%zu", i);
    char *copy = path_join(dir, parts->args[i]);
    file_copy(t->parts->args[i], copy); /* else it is said to be missing where it is read */
    free(copy);
  }
  return chdir(dir) == 0;
}

char *compile_export(const struct compile_task *task, const char *temporary, const char *file) {
  struct compile_task inside = *task;
  struct argv parts = {0};
  const struct compile_task *t = task;
  if (work_inside(task, temporary, &parts)) {
    inside.parts = &parts;
    t = &inside;
    temporary = ".";
    file = path_base(file);
  }
  struct export x = {.t = t,
                     .temporary = temporary,
                     .way = compiler_dialect(t->compiler) == CC_NVCC ? &export_cuda : &export_hip};
  setenv("TMPDIR", temporary, 1); /* where the compiler works: gone with it, also where it is killed */
  char *why = t->probe                      ? probe_all(&x)
              : export_is_device(t->format) ? make_device_all(&x, file)
                                            : make_host(&x, file);
  argv_free(&x.pass);
  argv_free(&x.link);
  argv_free(&x.bundler);
  argv_free(&parts);
  free(x.tools);
  return why;
}

char *compile_export_place(const struct compile_task *t, const char *file) {
  int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return xasprintf("%s: the compiler %s succeeded but made no output", t->stem, t->compiler);
  bool synced = fsync(fd) == 0;
  close(fd);
  return synced && rename(file, t->output) == 0
             ? NULL
             : xasprintf("%s: cannot make %s: %s", t->stem, t->output, strerror(errno));
}
