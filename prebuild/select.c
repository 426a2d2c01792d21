/* select.c - blobs selected by a matrix (prebuild/matrix.h), with --matrix FILE --name-format
 * FORMAT, for every command that takes blobs. `ckjit matrix` itself is generate.c.
 *
 * A name format such as fmha_fwd_d@hdim@_@dtype@_* makes a pattern from each combination. A
 * combination that matches no kernel is a mistake in the matrix or in the format. All of them
 * are reported before any work starts, not after the hours that the other kernels take. */
#include "select.h"
#include "lazykernels.h"
#include "prebuild.h"
#include "subst.h"
#include "core/base/human.h"

#include <fnmatch.h>

/* A wrong format may make every combination fail. */
enum { MAX_MESSAGES = 20 };

struct matrix *matrix_open(const char *file) {
  char *err;
  struct matrix *m = matrix_read(file, &err);
  if (!m)
    die(EXIT_FAILED, "%s", err);
  for (size_t i = 0; i < m->warnings.n; i++)
    warn("%s: %s", m->file, m->warnings.args[i]);
  return m;
}

/* The names of M's variables, for a message; free() it. */
static char *variable_names(const struct matrix *m) {
  struct buf out = {0};
  if (!m->variables.texts.n)
    buf_puts(&out, "none");
  for (size_t i = 0; i < m->variables.texts.n && i < MAX_MESSAGES; i++)
    buf_printf(&out, "%s%s", i ? ", " : "", m->variables.texts.args[i]);
  if (m->variables.texts.n > MAX_MESSAGES)
    buf_puts(&out, ", …");
  return out.data;
}

void matrix_bind(struct subst *s, const struct matrix *m, bool has_lines) {
  const struct subst_piece *unknown;
  if (subst_bind(s, m, &unknown))
    return;
  char *names = variable_names(m),
       *place = has_lines ? xasprintf(":%u:%u", unknown->line, unknown->column) : xstrdup("");
  die(EXIT_FAILED, "%s%s: @%s@ is not a variable of %s; it has %s", s->file, place,
      s->names.texts.args[unknown->name], m->file, names);
}

void matrix_warn_unused(const struct matrix *m, const struct subst *a, const struct subst *b) {
  autofree bool *used = xcalloc(m->variables.texts.n + 1, sizeof *used);
  const struct subst *const both[] = {a, b};
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; both[k] && i < both[k]->names.texts.n; i++)
      if (both[k]->bound[i] != SIZE_MAX)
        used[both[k]->bound[i]] = true;
  autofree_buf names = {0};
  for (size_t i = 0; i < m->variables.texts.n; i++)
    if (!used[i])
      buf_printf(&names, "%s@%s@", names.len ? ", " : "", m->variables.texts.args[i]);
  if (names.len)
    warn("%s%s%s does not use %s of %s", a ? a->file : "", a && b ? " with " : "", b ? b->file : "",
         names.data, m->file);
}

char *matrix_describe(const struct combination *c, const struct matrix *m) {
  struct buf out = {0};
  buf_printf(&out, "combination %zu of %s, ", c->number + 1, m->file);
  combination_json(&out, c, m);
  return out.data;
}

/* ---- selection ---- */

struct selection {
  struct request *r;
  const struct matrix *m;
  struct subst *format;
  struct intern patterns;
  bool *wanted;
  size_t wrong;
};

static void select_blob(struct selection *s, const struct manifest_blob *blob) {
  struct request *r = s->r;
  kernels_take_whole(r, blob, s->wanted);
}

/* The first blob whose stem does not sort before the first N bytes of PREFIX. */
static size_t first_from(const struct manifest *m, const char *prefix, size_t n) {
  size_t low = 0, high = m->nblobs;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strncmp(m->blobs[middle].stem, prefix, n) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Stems are sorted, so those with the pattern's literal prefix are adjacent. */
static bool select_pattern(struct selection *s, const char *pattern) {
  const struct manifest *m = s->r->m;
  size_t literal = strcspn(pattern, "*?[\\"), at = first_from(m, pattern, literal);
  bool found = false;
  for (; at < m->nblobs && strncmp(m->blobs[at].stem, pattern, literal) == 0; at++) {
    if (fnmatch(pattern, m->blobs[at].stem, 0) != 0)
      continue;
    select_blob(s, &m->blobs[at]);
    found = true;
  }
  return found;
}

static void select_combination(struct selection *s, const struct combination *c) {
  const struct subst_piece *missing = subst_missing(s->format, c);
  autofree_buf pattern = {0};
  const char *lacks = missing ? s->format->names.texts.args[missing->name] : NULL;
  bool ok = false;
  if (!missing) {
    subst_render(&pattern, s->format, c);
    size_t known = s->patterns.texts.n;
    ok = intern(&s->patterns, pattern.data ? pattern.data : "") < known || /* handled before */
         select_pattern(s, pattern.data ? pattern.data : "");
  }
  if (!ok && s->wrong++ < MAX_MESSAGES) {
    autofree char *what = matrix_describe(c, s->m);
    if (missing)
      complain("--name-format: @%s@ has no value in %s", lacks, what);
    else
      complain("--name-format: none of %zu %s in %s matches '%s', which comes from %s",
               s->r->m->nblobs, noun(s->r->m->nblobs, "blob", "blobs"), s->r->m->file,
               pattern.data ? pattern.data : "", what);
  }
}

bool matrix_select(struct request *r, bool *wanted) {
  struct matrix *m = matrix_open(r->matrix);
  struct selection s = {
      .r = r, .m = m, .format = subst_text("--name-format", r->name_format), .wanted = wanted};
  matrix_bind(s.format, m, false);
  matrix_warn_unused(m, s.format, NULL);
  struct combination *c = combination_new(m);
  for (size_t i = 0; i < m->count; i++) {
    combination_set(c, m, i);
    select_combination(&s, c);
  }
  if (s.wrong > MAX_MESSAGES)
    note("--name-format: %zu more %s", s.wrong - MAX_MESSAGES,
         noun(s.wrong - MAX_MESSAGES, "combination", "combinations"));
  return !s.wrong;
}
