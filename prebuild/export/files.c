/* files.c - `export`: which files there are, and which kernels and architectures go into each.
 *
 *     one kernel                   one compile
 *     several, host format         an object file for each, joined by the linker
 *     several, device format       bitcode for each, joined before code generation
 *     several architectures        host format: one compile;
 *                                  device format: a code object for each, in a bundle
 *
 * The GPUs of this machine do not show where a file will be used. Without --arch and CK_JIT_ARCH it
 * is made for all architectures that the library was built for.
 */
#include "export.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cc/compiler.h"
#include "abi/ck_jit_machine.h"

#include <limits.h>

void archs_add(char archs[CKJIT_ARCHS_SIZE], const char *arch, size_t n) {
  const char *at = archs, *word;
  for (size_t m; (word = ckjit_arch_next(&at, &m));)
    if (export_same_arch(word, m, arch, n))
      return;
  ckjit_arch_add(archs, arch, n);
}

/* --arch, CK_JIT_ARCH, or all that the library was built for. */
static void archs_for(char archs[CKJIT_ARCHS_SIZE], const struct request *r,
                      const struct manifest_blob *blob) {
  const char *said = r->arch ? r->arch : env_get("CK_JIT_ARCH"), *word;
  const struct argv *built = &r->m->groups[blob->group].archs;
  archs[0] = 0;
  for (size_t n; said && (word = ckjit_arch_next(&said, &n));)
    archs_add(archs, word, n);
  for (size_t i = 0; !said && i < built->n; i++)
    archs_add(archs, built->args[i], strlen(built->args[i]));
}

size_t archs_count(const char *archs) {
  size_t count = 0, n;
  while (ckjit_arch_next(&archs, &n))
    count++;
  return count;
}

char *archs_built(const struct request *r, const struct manifest_blob *blob) {
  struct buf b = {0};
  const struct argv *built = &r->m->groups[blob->group].archs;
  buf_puts(&b, "");
  for (size_t i = 0; i < built->n; i++)
    buf_printf(&b, "%s%s", i ? ";" : "", built->args[i]);
  return b.data;
}

char *host_triple(const struct request *r) {
  static const char system[] = "linux-";
  const char *name = r->host_target;
  if (!name)
    return NULL;
  const struct ckjit_machine *m =
      str_starts(name, system) ? ckjit_machine_named(name + sizeof system - 1) : NULL;
  return m ? xasprintf("%s-linux-gnu", m->name) : xstrdup("");
}

/* of the kernels that are exported, which are of one runtime (export.c) */
static const struct compiler *kind_of(const struct request *r) {
  return manifest_kind(r->m, &r->m->groups[r->blobs[0]->group]);
}

bool arch_is_virtual(const struct request *r, const char *arch) {
  return kind_of(r)->ptx && strncmp(arch, "sm_", 3) != 0;
}

static const char *extension(const struct exporting *x, bool fat) {
  return export_extension(x->format, kind_of(x->r)->runtime, fat);
}

char *new_file(struct exporting *x) {
  return xasprintf("%s/%d%s", x->dir, x->files++, extension(x, false));
}

static struct output *add_output(struct exporting *x, char *path, size_t first, size_t n) {
  struct output *o = vec_add(x->outputs, x->n);
  *o = (struct output){.path = path, .blobs = x->r->blobs + first, .nblobs = n};
  archs_for(o->archs, x->r, o->blobs[0]);
  return o;
}

/* DIRECTORY/STEM.EXT, in a device format DIRECTORY/STEM.ARCH.EXT. */
static void add_file(struct exporting *x, const char *dir, size_t blob, const char *arch,
                     size_t n) {
  autofree char *name = arch ? xasprintf("%s.%.*s%s", x->r->blobs[blob]->stem, (int)n, arch,
                                         extension(x, arch_is_virtual(x->r, arch)))
                             : xasprintf("%s%s", x->r->blobs[blob]->stem, extension(x, false));
  if (strlen(name) > NAME_MAX)
    die(EXIT_FAILED,
        "%s: the name of its file would be longer than %d bytes; export it by itself to a file",
        x->r->blobs[blob]->stem, NAME_MAX);
  struct output *o = add_output(x, path_join(dir, name), blob, 1);
  if (arch)
    snprintf(o->archs, sizeof o->archs, "%.*s", (int)n, arch);
  if (file_is_dir(o->path))
    die(EXIT_FAILED, "--output %s: there is a directory called %s", x->r->output, name);
}

