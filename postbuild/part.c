/* part.c - a forwarding unit that the compiler refuses, and the blobs that are the cause.
 *
 * Most errors name a line of the unit, and so the blob that it belongs to; clang and gcc name it
 * for an error in a header as well, with the instantiation that led there. Other errors name no
 * such line: an #include that is not found, a context that fails, a compiler that crashes. Then the
 * unit is parted.
 *
 * First the text before all functions is compiled alone, for each set of headers that the blobs
 * bring:
 *
 *     unit of a b c d e f g h     headers of {a b c d e}: compiled     headers of {f g h}: refused
 *                                                                      f, g and h cannot be forwarded
 *
 * If that is all compiled, the unit is halved, and each half that fails again, until the blobs that
 * fail alone are found. All parts of one round are compiled side by side:
 *
 *     a b c d e f g h  refused
 *     a b c d          compiled     e f g h  refused
 *                                   e f      refused     g h  compiled
 *                                   e  compiled   f  refused: f cannot be forwarded
 *
 * A guilty blob of n costs 2 log2(n) small compiles. n guilty ones cost 2n, which is little beside
 * compiling these blobs ahead of time, as must be done then.
 */
#include "link.h"

#include "flags.h"

#include "core/base/path.h"
#include "core/base/vec.h"

/* Part of a unit: some of its blobs, compiled apart from the others. */
struct part {
  /* within the unit's, or within a copy of these */
  struct blob **blobs;
  size_t n;
  char *error; /* why it is refused; NULL: it is not */
};

/* ---- by the lines of the errors ---- */

/* Only the names count: what optimises is left out. */
struct step link_unit_step(const struct group *g, const char *source, const char *object, bool devices) {
  static char *const quick[] = {"-g0", "-w", "-fno-asynchronous-unwind-tables", "-fno-lto", NULL};
  struct step s = {0};
  flags_host(&s.args, g->sample);
  /* the text is that of the build's own pass, which may optimise */
  if (g->sample->compiler_kind->clang) {
    argv_add(&s.args, "-Xclang");
    argv_add(&s.args, "-disable-llvm-passes");
  } else {
    flags_word(&s.args, g->sample, "-O0");
  }
  for (size_t i = 0; quick[i]; i++)
    flags_word(&s.args, g->sample, quick[i]);
  /* tells the flag's doing from an attribute's */
  if (flags_hide(g->sample))
    flags_word(&s.args, g->sample, "-fvisibility=protected");
  if (flags_is_hip(g->sample))
    argv_add(&s.args, "-ferror-limit=0"); /* each error names a blob to be left out */
  if (devices && g->sample->compiler_kind->whole && !g->includes_within)
    argv_add(&s.args, "--devices");
  flags_quote(&s.args, g->sample);
  step_source(&s, g->sample, source, object);
  return s;
}

void link_refuse(struct link *l, struct unit *un, struct blob *b, char *why) {
  argv_add(&l->refused, record_place(b->record));
  if (!l->refusal)
    l->refusal = xstrdup(why);
  unit_drop(un, b, why);
}

/* The line of the unit UN that the text at P, which begins with the unit's name, says; 0 if
 * none. */
static uint32_t line_at(const struct unit *un, const char *p) {
  size_t name = strlen(un->source);
  /* clang and gcc say file:line, nvcc's front end file(line) */
  return p[name] == ':' || p[name] == '(' ? (uint32_t)strtoul(p + name + 1, NULL, 10) : 0;
}

/* Drop the blobs that the lines of the compiler's output are about, or have them written in another form.
 * Returns how many. */
static size_t drop_named(struct link *l, struct unit *un, const struct step *s) {
  autofree struct blob **bad = xcalloc(un->nblobs + 1, sizeof *bad);
  autofree char *first = step_first_error(&s->output, s->status),
                **why = xcalloc(un->nblobs + 1, sizeof *why);
  size_t n = 0, length = strlen(un->source);
  for (const char *p = s->output.len ? s->output.data : NULL; p && (p = strstr(p, un->source)); p += length) {
    uint32_t line = line_at(un, p);
    struct blob *b = line ? unit_blob_at(un, line) : NULL;
    bool known = false;
    for (size_t i = 0; i < n; i++)
      known |= bad[i] == b;
    if (!b || known)
      continue;
    size_t size = strcspn(p, "\n");
    bool error = memmem(p, size, "error", 5) != NULL; /* else a note to one that stands elsewhere */
    why[n] = error ? xstrndup(p, size) : xstrdup(first);
    bad[n++] = b;
  }
  for (size_t i = 0; i < n; i++) {
    if (!unit_say_by_address(bad[i]))
      link_refuse(l, un, bad[i], xasprintf("its forwarding stub does not compile: %s", why[i]));
    free(why[i]);
  }
  return n;
}

/* ---- by halves ---- */

/* Compile the N PARTS of unit K side by side, with their FUNCTIONS or only what stands before
 * these. */
static void compile_parts(struct link *l, unsigned k, struct part *parts, size_t n, bool functions) {
  autofree struct step *steps = xcalloc(n, sizeof *steps);
  autofree char *dir = path_join(l->dir, "parts");
  if (!dir_make(dir))
    die(EXIT_FAILED, "%s: cannot make the directory: %s", dir, strerror(errno));
  const struct group *g = &l->units.groups[l->units.units[k].group];
  for (size_t i = 0; i < n; i++) {
    autofree char *source = xasprintf("%s/part-%zu%s", dir, i, g->extension);
    autofree char *object = xasprintf("%s/part-%zu.o", dir, i);
    unit_write_part(&l->units, k, parts[i].blobs, parts[i].n, functions, source);
    steps[i] = link_unit_step(g, source, object, true);
  }
  steps_run(&l->runner, steps, n);
  for (size_t i = 0; i < n; i++) {
    parts[i].error = steps[i].status ? step_first_error(&steps[i].output, steps[i].status) : NULL;
    step_free(&steps[i]);
  }
  dir_remove(dir);
}

