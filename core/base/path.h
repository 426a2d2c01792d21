/* path.h - file names and whole files. free() the returned strings. Functions that can fail return
 * false or NULL, with errno. Thread-safe. */
#ifndef CKJIT_PATH_H
#define CKJIT_PATH_H

#include "base.h"

#include <sys/types.h>
#include <time.h>

/* A/B; B alone if it is absolute. */
char *path_join(const char *a, const char *b);
/* Make P absolute, without ".", ".." and doubled slashes. Symbolic links are not resolved: the
 * build's spelling stays. */
char *path_abs(const char *p);
/* The same with relative names based on the directory CWD. */
char *path_abs_in(const char *cwd, const char *p);
/* Everything before the last slash; "." if there is none, "/" for the root. */
char *path_dir(const char *p);
/* The part after the last slash; points into P. */
const char *path_base(const char *p);
/* Does its name make P a shared library: "libx.so", "libx.so.5"? An object may be "x.some.o". */
bool path_is_shared(const char *p);
/* The base name without its last extension: "a/b.cuda.o" gives "b.cuda". */
char *path_stem(const char *p);
/* Is P in directory DIR, or DIR itself? Both must be absolute and normalised. */
bool path_within(const char *p, const char *dir);
/* The part of P below DIR, pointing into P; NULL if P is not in DIR. */
const char *path_below(const char *p, const char *dir);
/* The first executable file NAME on the PATH (or NAME itself if it has a slash), or NULL. */
char *path_which(const char *name);
/* The same in PATH, directories with a colon between them. */
char *path_which_in(const char *path, const char *name);
/* Why path_which(NAME) returned NULL, as text that follows the name: "is not on the PATH", "is not
 * there", "is a directory", "is not executable". Static. */
const char *path_which_why(const char *name);
/* The directory of the running program, with symbolic links resolved. */
char *path_self_dir(void);

/* Does P exist for the effective user, as for open? access(2) checks the real user, which in a
 * set-user-ID program may see another file. */
bool file_exists(const char *p);
bool file_is_dir(const char *p);
bool file_is_regular(const char *p);
/* Is it a regular file, following links, that this user may execute? */
bool file_is_program(const char *p);
/* Has P been written to or replaced after WHEN, by the time of its last change? False if it does
 * not exist. A reader of files that others may edit takes the time, reads, and then calls this: if
 * it is true, nobody knows which text was read. WHEN is of CLOCK_REALTIME, so that earlier writes
 * never count as later ones; CLOCK_REALTIME_COARSE would not do, because Linux 6.13 gives files
 * finer times. The clock of a file server that lags may hide an edit. */
bool file_changed_since(const char *p, struct timespec when);
/* mkdir -p. The user can always use the new directory, whatever the umask (abi/ck_jit_make.h). */
bool dir_make(const char *p);
/* The same with mode 0700 and without an ACL, for directories of the user alone. */
bool dir_make_own(const char *p);
/* The same for a work directory: only the user can write to it. For the main thread, because it
 * reads the umask. */
bool dir_make_work(const char *p);
/* As mkdtemp(3): make a directory of that kind with the name TEMPLATE, whose last six letters,
 * XXXXXX, are replaced. */
bool dir_make_temporary(char *template);
/* rm -r, without following symbolic links. errno is that of the first failure; success if nothing
 * exists. */
bool dir_remove(const char *p);

/* The whole file, with a NUL after its *LEN bytes; free() it. It must be a regular file, otherwise
 * errno is EINVAL (for a directory EISDIR), and fit into memory, otherwise EFBIG. It neither waits
 * for the other end of a FIFO nor reads a device without an end. */
char *file_read(const char *p, size_t *len);
/* The same for a text: a source, a header, a list. It has at most 256 MiB. */
char *file_read_text(const char *p, size_t *len);
/* The same for a file of a cache: it has at most MOST bytes and is not a symbolic link (ELOOP). */
char *file_read_cached(const char *p, uint64_t most, size_t *len);
/* The same for a file that a user named for this run, which may be a pipe: `--list <(…)`. It may
 * wait. */
char *file_read_any(const char *p, size_t *len);
/* Map the regular file P, for those who need a small part of a large one; munmap() it. NULL with
 * errno. The process gets SIGBUS if P is cut off meanwhile. */
const char *file_map(const char *p, size_t *len);
/* Replace P by N bytes atomically: they are written to a temporary file beside it, which is
 * renamed, so that no reader sees a partial file. On failure P is unchanged and the temporary file
 * is removed. */
bool file_write(const char *p, const void *bytes, size_t n, mode_t mode);
/* P with SUFFIX, which is short, for a file beside P. If the result is too long for a directory,
 * the end of P's base name is omitted: a build may use names of 255 bytes. free() it. */
char *path_beside(const char *p, const char *suffix);
/* Make something new beside P that will be renamed to P: MAKE(NAME, DATA) gets random names
 * P.tmp-XXXXXX until one is free; MAKE fails with EEXIST if the name is taken. Process ids are not
 * enough: two containers that share a directory have the same ones. Returns the name, or NULL with
 * errno; free() it. */
char *file_make_beside(const char *p, bool (*make)(const char *name, void *data), void *data);
/* Is NAME that of a temporary file of file_write, which a killed process has left unless a process
 * is writing it: P.tmp-XXXXXX, or P.tmp<process id>, as in earlier versions? */
bool file_is_unfinished(const char *name);
/* Write N bytes to P in place, through links, even if it is not a regular file: as compilers write
 * a depfile. On failure P is removed if it is a regular file. */
bool file_overwrite(const char *p, const void *bytes, size_t n, mode_t mode);
/* Does P exist, but is neither a regular file nor a directory: a device, a pipe, standard output by
 * its name? */
bool file_is_special(const char *p);
/* Write a user's output to P, which the user named: as file_write for a regular file, or the target
 * of a link, which stays a link; a special file is written to, not replaced. */
bool file_put(const char *p, const void *bytes, size_t n, mode_t mode);
/* The same, but P keeps its time stamp if its content would not change. */
bool file_put_update(const char *p, const void *bytes, size_t n, mode_t mode);
/* Like file_write, but P keeps its time stamp if its content would not change. */
bool file_update(const char *p, const void *bytes, size_t n, mode_t mode);
/* Append to P, which nobody else reads meanwhile. On failure P is removed. */
bool file_append(const char *p, const void *bytes, size_t n);
/* Copy a regular file with its permission bits, atomically as by file_write. */
bool file_copy(const char *from, const char *to);
/* Write N bytes at offset AT of FD. False with errno. */
bool file_write_at(int fd, const void *bytes, size_t n, off_t at);
/* Write N bytes to FD, open on P, and close it. On failure P is removed if it is a regular file. */
bool file_fill(int fd, const char *p, const void *bytes, size_t n);

/* The present time for the file system of DIR, a writable directory: its time stamps come from the
 * clock of the machine that serves it, which may differ much from the local one. */
bool file_clock(const char *dir, struct timespec *now);

#endif
