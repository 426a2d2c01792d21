/* ck_jit_text.c - growing text. */
#include "ck_jit_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ckjit_text_free(struct ckjit_text *t) {
  free(t->data);
  *t = (struct ckjit_text){0};
}

void ckjit_text_clear(struct ckjit_text *t) {
  t->len = 0;
  t->lost = false;
  if (t->data)
    t->data[0] = 0;
}

char *ckjit_text_room(struct ckjit_text *t, size_t n) {
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

void ckjit_add_bytes(struct ckjit_text *t, const char *s, size_t n) {
  char *room = ckjit_text_room(t, n);
  if (!room)
    return;
  memcpy(room, s, n);
  t->len += n;
  t->data[t->len] = 0;
}

void ckjit_add(struct ckjit_text *t, const char *s) {
  ckjit_add_bytes(t, s, strlen(s));
}

void ckjit_vaddf(struct ckjit_text *t, const char *fmt, va_list ap) {
  va_list again;
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  char *room = n < 0 ? NULL : ckjit_text_room(t, (size_t)n);
  if (room) {
    vsnprintf(room, (size_t)n + 1, fmt, again);
    t->len += (size_t)n;
  }
  va_end(again);
}

void ckjit_addf(struct ckjit_text *t, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  ckjit_vaddf(t, fmt, ap);
  va_end(ap);
}

void ckjit_add_quoted(struct ckjit_text *t, const char *s) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
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

const char *ckjit_whole(const struct ckjit_text *t) {
  return t->lost ? NULL : t->data ? t->data : "";
}

const char *ckjit_reason(const struct ckjit_text *why) {
  return !why->lost && why->len ? why->data : "out of memory";
}
