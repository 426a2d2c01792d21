/* holder.h - who holds a lock, and for how long: what the holder wrote into the file, for people who wait for it.
 *
 * Nothing is decided by it: who holds a lock, and whether that lives, is lock.h's and owned.h's to say. The one owner of
 * how a process and its compile are named, in the line of a call that waits (compile/tell.c) and in `ckjit-prebuild
 * status`. docs/formats.md has the form.
 *
 * Errors: what cannot be written or read is unknown. Thread safety: none.
 */
#ifndef CKJIT_HOLDER_H
#define CKJIT_HOLDER_H

#include "core/base/base.h"

#include <time.h>

enum { HOLDER_NAME = 64 };

struct holder {
  long pid;
  bool here;              /* in our process space: PID is that process for us, too */
  char host[HOLDER_NAME]; /* of the holder */
  struct timespec since;  /* by the file system's clock */
  long job_pid;           /* the process that wants what is made; 0: unknown */
  char job_name[HOLDER_NAME];
};

/* From now on we work for process PID. */
void holder_works_for(long pid);
/* That process, as owned_identity() has it; free() it. NULL: it is not known. */
char *holder_job(void);
/* Write into FD, a lock file that we hold, that we do. */
void holder_write(int fd);
/* Read what PATH's holder wrote; false: nothing is known. */
bool holder_read(struct holder *h, const char *path);
/* How many seconds H has held its lock, by the clock of the file system of DIR, which can be written to; negative: unknown. */
double holder_seconds(const struct holder *h, const char *dir);

/* Append "ckjit-compile (pid 12)": the holder, with its host or container if that is another. */
void holder_add(struct buf *out, const struct holder *h);
/* The same of the job that it works for. */
void holder_add_job(struct buf *out, const struct holder *h);
/* The same of a process of our own process space: its name, as the system knows it. False: it is gone, nothing was added. */
bool holder_add_process(struct buf *out, long pid);

#endif
