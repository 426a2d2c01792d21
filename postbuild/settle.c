/* settle.c - what the stub objects of a link hold, and what becomes of each blob: it is forwarded,
 * or it is compiled ahead of time for a reason that the summary gives.
 *
 * That is decided in four steps, each of which may forward fewer blobs than the one before: by a
 * blob's own text (blob.c); by the templates of other blobs that it uses; by -fgpu-rdc, whose blobs
 * are one piece of device code and go together; and by --aot-list. The compiler has the last word
 * (compile.c, ahead.c).
 */
#include "abi/ck_jit_access.h"
#include "link.h"

#include "keep.h"

#include "core/base/env.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cc/ccargs.h"
#include "core/files/bloblist.h"
#include "core/files/stubobj.h"
#include "core/files/unittext.h"

#include <unistd.h>

/* ---- records ---- */

static void add_dispatcher(struct link *l, const struct record *r) {
  vec_push(l->dispatchers, l->ndispatchers,
           (struct dispatcher){.record = r,
                               .object = xasprintf("%s/objs/dispatcher-%s.o", l->dir, r->stem),
                               .level = DISPATCH_TABLES});
}

static void read_dispatcher(struct link *l, const struct record *r) {
  if (!ckjit_may(r->source, R_OK))
    die(EXIT_FAILED, "%s: cannot read the source of the stub object %s: %s; build the object again",
        r->source, r->output, strerror(errno));
  add_dispatcher(l, r);
}

static void read_blob(struct link *l, struct record *r) {
  struct blob *b = &l->blobs[l->nblobs++];
  const struct record *first = l->blobs[0].record ? l->blobs[0].record : r;
  blob_read(b, r, &l->home->harmless);
  b->apart = l->line.places[r - l->line.records].contained;
  for (size_t k = 0; k < b->functions.n; k++)
    functions_add(&l->functions, b->functions.args[k], b->signatures.args[k]);
  /* The embedded manifest names one compiler: the first blob's. */
  if (strcmp(r->compiler, first->compiler) != 0 || r->compiler_kind != first->compiler_kind)
    blob_settle(b, BLOB_AHEAD,
                xasprintf("it is compiled by %s (%s), the others by %s (%s)", r->compiler,
                          r->compiler_kind->kind, first->compiler, first->compiler_kind->kind));
  if (b->late && b->rdc)
    fragments_add_unit(&l->fragments, b);
}

/* Does B use the templates that other blobs specialise? Compiled apart from them it would not
 * link. */
static bool is_dispatcher(const struct link *l, const struct blob *b) {
  for (size_t i = 0; i < b->uses.n; i++)
    if (functions_find(&l->functions, b->uses.args[i]) && !argv_has(&b->functions, b->uses.args[i]))
      return true;
  return false;
}

static int by_stem_and_source(const void *a, const void *b) {
  const struct record *const *x = a, *const *y = b;
  int c = strcmp((*x)->stem, (*y)->stem);
  if (!c)
    c = strcmp(record_place(*x), record_place(*y));
  return c ? c : (*x > *y) - (*x < *y);
}

/* The cache and the files of a link go by stems: of several sources with one stem, all but the first have a number. The
 * stem of a unit has its key, too. */
static void number_stems(struct link *l) {
  autofree struct record **sorted = xcalloc(l->line.nrecords + 1, sizeof *sorted);
  autofree_intern stems = {0};
  size_t n = 0;
  for (size_t i = 0; i < l->line.nrecords; i++)
    if (l->line.records[i].kind != RECORD_UNIT) {
      sorted[n++] = &l->line.records[i];
      intern(&stems, l->line.records[i].stem);
    }
  if (n)
    qsort(sorted, n, sizeof *sorted, by_stem_and_source);
  const char *first = "";
  size_t number = 2;
  for (size_t i = 0; i < n; i++) {
    struct record *r = sorted[i];
    if (strcmp(r->stem, first) != 0) {
      first = r->stem;
      number = 2;
      continue;
    }
    char *stem;
    while (stem = xasprintf("%s-%zu", first, number++), !intern_new(&stems, stem))
      free(stem);
    free(r->stem);
    r->stem = stem;
  }
}

