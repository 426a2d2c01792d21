/* command.c - the compiler's arguments for what is exported.
 *
 * They differ from those of a blob (compile/command.c) in what they must not depend on. The architectures
 * are said by the export, so those among the flags go; the build id is not ckjit's, for no cache holds the
 * result; and an object of -flto is no code yet, but must link without clang.
 */
#include "command.h"
#include "compile/command.h"
#include "compile/cuid.h"
#include "compile/unit/unit.h"
#include "core/base/path.h"
#include "core/cc/compiler.h"

/* Append T's flags without those that say which architectures, because the export says it, and
 * those that begin with WITHOUT (NULL: all). -x is for a SOURCE, not for objects and PTX. */
static void add_flags(struct argv *c, const struct compile_task *t, const char *without, bool source) {
  for (size_t i = 0; i < t->cc.nwords; i++) {
    const struct cc_word *w = &t->cc.words[i];
    const char *flag = t->flags.args[w->arg];
    if (!command_keeps_flag(flag) || strcmp(flag, "-shared") == 0 || cc_is_arch(w) ||
        (without && str_starts(flag, without)) || (w->role == CC_ROLE_LANGUAGE && !source))
      continue;
    argv_add(c, flag);
    if (w->pair)
      argv_add(c, t->flags.args[w->arg + 1]);
  }
}

/* LTO-IR is asked for by the virtual architecture: lto_90 for sm_90, lto_80 for sm_86:compute_80. */
static void add_lto_arch(struct argv *c, const struct compile_task *t, const char *arch) {
  const char *number = strrchr(arch, '_');
  autofree char *lto = xasprintf("lto%s", number ? number : arch);
  compiler_add_arch(c, t->kind->dialect, number ? lto : arch, strlen(number ? lto : arch));
}

static void cuda_export_command(struct argv *c, const struct compile_task *t, const char *source,
                                enum export_format format, const char *archs, const char *output) {
  static const char *const modes[] = {[EXPORT_SO] = "-c",
                                      [EXPORT_OBJ] = "-c",
                                      [EXPORT_CODE_OBJECT] = "-cubin",
                                      [EXPORT_BITCODE] = "-ltoir",
                                      [EXPORT_ASM] = "-ptx"};
  argv_add(c, t->compiler);
  add_flags(c, t, NULL, !str_ends(source, ".ptx"));
  if (format == EXPORT_BITCODE)
    add_lto_arch(c, t, archs);
  else
    command_add_archs(c, t, archs);
  argv_add(c, modes[format]);
  if (!export_is_device(format))
    argv_add_words(c, "-Xcompiler", "-fPIC", NULL);
  command_add_output(c, t, output);
  argv_add(c, source);
}

/* What the library is called, by way of a file that the linker's driver reads: nvcc splits what is behind
 * -Xlinker at commas and blanks, and takes $ for a variable of its own. Its name is quoted for nvcc's shell.
 */
static void add_cuda_soname(struct argv *c, const char *name, const char *output) {
  autofree char *file = xasprintf("%s.soname", output);
  autofree_buf word = {0};
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
}

static void cuda_link_command(struct argv *c, const struct compile_task *t, const struct argv *objects,
                              const char *output) {
  argv_add(c, t->compiler);
  add_flags(c, t, NULL, false);
  command_add_archs(c, t, t->archs);
  /* the build id is not ckjit's: it is no cache entry */
  argv_add_words(c, "-shared", "-Xcompiler", "-fPIC", "-Xlinker", "-Bsymbolic,--build-id=sha1", NULL);
  if (t->export.soname)
    add_cuda_soname(c, t->export.soname, output);
  command_add_output(c, t, output);
  argv_add_all(c, objects->args);
  command_add_cuda_link(c, t);
}

/* The architectures are said apart, and an object of -flto is no code yet: it must link without clang. */
static void add_export_flags(struct argv *c, const struct compile_task *t, const char *archs) {
  argv_add(c, t->compiler);
  add_flags(c, t, "-flto", true);
  if (t->kernel)
    unit_text_words(c, t);
  command_add_archs(c, t, archs);
  if (!argv_has(&t->flags, "-fPIC"))
    argv_add(c, "-fPIC");
}

void export_command_compile(struct argv *c, const struct compile_task *t, const char *source,
                            enum export_format format, const char *archs, const char *output) {
  if (command_is_cuda(t)) {
    cuda_export_command(c, t, source, format, archs, output);
    return;
  }
  add_export_flags(c, t, archs);
  if (command_is_hip(t)) {
    /* clang makes it of the command line, in which the output's name is of no consequence to the code. */
    if (!cuid_is_given(t))
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
  command_add_output(c, t, output);
  command_add_source(c, t, source);
}

void export_command_link(struct argv *c, const struct compile_task *t, const struct argv *objects,
                         const char *output) {
  if (command_is_cuda(t)) {
    cuda_link_command(c, t, objects, output);
    return;
  }
  add_export_flags(c, t, t->archs);
  if (command_is_hip(t))
    argv_add(c, "-Qunused-arguments");
  argv_add_words(c, "-shared", "-Wl,-Bsymbolic", NULL);
  argv_add(c, "-Wl,--build-id=sha1"); /* not ckjit's: it is no cache entry */
  if (t->export.soname)
    argv_addf(c, "-Wl,-soname,%s", t->export.soname);
  command_add_output(c, t, output);
  argv_add(c, "-x"); /* -x hip in the flags would take the objects for sources */
  argv_add(c, "none");
  argv_add_all(c, objects->args);
  argv_add_all(c, t->link.args);
}