static void refuse_part(struct link *l, struct unit *un, const struct part *p, const char *what,
                        const char *error) {
  for (size_t i = 0; i < p->n; i++)
    link_refuse(l, un, p->blobs[i], xasprintf("%s: %s", what, error));
}

static int by_preamble(const void *a, const void *b) {
  const struct blob *const *x = a, *const *y = b;
  int c =
      strcmp((*x)->preamble.len ? (*x)->preamble.data : "", (*y)->preamble.len ? (*y)->preamble.data : "");
  return c ? c : strcmp((*x)->record->stem, (*y)->record->stem);
}

static bool same_preamble(const struct blob *a, const struct blob *b) {
  return a->preamble.len == b->preamble.len &&
         (!a->preamble.len || memcmp(a->preamble.data, b->preamble.data, a->preamble.len) == 0);
}

static int by_size(const void *a, const void *b) {
  const struct part *x = a, *y = b;
  return (x->n < y->n) - (x->n > y->n);
}

/* The headers of each of the N PARTS compile, but not those of all together: the largest part
 * stays, and of the others those that go with it and with each other. Returns whether any was
 * dropped. */
static bool drop_strangers(struct link *l, unsigned k, struct part *parts, size_t n, size_t blobs) {
  static const char what[] = "what it includes does not compile with what others include";
  struct part kept = {.blobs = xmalloc((blobs + 1) * sizeof *kept.blobs)};
  bool dropped = false;
  qsort(parts, n, sizeof *parts, by_size);
  for (size_t i = 0; i < n; i++) {
    struct part with = kept;
    memcpy(kept.blobs + kept.n, parts[i].blobs, parts[i].n * sizeof *parts[i].blobs);
    with.n += parts[i].n;
    if (i)
      compile_parts(l, k, &with, 1, false);
    if (with.error) {
      refuse_part(l, &l->units.units[k], &parts[i], what, with.error);
      dropped = true;
    } else {
      kept.n = with.n;
    }
    free(with.error);
  }
  free(kept.blobs);
  return dropped;
}

/* Drop blobs of ALL because of their headers. Returns whether any was dropped. */
static bool drop_by_headers(struct link *l, unsigned k, struct part *all) {
  autofree struct part *parts = NULL;
  struct part whole = *all;
  size_t n = 0;
  bool dropped = false;
  qsort(all->blobs, all->n, sizeof *all->blobs, by_preamble);
  for (size_t i = 0; i < all->n; i++) {
    if (!i || !same_preamble(all->blobs[i], all->blobs[i - 1]))
      vec_push(parts, n, (struct part){.blobs = all->blobs + i});
    parts[n - 1].n++;
  }
  compile_parts(l, k, parts, n, false);
  for (size_t i = 0; i < n; i++) {
    if (parts[i].error)
      refuse_part(l, &l->units.units[k], &parts[i], "the head of its forwarding unit does not compile",
                  parts[i].error);
    dropped |= parts[i].error != NULL;
    free(parts[i].error);
    parts[i].error = NULL;
  }
  if (!dropped && n > 1) {
    compile_parts(l, k, &whole, 1, false);
    dropped = whole.error && drop_strangers(l, k, parts, n, all->n);
    free(whole.error);
  }
  return dropped;
}

/* Part P is refused as a whole: drop those of its blobs that are refused alone. */
static void drop_by_halves(struct link *l, unsigned k, struct part p) {
  static const char alone[] = "its forwarding stub does not compile";
  struct unit *un = &l->units.units[k];
  autofree struct part *open = NULL;
  size_t nopen = 0;
  vec_push(open, nopen, p);
  while (nopen) {
    struct part *next = NULL;
    autofree struct part *halves = xcalloc(2 * nopen, sizeof *halves);
    size_t nnext = 0, n = 0;
    for (size_t i = 0; i < nopen; i++) {
      if (open[i].n == 1) {
        refuse_part(l, un, &open[i], alone, open[i].error);
        continue;
      }
      size_t half = open[i].n / 2;
      halves[n++] = (struct part){.blobs = open[i].blobs, .n = half};
      halves[n++] = (struct part){.blobs = open[i].blobs + half, .n = open[i].n - half};
    }
    if (n)
      compile_parts(l, k, halves, n, true);
    for (size_t i = 0, half = 0; i < nopen; i++) {
      if (open[i].n > 1) {
        struct part *h = &halves[half];
        half += 2;
        if (!h[0].error && !h[1].error) /* they do not go together */
          refuse_part(l, un, &h[1], "its forwarding stub does not compile with others", open[i].error);
        for (size_t m = 0; m < 2; m++)
          if (h[m].error)
            vec_push(next, nnext, h[m]);
      }
      free(open[i].error);
    }
    free(open);
    open = next;
    nopen = nnext;
  }
}

void part_unit(struct link *l, unsigned k, const struct step *s) {
  struct unit *un = &l->units.units[k];
  if (drop_named(l, un, s))
    return;
  link_progress(l, "a forwarding unit does not compile, and no error names a blob: compiling parts of it");
  /* dropping a blob moves the later ones in the unit's own list */
  struct part all = {.blobs = xmalloc(un->nblobs * sizeof *all.blobs), .n = un->nblobs};
  memcpy(all.blobs, un->blobs, un->nblobs * sizeof *all.blobs);
  if (!drop_by_headers(l, k, &all)) {
    all.error = step_first_error(&s->output, s->status);
    drop_by_halves(l, k, all);
  }
  free(all.blobs);
}
