#include "base.h"
#include "directory.h"

#include <unistd.h>

static void *checked(void *p) {
  if (!p)
    die(EXIT_FAILED, "out of memory");
  return p;
}

void *xmalloc(size_t bytes) {
  return checked(malloc(bytes ? bytes : 1));
}

void *xcalloc(size_t count, size_t bytes) {
  return checked(calloc(count ? count : 1, bytes ? bytes : 1));
}

void *xrealloc(void *p, size_t bytes) {
  return checked(realloc(p, bytes ? bytes : 1));
}

char *xstrdup(const char *s) {
  return checked(strdup(s));
}

char *xstrndup(const char *s, size_t bytes) {
  return checked(strndup(s, bytes));
}

char *xvasprintf(const char *fmt, va_list ap) {
  char *s = NULL;
  int n = vasprintf(&s, fmt, ap);
  return checked(n < 0 ? NULL : s);
}

char *xasprintf(const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  char *s = xvasprintf(fmt, ap);
  va_end(ap);
  return s;
}

char *buf_room(struct buf *b, size_t n) {
  if (b->cap - b->len <= n) {
    size_t cap = b->cap ? b->cap * 2 : 256;
    while (cap - b->len <= n)
      cap *= 2;
    b->data = xrealloc(b->data, cap);
    b->cap = cap;
  }
  return b->data + b->len;
}

void buf_add(struct buf *b, const void *bytes, size_t n) {
  char *room = buf_room(b, n);
  if (n)
    memcpy(room, bytes, n);
  b->len += n;
  b->data[b->len] = 0;
}

void buf_puts(struct buf *b, const char *s) {
  buf_add(b, s, strlen(s));
}

void buf_putc(struct buf *b, char c) {
  buf_add(b, &c, 1);
}

void buf_printf(struct buf *b, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  if (n < 0)
    die(EXIT_FAILED, "internal error: bad format '%s'", fmt);
  va_start(ap, fmt);
  vsnprintf(buf_room(b, (size_t)n + 1), (size_t)n + 1, fmt, ap);
  va_end(ap);
  b->len += (size_t)n;
}

bool err_fail(char **err, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  *err = xvasprintf(fmt, ap);
  va_end(ap);
  return false;
}

void autofree_pointer(void *variable) {
  void **p = variable;
  free(*p);
}

void autoclose_descriptor(const int *fd) {
  int error = errno;
  if (*fd >= 0)
    close(*fd);
  errno = error;
}

void autoclose_stream(DIR *const *d) {
  int error = errno;
  if (*d)
    closedir(*d);
  errno = error;
}

void buf_free(struct buf *b) {
  free(b->data);
  *b = (struct buf){0};
}

bool str_starts(const char *s, const char *prefix) {
  return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_same(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

bool str_ends(const char *s, const char *suffix) {
  size_t n = strlen(s), m = strlen(suffix);
  return n >= m && memcmp(s + n - m, suffix, m) == 0;
}
