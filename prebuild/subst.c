/* subst.c - see subst.h.
 *
 * A text is parsed once into pieces: literal text, a reference to a variable, and the two forms of
 * #cmakedefine. Rendering a combination concatenates the pieces, so a template is not parsed again
 * for each of thousands of combinations, and a substituted value cannot be taken for a reference.
 * SUBST_IF governs the `span` pieces after it, which are the rest of its line.
 *
 * The details of #cmakedefine are CMake's: it is recognised anywhere in a line, its name ends
 * before / . + -, and every occurrence of the directive in the line becomes "#define", with the
 * blanks after the # kept.
 */
#include "subst.h"
#include "core/base/vec.h"

#include <strings.h>

/* ---- pieces ---- */

static struct subst_piece *add(struct subst *s, enum subst_kind kind, unsigned line,
                               unsigned column) {
  vec_push(s->pieces, s->n, (struct subst_piece){.kind = kind, .line = line, .column = column});
  return &s->pieces[s->n - 1];
}

static void add_text(struct subst *s, const char *text, size_t n) {
  if (!n)
    return;
  struct subst_piece *piece = add(s, SUBST_TEXT, 0, 0);
  piece->text = xmalloc(n);
  memcpy(piece->text, text, n);
  piece->len = n;
}

static struct subst_piece *add_named(struct subst *s, enum subst_kind kind, const char *name,
                                     size_t n, unsigned line, size_t column) {
  autofree char *copy = xstrndup(name, n);
  struct subst_piece *piece = add(s, kind, line, (unsigned)column);
  piece->name = intern(&s->names, copy);
  return piece;
}

static size_t name_length(const char *p, size_t n) {
  size_t len = 0;
  while (len < n && p[len] && strchr(MATRIX_NAME_CHARACTERS, p[len]))
    len++;
  return len;
}

/* Parse the references in N bytes at TEXT, which are within one line. */
static void parse_references(struct subst *s, const char *text, size_t n, unsigned line,
                             size_t column) {
  size_t done = 0;
  for (size_t i = 0; i < n; i++) {
    size_t len = text[i] == '@' ? name_length(text + i + 1, n - i - 1) : 0;
    if (!len || i + 1 + len >= n || text[i + 1 + len] != '@')
      continue;
    add_text(s, text + done, i - done);
    add_named(s, SUBST_VARIABLE, text + i + 1, len, line, column + i);
    i += len + 1;
    done = i + 1;
  }
  add_text(s, text + done, n - done);
}

struct subst *subst_text(const char *file, const char *text) {
  struct subst *s = xcalloc(1, sizeof *s);
  s->file = xstrdup(file);
  parse_references(s, text, strlen(text), 1, 1);
  return s;
}

/* ---- lines of a template ---- */

/* "#  cmakedefine NAME" in a line: WORD is cmakedefine or cmakedefine01. */
struct define {
  size_t at;             /* of the # */
  size_t indent;         /* blanks after it */
  size_t name, name_len; /* of the variable; may be empty */
};

static bool find_define(const char *line, size_t n, const char *word, struct define *d) {
  size_t word_len = strlen(word);
  for (size_t at = 0; at < n; at++) {
    size_t i = at + 1;
    if (line[at] != '#')
      continue;
    while (i < n && (line[i] == ' ' || line[i] == '\t'))
      i++;
    d->at = at;
    d->indent = i - at - 1;
    if (n - i < word_len || memcmp(line + i, word, word_len) != 0)
      continue;
    i += word_len;
    d->name = i;
    while (d->name < n && (line[d->name] == ' ' || line[d->name] == '\t'))
      d->name++;
    if (d->name == i)
      continue;
    d->name_len = 0;
    while (d->name + d->name_len < n && name_length(line + d->name + d->name_len, 1) &&
           !strchr("/.+-", line[d->name + d->name_len]))
      d->name_len++;
    return true;
  }
  return false;
}

/* The line with every "#  WORD", with as many blanks as D has, turned into "#  define". */
static void parse_defined(struct subst *s, const char *line, size_t n, const char *word,
                          const struct define *d, unsigned number) {
  autofree_buf key = {0}, out = {0};
  buf_add(&key, line + d->at, d->indent + 1);
  buf_puts(&key, word);
  size_t i = 0;
  while (i < n) {
    if (n - i >= key.len && memcmp(line + i, key.data, key.len) == 0) {
      buf_add(&out, key.data, d->indent + 1);
      buf_puts(&out, "define");
      i += key.len;
    } else {
      buf_putc(&out, line[i++]);
    }
  }
  parse_references(s, out.data, out.len, number, 1);
}

