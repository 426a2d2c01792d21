/* ck_jit_text.h - growing text for messages and command lines in somebody else's process.
 *
 * The runtime runs inside an inference job: it may neither end it because memory is gone nor leave a message
 * half made. A text that could not grow is marked lost and takes nothing more; whoever needs all of it asks
 * ckjit_whole().
 */
#ifndef CK_JIT_TEXT_H
#define CK_JIT_TEXT_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Start with {0}. data is NUL-terminated, NULL before the first addition; free with ckjit_text_free. */
struct ckjit_text {
  char *data;
  size_t len, cap;
  bool lost;
};

static void ckjit_text_free(struct ckjit_text *t) {
  free(t->data);
  *t = (struct ckjit_text){0};
}

/* make it "" and keep its memory */
static void ckjit_text_clear(struct ckjit_text *t) {
  t->len = 0;
  t->lost = false;
  if (t->data)
    t->data[0] = 0;
}

/* room for N bytes and a NUL, or NULL and the text is lost */
static char *ckjit_text_room(struct ckjit_text *t, size_t n) {
  if (t->lost)
    return NULL;
  if (t->cap - t->len <= n) {
    size_t cap = (t->cap + n + 1) * 2;
    char *p = realloc(t->data, cap);
    if (!p) {
      t->lost = true;
      return NULL;
    }
    t->data = p;
    t->cap = cap;
  }
  return t->data + t->len;
}

static void ckjit_add_bytes(struct ckjit_text *t, const char *s, size_t n) {
  char *room = ckjit_text_room(t, n);
  if (!room)
    return;
  memcpy(room, s, n);
  t->len += n;
  t->data[t->len] = 0;
}

static void ckjit_add(struct ckjit_text *t, const char *s) {
  ckjit_add_bytes(t, s, strlen(s));
}

__attribute__((format(printf, 2, 3))) static void ckjit_addf(struct ckjit_text *t, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  char *room = n < 0 ? NULL : ckjit_text_room(t, (size_t)n);
  if (!room)
    return;
  va_start(ap, fmt);
  vsnprintf(room, (size_t)n + 1, fmt, ap);
  va_end(ap);
  t->len += (size_t)n;
}

/* S as one word for a shell, so that a command in a message can be pasted */
static void ckjit_add_quoted(struct ckjit_text *t, const char *s) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (*s && strspn(s, plain) == strlen(s)) {
    ckjit_add(t, s);
    return;
  }
  ckjit_add(t, "'");
  for (; *s; s++)
    if (*s == '\'')
      ckjit_add(t, "'\\''");
    else
      ckjit_add_bytes(t, s, 1);
  ckjit_add(t, "'");
}

/* the text, "" where nothing was added; NULL where a part of it was lost */
static const char *ckjit_whole(const struct ckjit_text *t) {
  return t->lost ? NULL : t->data ? t->data : "";
}

/* One line on standard error with one write: lines of other threads and processes do not mix into it. */
static void ckjit_say(struct ckjit_text *line) {
  const char *s = ckjit_whole(line);
  if (s && write(STDERR_FILENO, s, line->len) < 0)
    return; /* a closed standard error is no reason to fail */
}

#endif
