/* matrix.c - see matrix.h.
 *
 * The JSON document becomes an array of nodes: values, lists and objects, each parent before its
 * children. One walk from the last node to the first counts the combinations below each node. From
 * these counts combination number I is decoded top down: a list finds the element that holds I, an
 * object splits I like the digits of a mixed-radix number. So a product of a million combinations
 * takes the memory of its document.
 *
 * All checks work on the nodes as well, never on the product: a variable with two values in one
 * combination, an empty list, too many combinations, and the warnings about names and repeated
 * values. A message names its place in the document as a JSON pointer.
 */
#include "matrix.h"
#include "core/base/human.h"
#include "core/base/jsonread.h"
#include "core/base/path.h"
#include "core/base/vec.h"

/* A systematic mistake in a document shows up thousands of times. */
enum { MAX_WARNINGS = 50 };
enum { TOP = 0, NONE = UINT32_MAX };

enum node_kind { VALUE, LIST, OBJECT };

/* The content of a key, looking through lists. */
enum { HAS_VALUES = 1, HAS_GROUPS = 2 };

struct matrix_node {
  enum node_kind kind;
  unsigned below;
  uint32_t parent, depth;
  uint32_t index;    /* among the parent's children */
  uint32_t first, n; /* children */
  const char *key;   /* NULL in a list and at the top */
  /* combinations, UINT64_MAX if there are that many or more */
  uint64_t count;
  /* in a list: combinations of those before; in an object: product of those after */
  uint64_t step;
  uint32_t variable; /* of a value */
  uint32_t value;    /* of a value */
};

/* The state of a parse. */
struct matrix_reader {
  struct matrix *m;
  size_t nwarnings;
  char *err;
};

/* ---- places and messages ---- */

static void pointer_step(struct buf *out, const struct matrix_node *n, bool in_list) {
  if (in_list) {
    buf_printf(out, "/%u", n->index);
    return;
  }
  buf_putc(out, '/');
  for (const char *p = n->key; *p; p++) {
    if (*p == '~')
      buf_puts(out, "~0");
    else if (*p == '/')
      buf_puts(out, "~1");
    else if ((unsigned char)*p < ' ' || *p == 0x7f)
      buf_printf(out, "\\u%04X", (unsigned)*p); /* a message is one line */
    else
      buf_putc(out, *p);
  }
}

/* The JSON pointer (RFC 6901) of node AT; free() it. */
static char *pointer(const struct matrix *m, uint32_t at) {
  struct buf out = {0};
  autofree uint32_t *way = xmalloc(((size_t)m->nodes[at].depth + 1) * sizeof *way);
  uint32_t depth = m->nodes[at].depth;
  for (uint32_t d = depth, i = at; d > 0; d--, i = m->nodes[i].parent)
    way[d] = i;
  for (uint32_t d = 1; d <= depth; d++)
    pointer_step(&out, &m->nodes[way[d]], m->nodes[m->nodes[way[d]].parent].kind == LIST);
  return out.data ? out.data : xstrdup("the top");
}

/* Keeps the first error. */
__attribute__((format(printf, 3, 4))) static void fail(struct matrix_reader *r, uint32_t at,
                                                       const char *fmt, ...) {
  if (r->err)
    return;
  va_list ap;
  va_start(ap, fmt);
  autofree char *text = xvasprintf(fmt, ap), *where = at == NONE ? NULL : pointer(r->m, at);
  va_end(ap);
  r->err = where ? xasprintf("%s: %s: %s", r->m->file, where, text)
                 : xasprintf("%s: %s", r->m->file, text);
}

__attribute__((format(printf, 3, 4))) static void warn_at(struct matrix_reader *r, uint32_t at,
                                                          const char *fmt, ...) {
  if (r->nwarnings++ >= MAX_WARNINGS)
    return;
  va_list ap;
  va_start(ap, fmt);
  autofree char *text = xvasprintf(fmt, ap), *where = pointer(r->m, at);
  va_end(ap);
  argv_addf(&r->m->warnings, "%s: %s", where, text);
}

/* TEXT as a JSON string, so that control characters do not get into a message; free() it. */
static char *quoted(const char *text) {
  json_t *v = json_string(text);
  char *json = v ? json_dumps(v, JSON_ENCODE_ANY) : NULL;
  json_decref(v);
  if (!json)
    die(EXIT_FAILED, "out of memory");
  return json;
}

/* ---- the document as nodes ---- */

static uint32_t nodes_add(struct matrix_reader *r, size_t n) {
  struct matrix *m = r->m;
  vec_reserve(m->nodes, m->nnodes, n);
  memset(m->nodes + m->nnodes, 0, n * sizeof *m->nodes);
  m->nnodes += n;
  return (uint32_t)(m->nnodes - n);
}

