/* memofile.h - facts that are expensive to find out, kept in a file: "ckjit-memo 3", a digest of
 * the memo's name and text, and the text.
 *
 * A file that is empty, cut off, changed or copied from another name is ignored. The caller decides
 * whether its owner is trusted. Thread-safe.
 */
#ifndef CKJIT_MEMOFILE_H
#define CKJIT_MEMOFILE_H

#include "lines.h"

/* The text that FILE keeps under NAME; free() it. NULL: none. */
char *memofile_read(const char *file, const char *name);
/* Write it so that only this user may change it. False with errno. */
bool memofile_write(const char *file, const char *name, const char *text);
/* The same, but FILE keeps its time stamp if it has that text. */
bool memofile_update(const char *file, const char *name, const char *text);
/* Read and write a text of LINES, without their newlines. */
bool memofile_load(struct argv *lines, const char *file, const char *name);
bool memofile_store(const char *file, const char *name, const struct argv *lines);
/* The same for a text in the form of lines.h: its lines without a head. lines_close in any case; if
 * there is none, L->text is NULL. */
bool memofile_open(struct lines *l, const char *file, const char *name);
/* Append two lines to a text: DIGEST and STAMP of FILE, and its path, escaped. */
void memofile_put_file(struct buf *out, const char *digest, const char *stamp, const char *file);
/* Take the next two such lines of a text at *AT: facts about a file and its path; free() both.
 * False at the end. */
bool memofile_next_file(const char **at, char **facts, char **file);

#endif
