/* outcome.c - see outcome.h. Text, a fact a line, because names of files need not be UTF-8. */
#include "outcome.h"
#include "core/base/oneline.h"
#include "core/base/path.h"
#include "core/base/vec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char format[] = "ckjit-units 1";

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
  if (!text)
    return;
  buf_printf(out, "%s ", key);
  oneline_put(out, text);
  buf_putc(out, '\n');
}

bool outcomes_write(const char *file, const struct outcomes *o) {
  struct buf out = {0};
  buf_printf(&out, "%s\n", format);
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
  }
  bool ok = file_update(file, out.data, out.len, 0666);
  buf_free(&out);
  return ok;
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

/* Take the line KEY TEXT. Other keys are of a later ckjit. */
static bool take(struct outcomes *o, const char *key, char *text) {
  struct outcome *u = o->n ? &o->all[o->n - 1] : NULL;
  if (strcmp(key, "unit") == 0)
    return take_unit(o, text);
  if (strcmp(key, "rewritten") == 0)
    return u && sscanf(text, "%zu %zu %zu", &u->helpers, &u->tables, &u->rows) == 3;
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
  size_t len, number = 0;
  char *text = file_read(file, &len);
  *o = (struct outcomes){0};
  if (!text) {
    *err = xasprintf("%s: cannot read: %s", file, strerror(errno));
    return false;
  }
  bool ok = true;
  for (const char *p = text, *end = text + len; p < end && ok; number++) {
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    size_t n = nl ? (size_t)(nl - p) : 0;
    const char *space = n ? memchr(p, ' ', n) : NULL;
    if (!number) {
      ok = n == strlen(format) && memcmp(p, format, n) == 0;
    } else if ((ok = space && !memchr(p, 0, n))) {
      char *key = xstrndup(p, (size_t)(space - p)),
           *value = oneline_read(space + 1, (size_t)(nl - space) - 1);
      ok = take(o, key, value);
      free(key);
      free(value);
    }
    p = nl ? nl + 1 : end;
  }
  free(text);
  if (ok && number && is_whole(o))
    return true;
  *err = xasprintf("%s:%zu: not what a link of this ckjit writes; link again", file, number);
  outcomes_free(o);
  return false;
}

void outcomes_free(struct outcomes *o) {
  for (size_t i = 0; i < o->n; i++) {
    free(o->all[i].source);
    free(o->all[i].object);
    free(o->all[i].why);
  }
  free(o->all);
  free(o->library);
  free(o->stock);
  *o = (struct outcomes){0};
}
