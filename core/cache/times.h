/* times.h - how long kernels took to compile: what a cache remembers, and what a user gives to --times.
 *
 * Lines in any order, `STEM<TAB>SECONDS`, or a JSON object with the members "stem" and "seconds"
 * (docs/formats.md). Times are whole milliseconds from here on: what is worked out of them must come out the
 * same on every machine.
 *
 * Thread safety: none of it is shared. Between processes: a file in a cache may be appended to, read and made
 * shorter by many at once.
 */
#ifndef CKJIT_TIMES_H
#define CKJIT_TIMES_H

#include "core/base/base.h"

#define TIMES_FILE ".times" /* in a cache directory */

struct times_row {
  char *stem;
  uint64_t ms;
  size_t line; /* in its file */
};

/* Start with {0}. Sorted by stem, each once, after times_read. */
struct times {
  struct times_row *rows;
  size_t n;
};

/* which of several lines of one stem counts */
enum times_rule {
  TIMES_LAST,    /* of a cache: the newest; a line that is damaged is skipped */
  TIMES_LARGEST, /* of a user: the order of lines has no meaning; a line that is damaged is an error */
};

/* Append what FILE says to T. False with *ERR naming the file and the line; free() that. */
bool times_read(struct times *t, const char *file, enum times_rule rule, char **err);
/* the milliseconds of STEM; false if they are not known */
bool times_find(const struct times *t, const char *stem, uint64_t *ms);
/* append the line of a stem to OUT; false if it cannot be written as one */
bool times_line(struct buf *out, const char *stem, uint64_t ms);
void times_free(struct times *t);

/* Remember in the cache directory DIR that STEM took so many seconds. Where that cannot be done, it is not.
 */
void times_record(const char *dir, const char *stem, double seconds);

#endif
