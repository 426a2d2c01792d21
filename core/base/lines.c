#include "lines.h"
#include "path.h"
#include "vec.h"

/* ---- writing ---- */

void lines_escape(struct buf *out, const char *text) {
  for (size_t n; (n = strcspn(text, "\n\t\\")), buf_add(out, text, n), text[n]; text += n + 1) {
    buf_putc(out, '\\');
    buf_putc(out, text[n] == '\n' ? 'n' : text[n] == '\t' ? 't' : '\\');
  }
}

void lines_put(struct buf *out, const char *key, ...) {
  va_list fields;
  char before = ' ';
  buf_puts(out, key);
  va_start(fields, key);
  for (const char *text; (text = va_arg(fields, const char *)); before = '\t') {
    buf_putc(out, before);
    lines_escape(out, text);
  }
  va_end(fields);
  buf_putc(out, '\n');
}

void lines_put_all(struct buf *out, const char *key, const struct argv *fields) {
  buf_puts(out, key);
  for (size_t i = 0; i < fields->n; i++) {
    buf_putc(out, i ? '\t' : ' ');
    lines_escape(out, fields->args[i]);
  }
  buf_putc(out, '\n');
}

/* ---- reading ---- */

/* Decode the N bytes at FIELD to TO, which may be FIELD and has room for a NUL. */
static void decode(char *to, const char *field, size_t n) {
  for (size_t i = 0; i < n; i++) {
    bool escaped = field[i] == '\\' && i + 1 < n;
    i += escaped;
    *to++ = !escaped ? field[i] : field[i] == 'n' ? '\n' : field[i] == 't' ? '\t' : field[i];
  }
  *to = 0;
}

char *lines_unescape(const char *field, size_t n) {
  char *text = xmalloc(n + 1);
  decode(text, field, n);
  return text;
}

/* Take over TEXT, of LEN bytes; NULL: there is none. */
static bool take_text(struct lines *l, const char *file, char *text, size_t len, const char *head) {
  size_t n = head ? strlen(head) + 1 : 0;
  *l = (struct lines){.file = file, .text = text, .at = text, .end = text, .number = text != NULL};
  if (!text || len < n || (n && (memcmp(text, head, n - 1) != 0 || text[n - 1] != '\n')))
    return false;
  l->at = text + n;
  l->end = text + len;
  return true;
}

bool lines_open_text(struct lines *l, const char *file, const char *text, size_t len,
                     const char *head) {
  return take_text(l, file, memcpy(xmalloc(len + 1), text, len), len, head);
}

bool lines_open(struct lines *l, const char *file, const char *head) {
  size_t len = 0;
  char *text = file_read(file, &len);
  return take_text(l, file, text, len, head);
}

static void add_field(struct lines *l, char *field) {
  vec_push(l->field, l->n, field);
}

bool lines_next(struct lines *l) {
  if (l->at == l->end)
    return false;
  char *line = l->at, *end = memchr(line, '\n', (size_t)(l->end - line));
  l->number++;
  if (!end || memchr(line, 0, (size_t)(end - line)))
    return false;
  *end = 0;
  l->at = end + 1;
  l->n = 0;
  add_field(l, line);
  char *p = strchr(line, ' ');
  while (p) {
    *p++ = 0;
    char *tab = strchr(p, '\t');
    add_field(l, p);
    decode(p, p, tab ? (size_t)(tab - p) : strlen(p));
    p = tab;
  }
  add_field(l, NULL);
  l->n--;
  return true;
}

bool lines_is(const struct lines *l, const char *key, size_t n) {
  return l->n == n + 1 && strcmp(l->field[0], key) == 0;
}

bool lines_ended(const struct lines *l) {
  return l->at == l->end;
}

char *lines_error(const struct lines *l, const char *what) {
  return l->number ? xasprintf("%s:%u: expected %s", l->file, l->number, what)
                   : xasprintf("%s: cannot read: %s", l->file, strerror(errno));
}

void lines_close(struct lines *l) {
  int e = errno;
  free(l->field);
  free(l->text);
  errno = e;
}
