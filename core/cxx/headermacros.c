/* headermacros.c - see headermacros.h. */
#include "headermacros.h"

#include "cxxmacro.h"
#include "headernames.h"

/* Macros that call macros, and texts that are read for one declaration: beyond, it is in doubt. */
enum { MAX_DEPTH = 6, MAX_TEXTS = 64 };

struct asked {
  const struct macros *m;
  unsigned texts;
};

static bool is_harmless(struct asked *a, const char *text, unsigned depth);

/* Append TEXT to OUT with the body of M, which has no parameters, in place of its name. */
static void put_body(const struct cxx_macro *m, const char *text, struct buf *out) {
  const struct cxx_tok *name = &m->line.toks[1];
  struct cxx_text t;
  size_t from = 0;
  cxx_lex(&t, text, strlen(text));
  for (uint32_t i = 0; i < t.n; i++) {
    if (!cxx_is_n(&t, i, m->line.text + name->at, name->len))
      continue;
    buf_add(out, text + from, t.toks[i].at - from);
    cxx_render(&m->line, 2, m->line.n, out);
    from = t.toks[i].at + t.toks[i].len;
  }
  buf_puts(out, text + from);
  cxx_text_free(&t);
}

/* Is TEXT harmless if LINE, `define NAME…`, is what NAME in it stands for? */
static bool is_harmless_with(struct asked *a, const char *line, const char *text, unsigned depth) {
  struct cxx_macro m;
  autofree_buf expanded = {0};
  if (!cxx_macro_read(&m, line, strlen(line)))
    return false;
  bool expands = true;
  if (m.params)
    expands = cxx_macro_expand(&m, text, strlen(text), &expanded);
  else
    put_body(&m, text, &expanded);
  cxx_macro_free(&m);
  return expands && is_harmless(a, expanded.data, depth + 1);
}

/* The first of the bodies of NAME, LEN bytes, which are sorted; their number if there is none. */
static size_t find_body(const struct argv *bodies, const char *name, size_t len) {
  size_t low = 0, high = bodies->n;
  while (low < high) {
    size_t mid = (low + high) / 2;
    int order = strncmp(bodies->args[mid], name, len);
    if (order < 0 || (!order && (unsigned char)bodies->args[mid][len] < ' '))
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

static bool is_of(const struct argv *bodies, size_t k, const char *name, size_t len) {
  return k < bodies->n && strncmp(bodies->args[k], name, len) == 0 && bodies->args[k][len] == ' ';
}

/* Is TEXT harmless with each of the bodies that its first macro has? */
static bool expands_harmlessly(struct asked *a, const char *text, unsigned depth) {
  const struct argv *bodies = &a->m->bodies;
  struct cxx_text t;
  bool found = false, harmless = cxx_lex(&t, text, strlen(text)) && depth < MAX_DEPTH;
  for (uint32_t i = 0; i < t.n && harmless && !found; i++) {
    const char *name = t.text + t.toks[i].at;
    size_t len = t.toks[i].len;
    if (!cxx_ident(&t, i))
      continue;
    for (size_t k = find_body(bodies, name, len); is_of(bodies, k, name, len) && harmless; k++) {
      found = true;
      harmless = is_harmless_with(a, bodies->args[k] + len + 1, text, depth);
    }
  }
  cxx_text_free(&t);
  return found && harmless;
}

static bool is_harmless(struct asked *a, const char *text, unsigned depth) {
  struct header_names h = {0};
  struct reason why;
  bool harmless = ++a->texts <= MAX_TEXTS &&
                  !header_names_read(&h, text, strlen(text), false, &why) && !h.doubt;
  for (size_t i = 0; i < h.unclear.n && harmless; i++)
    harmless = expands_harmlessly(a, h.unclear.args[i], depth);
  header_names_free(&h);
  return harmless;
}

bool headermacros_in_doubt(const struct argv *unclear, const struct macros *m) {
  for (size_t i = 0; i < unclear->n; i++) {
    struct asked a = {.m = m};
    if (!expands_harmlessly(&a, unclear->args[i], 0))
      return true;
  }
  return false;
}
