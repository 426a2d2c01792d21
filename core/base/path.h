/* path.h - file names and whole files. Strings returned are the caller's to free(). What can fail returns
 * false or NULL, with errno. Thread-safe. */
#ifndef CKJIT_PATH_H
#define CKJIT_PATH_H

#include "base.h"

#include <sys/types.h>

/* A/B; B alone if it is absolute */
char *path_join(const char *a, const char *b);
/* absolute and without ".", ".." and doubled slashes, symbolic links untouched (as the build wrote it) */
char *path_abs(const char *p);
/* the same, relative names taken from directory CWD */
char *path_abs_in(const char *cwd, const char *p);
/* everything before the last slash; "." if there is none, "/" for the root */
char *path_dir(const char *p);
/* after the last slash; points into P */
const char *path_base(const char *p);
/* the base name without its last extension: "a/b.cuda.o" gives "b.cuda" */
char *path_stem(const char *p);
/* whether P lies in directory DIR or is it; both absolute and normalised */
bool path_within(const char *p, const char *dir);
/* the part of P below DIR, pointing into P; NULL where P is not within DIR */
const char *path_below(const char *p, const char *dir);
/* the first executable file NAME on the PATH (or NAME itself if it has a slash), or NULL */
char *path_which(const char *name);
/* Why path_which(NAME) is NULL, as text that follows the name: "is not on the PATH", "is not there", "is a
 * directory", "is not executable". Static. */
const char *path_which_why(const char *name);
/* the directory of the running program, symbolic links resolved */
char *path_self_dir(void);

bool file_exists(const char *p);
bool file_is_dir(const char *p);
bool file_is_regular(const char *p);
/* a regular file, links followed, that this user may execute */
bool file_is_program(const char *p);
/* mkdir -p */
bool dir_make(const char *p);
/* rm -r, symbolic links not followed; errno is of the first failure; nothing there is success */
bool dir_remove(const char *p);

/* the whole file, NUL-terminated after *LEN bytes */
char *file_read(const char *p, size_t *len);
/* Replace P by N bytes at once: written to a temporary name beside it, then renamed, so that no reader ever
 * sees half of it. On failure P is as it was and the temporary file is gone. */
bool file_write(const char *p, const void *bytes, size_t n, mode_t mode);
/* Write N bytes to P as it is, through links, and also if it is not a file: what a compiler does with a
 * depfile. On failure P is removed if it is a regular file. */
bool file_overwrite(const char *p, const void *bytes, size_t n, mode_t mode);
/* as file_write, but P keeps its time stamp if its content would not change */
bool file_update(const char *p, const void *bytes, size_t n, mode_t mode);
/* copy a regular file with its permission bits, atomically as file_write does */
bool file_copy(const char *from, const char *to);
/* Write N bytes to FD, open on P, and close it. On failure P is removed if it is a regular file. */
bool file_fill(int fd, const char *p, const void *bytes, size_t n);

#endif
