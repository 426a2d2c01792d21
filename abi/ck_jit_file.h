/* ck_jit_file.h - opens files and writes to descriptors inside a process that is not ckjit's own.
 *
 * The runtime lives in a job. A write must not end that job by a signal (SIGPIPE: the reader of its
 * standard error is gone; SIGXFSZ: its files may not grow; SIGTTOU: it is in the background) and
 * must not stop it (a full pipe, a terminal on which the user pressed Ctrl-S). An open must not
 * wait (a FIFO), and a file must not be larger than its reader can hold (a sparse file of 100 GB, a
 * device without an end).
 *
 * This file has all writes of runtime/, abi/ and api/, and these rooms open all files with it
 * (test/runtime-writes.sh). ckjit's programs use it for the files of a cache, too.
 *
 * libc only, no allocation, no state, thread-safe.
 */
#ifndef CK_JIT_FILE_H
#define CK_JIT_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* ---- opening ---- */

/* Open PATH as open(2) does, but never wait. *MADE: FLAGS have O_CREAT, and this call has made the
 * file; then the umask applies to MODE. */
static inline int ckjit_open_at_once(const char *path, int flags, mode_t mode, bool *made) {
  /* O_NONBLOCK: an open of a FIFO would wait for its other end */
  flags |= O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  int fd = open(path, flags & ~O_CREAT);
  *made = false;
  if (fd >= 0 || !(flags & O_CREAT) || errno != ENOENT)
    return fd;
  fd = open(path, flags | O_EXCL, mode);
  *made = fd >= 0;
  /* Another process has made it, or PATH is a dangling symbolic link. */
  return fd < 0 && errno == EEXIST ? open(path, flags, mode) : fd;
}

/* Open PATH, a regular file of at most MOST bytes, following symbolic links; *ST (may be NULL)
 * describes it. -1 with errno: EINVAL or EISDIR if it is not a regular file, EFBIG if it is larger.
 * Never waits. FLAGS have no O_EXCL. MODE is that of a new file, which its owner can read and write
 * whatever the job's umask is. */
static inline int ckjit_open_named(const char *path, int flags, mode_t mode, uint64_t most,
                                   struct stat *st) {
  struct stat own;
  bool made;
  int fd = ckjit_open_at_once(path, flags, mode, &made);
  if (fd < 0) {
    if (errno == ENXIO || errno == ENODEV) /* a FIFO without a reader, a socket, a missing device */
      errno = EINVAL;
    return -1;
  }
  st = st ? st : &own;
  int error = fstat(fd, st) ? errno : 0;
  if (!error && !S_ISREG(st->st_mode))
    error = S_ISDIR(st->st_mode) ? EISDIR : EINVAL;
  else if (!error && st->st_size > 0 && (uint64_t)st->st_size > most)
    error = EFBIG;
  if (!error && made && (st->st_mode & mode & 0600) != (mode & 0600))
    fchmod(fd, (st->st_mode & 07777) | (mode & 0600));
  if (!error)
    return fd;
  close(fd);
  errno = error;
  return -1;
}

/* The same for a file of a cache, which must not be a symbolic link (ELOOP). */
static inline int ckjit_open_cached(const char *path, int flags, mode_t mode, uint64_t most,
                                    struct stat *st) {
  return ckjit_open_named(path, flags | O_NOFOLLOW, mode, most, st);
}

/* Why a function above failed with errno ERROR, as text that follows the file's name and a
 * colon. */
static inline const char *ckjit_open_failed(int error) {
  return error == EINVAL  ? "it is not a regular file"
         : error == EFBIG ? "it is too large"
                          : strerror(error);
}

/* Open FILE, in /proc or /dev, for reading. -1 with errno. */
static inline int ckjit_open_kernel(const char *file) {
  bool made;
  return ckjit_open_at_once(file, O_RDONLY, 0, &made);
}

/* Read the beginning of FILE, in /proc, into TEXT. One read() returns no more than a page of it.
 * False if it cannot be read. errno is kept. */
static inline bool ckjit_proc_text(const char *file, char *text, size_t size) {
  int saved = errno, fd = ckjit_open_kernel(file);
  size_t len = 0;
  ssize_t n = -1;
  while (fd >= 0 && len < size - 1 && (n = read(fd, text + len, size - 1 - len)) > 0)
    len += (size_t)n;
  if (fd >= 0)
    close(fd);
  text[len] = 0;
  errno = saved;
  return n >= 0;
}

/* ---- signals that a write raises ---- */

/* The thread that writes receives the signals that a write raises. They are blocked during the
 * write, and a signal that the write raised is removed: the program must not see it. */
struct ckjit_shield {
  sigset_t before, pending;
};

static inline void ckjit_shield_up(struct ckjit_shield *s) {
  sigset_t raised;
  sigemptyset(&raised);
  sigaddset(&raised, SIGPIPE);
  sigaddset(&raised, SIGXFSZ);
  sigaddset(&raised, SIGTTOU); /* blocked, it is not raised, and the write succeeds */
  pthread_sigmask(SIG_BLOCK, &raised, &s->before);
  sigemptyset(&s->pending);
  sigpending(&s->pending);
}

/* Call it after a write, with its errno ERROR, or 0. */
static inline void ckjit_shield_down(const struct ckjit_shield *s, int error) {
  static const struct timespec now;
  int raised = error == EPIPE ? SIGPIPE : error == EFBIG ? SIGXFSZ : 0;
  if (raised && !sigismember(&s->pending, raised)) {
    sigset_t its;
    sigemptyset(&its);
    sigaddset(&its, raised);
    while (sigtimedwait(&its, NULL, &now) < 0 && errno == EINTR)
      ;
  }
  pthread_sigmask(SIG_SETMASK, &s->before, NULL);
}