void link_read_blobs(struct link *l) {
  /* they do not move: units point to them */
  l->blobs = xcalloc(l->line.nrecords, sizeof *l->blobs);
  l->objects = xcalloc(l->line.nrecords, sizeof *l->objects);
  number_stems(l);
  for (size_t i = 0; i < l->line.nrecords; i++) {
    struct record *r = &l->line.records[i];
    if (r->kind == RECORD_DISPATCHER)
      read_dispatcher(l, r);
    else if (r->kind == RECORD_FRAGMENT)
      fragments_add(&l->fragments, r);
    else if (r->kind == RECORD_UNIT)
      lazy_units_add(&l->lazy, r, l->line.files.args[i], l->line.members.args[i]);
    else
      read_blob(l, r);
  }
  for (size_t i = 0; i < l->nblobs; i++)
    if (!is_dispatcher(l, &l->blobs[i])) {
      continue;
    } else if (l->blobs[i].late) {
      blob_settle(&l->blobs[i], BLOB_AHEAD, xstrdup("it uses templates that other blobs specialise"));
    } else {
      add_dispatcher(l, l->blobs[i].record);
      blob_settle(&l->blobs[i], BLOB_DISPATCHER, NULL);
    }
}

/* ---- where the sources are ---- */

bool link_is_of_system(const struct link *l, const char *dir) {
  static const char *const dirs[] = {"/usr/include",  "/usr/local/include", "/usr/lib/gcc",
                                     "/usr/lib/llvm", "/opt/rocm",          "/usr/local/cuda"};
  bool is = false;
  for (size_t i = 0; i < sizeof dirs / sizeof *dirs && !is; i++)
    is = str_starts(dir, dirs[i]);
  autofree char *real = realpath(l->home->real_compiler, NULL),
                *bin = path_dir(real ? real : l->home->real_compiler), *top = path_dir(bin),
                *cuda = path_join(dir, "cuda_runtime.h"), *hip = path_join(dir, "hip/hip_runtime.h");
  is |= (strcmp(top, "/usr") != 0 && path_within(dir, top)) ||
        (strcmp(l->home->real_home, "/usr") != 0 && path_within(dir, l->home->real_home)) ||
        path_within(dir, l->home->dir) || file_exists(cuda) || file_exists(hip);
  return is;
}

/* Append DIR to the directories of BASES after the first, unless it is in one of them. Those in it
 * go: a header has one name. */
static void add_base(struct argv *bases, const char *dir) {
  struct argv others = {0};
  for (size_t i = 0; i < bases->n; i++)
    if (path_within(dir, bases->args[i]))
      return;
  for (size_t i = 0; i < bases->n; i++)
    if (i == 0 || !path_within(bases->args[i], dir))
      argv_add(&others, bases->args[i]);
  argv_add(&others, dir);
  argv_free(bases);
  *bases = others;
}

/* A bundle has the texts of units as well, and the headers of other packages, such as PyTorch's. */
static void add_bases(struct link *l) {
  autofree char *texts = path_join(l->work, UNITTEXT_DIR);
  add_base(&l->bases, texts);
  for (size_t i = 0; i < l->line.nrecords; i++) {
    const struct record *r = &l->line.records[i];
    char *dir = r->device_text ? path_dir(r->device_text) : NULL;
    if (dir)
      add_base(&l->bases, dir);
    free(dir);
    for (size_t k = 0; k < r->cc.nwords && r->kind != RECORD_UNIT; k++) {
      const struct cc_word *w = &r->cc.words[k];
      dir = w->role == CC_ROLE_DIR && *w->value ? path_abs_in(r->cwd, w->value) : NULL;
      if (dir && file_is_dir(dir) && !link_is_of_system(l, dir) && strcmp(dir, "/") != 0 &&
          strcmp(dir, "/usr") != 0)
        add_base(&l->bases, dir);
      free(dir);
    }
  }
}

