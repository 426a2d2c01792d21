/* linkedunits.c - lazy units of CUDA with -rdc=true: a kernel of one may need device functions of another.
 *
 * Which it needs is known when its bitcode is (compile/cuda/part.c). The link says which there are: it makes a list of all such units,
 * with what each defines, and gives each unit with kernels a text that holds the list in place of the source (core/files/linkedunit.h). The key
 * of that text is the key of the unit's kernels, so an edit of one unit changes the keys of all kernels that may have it linked to
 * them. The units themselves keep theirs, by which they are compiled once.
 */
#include "link.h"

#include "devicejudge.h"

#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/vec.h"
#include "core/cache/toolchain.h"
#include "core/cc/ccenv.h"
#include "core/files/linkedunit.h"
#include "core/files/unitkey.h"

#include <stdlib.h>
#include <string.h>

/* What the keys have of R's compiler, as ckjit-unit has it in the unit's own; free() it. */
static char *compiler_digest(const struct link *l, const struct record *r) {
  struct inputs in = {0};
  struct argv env = {0};
  char *name = xstrdup(r->compiler);
  for (char *p = name; *p; p++)
    if (*p == '/')
      *p = '-';
  char *memo = xasprintf("%s/.compilers/%s", l->work, name);
  ccenv_toolchain(&in.environment, r->compiler_kind);
  ccenv_make(&env, &in.environment, NULL);
  pool_environment = env.args;
  toolchain_read(&in, r->compiler, r->compiler_kind, r->archs.args[0], memo);
  pool_environment = NULL;
  inputs_key_environment(&in, false);
  argv_free(&env);
  free(memo);
  free(name);
  return xstrdup(in.compiler);
}

/* The same for all units: a compiler is asked once, not for each of hundreds of units (examples/ivf-flat). */
struct digests {
  const struct record *of; /* NULL: none was asked for */
  char *digest;
};

static const char *digest_of(const struct link *l, const struct record *r, struct digests *d) {
  bool same = d->of && strcmp(d->of->compiler, r->compiler) == 0 &&
              d->of->compiler_kind == r->compiler_kind && strcmp(d->of->archs.args[0], r->archs.args[0]) == 0;
  if (!same) {
    free(d->digest);
    *d = (struct digests){r, compiler_digest(l, r)};
  }
  return d->digest;
}

/* What the list has of U; linkedunit_free it. */
static struct linkedunit facts_of(const struct lazy_unit *u) {
  struct linkedunit f = {.key = xstrdup(u->record->key), .stem = xstrdup(u->stem)};
  argv_add_all(&f.device, u->record->device.args);
  if (!linkedunit_read(&f, u->record->device_text))
    die(EXIT_FAILED,
        "%s: what other units may call of it is not known, or was written by another version of ckjit: compile it again",
        u->record->source);
  return f;
}

/* The list of all, unit number FIRST in front. The order of the others is that of the link. */
static void put_list(const struct linkedunits *all, size_t first, struct buf *out) {
  linkedunits_put(out, &all->list[first]);
  for (size_t i = 0; i < all->n; i++)
    if (i != first)
      linkedunits_put(out, &all->list[i]);
}

struct archs {
  const struct buf *list;
  struct unittext *texts;
  size_t n;
};

static void add_arch(const char *arch, const char *digest, void *user) {
  struct archs *a = user;
  (void)digest;
  vec_push(a->texts, a->n, (struct unittext){xstrdup(arch), a->list->data, a->list->len});
}

/* The record of U's kernels: LIST for each architecture is their text. */
static struct record *join(const struct lazy_unit *u, const struct buf *list, const char *compiler) {
  struct record *r = xcalloc(1, sizeof *r);
  struct archs archs = {.list = list};
  struct argv kernels = {0};
  struct buf lines = {0};
  char key[DIGEST_HEX], *err;
  *r = *u->record;
  if (!unittext_each(u->record->device_text, add_arch, &archs, &err) ||
      !unittext_kernels(u->record->device_text, &kernels, &err))
    die(EXIT_FAILED, "%s", err);
  unitkey_texts(&lines, archs.texts, archs.n);
  unitkey_make(key, &lines, CC_NVCC, r->device.args, compiler);
  char *dir = path_dir(u->record->device_text);
  r->key = xstrdup(key);
  r->device_text = xasprintf("%s/%s" UNITTEXT_EXT, dir, key);
  if (!unittext_write(r->device_text, archs.texts, archs.n, &kernels, &err))
    die(EXIT_FAILED, "%s", err);
  for (size_t i = 0; i < archs.n; i++)
    free((char *)archs.texts[i].arch);
  free(archs.texts);
  free(dir);
  buf_free(&lines);
  argv_free(&kernels);
  return r;
}

void link_join_units(struct link *l) {
  struct linkedunits all = {0};
  struct digests digests = {0};
  size_t *of = xcalloc(l->lazy.n + 1, sizeof *of);
  for (size_t i = 0; i < l->lazy.n; i++)
    if (l->lazy.list[i].linked && l->lazy.list[i].stem && !l->lazy.list[i].why) {
      of[i] = all.n;
      struct linkedunit f = facts_of(&l->lazy.list[i]);
      vec_push(all.list, all.n, f);
    }
  devicejudge_shorten(all.list, all.n);
  for (size_t i = 0; i < l->lazy.n; i++) {
    struct lazy_unit *u = &l->lazy.list[i];
    if (!u->linked || !lazy_unit_is_row(u))
      continue;
    struct buf list = {0};
    put_list(&all, of[i], &list);
    u->own = u->record;
    u->record = join(u, &list, digest_of(l, u->record, &digests));
    buf_free(&list);
  }
  free(digests.digest);
  linkedunits_free(&all);
  free(of);
}

void link_put_linked_units(const struct link *l, struct buf *lines) {
  bool any = false;
  for (size_t i = 0; i < l->lazy.n; i++) {
    const struct lazy_unit *u = &l->lazy.list[i];
    if (!u->own)
      continue;
    buf_puts(lines, any ? "" : "#define CKJIT_LINKED_UNITS");
    buf_printf(lines, " \\\n  {\"%s\", \"%s\"},", u->own->key, u->record->key);
    any = true;
  }
  if (any)
    buf_puts(lines, "\n");
}
