/* stubobj.h - the object that stands in for a blob's: an empty ELF relocatable that carries its compile
 * record.
 *
 * The link step then knows exactly which blobs are in this library, whatever the library is called and
 * however the objects got there: by name, in an archive, through `ld -r`. docs/formats.md, "The stub object",
 * is the format. Thread safety: everything here may be called from any thread.
 */
#ifndef CKJIT_STUBOBJ_H
#define CKJIT_STUBOBJ_H

#include "core/base/base.h"

#define STUB_SECTION ".ckjit.record"

/* Write a stub with LINES (record lines, each with its newline, LEN bytes in all) to OUT_PATH.
 * A regular file that is there is replaced, not written through: a compiler's output may be a hard link into
 * somebody's cache. A symbolic link stays as it is, and errno is ELOOP. False with errno, and nothing is left
 * at OUT_PATH. */
bool stub_write(const char *out_path, const char *lines, size_t len);

/* Called for each record line, LEN bytes without its newline, valid during the call. MEMBER is the archive
 * member it lies in, NULL outside of archives. Returning false ends the search. */
typedef bool stub_line(const char *line, size_t len, const char *member, void *user);

/* All record lines of PATH: an object, an archive, or a thin archive (its members are read from where it
 * says). A file of another kind has none, and is told by its first bytes. true if the file could be read
 * and is whole; false with *ERR (free() it) naming the file, after the lines that were found before the
 * damage. */
bool stub_records_file(const char *path, stub_line *each, void *user, char **err);

/* PATH holds at least one record line; false also if it cannot be read or is damaged: not a stub, the
 * linker will say what is wrong with it */
bool stub_in_file(const char *path);

#endif
