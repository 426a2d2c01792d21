/* linkedunits.c - lazy units with -rdc=true or -fgpu-rdc: a kernel of one may need device functions of another.
 *
 * Which it needs is known when its bitcode is (compile/unit/part.c). The link says which there are: it makes a list of all such units,
 * with what each defines, and gives each unit with kernels a text that holds the list in place of the source (core/files/linkedunit.h). The key
 * of that text is the key of the unit's kernels, so an edit of one unit changes the keys of all kernels that may have it linked to
 * them. The units themselves keep theirs, by which they are compiled once.
 */
#include "link.h"

#include "devicejudge.h"

#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/files/linkedunit.h"
#include "core/files/unitkey.h"

/* The words of the link that decide about HIP's device code, of which each first launch asks the compiler how it links it. */
static const char *link_words(const struct link *l) {
  struct argv words = {0};
  for (size_t i = 0; i < l->line.args.n; i++) {
    const char *w = l->line.args.args[i];
    bool pair = strcmp(w, "-mllvm") == 0 || strcmp(w, "-Xoffload-linker") == 0;
    if (pair || str_starts(w, "-O") || str_starts(w, "-B"))
      argv_add(&words, w);
    if (pair && l->line.args.args[i + 1])
      argv_add(&words, l->line.args.args[++i]);
  }
  return words.n ? argv_join(words.args) : "";
}

/* What the keys have of R's compiler, as ckjit-unit has it in the unit's own, in DIGEST. Returns what its toolkit links LTO-IR with, or the words with which HIP's links. */
static const char *linker_of(struct link *l, const struct record *r, char digest[DIGEST_HEX]) {
  const char *linker;
  autofree char *ccbin = record_ccbin(r);
  struct inputs in =
      *tools_with_linker(&l->tools, r->compiler, r->compiler_kind, r->archs.args[0], ccbin, &linker);
  inputs_key_environment(&in, false);
  memcpy(digest, in.compiler, DIGEST_HEX);
  if (r->compiler_kind->runtime == RUNTIME_HIP)
    return link_words(l);
  return linker ? linker : ""; /* ckjit-unit has seen one: a first launch says what is missing */
}

/* Several units with tags may define one kernel, which a program then requests by a tag: so F's kernels count as needed. */
static void need_kernels(struct linkedunit *f, const struct record *r) {
  autofree_argv kernels = {0};
  char *err;
  if (f->tag && !unittext_kernels(r->device_text, &kernels, &err))
    die(EXIT_FAILED, "%s", err);
  for (size_t i = 0; i < f->ncode; i++)
    for (size_t k = 0; k < kernels.n; k++)
      if (argv_has(&f->code[i].strong, kernels.args[k]))
        argv_add(&f->code[i].needs, kernels.args[k]);
}

/* What the list has of U; linkedunit_free it. */
static struct linkedunit facts_of(const struct lazy_unit *u) {
  struct linkedunit f = {.key = xstrdup(u->record->key), .stem = xstrdup(u->stem)};
  argv_add_all(&f.device, u->record->device.args);
  if (!linkedunit_read(&f, u->record->device_text))
    die(EXIT_FAILED,
        "%s: what other units may call of it is not known, or was written by another version of ckjit: compile it again",
        record_place(u->record));
  need_kernels(&f, u->record);
  return f;
}

/* The list of all, unit number FIRST in front. The order of the others is that of the link. */
static void put_list(const struct linkedunits *all, size_t first, const char *linker, struct buf *out) {
  linkedunits_put_head(out, linker);
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
  autofree_argv kernels = {0};
  autofree_buf lines = {0};
  char key[DIGEST_HEX], *err;
  *r = *u->record;
  if (!unittext_each(u->record->device_text, add_arch, &archs, &err) ||
      !unittext_kernels(u->record->device_text, &kernels, &err))
    die(EXIT_FAILED, "%s", err);
  unitkey_texts(&lines, archs.texts, archs.n);
  unitkey_make(key, &lines, r->compiler_kind->dialect, r->device.args, compiler);
  autofree char *dir = path_dir(u->record->device_text);
  r->key = xstrdup(key);
  r->device_text = xasprintf("%s/%s" UNITTEXT_EXT, dir, key);
  if (!unittext_write(r->device_text, archs.texts, archs.n, &kernels, &err))
    die(EXIT_FAILED, "%s", err);
  for (size_t i = 0; i < archs.n; i++)
    free((char *)archs.texts[i].arch);
  free(archs.texts);
  return r;
}

void link_join_units(struct link *l) {
  struct linkedunits all = {0};
  autofree size_t *of = xcalloc(l->lazy.n + 1, sizeof *of);
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
    autofree_buf list = {0};
    char compiler[DIGEST_HEX];
    put_list(&all, of[i], linker_of(l, u->record, compiler), &list);
    u->own = u->record;
    u->record = join(u, &list, compiler);
  }
  linkedunits_free(&all);
}
