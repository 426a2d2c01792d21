/* ready.c - `ready`: whether a job will compile, before it starts.
 *
 * A server asks this before it takes requests, so the answer must come at once: only for variants
 * (compile/variant.c) are compilers and headers compared. What is wanted is that of `warm`
 * (warm.c), and what the cache lacks is the plan of `build` (build.c).
 *
 * Two things are not known, and are listed as unknown:
 *
 *     no capture, and no call of the library has waited yet
 *     which kernels of a blob will be launched, where they are compiled apart (CUDA): the record of
 *     use has them, a capture names the blob alone
 *
 * If nothing is missing, the cache keeps the time, for `stats` (core/cache/stats.h).
 */
#include "archs.h"
#include "blobnames.h"
#include "build.h"
#include "cache.h"
#include "lazykernels.h"
#include "where.h"
#include "core/base/jsonread.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cache/stats.h"
#include "core/cache/times.h"
#include "core/cache/used.h"
#include "tell/entries.h"

enum { EXIT_WILL_COMPILE = 3, EXIT_NOT_KNOWN = 4 };

/* A kernel that a job will wait for, or may. */
struct row {
  const char *state, *why; /* why: of an unknown one */
  char *name, *library;
  const char *stem; /* of its blob; NULL: there is none */
  bool timed;
  uint64_t ms; /* of its last compile */
};

struct answer {
  struct request *r; /* one library's */
  const char *library;
  struct row *rows;
  size_t n, wanted, missing, unknown;
  struct times times;
};

static void add(struct answer *a, const char *state, const char *why, const char *name,
                const struct manifest_blob *blob, const char *stem) {
  struct row *row = vec_add(a->rows, a->n);
  *row = (struct row){.state = state,
                      .why = why,
                      .name = xstrdup(name),
                      .library = a->library ? xstrdup(a->library) : NULL,
                      .stem = blob ? blob->stem : NULL};
  row->timed = stem && times_find(&a->times, stem, &row->ms);
  a->unknown += why != NULL;
  a->missing += !why;
}

static void add_lacking(const struct lacking *l, void *user) {
  struct answer *a = user;
  const char *state = l->build_id ? cache_lacks(a->r, l->stem, l->build_id) : "absent";
  add(a, state, NULL, l->name, l->blob, l->stem ? l->stem : l->blob->stem);
}

/* ---- blobs whose kernels are compiled apart ---- */

/* Does the cache have an entry of BLOB for ARCHS that has its host side, and perhaps no kernels? */
static bool has_host_side(const struct request *r, const struct manifest_blob *blob,
                          const char *archs) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char path[PATH_MAX];
  return cache_key_apart(r, blob, archs, id) && cache_find_id(r, blob, id, path);
}

/* A list names BLOB and not its kernels. If the cache has it without kernels, those of the record
 * of use, STEMS and LAUNCHED, are wanted. True: the record has none, so it is not known which will
 * be launched. */
static bool narrow(struct request *r, const struct manifest_blob *blob, const struct argv *stems,
                   const struct argv *launched) {
  const struct argv *lists = &r->archs[blob->group];
  bool apart = false;
  for (size_t i = 0; i < lists->n && !blob->unit && !blob->linked; i++)
    apart |= !cache_has(r, blob, lists->args[i]) && has_host_side(r, blob, lists->args[i]);
  if (!apart || kernels_wanted(r, blob))
    return false;
  if (!r->kernels)
    r->kernels = xcalloc(r->m->nblobs + 1, sizeof *r->kernels);
  struct argv *kernels = &r->kernels[blob - r->m->blobs];
  for (size_t i = 0; i < stems->n; i++)
    if (*launched->args[i] && strcmp(stems->args[i], blob->stem) == 0)
      argv_add_once(kernels, xstrdup(launched->args[i]));
  return !kernels->n;
}

static void narrow_all(struct answer *a) {
  struct request *r = a->r;
  autofree_argv stems = {0}, launched = {0};
  size_t n = 0;
  for (size_t i = 0; i < r->m->libraries.n; i++)
    used_lines(r->cache, path_base(r->m->libraries.args[i]), &stems, &launched);
  for (size_t i = 0; i < r->nblobs; i++)
    if (!narrow(r, r->blobs[i], &stems, &launched)) {
      r->blobs[n++] = r->blobs[i];
    } else {
      a->wanted++;
      add(a, "unknown", "which of its kernels will be launched", r->blobs[i]->stem, r->blobs[i],
          r->blobs[i]->stem);
    }
  r->nblobs = n;
}

/* ---- a library ---- */

