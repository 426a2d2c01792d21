/* outcome.c - see outcome.h. The memo has one fact in each line, because names of files need not be
 * UTF-8. */
#include "outcome.h"
#include "core/base/memofile.h"
#include "core/base/vec.h"

#define NAME "units 1"

static const struct {
  const char *name, *says;
} kinds[NOUTCOMES] = {
    [OUTCOME_LAZY] = {"lazy", "lazy"},
    [OUTCOME_LISTED] = {"listed", "compiled ahead of time, as --aot-list asks"},
    [OUTCOME_AHEAD] = {"ahead", "compiled ahead of time"},
    [OUTCOME_UNIT] = {"unit", "lazy, an ordinary unit"},
    [OUTCOME_UNIT_LISTED] = {"unit-listed", "compiled ahead of time, as --aot-list asks"},
    [OUTCOME_UNIT_AHEAD] = {"unit-ahead", "compiled ahead of time"},
    [OUTCOME_FRAGMENT] = {"fragment", "lazy"},
    [OUTCOME_FRAGMENT_AHEAD] = {"fragment-ahead", "compiled ahead of time"},
    [OUTCOME_TABULATED] = {"tabulated", "a dispatcher, its chains made tables"},
    [OUTCOME_ERASED] = {"erased", "a dispatcher, its helpers erased"},
    [OUTCOME_UNCHANGED] = {"unchanged", "a dispatcher, left as it was"},
    [OUTCOME_RECORDED] = {"recorded", "a dispatcher, compiled as the build compiles it"},
};

const char *outcome_name(enum outcome_kind kind) {
  return kinds[kind].name;
}

const char *outcome_says(enum outcome_kind kind) {
  return kinds[kind].says;
}

/* ---- writing ---- */

static void put(struct buf *out, const char *key, const char *text) {
  if (text)
    lines_put(out, key, text, NULL);
}

bool outcomes_write(const char *file, const struct outcomes *o) {
  autofree_buf out = {0};
  put(&out, "library", o->library);
  put(&out, "stock", o->stock);
  for (size_t i = 0; i < o->n; i++) {
    const struct outcome *u = &o->all[i];
    put(&out, "unit", outcome_name(u->kind));
    put(&out, "source", u->source);
    put(&out, "object", u->object);
    if (u->helpers || u->tables)
      buf_printf(&out, "rewritten %zu %zu %zu\n", u->helpers, u->tables, u->rows);
    put(&out, "why", u->why);
    for (size_t k = 0; k < u->needs.n; k++)
      put(&out, "needs", u->needs.args[k]);
  }
  buf_putc(&out, 0);
  return memofile_update(file, NAME, out.data);
}

/* ---- reading ---- */

static bool take_unit(struct outcomes *o, const char *name) {
  for (int k = 0; k < NOUTCOMES; k++)
    if (strcmp(kinds[k].name, name) == 0) {
      vec_push(o->all, o->n, (struct outcome){.kind = (enum outcome_kind)k});
      return true;
    }
  return false;
}

/* Read a line, which has one field. Unknown keys are of a later ckjit. */
static bool take(struct outcomes *o, const struct lines *l) {
  struct outcome *u = o->n ? &o->all[o->n - 1] : NULL;
  const char *key = l->field[0], *text = l->field[1];
  if (l->n != 2)
    return false;
  if (strcmp(key, "unit") == 0)
    return take_unit(o, text);
  if (strcmp(key, "rewritten") == 0)
    return u && sscanf(text, "%zu %zu %zu", &u->helpers, &u->tables, &u->rows) == 3;
  if (strcmp(key, "needs") == 0) {
    if (u)
      argv_add(&u->needs, text);
    return u != NULL;
  }
  char **to = strcmp(key, "library") == 0       ? &o->library
              : strcmp(key, "stock") == 0       ? &o->stock
              : u && strcmp(key, "source") == 0 ? &u->source
              : u && strcmp(key, "object") == 0 ? &u->object
              : u && strcmp(key, "why") == 0    ? &u->why
                                                : NULL;
  if (to && *to)
    return false;
  if (to)
    *to = xstrdup(text);
  return true;
}

static bool is_whole(const struct outcomes *o) {
  bool whole = o->library != NULL;
  for (size_t i = 0; i < o->n; i++)
    whole &= o->all[i].source && o->all[i].object;
  return whole;
}

bool outcomes_read(const char *file, struct outcomes *o, char **err) {
  struct lines l;
  *o = (struct outcomes){0};
  bool ok = memofile_open(&l, file, NAME);
  while (ok && lines_next(&l))
    ok = take(o, &l);
  ok = ok && lines_ended(&l) && is_whole(o);
  if (!ok) {
    *err = lines_error(&l, "what a link of this ckjit writes; link again");
    outcomes_free(o);
  }
  lines_close(&l);
  return ok;
}

void outcomes_free(struct outcomes *o) {
  for (size_t i = 0; i < o->n; i++) {
    free(o->all[i].source);
    free(o->all[i].object);
    free(o->all[i].why);
    argv_free(&o->all[i].needs);
  }
  free(o->all);
  free(o->library);
  free(o->stock);
  *o = (struct outcomes){0};
}
