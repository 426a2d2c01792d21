/* matrix.c - a matrix, JSON, and behind a NUL a template for it.
 *
 * What is read is a product: as many combinations as counted, each with a value for each of its variables, no
 * two of one variable, the first and the last those that the first and last values give. */
#include "fuzz.h"

#include "prebuild/matrix.h"
#include "prebuild/subst.h"

/* what combination C has, by its own lists */
static void check_combination(const struct combination *c, const struct matrix *m) {
  size_t have = 0;
  CHECK(c->n <= m->variables.texts.n);
  for (size_t i = 0; i < m->variables.texts.n; i++)
    have += c->values[i] != NULL;
  CHECK(have == c->n);
  for (size_t i = 0; i < c->n; i++)
    CHECK(c->values[c->order[i]] && c->values[c->order[i]]->text && c->values[c->order[i]]->json);
}

/* what is printed is JSON again, with the same variables in the same order */
static void check_json(const struct combination *c, const struct matrix *m) {
  struct buf text = {0};
  combination_json(&text, c, m);
  CHECK(!memchr(text.data, '\n', text.len));
  json_t *v = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
  CHECK(json_is_object(v) && json_object_size(v) == c->n);
  const char *key;
  json_t *member;
  size_t i = 0;
  json_object_foreach(v, key, member) {
    CHECK(strcmp(key, m->variables.texts.args[c->order[i]]) == 0);
    if (json_is_string(member))
      CHECK(strcmp(json_string_value(member), c->values[c->order[i]]->text) == 0);
    i++;
  }
  json_decref(v);
  buf_free(&text);
}

static void render(struct subst *s, const struct combination *c) {
  struct buf out = {0};
  if (!subst_missing(s, c))
    subst_render(&out, s, c);
  buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *end = size ? memchr(data, 0, size) : NULL;
  size_t n = end ? (size_t)(end - data) : size;
  char *json = fuzz_text(data, n), *text = fuzz_text(end ? end + 1 : data, end ? size - n - 1 : 0),
       *err = NULL;
  struct matrix *m = matrix_parse("input", json, n, &err);
  struct subst *template = subst_template("template", text, end ? size - n - 1 : 0),
               *format = subst_text("format", text);
  CHECK(!m == !!err);
  if (m) {
    const struct subst_piece *unknown;
    bool bound = subst_bind(template, m, &unknown);
    CHECK(bound == !unknown);
    CHECK(m->count >= 1 && m->count <= MATRIX_MAX);
    bool format_bound = subst_bind(format, m, &unknown);
    struct combination *c = combination_new(m);
    for (size_t i = 0; i < m->count; i += i < 20 || i + 21 > m->count ? 1 : m->count - i - 20) {
      combination_set(c, m, i);
      check_combination(c, m);
      check_json(c, m);
      if (bound)
        render(template, c);
      if (format_bound)
        render(format, c);
    }
    combination_free(c);
  } else {
    CHECK(str_starts(err, "input: ") && !strchr(err, '\n'));
  }
  subst_free(template);
  subst_free(format);
  matrix_free(m);
  free(err);
  free(json);
  free(text);
  return 0;
}