/* A kernel that is linked in is never looked for. */
static void drop_linked(struct request *r) {
  size_t n = 0;
  for (size_t i = 0; i < r->nblobs; i++)
    if (!r->blobs[i]->linked)
      r->blobs[n++] = r->blobs[i];
  r->nblobs = n;
}

/* What is missing for R, the request for one library. */
static void look(struct answer *a, struct request *r) {
  a->r = r;
  where_load(r);
  if (r->m->unkeyed)
    die(EXIT_FAILED,
        "%s: expected the " MANIFEST_NAME " of a linked library, found the records of a build",
        r->m->file);
  a->library = r->libraries.n      ? path_base(r->libraries.args[0])
               : r->m->libraries.n ? path_base(r->m->libraries.args[0])
                                   : NULL;
  blobnames_take(r);
  size_t listed = r->nblobs;
  if (!r->lists && !r->names.n && !r->all)
    warm_choose(r);
  bool known = r->lists || r->all || r->nblobs || !r->m->nblobs;
  drop_linked(r);
  if (!known) {
    add(a, "unknown", "no list is given, and no call has waited for a compile",
        a->library ? a->library : r->m->file, NULL, NULL);
    return;
  }
  archs_choose(r);
  if (listed)
    narrow_all(a);
  a->wanted += build_lacks(r, add_lacking, a);
}

/* The names of a list that no library has. */
static void add_unknown(struct answer *a, const struct request *all, size_t n) {
  a->library = NULL;
  for (size_t i = 0; i < all->names.n; i++) {
    bool none = true;
    for (size_t k = 0; k < n; k++)
      none &= all[1 + k].unknown[i];
    if (none) {
      a->wanted++;
      add(a, "unknown", "no library has a kernel of that name", all->names.args[i], NULL, NULL);
    }
  }
}

/* ---- the answer ---- */

static void print_for_people(const struct request *r, const struct answer *a) {
  for (size_t i = 0; i < a->n; i++) {
    const struct row *row = &a->rows[i];
    autofree_buf line = {0};
    buf_printf(&line, "%s\t%s\t", row->name, row->state);
    if (row->why)
      buf_puts(&line, row->why);
    else
      times_say(&line, row->timed, row->ms);
    puts(line.data);
  }
  if (!a->n)
    printf("ready: %zu %s wanted, and nothing will be compiled, %s\n", a->wanted,
           noun(a->wanted, "entry is", "entries are"), r->cache);
  else
    printf("not ready: %zu %s wanted, %zu will be compiled, %zu not known, %s\n", a->wanted,
           noun(a->wanted, "entry is", "entries are"), a->missing, a->unknown, r->cache);
}

static void print_json(const struct request *r, const struct answer *a) {
  json_t *list = json_array();
  for (size_t i = 0; i < a->n; i++) {
    const struct row *row = &a->rows[i];
    json_array_append_new(
        list, json_pack("{s:o, s:o, s:o, s:s, s:o, s:o}", "kernel", json_printable(row->name),
                        "stem", json_printable(row->stem), "library", json_printable(row->library),
                        "state", row->state, "why", json_printable(row->why), "seconds",
                        row->timed ? json_real((double)row->ms / 1e3) : json_null()));
  }
  entries_print_json(json_pack("{s:i, s:o, s:o, s:I, s:I, s:I, s:o}", "ckjit", 1, "cache",
                               json_printable(r->cache), "ready",
                               a->missing   ? json_false()
                               : a->unknown ? json_null()
                                            : json_true(),
                               "wanted", (json_int_t)a->wanted, "missing", (json_int_t)a->missing,
                               "unknown", (json_int_t)a->unknown, "kernels", list));
}

int prebuild_ready(struct request *r) {
  /* >static: all of them live until the end, as the request itself does */
  static struct request *all;
  static struct answer a;
  size_t n = r->libraries.n ? r->libraries.n : 1;
  autofree char *file = path_join(r->cache, TIMES_FILE);
  char *err = NULL;
  if (file_exists(r->cache))
    cache_open(r);
  if (file_exists(file) && !times_read(&a.times, file, TIMES_LAST, &err)) {
    warn("%s", err);
    free(err);
  }
  all = xcalloc(n + 1, sizeof *all);
  all[0] = *r;
  for (size_t i = 0; i < n; i++) {
    all[1 + i] = *r;
    all[1 + i].libraries = (struct argv){0};
    if (r->libraries.n)
      argv_add(&all[1 + i].libraries, r->libraries.args[i]);
    look(&a, &all[1 + i]);
  }
  add_unknown(&a, all, n);
  if (!a.n)
    stats_put_ready(r->cache);
  (r->json ? print_json : print_for_people)(r, &a);
  entries_flush();
  return a.missing ? EXIT_WILL_COMPILE : a.unknown ? EXIT_NOT_KNOWN : EXIT_OK;
}
