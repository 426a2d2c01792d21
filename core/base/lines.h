/* lines.h - the format of ckjit's own text files. The first line is the head, "ckjit-NAME VERSION".
 * Each other line is
 *
 *     KEY FIELD<TAB>FIELD…
 *
 * A field is any text: a newline in it is "\n", a tab "\t", a backslash "\\". docs/formats.md has
 * the keys of each file. Files are written with path.h, so no reader sees a partial one.
 *
 * Thread safety: a struct lines belongs to one thread at a time.
 */
#ifndef CKJIT_LINES_H
#define CKJIT_LINES_H

#include "argv.h"

/* ---- writing ---- */

/* Append a line. The fields are texts; NULL ends them. */
void lines_put(struct buf *out, const char *key, ...) __attribute__((sentinel));
/* The same with FIELDS. */
void lines_put_all(struct buf *out, const char *key, const struct argv *fields);
/* Append one field of a line that the caller writes. */
void lines_escape(struct buf *out, const char *text);
/* Decode the N bytes of a field; free() the result. */
char *lines_unescape(const char *field, size_t n);

/* ---- reading ---- */

struct lines {
  const char *file; /* for messages */
  char *text, *at, *end;
  /* of the current line, from 1; 0: the file could not be read */
  unsigned number;
  /* The current line: field[0] is its key. N counts the key too; NULL follows. */
  char **field;
  size_t n;
};

/* Read FILE. False if it cannot be read, with errno and l->text NULL, or if its first line is not
 * HEAD: a file of another version. lines_close in any case. */
bool lines_open(struct lines *l, const char *file, const char *head);
/* The same for a copy of TEXT, LEN bytes of FILE. HEAD NULL: it has none, as within a memo. */
bool lines_open_text(struct lines *l, const char *file, const char *text, size_t len,
                     const char *head);
/* Go to the next line. False at the end, and if the text is cut off within a line or has a NUL. */
bool lines_next(struct lines *l);
/* Is the current line KEY with N fields? */
bool lines_is(const struct lines *l, const char *key, size_t n);
/* Has all of the text been read? */
bool lines_ended(const struct lines *l);
/* "FILE:LINE: expected WHAT", or why FILE could not be read; free() it. */
char *lines_error(const struct lines *l, const char *what);
void lines_close(struct lines *l);

#endif
