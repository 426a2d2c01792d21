/* archive.h - objects within an archive, exchanged for others.
 *
 * Errors end the program, naming the archive. Thread safety: none.
 */
#ifndef CKJIT_ARCHIVE_H
#define CKJIT_ARCHIVE_H

#include "core/base/argv.h"

#include <stdbool.h>
#include <stddef.h>

/* The file that is to be in place of an object, the N BYTES of a member; NULL: it stays. free()
 * it. */
typedef char *archive_other(const void *bytes, size_t n, void *user);

/* Asks OTHER for each object of the archive FILE. A member for which OTHER names another file is
 * exchanged and keeps its name; the members of a thin archive are files, and are replaced where
 * they are. An exchanged member keeps its time, as the archive does. WORK: a name for a temporary
 * file. Returns how many were exchanged; with none FILE is not written. */
size_t archive_exchange(const char *file, const char *work, archive_other *other, void *user);

/* The same in a copy, TO, with an index; FILE and what it is made of stay. The copy of a thin
 * archive has its members in it. With none exchanged TO is not written, unless OTHER is NULL. */
size_t archive_copy(const char *file, const char *to, archive_other *other, void *user);

/* Run ARGS, a tool of binutils; end the program if it fails. */
void archive_tool(const struct argv *args);
/* Put FROM in the place of FILE, which may be a hard link into a compiler cache, with FILE's
 * time. */
void archive_replace(const char *file, const char *from);

#endif
