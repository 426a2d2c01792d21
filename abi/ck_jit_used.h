/* ck_jit_used.h - the record of use: which kernels of a library had to be compiled for a call, in which order.
 *
 * CACHE/.used/LIBRARY, a line for each such call, the newest last (docs/formats.md):
 *
 *     1 TAB MILLISECONDS TAB DISTANCE TAB STEM [TAB KERNEL]
 *
 * The format's number; when the call was, since 1970; how long after the kernel in the line before it was there, "-" if that is not
 * known; the stem of the blob; of CUDA the mangled name of a kernel. It goes by names, not by keys: after an upgrade all
 * keys are new. core/cache/used.c writes it, the runtime and ckjit-prebuild read it. Many processes append to it, so a line may be
 * torn: what is no line is passed over.
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

#define CKJIT_USED                                                                                           \
  ".used" /* in a cache; its lock (flock) is held by who compiles ahead of calls, one process at a time */

enum {
  CKJIT_USED_FORMAT = 1,
  CKJIT_USED_MOST =
      64
      << 10, /* bytes of a record that are looked at, its last ones; when it has twice as many it is shortened */
  CKJIT_USED_NEAR = 1000, /* milliseconds: kernels that follow one another within this are needed together */
  CKJIT_USED_KERNELS = 128, /* of a library that are compiled ahead: those that were needed last */
};

/* A line; the texts are not terminated. */
struct ckjit_used {
  uint64_t time, distance; /* UINT64_MAX: not known */
  const char *stem, *kernel;
  size_t stem_len, kernel_len; /* 0: the blob itself */
};

/* The field at *AT in front of END, N bytes; *AT goes behind its tab, or to END. NULL: there is none. */
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
  if (u->stem && at < end)
    u->kernel = ckjit_used_field(&at, end, &u->kernel_len);
  return u->stem && u->stem_len && !memchr(u->stem, '/', u->stem_len) && at == end;
}

/* The next line at *AT in front of END into U; *AT goes behind it. False: there is no more. */
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

/* The kernels in the record, the N bytes at TEXT, into LIST, which has room for MOST, each once, by its last line, the newest last.
 * Returns how many. If there are more, the oldest are left out. */
static inline size_t ckjit_used_list(const char *text, size_t n, struct ckjit_used *list, size_t most) {
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
