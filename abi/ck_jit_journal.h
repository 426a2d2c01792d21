/* ck_jit_journal.h - journals: files of a cache to which any number of processes append
 * (docs/formats.md).
 *
 * A line is fields with a tab between each two. It is appended with one write and without a lock,
 * so nobody waits, and a process that is killed leaves whole lines. A full disk may leave half a
 * line that the next one continues: such a line has another number of fields, and its readers
 * ignore it.
 *
 * libc only, no state, thread-safe.
 */
#ifndef CK_JIT_JOURNAL_H
#define CK_JIT_JOURNAL_H

#include "ck_jit_file.h"
#include "ck_jit_number.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* It is not terminated. */
struct ckjit_field {
  const char *text;
  size_t n;
};

static inline bool ckjit_field_number(const struct ckjit_field *f, uint64_t *value) {
  return ckjit_number(f->text, f->n, value);
}

/* A number that is not known, or not there. */
static inline bool ckjit_field_none(const struct ckjit_field *f) {
  return f->n == 1 && *f->text == '-';
}

/* Cut the N bytes at LINE, without a newline. The number of fields; 0: more than MOST, or a NUL. */
static inline size_t ckjit_journal_cut(const char *line, size_t n, struct ckjit_field *field,
                                       size_t most) {
  const char *end = line + n;
  size_t count = 0;
  if (memchr(line, 0, n))
    return 0;
  for (const char *at = line, *tab; at; at = tab ? tab + 1 : NULL) {
    if (count == most)
      return 0;
    tab = memchr(at, '\t', (size_t)(end - at));
    field[count++] = (struct ckjit_field){at, (size_t)((tab ? tab : end) - at)};
  }
  return count;
}

/* Cut the line at *AT before END and advance *AT. 0 also if its newline is missing. */
static inline size_t ckjit_journal_next(const char **at, const char *end, struct ckjit_field *field,
                                        size_t most) {
  const char *line = *at, *newline = memchr(line, '\n', (size_t)(end - line));
  *at = newline ? newline + 1 : end;
  return newline ? ckjit_journal_cut(line, (size_t)(newline - line), field, most) : 0;
}

/* Append N bytes of whole lines to FILE, unless it has more than MOST bytes. *SIZE (may be NULL)
 * becomes its size. 0, or an errno: EINVAL: not a regular file; EFBIG: full. */
static inline int ckjit_journal_append(const char *file, uint64_t most, const char *text, size_t n,
                                       uint64_t *size) {
  struct stat st;
  int fd = ckjit_open_cached(file, O_WRONLY | O_APPEND | O_CREAT, 0600, most, &st);
  if (fd < 0)
    return errno;
  int error = ckjit_append_file(fd, st.st_size, text, n);
  if (!error && size)
    *size = (uint64_t)st.st_size + n;
  close(fd);
  return error;
}

#endif
