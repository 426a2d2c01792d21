/* worklock.c - see worklock.h.
 *
 * Two builds in one work directory would remove each other's sources. The lock is flock(2) on a file in the
 * directory, so the kernel releases it when its holder dies, and nobody has to decide whether it is stale.
 * The file says who has it, for the message. Like cargo, whoever comes second waits: a script that starts
 * `full` and `quick` in two jobs gets what it asked for, and a user at a terminal can press Ctrl-C.
 *
 * The file is not removed at the end: whoever waits for it would then have the lock of a file that has no
 * name, beside a third who made a new one. If the user removes the whole directory meanwhile, the file is
 * opened again. */
#include "worklock.h"
#include "core/base/base.h"
#include "core/base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int lock_fd = -1;

static int open_lock(const char *file) {
  int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  struct stat st;
  if (fd < 0)
    die(EXIT_FAILED, "%s: cannot open the lock of the work directory: %s; choose another --tmp-dir", file,
        strerror(errno));
  if (fstat(fd, &st) || !S_ISREG(st.st_mode))
    die(EXIT_FAILED, "%s: is no regular file; remove it: the work directory is locked by a file of this name",
        file);
  return fd;
}

/* What the holder wrote, as printable text; free() it. */
static char *read_holder(int fd) {
  char text[256];
  ssize_t n = pread(fd, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = 0;
  text[strcspn(text, "\n")] = 0;
  for (char *p = text; *p; p++)
    if ((unsigned char)*p < ' ' || *p == 0x7f)
      *p = '?';
  return xstrdup(*text ? text : "another ckjit-build");
}

static void write_holder(int fd, const char *command) {
  char host[128] = "", since[64] = "";
  struct tm tm;
  time_t now = time(NULL);
  if (gethostname(host, sizeof host - 1))
    strcpy(host, "this host");
  if (localtime_r(&now, &tm))
    strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S %Z", &tm);
  char *text =
      xasprintf("ckjit-build %s, process %ld on %s, since %s\n", command, (long)getpid(), host, since);
  /* If it cannot be written (a full disk), the lock holds all the same: the next one is told less. */
  if (ftruncate(fd, 0) == 0 && pwrite(fd, text, strlen(text), 0) < 0)
    errno = 0;
  free(text);
}

/* Lock FD, waiting if need be. False if this file system has no locks. */
static bool lock(int fd, const char *work) {
  if (flock(fd, LOCK_EX | LOCK_NB) == 0)
    return true;
  if (errno != EWOULDBLOCK && errno != EINTR) {
    warn("%s: cannot be locked: %s; do not start another build in it before this one has ended", work,
         strerror(errno));
    return false;
  }
  char *holder = read_holder(fd);
  note("%s: in use by %s; waiting until it and the build that it started have ended. "
       "With another --tmp-dir there is no wait",
       work, holder);
  free(holder);
  while (flock(fd, LOCK_EX))
    if (errno != EINTR)
      die(EXIT_FAILED, "%s: cannot lock the work directory: %s", work, strerror(errno));
  return true;
}

static bool is_file(int fd, const char *file) {
  struct stat a, b;
  return fstat(fd, &a) == 0 && stat(file, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

void work_lock(const char *work, const char *command) {
  char *file = path_join(work, WORK_LOCK_FILE);
  for (;;) {
    lock_fd = open_lock(file);
    bool locked = lock(lock_fd, work);
    if (!locked || is_file(lock_fd, file))
      break;
    close(lock_fd); /* it was removed while we waited */
    if (!file_is_dir(work))
      die(EXIT_FAILED, "%s: was removed while this waited for it; start again", work);
  }
  write_holder(lock_fd, command);
  free(file);
}

void work_lock_share(bool share) {
  if (lock_fd >= 0)
    fcntl(lock_fd, F_SETFD, share ? 0 : FD_CLOEXEC);
}
