/* times.h - the compile times of kernels: those that a cache records, and those that a user passes
 * to --times.
 *
 * Lines in any order, each `STEM<TAB>SECONDS` or a JSON object with the members "stem" and
 * "seconds"; in a cache with more fields, which make it a history (docs/formats.md). In memory,
 * times are whole milliseconds: results computed from them must be the same on every machine.
 *
 * Thread safety: no shared state. Between processes: any number may append to, read and shorten a
 * file in a cache.
 */
#ifndef CKJIT_TIMES_H
#define CKJIT_TIMES_H

#include "core/base/base.h"

#define TIMES_FILE ".times" /* in a cache directory */

/* a compile in a cache's history */
struct times_compile {
  uint64_t ended;                  /* seconds since 1970 */
  uint64_t took;                   /* milliseconds of the clock */
  const char *build_id, *compiler; /* in hexadecimal; a path */
};

struct times_row {
  char *stem;
  uint64_t ms; /* of processors; TIMES_FAILED: the compile failed */
  size_t line; /* in its file */
  char *rest;  /* the fields of a times_compile; NULL: it has none */
};
#define TIMES_FAILED UINT64_MAX

/* Start with {0}. After times_read it is sorted by stem, without duplicates. */
struct times {
  struct times_row *rows;
  size_t n;
};

/* Which line counts if a stem has several. */
enum times_rule {
  /* In a cache: the newest; damaged lines are skipped. */
  TIMES_LAST,
  /* In a user's file, whose order means nothing: the largest; a damaged line is an error. */
  TIMES_LARGEST,
  /* In a cache: each, also those of compiles that failed; the rows stay in the file's order. */
  TIMES_EACH,
};

/* Append the times in FILE to T. False with *ERR naming the file and the line; free() that. */
bool times_read(struct times *t, const char *file, enum times_rule rule, char **err);
/* Get the milliseconds of STEM; false if unknown. */
bool times_find(const struct times *t, const char *stem, uint64_t *ms);
/* What ROW says of its compile, in texts of the row, which is changed; false if nothing. */
bool times_compile(struct times_row *row, struct times_compile *compile);
/* Append the line of a stem to OUT; false if the stem cannot be written on one line. */
bool times_line(struct buf *out, const char *stem, uint64_t ms);
/* Append the duration of the last compile, MS if that is KNOWN, in words. */
void times_say(struct buf *out, bool known, uint64_t ms);
void times_free(struct times *t);

/* Get the milliseconds of STEM in the cache directory DIR: as times_read and times_find, but faster
 * for a single stem. */
bool times_last(const char *dir, const char *stem, uint64_t *ms);
/* Record in the cache directory DIR that the COMPILE of STEM took SECONDS of processors; negative:
 * that it failed. Errors are ignored. */
void times_record(const char *dir, const char *stem, double seconds,
                  const struct times_compile *compile);

#endif
