/* devicejudge.c - see devicejudge.h.
 *
 * For each architecture, as an nvlink would look at it:
 *
 *     f  strong in a.cu and b.cu              nvlink reports an error, unless tags say which kernel has which
 *     v  variable in a.cu and b.cu            of an inline function: all kernels of both share one
 *     g  needed by a.cu, defined by no unit   nvlink reports an error, or the optimiser removes the call
 *     h  needed by a.cu, defined by b.cu, which has a variable: kernels of a.cu share it with those of b.cu
 *
 * A kernel that is linked alone, or with those of its unit, would have a separate variable. So none
 * of these units is lazy.
 */
#include "devicejudge.h"

#include "core/base/vec.h"

struct symbol {
  const char *name; /* borrowed, as the unit is */
  const struct linkedunit *unit;
  const struct linkedcode *code;
  bool strong; /* of a variable: it may be written */
};

/* Symbols in the order of their names. */
struct symbols {
  struct symbol *list;
  size_t n;
};

static void add_all(struct symbols *s, const struct linkedunit *u, const struct linkedcode *c,
                    const struct argv *names, bool strong) {
  for (size_t i = 0; i < names->n; i++)
    vec_push(s->list, s->n, (struct symbol){names->args[i], u, c, strong});
}

static int by_name(const void *a, const void *b) {
  const struct symbol *x = a, *y = b;
  int c = strcmp(x->name, y->name);
  return c ? c : (x->unit > y->unit) - (x->unit < y->unit);
}

static void sort(struct symbols *s) {
  if (s->n)
    qsort(s->list, s->n, sizeof *s->list, by_name);
}

/* The first of NAME in S, or NULL. */
static const struct symbol *find(const struct symbols *s, const char *name) {
  size_t low = 0, high = s->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(s->list[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < s->n && strcmp(s->list[low].name, name) == 0 ? &s->list[low] : NULL;
}

/* Is P, which follows a symbol of S called NAME, another symbol of that name? */
static bool is_next(const struct symbols *s, const struct symbol *p, const char *name) {
  return p < s->list + s->n && strcmp(p->name, name) == 0;
}

/* ---- one architecture ---- */

/* May no kernel have both A and B? */
static bool is_choice(const struct linkedunit *a, const struct linkedunit *b) {
  return a->tag && b->tag && strcmp(a->tag, b->tag) != 0;
}

/* Of three with the tags x, y, x the first and the third are the pair: each is compared with all
 * that follow. */
static char *find_double(const struct symbols *defined) {
  for (size_t i = 0; i < defined->n; i++) {
    const struct symbol *a = &defined->list[i];
    for (const struct symbol *b = a + 1; a->strong && is_next(defined, b, a->name); b++)
      if (b->strong && !is_choice(a->unit, b->unit))
        return xasprintf("%s and %s define the device function %s", a->unit->stem, b->unit->stem, a->name);
  }
  return NULL;
}

/* Of a variable that nobody writes each may have a copy. */
static char *find_shared(const struct symbols *variables) {
  for (size_t i = 0; i < variables->n; i++) {
    const struct symbol *a = &variables->list[i];
    for (const struct symbol *b = a + 1; is_next(variables, b, a->name); b++)
      if (a->strong || b->strong)
        return xasprintf("kernels of %s and %s share the device variable %s", a->unit->stem, b->unit->stem,
                         a->name);
  }
  return NULL;
}

/* Returns why the need NAME of U prevents that. */
static char *look_at_need(const struct linkedunit *u, const char *name, const struct symbols *defined) {
  const struct symbol *d = find(defined, name);
  if (!d)
    return xasprintf("no unit that is linked with it defines %s, which %s needs", name, u->stem);
  for (; is_next(defined, d, name); d++) {
    const struct argv *own = d->code->statics.n ? &d->code->statics : &d->code->variables;
    /* a temporary of host code at namespace scope has no name: raft's headers have one, in cuVS's
     * units */
    if (own->n)
      return xasprintf("%s needs %s of %s, which has %s%s", u->stem, name, d->unit->stem,
                       *own->args[0] ? "the device variable " : "a device variable without a name",
                       own->args[0]);
  }
  return NULL;
}

static char *judge(const struct linkedunit *units, size_t n, const char *arch) {
  struct symbols defined = {0}, variables = {0};
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < units[i].ncode; k++) {
      const struct linkedcode *c = &units[i].code[k];
      if (strcmp(c->arch, arch) != 0)
        continue;
      add_all(&defined, &units[i], c, &c->strong, true);
      add_all(&defined, &units[i], c, &c->weak, false);
      add_all(&variables, &units[i], c, &c->variables, true);
      add_all(&variables, &units[i], c, &c->fixed, false);
    }
  sort(&defined);
  sort(&variables);
  char *why = find_double(&defined);
  why = why ? why : find_shared(&variables);
  for (size_t i = 0; i < n && !why; i++)
    for (size_t k = 0; k < units[i].ncode && !why; k++)
      for (size_t m = 0; m < units[i].code[k].needs.n && !why; m++)
        if (strcmp(units[i].code[k].arch, arch) == 0)
          why = look_at_need(&units[i], units[i].code[k].needs.args[m], &defined);
  free(defined.list);
  free(variables.list);
  return why;
}

char *devicejudge(const struct linkedunit *units, size_t n) {
  autofree_argv archs = {0};
  char *why = NULL;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < units[i].ncode; k++)
      argv_add_once(&archs, xstrdup(units[i].code[k].arch));
  for (size_t i = 0; i < archs.n && !why; i++)
    why = judge(units, n, archs.args[i]);
  return why;
}

/* ---- the list of a library ---- */

void devicejudge_shorten(struct linkedunit *units, size_t n) {
  struct symbols needs = {0}, kept = {0};
  bool twice = false;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < units[i].ncode; k++)
      add_all(&needs, &units[i], &units[i].code[k], &units[i].code[k].needs, false);
  sort(&needs);
  for (size_t i = 0; i < n; i++) {
    struct argv defines = {0};
    for (size_t k = 0; k < units[i].defines.n; k++)
      if (find(&needs, units[i].defines.args[k]))
        argv_add(&defines, units[i].defines.args[k]);
    argv_free(&units[i].defines);
    units[i].defines = defines;
    add_all(&kept, &units[i], NULL, &units[i].defines, false);
  }
  sort(&kept);
  for (size_t i = 1; i < kept.n; i++)
    twice |= strcmp(kept.list[i - 1].name, kept.list[i].name) == 0;
  for (size_t i = 0; i < n && !twice; i++) {
    free(units[i].tag);
    units[i].tag = NULL;
  }
  free(needs.list);
  free(kept.list);
}