static void parse_line(struct subst *s, const char *line, size_t n, unsigned number) {
  struct define d;
  if (find_define(line, n, "cmakedefine", &d)) {
    struct buf off = {0};
    buf_puts(&off, "/* #undef ");
    buf_add(&off, line + d.name, d.name_len);
    buf_puts(&off, " */");
    struct subst_piece *piece = add_named(s, SUBST_IF, line + d.name, d.name_len, number, d.at + 1);
    piece->text = off.data;
    piece->len = off.len;
    size_t at = s->n;
    parse_defined(s, line, n, "cmakedefine", &d, number);
    s->pieces[at - 1].span = s->n - at;
  } else if (find_define(line, n, "cmakedefine01", &d)) {
    parse_defined(s, line, n, "cmakedefine01", &d, number);
    add_text(s, " ", 1);
    add_named(s, SUBST_BOOL, line + d.name, d.name_len, number, d.at + 1);
  } else {
    parse_references(s, line, n, number, 1);
  }
  add_text(s, "\n", 1);
}

struct subst *subst_template(const char *file, const char *text, size_t n) {
  struct subst *s = xcalloc(1, sizeof *s);
  s->file = xstrdup(file);
  unsigned number = 0;
  for (size_t at = 0; at < n;) {
    const char *end = memchr(text + at, '\n', n - at);
    size_t len = end ? (size_t)(end - text) - at : n - at;
    parse_line(s, text + at, len && text[at + len - 1] == '\r' ? len - 1 : len, ++number);
    at += len + 1;
  }
  return s;
}

void subst_free(struct subst *s) {
  if (!s)
    return;
  for (size_t i = 0; i < s->n; i++)
    free(s->pieces[i].text);
  free(s->pieces);
  intern_free(&s->names);
  free(s->bound);
  free(s->file);
  free(s);
}

/* ---- rendering ---- */

bool subst_bind(struct subst *s, const struct matrix *m, const struct subst_piece **unknown) {
  s->bound = xcalloc(s->names.texts.n + 1, sizeof *s->bound);
  *unknown = NULL;
  for (size_t i = 0; i < s->names.texts.n; i++)
    s->bound[i] = intern_find(&m->variables, s->names.texts.args[i]);
  /* "#cmakedefine @x@" has an empty name, which is false */
  for (size_t i = 0; i < s->n && !*unknown; i++)
    if (s->pieces[i].kind != SUBST_TEXT && s->bound[s->pieces[i].name] == SIZE_MAX &&
        *s->names.texts.args[s->pieces[i].name])
      *unknown = &s->pieces[i];
  return !*unknown;
}

static const struct matrix_value *value_of(const struct subst *s, const struct subst_piece *piece,
                                           const struct combination *c) {
  size_t variable = s->bound[piece->name];
  return variable == SIZE_MAX ? NULL : c->values[variable];
}

static bool is_true(const struct matrix_value *value) {
  static const char *const off[] = {"", "0", "OFF", "NO", "N", "FALSE", "IGNORE"};
  if (!value)
    return false;
  for (size_t i = 0; i < sizeof off / sizeof *off; i++)
    if (strcasecmp(value->text, off[i]) == 0)
      return false;
  return strcmp(value->text, "NOTFOUND") != 0 && !str_ends(value->text, "-NOTFOUND");
}

/* The number of pieces to skip after piece I: those of a condition that is false. */
static size_t passed_over(const struct subst *s, size_t i, const struct combination *c) {
  const struct subst_piece *piece = &s->pieces[i];
  return piece->kind == SUBST_IF && !is_true(value_of(s, piece, c)) ? piece->span : 0;
}

const struct subst_piece *subst_missing(const struct subst *s, const struct combination *c) {
  for (size_t i = 0; i < s->n; i++) {
    if (s->pieces[i].kind == SUBST_VARIABLE && !value_of(s, &s->pieces[i], c))
      return &s->pieces[i];
    i += passed_over(s, i, c);
  }
  return NULL;
}

void subst_render(struct buf *out, const struct subst *s, const struct combination *c) {
  for (size_t i = 0; i < s->n; i++) {
    const struct subst_piece *piece = &s->pieces[i];
    const struct matrix_value *value = piece->kind == SUBST_TEXT ? NULL : value_of(s, piece, c);
    size_t skip = passed_over(s, i, c);
    if (piece->kind == SUBST_TEXT || skip)
      buf_add(out, piece->text, piece->len);
    else if (piece->kind == SUBST_VARIABLE)
      buf_puts(out, value->text);
    else if (piece->kind == SUBST_BOOL)
      buf_putc(out, is_true(value) ? '1' : '0');
    i += skip;
  }
}
