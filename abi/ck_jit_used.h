/* ck_jit_used.h - the record of use: which kernels of a library had to be compiled for a call, in
 * which order.
 *
 * CACHE/.used/LIBRARY has a line for each such call, the newest last (docs/formats.md):
 *
 *     1 TAB MILLISECONDS TAB DISTANCE TAB STEM TAB KERNEL
 *
 * These are the format's number; the time of the call, since 1970; the time since the kernel of the
 * line before it was ready, "-" if unknown; the stem of the blob; for CUDA the mangled name of a
 * kernel, else nothing. It uses names, not keys, because an upgrade changes all keys.
 * core/cache/used.c writes it, the runtime and ckjit-prebuild read it. Many processes append to it,
 * so a line may be torn, or joined to the start of another. Such a line is ignored: it never has
 * five fields, the first a 1, and names without a slash.
 *
 * libc only, no state, thread-safe.
 */
#ifndef CK_JIT_USED_H
#define CK_JIT_USED_H

#include "ck_jit_number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* In a cache. A process that compiles ahead of calls holds its lock (flock), one process at a
 * time. */
#define CKJIT_USED ".used"

enum {
  CKJIT_USED_FORMAT = 1,
  /* Bytes at the end of a record that are read; a record with twice as many is shortened. */
  CKJIT_USED_MOST = 512 << 10,
  /* Milliseconds: kernels whose calls follow one another within this are needed together. */
  CKJIT_USED_NEAR = 1000,
  /* The number of a library's most recently needed kernels that are compiled ahead. */
  CKJIT_USED_KERNELS = 512,
};

/* A line; the texts are not terminated. */
struct ckjit_used {
  /* distance may be UINT64_MAX: not known */
  uint64_t time, distance;
  const char *stem, *kernel;   /* KERNEL is at the end of the line */
  size_t stem_len, kernel_len; /* kernel_len 0: the blob itself */
};

/* The field at *AT before END, N bytes; advances *AT past its tab, or to END. NULL at the end. */
static inline const char *ckjit_used_field(const char **at, const char *end, size_t *n) {
  const char *field = *at, *tab = field < end ? memchr(field, '\t', (size_t)(end - field)) : NULL;
  if (field >= end)
    return NULL;
  *n = (size_t)((tab ? tab : end) - field);
  *at = tab ? tab + 1 : end;
  return field;
}

/* Whether the N bytes at TEXT are a line, without its newline. */
static inline bool ckjit_used_parse(struct ckjit_used *u, const char *text, size_t n) {
  const char *at = text, *end = text + n, *field;
  uint64_t format = 0;
  size_t len;
  *u = (struct ckjit_used){.distance = UINT64_MAX};
  if (memchr(text, 0, n) || !(field = ckjit_used_field(&at, end, &len)) ||
      !ckjit_number(field, len, &format) || format != CKJIT_USED_FORMAT)
    return false;
  if (!(field = ckjit_used_field(&at, end, &len)) || !ckjit_number(field, len, &u->time) ||
      !(field = ckjit_used_field(&at, end, &len)) ||
      ((len != 1 || *field != '-') && !ckjit_number(field, len, &u->distance)))
    return false;
  u->stem = ckjit_used_field(&at, end, &u->stem_len);
  u->kernel = at;
  u->kernel_len = (size_t)(end - at);
  return u->stem && u->stem_len && at[-1] == '\t' && !memchr(u->stem, '/', u->stem_len) &&
         !memchr(at, '\t', u->kernel_len) && !memchr(at, '/', u->kernel_len);
}

/* Read the next line at *AT before END into U and advance *AT. False at the end. */
static inline bool ckjit_used_next(const char **at, const char *end, struct ckjit_used *u) {
  while (*at < end) {
    const char *line = *at, *newline = memchr(line, '\n', (size_t)(end - line));
    *at = newline ? newline + 1 : end;
    if (newline && ckjit_used_parse(u, line, (size_t)(newline - line)))
      return true;
  }
  return false;
}

static inline bool ckjit_used_same(const struct ckjit_used *a, const struct ckjit_used *b) {
  return a->stem_len == b->stem_len && a->kernel_len == b->kernel_len &&
         memcmp(a->stem, b->stem, a->stem_len) == 0 &&
         (!a->kernel_len || memcmp(a->kernel, b->kernel, a->kernel_len) == 0);
}

/* The kernels in the record, the N bytes at TEXT, into LIST, which has room for MOST: each once, by
 * its last line, the newest last. Returns their number. Omits the oldest if there are more. */
static inline size_t ckjit_used_list(const char *text, size_t n, struct ckjit_used *list,
                                     size_t most) {
  const char *at = text;
  struct ckjit_used u;
  size_t count = 0;
  while (ckjit_used_next(&at, text + n, &u)) {
    size_t i = 0;
    while (i < count && !ckjit_used_same(&list[i], &u))
      i++;
    if (i == count && count == most)
      i = 0;
    if (i < count)
      memmove(list + i, list + i + 1, (--count - i) * sizeof *list);
    list[count++] = u;
  }
  return count;
}

#endif