const char *link_base(const struct link *l) {
  return l->bases.n ? l->bases.args[0] : "";
}

void link_choose_base(struct link *l) {
  const char *given = env_get("CK_JIT_BASE");
  bool bundle = l->bundle || argv_has(&l->home->keep, "bundle"), keep = bundle || (!given && l->home->keep.n);
  autofree char *base = keep && !given ? keep_base(l->blobs, l->nblobs, l->line.cwd) : NULL;
  const char *first = base ? base : given && *given ? given : NULL;
  if (first)
    argv_add(&l->bases, first);
  l->keep = keep && first;
  l->bundle = bundle && l->keep;
  if (l->bundle)
    add_bases(l);
  if (keep && !l->keep)
    warn("%s: the sources of its kernels are not kept: they have no directory in common but one of the whole "
         "machine; set CK_JIT_BASE to that of the build",
         l->line.output);
}

/* ---- relocatable device code ---- */

/* Blobs and fragments with -fgpu-rdc are one piece of device code. If one of them cannot be left
 * for later, nobody knows what it needs of the others, or they of it, before it is compiled. */
void link_give_up_rdc(struct link *l) {
  for (size_t i = 0; i < l->nblobs && l->no_rdc; i++)
    if (l->blobs[i].rdc)
      blob_settle(&l->blobs[i], BLOB_AHEAD, xstrdup(l->no_rdc));
}

/* Note the device code of FILE, an input of the link that is no stub object. */
static bool look_for_device_code(const char *file, const struct cc_input *in, void *user) {
  struct device_code *d = user;
  bool needs, there;
  (void)in;
  if (path_is_shared(file) || (stub_in_file(file) && !str_ends(file, ".a")))
    return true;
  char *why = fragments_obstacle(file, &needs, &there);
  d->there |= there;
  if (needs && !d->needs)
    d->needs = xstrdup(file);
  if (why && !d->why)
    d->why = why;
  else
    free(why);
  return true;
}

const struct device_code *link_device_code(struct link *l) {
  if (!l->device_code.known)
    ccargs_link_files(&l->line.scan, look_for_device_code, &l->device_code);
  l->device_code.known = true;
  return &l->device_code;
}

/* The sources of two late units of which each defines one device function, by their texts; NULL: there are none. free() it. */
static char *find_twice(const struct link *l) {
  autofree_intern heads = {0};
  autofree const struct blob **of = NULL;
  char *why = NULL;
  size_t n = 0;
  for (size_t i = 0; i < l->nblobs; i++)
    for (size_t k = 0; k < l->blobs[i].defines.device.n && l->blobs[i].rdc && !why; k++) {
      const char *head = l->blobs[i].defines.device.args[k];
      if (!strchr(head, '(')) /* a constant may be internal */
        continue;
      size_t at = intern(&heads, head);
      if (at == n)
        vec_push(of, n, &l->blobs[i]);
      else if (of[at] != &l->blobs[i])
        why = xasprintf("%s and %s define the device function %.*s", path_base(record_place(of[at]->record)),
                        path_base(record_place(l->blobs[i].record)), (int)strcspn(heads.texts.args[at], "("),
                        heads.texts.args[at]);
    }
  return why;
}

/* Why B, with -fgpu-rdc, is not left for its first call; NULL: it is. free() it. */
static char *not_left(const struct blob *b) {
  const char *place = record_place(b->record);
  return blob_is_forwarded(b) || b->fate == BLOB_UNUSED ? NULL
         : b->late
             ? xasprintf("%s: %s", path_base(place), b->reason ? b->reason : "it is no unit of its own")
             : xasprintf("%s is compiled ahead of time, and may need its device code or have some for it",
                         place);
}

/* What keeps the blobs with -fgpu-rdc from being left, and late units among them from being fragments; NULL: nothing. free() it. */
static char *rdc_obstacle(const struct link *l) {
  char *why = NULL;
  for (size_t i = 0; i < l->nblobs && !why; i++)
    why = l->blobs[i].rdc ? not_left(&l->blobs[i]) : NULL;
  for (size_t i = 0; i < l->fragments.n && !why; i++)
    if (l->nblobs && strcmp(l->fragments.list[i].record->compiler, l->blobs[0].record->compiler) != 0)
      why = xasprintf("the fragment %s is compiled by another compiler",
                      record_place(l->fragments.list[i].record));
  return why ? why : find_twice(l);
}

