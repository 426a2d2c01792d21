/* path.h - file names and whole files. free() the returned strings. Functions that can fail return false or
 * NULL, with errno. Thread-safe. */
#ifndef CKJIT_PATH_H
#define CKJIT_PATH_H

#include "base.h"

#include <sys/types.h>
#include <time.h>

/* A/B; B alone if it is absolute */
char *path_join(const char *a, const char *b);
/* Make P absolute, without ".", ".." and doubled slashes; symbolic links are not resolved (as the build wrote
 * it). */
char *path_abs(const char *p);
/* The same with relative names based on the directory CWD. */
char *path_abs_in(const char *cwd, const char *p);
/* Everything before the last slash; "." if there is none, "/" for the root. */
char *path_dir(const char *p);
/* The part after the last slash; points into P. */
const char *path_base(const char *p);
/* the base name without its last extension: "a/b.cuda.o" gives "b.cuda" */
char *path_stem(const char *p);
/* Is P in directory DIR, or DIR itself? Both must be absolute and normalised. */
bool path_within(const char *p, const char *dir);
/* The part of P below DIR, pointing into P; NULL if P is not in DIR. */
const char *path_below(const char *p, const char *dir);
/* The first executable file NAME on the PATH (or NAME itself if it has a slash), or NULL. */
char *path_which(const char *name);
/* Why path_which(NAME) returned NULL, as text to follow the name: "is not on the PATH", "is not there", "is a
 * directory", "is not executable". Static. */
const char *path_which_why(const char *name);
/* The directory of the running program, with symbolic links resolved. */
char *path_self_dir(void);

/* For the effective user, as open sees it; access(2) asks for the real one, who of a set-user-ID program may see another. */
bool file_exists(const char *p);
bool file_is_dir(const char *p);
bool file_is_regular(const char *p);
/* Is it a regular file, following links, that this user may execute? */
bool file_is_program(const char *p);
/* Has P been written to or replaced after WHEN, by the time of its last change? False if it is not there. Whoever reads files that others may
 * edit asks behind it with the time from before: then nobody knows which text was read. WHEN is of CLOCK_REALTIME. What was written before is never
 * taken for later: not so with CLOCK_REALTIME_COARSE, for Linux 6.13 gives files finer times than that. The clock of a file server which lags
 * may hide an edit. */
bool file_changed_since(const char *p, struct timespec when);
/* mkdir -p */
bool dir_make(const char *p);
/* The same for a work directory: no group may write to what is made. */
bool dir_make_own(const char *p);
/* rm -r, without following symbolic links. errno is that of the first failure; success if nothing exists. */
bool dir_remove(const char *p);

/* The whole file, with a NUL after its *LEN bytes. */
char *file_read(const char *p, size_t *len);
/* Replace P by N bytes atomically: they are written to a temporary file beside it, which is renamed, so that
 * no reader sees a partial file. On failure P is unchanged and the temporary file is removed. */
bool file_write(const char *p, const void *bytes, size_t n, mode_t mode);
/* The same, and its content is on the disk before it has the name: for what is believed later without another
 * look. Not for what a build writes by the thousand. */
bool file_write_durable(const char *p, const void *bytes, size_t n, mode_t mode);
/* Make something new beside P that is to be renamed to it: MAKE(NAME, DATA) with the names P.tmp-XXXXXX, at random, until one is
 * taken; MAKE fails with EEXIST if something has that name. Process ids would not do: two containers that share a directory have
 * the same. The name, or NULL with errno; free() it. */
char *file_make_beside(const char *p, bool (*make)(const char *name, void *data), void *data);
/* Is NAME that of a temporary file of file_write, which a killed process has left unless one is at it: P.tmp-XXXXXX, or
 * P.tmp<process id>, as it was before? */
bool file_is_unfinished(const char *name);
/* Write N bytes to P in place, through links, and also if it is not a regular file: as compilers write a
 * depfile. On failure P is removed if it is a regular file. */
bool file_overwrite(const char *p, const void *bytes, size_t n, mode_t mode);
/* Is P there, but neither a regular file nor a directory: a device, a pipe, standard output by its name? */
bool file_is_special(const char *p);
/* Write what a user asked for to P, which they have named: like file_write to a regular file, or behind a link, which stays one; what
 * is special is written to, not replaced. */
bool file_put(const char *p, const void *bytes, size_t n, mode_t mode);
/* The same, but P keeps its time stamp if its content would not change. */
bool file_put_update(const char *p, const void *bytes, size_t n, mode_t mode);
/* Like file_write, but P keeps its time stamp if its content would not change. */
bool file_update(const char *p, const void *bytes, size_t n, mode_t mode);
/* Copy a regular file with its permission bits, atomically as by file_write. */
bool file_copy(const char *from, const char *to);
/* Write N bytes to FD, open on P, and close it. On failure P is removed if it is a regular file. */
bool file_fill(int fd, const char *p, const void *bytes, size_t n);

/* What time it is for the file system of DIR, a directory that can be written to: its time stamps are by the clock of
 * the machine that serves it, which may be far from ours. */
bool file_clock(const char *dir, struct timespec *now);

#endif
