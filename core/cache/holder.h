/* holder.h - the holder of a lock, and since when: the line that the holder wrote into the file,
 * for people who wait for it.
 *
 * Nothing is decided by it: lock.h and owned.h find out who holds a lock, and whether that process
 * lives. It is the one owner of the names of a process and its compile, in the message of a call
 * that waits (compile/tell.c) and in `ckjit status`. docs/formats.md has the form.
 *
 * Errors: facts that cannot be written or read are unknown. Thread safety: none.
 */
#ifndef CKJIT_HOLDER_H
#define CKJIT_HOLDER_H

#include "core/base/base.h"

#include <time.h>

enum { HOLDER_NAME = 64 };

struct holder {
  long pid;
  /* in this process space: PID has the same meaning here */
  bool here;
  char host[HOLDER_NAME]; /* of the holder */
  struct timespec since;  /* by the file system's clock */
  /* the process that wants the result; 0: unknown */
  long job_pid;
  char job_name[HOLDER_NAME];
};

/* From now on this process works for process PID. */
void holder_works_for(long pid);
/* Write into FD, a lock file that we hold, that we do. */
void holder_write(int fd);
/* Read the line of PATH's holder; false: nothing is known. */
bool holder_read(struct holder *h, const char *path);
/* How many seconds H has held its lock, by the clock of the file system of DIR, which must be
 * writable; negative: unknown. */
double holder_seconds(const struct holder *h, const char *dir);

/* Append "PROGRAM (pid 12)": the holder, with its host or container if that is another. */
void holder_add(struct buf *out, const char *program, const struct holder *h);
/* The same for the job that it works for. */
void holder_add_job(struct buf *out, const struct holder *h);
/* The same for a process of this process space, with its name from the system. False: it has ended,
 * and nothing was added. */
bool holder_add_process(struct buf *out, long pid);

#endif