/* Has the link something with -fgpu-rdc to be left for later? *LATE: late units among it. */
static bool has_rdc(const struct link *l, bool *late) {
  bool any = l->fragments.n > 0;
  *late = false;
  for (size_t i = 0; i < l->nblobs; i++) {
    any |= l->blobs[i].rdc;
    *late |= l->blobs[i].rdc && l->blobs[i].late;
  }
  return any;
}

void link_look_beside(struct link *l) {
  bool late;
  if (!has_rdc(l, &late))
    return;
  const struct device_code *d = link_device_code(l);
  l->fragments_are_code |= d->needs != NULL;
  if (d->why && !l->no_rdc)
    l->no_rdc = xstrdup(d->why);
  if (late && l->fragments_are_code && !l->no_rdc)
    l->no_rdc = xstrdup("an object that was compiled already needs device code of others");
  link_give_up_rdc(l);
}

void link_settle_rdc(struct link *l, char **argv) {
  bool late, beside = l->no_rdc;
  if (!has_rdc(l, &late))
    return;
  fragments_settle(&l->fragments);
  if (!beside)
    l->no_rdc = rdc_obstacle(l);
  const char *takes = l->no_rdc ? NULL : fragments_headers(&l->fragments, l->dir, &l->runner);
  if (takes)
    l->no_rdc = xasprintf("a header of a fragment takes in a file that no depfile names (%s)", takes);
  if (l->no_rdc && late && !beside)
    link_join_rdc(l, l->no_rdc, argv);
  link_give_up_rdc(l);
  for (size_t i = 0; i < l->nblobs && l->fragments.n && !l->no_rdc; i++)
    if (l->blobs[i].rdc && blob_is_forwarded(&l->blobs[i]))
      fragments_combine(&l->fragments, &l->blobs[i]);
}

/* ---- the list ---- */

/* Does STEM name B, or one of its combinations of fragments? */
static bool has_stem(const struct blob *b, const char *stem) {
  bool found = strcmp(b->record->stem, stem) == 0;
  for (size_t i = 0; i < b->ncombinations && !found; i++)
    found = strcmp(b->combinations[i].stem, stem) == 0;
  return found;
}

void link_read_list(struct link *l) {
  char *err;
  if (!l->aot_list)
    return;
  if (!bloblist_read(l->aot_list, &l->listed, &l->where, &err))
    die(EXIT_FAILED, "--aot-list %s", err);
  l->is_blob = xcalloc(l->listed.n + 1, sizeof *l->is_blob);
  for (size_t k = 0; k < l->listed.n; k++)
    for (size_t i = 0; i < l->nblobs; i++) {
      struct blob *b = &l->blobs[i];
      if (!has_stem(b, l->listed.args[k]))
        continue;
      l->is_blob[k] = true;
      if (!b->rdc)
        blob_settle(b, BLOB_WANTED, NULL);
      else if (blob_is_forwarded(b)) /* two fragments may define one function: together they do not link */
        buf_printf(&l->stays, "ckjit-link: stays lazy: %s: it is linked of fragments (-fgpu-rdc)\n",
                   l->listed.args[k]);
    }
}

void link_want_listed_units(struct link *l) {
  for (size_t k = 0; k < l->listed.n; k++) {
    bool is_unit = l->lazy.n && link_want_lazy_unit(l, l->listed.args[k]);
    if (!is_unit && !l->is_blob[k])
      die(EXIT_FAILED, "--aot-list %s: unknown kernel '%s': no blob of this link has that stem",
          l->where.args[k], l->listed.args[k]);
  }
  argv_free(&l->listed);
  argv_free(&l->where);
  free(l->is_blob);
  l->is_blob = NULL;
}