void plan_directory(struct exporting *x, const char *dir) {
  for (size_t i = 0; i < x->r->nblobs; i++) {
    char archs[CKJIT_ARCHS_SIZE];
    archs_for(archs, x->r, x->r->blobs[i]);
    if (!export_is_device(x->format) || !*archs) {
      add_file(x, dir, i, NULL, 0);
      continue;
    }
    const char *at = archs, *word;
    for (size_t n; (word = ckjit_arch_next(&at, &n));)
      add_file(x, dir, i, word, n);
  }
}

/* The options that affect code generation, without those for the preprocessor and warnings. Kernels
 * that differ in these cannot be one module. free() it. */
static char *code_flags(const struct manifest *m, const struct manifest_group *g) {
  autofree_argv left = {0};
  struct ccargs a;
  ccargs_scan(&a, manifest_kind(m, g)->dialect, g->flags.args);
  for (size_t i = 0; i < a.nwords; i++) {
    const struct cc_word *w = &a.words[i];
    const char *flag = a.args[w->arg];
    if (w->role == CC_ROLE_DIR || w->role == CC_ROLE_MACRO || w->role == CC_ROLE_FORCED ||
        str_starts(flag, "-W") || strcmp(flag, "-w") == 0 ||
        (w->pair && str_starts(a.args[w->arg + 1], "-cuid="))) /* each lazy unit has another */
      continue;
    argv_add(&left, flag);
    if (w->pair)
      argv_add(&left, a.args[w->arg + 1]);
  }
  ccargs_free(&a);
  return argv_join(left.args ? left.args : (char *[]){NULL});
}

/* Kernels of one unit have the same functions and constants, which cannot be joined. */
static void check_other_unit(const struct exporting *x, const struct output *o, size_t n) {
  const struct manifest_blob *b = o->blobs[n];
  for (size_t i = 0; i < n; i++)
    if (b->unit && o->blobs[i]->unit && memcmp(b->key, o->blobs[i]->key, sizeof b->key) == 0)
      die(EXIT_FAILED,
          "--output %s: %s and %s belong to one unit and cannot be joined; export to a "
          "directory, or export the whole unit by its own name",
          x->r->output, o->blobs[i]->stem, b->stem);
}

/* Blobs in one file must have the same architectures and, in one module, the same flags. */
static void check_together(const struct exporting *x, const struct output *o) {
  const struct request *r = x->r;
  char archs[CKJIT_ARCHS_SIZE];
  autofree char *flags = code_flags(r->m, &r->m->groups[o->blobs[0]->group]);
  for (size_t i = 1; i < o->nblobs; i++) {
    check_other_unit(x, o, i);
    archs_for(archs, r, o->blobs[i]);
    if (strcmp(archs, o->archs) != 0)
      die(EXIT_FAILED,
          "--output %s: %s was built for %s and %s for %s; pass --arch, or export to a directory",
          r->output, o->blobs[0]->stem, o->archs, o->blobs[i]->stem, archs);
    if (!export_is_device(x->format) || o->blobs[i]->group == o->blobs[0]->group)
      continue;
    autofree char *others = code_flags(r->m, &r->m->groups[o->blobs[i]->group]);
    if (strcmp(flags, others) != 0)
      die(EXIT_FAILED,
          "--output %s: %s and %s are compiled with different flags (%s; %s) and cannot be "
          "joined; export to a directory",
          r->output, o->blobs[0]->stem, o->blobs[i]->stem, flags, others);
  }
}

void plan_file(struct exporting *x, char *path) {
  struct output *o = add_output(x, path, 0, x->r->nblobs);
  if (o->nblobs > 1 && export_is_device(x->format) && kind_of(x->r)->ptx)
    die(EXIT_FAILED,
        "--output %s: CUDA device code is one module per kernel, and the modules of %zu "
        "kernels cannot be joined; export to a directory, or as so or obj",
        x->r->output, o->nblobs);
  check_together(x, o);
  if (export_is_device(x->format) && x->format != EXPORT_CODE_OBJECT && archs_count(o->archs) > 1)
    die(EXIT_FAILED,
        "--output %s: %s holds one architecture, found several: %s; pass one with --arch, or "
        "export to a directory",
        x->r->output, export_format_name(x->format), o->archs);
}
