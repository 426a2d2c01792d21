/* ck_jit_used.h - the record of use: which kernels of a library had to be compiled for a call, in
 * which order.
 *
 * CACHE/.used/LIBRARY is a journal with a line for each such call, the newest last
 * (docs/formats.md):
 *
 *     1 TAB MILLISECONDS TAB DISTANCE TAB STEM TAB KERNEL
 *
 * These are the format's number; the time of the call, since 1970; the time since the kernel of the
 * line before it was ready, "-" if unknown; the stem of the blob; for CUDA the mangled name of a
 * kernel, else nothing. It uses names, not keys, because an upgrade changes all keys.
 * core/cache/used.c writes it, the runtime and ckjit-prebuild read it.
 *
 * libc only, no state, thread-safe.
 */
#ifndef CK_JIT_USED_H
#define CK_JIT_USED_H

#include "ck_jit_journal.h"

#include <stdlib.h>

/* In a cache. A process that compiles ahead of calls holds its lock (flock), one process at a
 * time. */
#define CKJIT_USED ".used"

enum {
  CKJIT_USED_FORMAT = 1,
  CKJIT_USED_FIELDS = 5,
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

/* The last bytes of the record FILE, *N, the first line perhaps cut off; free() them. NULL with
 * errno. */
static inline char *ckjit_used_read(const char *file, size_t *n) {
  struct stat st;
  char *text = NULL;
  int fd = ckjit_open_cached(file, O_RDONLY, 0, UINT64_MAX, &st);
  if (fd >= 0 && (text = (char *)malloc(CKJIT_USED_MOST))) {
    off_t from = st.st_size > CKJIT_USED_MOST ? st.st_size - CKJIT_USED_MOST : 0;
    ssize_t got = pread(fd, text, CKJIT_USED_MOST, from);
    *n = got > 0 ? (size_t)got : 0;
  }
  if (fd >= 0)
    close(fd);
  return text;
}

/* Whether the N fields F are a line. */
static inline bool ckjit_used_parse(struct ckjit_used *u, const struct ckjit_field *f, size_t n) {
  uint64_t format = 0;
  *u = (struct ckjit_used){.distance = UINT64_MAX};
  if (n != CKJIT_USED_FIELDS || !ckjit_field_number(&f[0], &format) ||
      format != CKJIT_USED_FORMAT || !ckjit_field_number(&f[1], &u->time) ||
      (!ckjit_field_none(&f[2]) && !ckjit_field_number(&f[2], &u->distance)))
    return false;
  u->stem = f[3].text;
  u->stem_len = f[3].n;
  u->kernel = f[4].text;
  u->kernel_len = f[4].n;
  return u->stem_len && !memchr(u->stem, '/', u->stem_len) &&
         !memchr(u->kernel, '/', u->kernel_len);
}

/* Read the next line at *AT before END into U and advance *AT. False at the end. */
static inline bool ckjit_used_next(const char **at, const char *end, struct ckjit_used *u) {
  struct ckjit_field f[CKJIT_USED_FIELDS];
  while (*at < end)
    if (ckjit_used_parse(u, f, ckjit_journal_next(at, end, f, CKJIT_USED_FIELDS)))
      return true;
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
