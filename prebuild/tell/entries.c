#include "entries.h"
#include "core/cache/artefact.h"
#include "prebuild/where.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/base/vec.h"
#include "core/cache/used.h"

/* ---- the library of a kernel ---- */

struct owner {
  char *stem;
  const char *library;
};

struct owners {
  struct owner *list;
  size_t n;
};

static int by_stem(const void *a, const void *b) {
  return strcmp(((const struct owner *)a)->stem, ((const struct owner *)b)->stem);
}

/* Libraries whose calls have waited for a kernel. */
static void read_owners(struct owners *o, const char *dir, struct argv *libraries) {
  used_libraries(dir, libraries);
  for (size_t i = 0; i < libraries->n; i++) {
    autofree_argv stems = {0}, kernels = {0};
    used_lines(dir, libraries->args[i], &stems, &kernels);
    for (size_t k = 0; k < stems.n; k++)
      vec_push(o->list, o->n, (struct owner){xstrdup(stems.args[k]), libraries->args[i]});
  }
  if (o->n)
    qsort(o->list, o->n, sizeof *o->list, by_stem);
}

static const char *owner_of(const struct owners *o, char *stem) {
  const struct owner wanted = {.stem = stem},
                     *found = o->n ? bsearch(&wanted, o->list, o->n, sizeof wanted, by_stem) : NULL;
  return found ? found->library : NULL;
}

/* The names of M's libraries if it has STEM; a manifest does not say which of several has it. */
static char *owner_by_manifest(const struct manifest *m, const char *stem) {
  if (!m || !m->libraries.n || !manifest_find(m, stem))
    return NULL;
  struct buf all = {0};
  for (size_t i = 0; i < m->libraries.n; i++)
    buf_printf(&all, "%s%s", i ? " or " : "", path_base(m->libraries.args[i]));
  return all.data;
}

/* ---- reading ---- */

/* Only a manifest that the user named must be readable. */
static struct manifest *find_manifest(const struct request *r) {
  char *named = where_manifest(r, WHERE_NAMED);
  autofree char *file = named ? named : where_manifest(r, WHERE_KNOWN), *err = NULL;
  struct manifest *m = file ? manifest_open(file, &err) : NULL;
  if (named && !m)
    die(EXIT_FAILED, "%s", err);
  return m;
}

static void add_entry(struct cache_entries *e, const struct cachedir_item *item,
                      const struct owners *owners) {
  struct artefact_name a;
  if (!artefact_name_read(&a, path_base(item->path)))
    return;
  char *stem = xstrndup(path_base(item->path), a.len);
  struct cache_entry *new = vec_add(e->list, e->n);
  *new = (struct cache_entry){.item = item, .stem = stem, .blob = a.stem};
  autofree char *blob = xstrndup(stem, new->blob);
  const char *library = owner_of(owners, blob);
  new->library = library ? xstrdup(library) : owner_by_manifest(e->m, blob);
}

void entries_read(struct cache_entries *e, const struct request *r) {
  struct owners owners = {0};
  autofree_argv libraries = {0};
  *e = (struct cache_entries){.m = find_manifest(r)};
  cachedir_list(&e->items, r->cache);
  read_owners(&owners, r->cache, &libraries);
  for (size_t i = 0; i < e->items.n; i++)
    if (e->items.list[i].entry)
      add_entry(e, &e->items.list[i], &owners);
}

/* ---- printing ---- */

void entries_flush(void) {
  streams_answered();
}

void entries_print_json(json_t *obj) {
  autofree char *text = json_dumps(obj, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
  puts(text);
  json_decref(obj);
  entries_flush();
}