/* The shortest text that reads back as the same number. */
static char *real_text(double x) {
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x)
      break;
  }
  return xasprintf("%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

/* The text of a value as CMake's string(JSON GET) returns it, since that is what a template sees in
 * CMake. */
static struct matrix_value *value_new(const json_t *v) {
  struct matrix_value *value = xcalloc(1, sizeof *value);
  switch (json_typeof(v)) {
  case JSON_STRING:
    value->json = json_dumps(v, JSON_ENCODE_ANY);
    value->text = json_string_value(v);
    break;
  case JSON_INTEGER:
    value->text = value->json = xasprintf("%" JSON_INTEGER_FORMAT, json_integer_value(v));
    break;
  case JSON_REAL:
    value->text = value->json = real_text(json_real_value(v));
    break;
  case JSON_NULL:
    value->json = xstrdup("null");
    value->text = "";
    break;
  default:
    value->json = xstrdup(json_is_true(v) ? "true" : "false");
    value->text = json_is_true(v) ? "ON" : "OFF";
  }
  if (!value->json)
    die(EXIT_FAILED, "out of memory");
  return value;
}

static void add_value(struct matrix_reader *r, uint32_t at, const json_t *v, const char *key) {
  struct matrix *m = r->m;
  if (!key) {
    fail(r, at,
         "a value without a name; expected objects, whose keys are the names of the variables");
    return;
  }
  if (!*key || key[strspn(key, MATRIX_NAME_CHARACTERS)]) {
    autofree char *name = quoted(key);
    fail(r, at,
         "the key %s cannot be written as @variable@; expected letters, digits and / _ . + -",
         name);
    return;
  }
  struct matrix_value *value = value_new(v);
  m->nodes[at].value = (uint32_t)m->nvalues;
  vec_push(m->values, m->nvalues, value);
  m->nodes[at].variable = (uint32_t)intern(&m->variables, key);
  m->nodes[at].below = HAS_VALUES;
  if (!json_is_string(v))
    warn_at(r, at, "%s is not a string; @%s@ becomes \"%s\". Write values as strings", value->json,
            key, value->text);
}

/* Read the subtree V into node AT; KEY is the nearest key above it. jansson limits the depth to
 * 2048. */
static void add(struct matrix_reader *r, uint32_t at, json_t *v, const char *key) {
  struct matrix_node *n = &r->m->nodes[at];
  if (!json_is_array(v) && !json_is_object(v)) {
    n->kind = VALUE;
    add_value(r, at, v, key);
    return;
  }
  bool is_list = json_is_array(v);
  uint32_t depth = n->depth + 1,
           size = (uint32_t)(is_list ? json_array_size(v) : json_object_size(v)),
           first = nodes_add(r, size), i = 0;
  n = &r->m->nodes[at]; /* nodes_add() may have moved it */
  n->kind = is_list ? LIST : OBJECT;
  n->first = first;
  n->n = size;
  void *member = is_list ? NULL : json_object_iter(v);
  for (; i < size && !r->err; i++) {
    struct matrix_node *child = &r->m->nodes[first + i];
    child->parent = at;
    child->depth = depth;
    child->index = i;
    if (!is_list)
      child->key = json_object_iter_key(member);
    add(r, first + i, is_list ? json_array_get(v, i) : json_object_iter_value(member),
        is_list ? key : child->key);
    if (!is_list)
      member = json_object_iter_next(v, member);
    else
      r->m->nodes[at].below |= r->m->nodes[first + i].below;
  }
  if (!is_list)
    r->m->nodes[at].below = HAS_GROUPS;
}

/* ---- counting ---- */

static uint64_t times(uint64_t a, uint64_t b) {
  uint64_t x;
  return !a || !b ? 0 : __builtin_mul_overflow(a, b, &x) ? UINT64_MAX : x;
}

static uint64_t plus(uint64_t a, uint64_t b) {
  uint64_t x;
  return __builtin_add_overflow(a, b, &x) ? UINT64_MAX : x;
}

/* Children come after their parents, so walk from the last node to the first. */
static void count(struct matrix *m) {
  for (size_t at = m->nnodes; at-- > 0;) {
    struct matrix_node *n = &m->nodes[at], *child = m->nodes + n->first;
    n->count = n->kind != LIST;
    if (n->kind == LIST) {
      for (uint32_t i = 0; i < n->n; i++) {
        child[i].step = n->count;
        n->count = plus(n->count, child[i].count);
      }
    } else {
      for (uint32_t i = n->n; i-- > 0;) {
        child[i].step = n->count;
        n->count = times(n->count, child[i].count);
      }
    }
  }
}

/* The empty list that leaves node AT without combinations. */
static uint32_t find_empty(const struct matrix *m, uint32_t at) {
  while (m->nodes[at].n) {
    uint32_t child = m->nodes[at].first;
    while (m->nodes[child].count)
      child++;
    at = child;
  }
  return at;
}

static void check_count(struct matrix_reader *r) {
  struct matrix *m = r->m;
  count(m);
  uint64_t n = m->nodes[TOP].count;
  if (!n)
    fail(r, find_empty(m, TOP),
         "an empty list, which leaves no combination; add a value, or remove the list");
  else if (n > MATRIX_MAX)
    fail(r, NONE,
         "%s%llu combinations, expected at most %d; put values that belong together into a "
         "group: \"_group\": [{…}, {…}]",
         n == UINT64_MAX ? "more than " : "", (unsigned long long)n - (n == UINT64_MAX),
         MATRIX_MAX);
  m->count = n;
}

/* ---- checks ---- */

/* The lowest common ancestor of A and B. Neither lies below the other. */
static uint32_t part(const struct matrix *m, uint32_t a, uint32_t b) {
  while (m->nodes[a].depth > m->nodes[b].depth)
    a = m->nodes[a].parent;
  while (m->nodes[b].depth > m->nodes[a].depth)
    b = m->nodes[b].parent;
  while (a != b) {
    a = m->nodes[a].parent;
    b = m->nodes[b].parent;
  }
  return a;
}

/* Two values of one variable are in the same combination exactly if their lowest common ancestor is
 * an object. It is enough to compare neighbours in document order: the common ancestor of any two
 * values is also that of two neighbours between them. LAST has the latest value seen of each
 * variable. */
static void check_twice(struct matrix_reader *r, uint32_t at, uint32_t *last) {
  struct matrix *m = r->m;
  const struct matrix_node *n = &m->nodes[at];
  if (!n->count || r->err)
    return;
  if (n->kind == VALUE) {
    uint32_t *before = &last[n->variable];
    if (*before != NONE && m->nodes[part(m, *before, at)].kind == OBJECT) {
      autofree char *other = pointer(m, *before);
      fail(r, at,
           "a second value for @%s@ in one combination, another is %s; expected different names",
           m->variables.texts.args[n->variable], other);
    }
    *before = at;
  }
  for (uint32_t i = 0; i < n->n; i++)
    check_twice(r, n->first + i, last);
}

/* The naming convention: a leading underscore marks a key that only groups. */
static void note_key(struct matrix_reader *r, uint32_t at) {
  const struct matrix_node *n = &r->m->nodes[at];
  size_t underscores = strspn(n->key, "_");
  autofree char *name = quoted(n->key);
  if (n->below & HAS_VALUES && underscores)
    warn_at(r, at, "the key %s is a variable, in spite of its underscore; name it \"%s\"", name,
            n->key[underscores] ? n->key + underscores : "…");
  else if (n->below == HAS_GROUPS && !underscores)
    warn_at(r, at, "the key %s only groups, no combination has it; name it \"_%.*s\"", name,
            (int)strlen(name) - 2, name + 1);
  else if (n->below == (HAS_VALUES | HAS_GROUPS))
    warn_at(r, at, "the key %s is a variable for some of its elements and only groups others",
            name);
}

/* Warn of the same value twice in a list. SEEN has, for each of TEXTS, the list in which it was
 * last seen. */
static void note_repeated(struct matrix_reader *r, uint32_t at, struct intern *texts,
                          uint32_t *seen) {
  const struct matrix_node *n = &r->m->nodes[at];
  for (uint32_t i = 0; i < n->n; i++) {
    const struct matrix_node *child = &r->m->nodes[n->first + i];
    if (child->kind != VALUE)
      continue;
    size_t text = intern(texts, r->m->values[child->value]->json);
    if (seen[text] == at)
      warn_at(r, n->first + i, "%s is already in this list", r->m->values[child->value]->json);
    seen[text] = at;
  }
}

/* All warnings, in document order. */
static void note_all(struct matrix_reader *r, uint32_t at, struct intern *texts, uint32_t *seen) {
  const struct matrix_node *n = &r->m->nodes[at];
  if (n->key)
    note_key(r, at);
  if (n->kind == LIST && !n->n)
    warn_at(r, at, "an empty list, so its object has no combination");
  if (n->kind == LIST)
    note_repeated(r, at, texts, seen);
  for (uint32_t i = 0; i < n->n; i++)
    note_all(r, n->first + i, texts, seen);
}

static uint32_t *all_none(size_t n) {
  uint32_t *p = xmalloc((n + 1) * sizeof *p);
  memset(p, 0xff, (n + 1) * sizeof *p);
  return p;
}

static void check(struct matrix_reader *r) {
  struct matrix *m = r->m;
  check_count(r);
  autofree uint32_t *last = all_none(m->variables.texts.n), *seen = all_none(m->nvalues);
  autofree_intern texts = {0};
  check_twice(r, TOP, last);
  if (!r->err)
    note_all(r, TOP, &texts, seen);
  if (r->nwarnings > MAX_WARNINGS)
    argv_addf(&m->warnings, "%zu more %s like these", r->nwarnings - MAX_WARNINGS,
              noun(r->nwarnings - MAX_WARNINGS, "warning", "warnings"));
}

/* ---- reading ---- */

struct matrix *matrix_parse(const char *file, const char *text, size_t n, char **err) {
  struct matrix *m = xcalloc(1, sizeof *m);
  struct matrix_reader r = {.m = m};
  json_error_t e;
  m->file = xstrdup(file);
  *err = NULL;
  m->json = json_loadb(text, n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
  if (!m->json) {
    fail(&r, NONE,
         "line %d, column %d: %s; expected a matrix in JSON, such as {\"dtype\": [\"fp16\", "
         "\"bf16\"]}",
         e.line, e.column, json_error_words(&e));
  } else {
    nodes_add(&r, 1);
    add(&r, TOP, m->json, NULL);
  }
  if (!r.err)
    check(&r);
  if (!r.err)
    return m;
  *err = r.err;
  matrix_free(m);
  return NULL;
}

/* Read all of standard input; 0 or an errno. */
static int read_standard(struct buf *out) {
  for (size_t n = 1; n;) {
    n = fread(buf_room(out, 1 << 16), 1, 1 << 16, stdin);
    out->len += n;
  }
  return ferror(stdin) ? errno : 0;
}

struct matrix *matrix_read(const char *file, char **err) {
  bool standard = strcmp(file, "-") == 0;
  autofree_buf text = {0};
  int e = 0;
  if (standard)
    e = read_standard(&text);
  else if (!(text.data = file_read_any(file, &text.len)))
    e = errno;
  struct matrix *m = NULL;
  if (standard)
    file = "standard input";
  if (e)
    *err = xasprintf("%s: cannot read it: %s", file, strerror(e));
  else
    m = matrix_parse(file, text.data, text.len, err);
  return m;
}

void matrix_free(struct matrix *m) {
  if (!m)
    return;
  for (size_t i = 0; i < m->nvalues; i++) {
    free(m->values[i]->json);
    free(m->values[i]);
  }
  free(m->values);
  free(m->nodes);
  free(m->file);
  argv_free(&m->warnings);
  intern_free(&m->variables);
  json_decref(m->json);
  free(m);
}

/* ---- combinations ---- */

struct combination *combination_new(const struct matrix *m) {
  struct combination *c = xcalloc(1, sizeof *c);
  c->values = xcalloc(m->variables.texts.n + 1, sizeof *c->values);
  c->order = xcalloc(m->variables.texts.n + 1, sizeof *c->order);
  return c;
}

void combination_free(struct combination *c) {
  if (!c)
    return;
  free(c->values);
  free(c->order);
  free(c);
}

/* The element of list N that holds its combination I: the last one that starts at or before I. */
static const struct matrix_node *element(const struct matrix *m, const struct matrix_node *n,
                                         uint64_t i) {
  const struct matrix_node *child = m->nodes + n->first;
  uint32_t low = 0, high = n->n; /* child[low].step <= i < child[high].step */
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (child[middle].step <= i)
      low = middle;
    else
      high = middle;
  }
  return &child[low];
}

/* Add combination I of node N to C. */
static void decode(struct combination *c, const struct matrix *m, const struct matrix_node *n,
                   uint64_t i) {
  for (; n->kind == LIST; i -= n->step)
    n = element(m, n, i);
  if (n->kind == VALUE) {
    c->values[n->variable] = m->values[n->value];
    c->order[c->n++] = n->variable;
    return;
  }
  for (uint32_t k = 0; k < n->n; k++) {
    const struct matrix_node *child = &m->nodes[n->first + k];
    decode(c, m, child, i / child->step % child->count);
  }
}

void combination_set(struct combination *c, const struct matrix *m, size_t number) {
  for (size_t i = 0; i < c->n; i++)
    c->values[c->order[i]] = NULL;
  c->n = 0;
  c->number = number;
  decode(c, m, &m->nodes[TOP], number);
}

void combination_json(struct buf *out, const struct combination *c, const struct matrix *m) {
  buf_putc(out, '{');
  for (size_t i = 0; i < c->n; i++) /* variable names have no character that JSON escapes */
    buf_printf(out, "%s\"%s\": %s", i ? ", " : "", m->variables.texts.args[c->order[i]],
               c->values[c->order[i]]->json);
  buf_putc(out, '}');
}