/* ---- writing to ckjit's files ---- */

/* Write N bytes to FD, a regular file or one without a name. 0 or an errno; raises no signal. A
 * short text is written by one call, so that lines of several processes do not mix. */
static inline int ckjit_write_file(int fd, const void *bytes, size_t n) {
  const char *at = (const char *)bytes;
  struct ckjit_shield shield;
  int error = 0;
  ckjit_shield_up(&shield);
  while (n && !error) {
    ssize_t w = write(fd, at, n);
    if (w > 0) {
      at += w;
      n -= (size_t)w;
    } else if (w == 0 || errno != EINTR) {
      error = w ? errno : ENOSPC;
    }
  }
  ckjit_shield_down(&shield, error);
  return error;
}

/* Append N bytes of whole lines to FD, which has SIZE bytes and was opened with O_APPEND. 0 or an
 * errno. EFBIG, without writing, if this process's files may not become so large.
 *
 * On a network file system each machine writes at the end that it knows, over what another wrote at
 * the same moment. So it asks the server for the end first. Lines may be lost all the same, and a
 * reader must take neither the start nor the rest of a line, nor one joined to another, for a
 * line. */
static inline int ckjit_append_file(int fd, off_t size, const void *lines, size_t n) {
  struct rlimit most;
  struct statx now;
  statx(fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_SIZE, &now);
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
      (uint64_t)size + n > most.rlim_cur)
    return EFBIG;
  return ckjit_write_file(fd, lines, n);
}

/* ---- writing to descriptors of the host process ---- */

enum { CKJIT_WRITE_NOWAIT = 8 /* RWF_NOWAIT, which an older C library does not name */ };

/* Shorten the N PARTS to at most MOST bytes. */
static inline void ckjit_parts_cut(struct iovec *parts, int n, size_t most) {
  for (int i = 0; i < n; i++) {
    if (parts[i].iov_len > most)
      parts[i].iov_len = most;
    most -= parts[i].iov_len;
  }
}

/* Write PARTS to FD, a pipe or terminal for which there is no write that does not wait: Linux
 * before 6.5 has none for pipes, and no Linux has one for terminals. O_NONBLOCK is set on
 * another open file description of it, never on the host's. Without /proc it writes no more than
 * fits into any pipe that has room; if another thread fills the pipe in the same instant, that
 * write waits. */
static inline ssize_t ckjit_write_ready(int fd, const struct stat *st, const struct iovec *parts,
                                        int n) {
  struct pollfd ready = {.fd = fd, .events = POLLOUT};
  if (poll(&ready, 1, 0) <= 0 || !(ready.revents & (POLLOUT | POLLERR))) {
    errno = EAGAIN;
    return -1;
  }
  bool pipe = S_ISFIFO(st->st_mode), standard = fcntl(0, F_GETFD) >= 0 && fcntl(1, F_GETFD) >= 0;
  if (!pipe && !isatty(fd))
    return writev(fd, parts, n);
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  int own = standard ? open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
  struct iovec few[8];
  if (own < 0 && n <= (int)(sizeof few / sizeof *few)) {
    memcpy(few, parts, (size_t)n * sizeof *parts);
    ckjit_parts_cut(few, n, PIPE_BUF);
    return writev(fd, few, n);
  }
  ssize_t w = writev(own, parts, n);
  int error = errno;
  close(own);
  errno = error;
  return w;
}

/* One write to FD that does not wait. */
static inline ssize_t ckjit_write_now(int fd, struct iovec *parts, int n) {
  struct stat st;
  if (fstat(fd, &st))
    return -1;
  if (S_ISSOCK(st.st_mode)) {
    const struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)n};
    return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  int flags = fcntl(fd, F_GETFL);
  if (S_ISREG(st.st_mode) || (flags >= 0 && flags & O_NONBLOCK))
    return writev(fd, parts, n);
  ssize_t w = syscall(SYS_pwritev2, (long)fd, parts, (long)n, -1L, -1L, (long)CKJIT_WRITE_NOWAIT);
  if (w >= 0 || errno == EAGAIN || errno == EINTR || errno == EPIPE || errno == EBADF)
    return w;
  return ckjit_write_ready(fd, &st, parts, n);
}

/* Write the N PARTS, which are used up, to FD, a descriptor of the host process; with one write, if
 * that takes all. Raises no signal and waits at most PATIENCE milliseconds in all. Text that finds
 * no room is lost. */
static inline void ckjit_write_host(int fd, struct iovec *parts, int n, int patience) {
  struct ckjit_shield shield;
  int error = 0;
  ckjit_shield_up(&shield);
  while (n && !error) {
    ssize_t w = ckjit_write_now(fd, parts, n);
    if (w < 0 && errno == EAGAIN && patience > 0) {
      const struct timespec pause = {.tv_nsec = 1000000};
      nanosleep(&pause, NULL);
      patience--;
    } else if (w <= 0 && (w == 0 || errno != EINTR)) {
      error = w ? errno : EAGAIN;
    }
    for (; n && w >= (ssize_t)parts->iov_len; parts++, n--)
      w -= (ssize_t)parts->iov_len;
    if (n && w > 0) {
      parts->iov_base = (char *)parts->iov_base + w;
      parts->iov_len -= (size_t)w;
    }
  }
  ckjit_shield_down(&shield, error);
}

#endif
