/* worklock.c - see worklock.h.
 *
 * Two builds in one work directory would remove each other's sources, and two processes that make
 * one fake home would each remove the other's files as remains. The lock is flock(2) on a file in
 * the directory, so the kernel releases it when its holder dies, and nobody has to decide whether
 * it is stale. The file names its holder, for the message. As with cargo, the second process waits:
 * a script that starts `full` and `quick` in two jobs gets both results, and a user at a terminal
 * can press Ctrl-C.
 *
 * The file is not removed at the end: otherwise a waiting process would lock a file without a name,
 * while a third makes a new one. If the user removes the whole directory meanwhile, the file is
 * opened again. */
#include "worklock.h"
#include "core/base/base.h"
#include "core/base/path.h"
#include "core/base/trust.h"
#include "core/cache/holder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* the locked directory, in the words of its users */
struct lockable {
  const char *file, *what, *option, *until;
};
static const struct lockable work_dir = {WORK_LOCK_FILE, "work directory", "--tmp-dir",
                                         "it and the build that it started have ended"};
static const struct lockable home_dir = {HOME_LOCK_FILE, "fake home", "--dir", "it has ended"};

static int lock_fd = -1, home_fd = -1;

static int open_lock(const struct lockable *p, const char *file) {
  int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
  struct stat st;
  if (fd < 0)
    die(EXIT_FAILED, "%s: cannot open the lock of the %s: %s; choose another %s", file, p->what,
        strerror(errno), p->option);
  if (fstat(fd, &st) || !S_ISREG(st.st_mode))
    die(EXIT_FAILED,
        "%s: is not a regular file; remove it: the %s is locked by a file of this name", file,
        p->what);
  const char *why = trust_open_why(fd);
  if (why)
    die(EXIT_FAILED,
        "%s, the lock of the %s, %s; remove it, or choose another %s [ckjit help "
        "untrusted-directory]",
        file, p->what, why, p->option);
  return fd;
}

/* "ckjit-build (pid 12) for 3 s", for the message; free() it. */
static char *name_holder(const char *file, const char *dir) {
  struct holder h;
  struct buf who = {0};
  if (!holder_read(&h, file))
    return xstrdup("another ckjit-build");
  holder_add(&who, "ckjit-build", &h);
  double seconds = holder_seconds(&h, dir);
  if (seconds >= 0)
    buf_printf(&who, " for %.0f s", seconds);
  return who.data;
}

/* Lock FD, of DIR, waiting if necessary. False if this file system has no locks. */
static bool lock(const struct lockable *p, int fd, const char *file, const char *dir) {
  if (flock(fd, LOCK_EX | LOCK_NB) == 0)
    return true;
  if (errno != EWOULDBLOCK && errno != EINTR) {
    warn("%s: cannot be locked: %s; do not start another build in it before this one has ended",
         dir, strerror(errno));
    return false;
  }
  autofree char *holder = name_holder(file, dir);
  note("%s: in use by %s; waiting until %s. With another %s there is no wait", dir, holder,
       p->until, p->option);
  while (flock(fd, LOCK_EX))
    if (errno != EINTR)
      die(EXIT_FAILED, "%s: cannot lock the %s: %s", dir, p->what, strerror(errno));
  return true;
}

static bool is_file(int fd, const char *file) {
  struct stat a, b;
  return fstat(fd, &a) == 0 && stat(file, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Lock DIR; the descriptor. */
static int take(const struct lockable *p, const char *dir) {
  autofree char *file = path_join(dir, p->file);
  int fd;
  for (;;) {
    fd = open_lock(p, file);
    bool locked = lock(p, fd, file, dir);
    if (!locked || is_file(fd, file))
      break;
    close(fd); /* it was removed meanwhile */
    if (!file_is_dir(dir))
      die(EXIT_FAILED, "%s: was removed while this waited for it; start again", dir);
  }
  holder_write(fd);
  return fd;
}

void work_lock(const char *work) {
  lock_fd = take(&work_dir, work);
}

void work_lock_share(bool share) {
  if (lock_fd >= 0)
    fcntl(lock_fd, F_SETFD, share ? 0 : FD_CLOEXEC);
}

void home_lock(const char *dir) {
  home_fd = take(&home_dir, dir);
}

void home_unlock(void) {
  close(home_fd);
  home_fd = -1;
}
