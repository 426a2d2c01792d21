/* file.c - a test of abi/ck_jit_file.h: whatever descriptor is written to, the call comes back, no
 * signal is raised, and one that was pending is still; whatever a name means, an open comes back
 * with a regular file of bounded size or an errno. */
// tier: check
#include "abi/ck_jit_file.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <termios.h>

static int failures;

static void check(bool holds, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "file: %s\n", what);
  failures++;
}

static void say(int fd, size_t n, int patience) {
  char *text = calloc(1, n);
  struct iovec parts[] = {{"ckjit: ", 7}, {text, 0}, {text, n}, {"\n", 1}};
  ckjit_write_host(fd, parts, 4, patience);
  free(text);
}

static void fill(int fd) {
  static const char zeros[4096];
  int flags = fcntl(fd, F_GETFL);
  fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  for (size_t n = sizeof zeros; n; n /= 2)
    while (write(fd, zeros, n) > 0)
      ;
  fcntl(fd, F_SETFL, flags);
}

/* All signals have their default actions: one that is raised ends the test. */
static void streams(void) {
  int end[2];
  char got[16];
  if (pipe(end))
    abort();
  say(end[1], 4, 0);
  check(read(end[0], got, sizeof got) == 12 && memcmp(got, "ckjit: \0\0\0\0\n", 12) == 0,
        "a pipe gets the line");
  say(end[1], 1 << 20, 0);
  check(true, "a line longer than the pipe");
  fill(end[1]);
  say(end[1], 4, 20);
  check(!(fcntl(end[1], F_GETFL) & O_NONBLOCK), "the host's description is changed");
  struct stat st;
  struct iovec one = {"x", 1};
  check(fstat(end[1], &st) == 0 && ckjit_write_ready(end[1], &st, &one, 1) < 0 && errno == EAGAIN,
        "a full pipe, without RWF_NOWAIT");
  while (read(end[0], got, sizeof got) == sizeof got && poll(&(struct pollfd){end[0], POLLIN, 0}, 1, 0) > 0)
    ;
  check(ckjit_write_ready(end[1], &st, &one, 1) == 1, "a pipe with room, without RWF_NOWAIT");
  close(end[0]);
  say(end[1], 4, 0);
  struct ckjit_shield shield;
  ckjit_shield_up(&shield);
  check(ckjit_write_ready(end[1], &st, &one, 1) < 0 && errno == EPIPE, "a pipe without a reader");
  ckjit_shield_down(&shield, EPIPE);
  close(end[1]);
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, end))
    abort();
  say(end[1], 4, 0);
  fill(end[1]);
  say(end[1], 4, 0);
  close(end[0]);
  say(end[1], 4, 0);
  close(end[1]);
  say(end[1], 4, 0); /* closed */
}

/* A terminal on which the user pressed Ctrl-S. */
static void terminal(void) {
  int master = posix_openpt(O_RDWR | O_NOCTTY), slave = -1;
  if (master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0)
    slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  if (slave < 0) {
    fputs("file: no terminal here\n", stderr);
    return;
  }
  char got[64];
  say(slave, 0, 0);
  check(read(master, got, sizeof got) == 9 && memcmp(got, "ckjit: \r\n", 9) == 0, "a terminal gets the line");
  tcflow(slave, TCOOFF);
  say(slave, 4, 0);
  tcflow(slave, TCOON);
  for (int i = 0; i < 100; i++)
    say(slave, 4096, 0); /* nobody reads */
  close(slave);
  close(master);
}

/* What a program has blocked and pending is its own. */
static void pending(void) {
  sigset_t set, now;
  int end[2];
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (pipe(end))
    abort();
  close(end[0]);
  say(end[1], 4, 0);
  sigpending(&now);
  check(!sigismember(&now, SIGPIPE), "SIGPIPE is left pending");
  raise(SIGPIPE);
  say(end[1], 4, 0);
  sigpending(&now);
  check(sigismember(&now, SIGPIPE), "a SIGPIPE of the program's was taken");
  pthread_sigmask(SIG_BLOCK, NULL, &now);
  check(sigismember(&now, SIGPIPE) && !sigismember(&now, SIGXFSZ) && !sigismember(&now, SIGTTOU),
        "the signal mask is changed");
  signal(SIGPIPE, SIG_IGN); /* takes it away */
  signal(SIGPIPE, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  close(end[1]);
}

static void limited(const char *dir) {
  char name[PATH_MAX];
  struct stat st;
  struct rlimit most, few;
  snprintf(name, sizeof name, "%s/limited", dir);
  int fd = ckjit_open_cached(name, O_WRONLY | O_CREAT | O_APPEND, 0600, 0, NULL);
  check(fd >= 0, "a new file");
  getrlimit(RLIMIT_FSIZE, &most);
  few = most;
  few.rlim_cur = 10;
  setrlimit(RLIMIT_FSIZE, &few);
  check(ckjit_write_file(fd, "0123456", 7) == 0, "what fits");
  check(ckjit_append_file(fd, 7, "0123456", 7) == EFBIG && fstat(fd, &st) == 0 && st.st_size == 7,
        "a line that does not fit is not begun");
  check(ckjit_write_file(fd, "0123456", 7) == EFBIG, "what does not fit");
  say(fd, 4, 0);
  setrlimit(RLIMIT_FSIZE, &most);
  close(fd);
}

static void opened(const char *dir) {
  char name[PATH_MAX], link[PATH_MAX];
  struct stat st;
  snprintf(name, sizeof name, "%s/fifo", dir);
  mkfifo(name, 0600);
  static const int ways[] = {O_RDONLY, O_WRONLY, O_RDWR};
  for (int i = 0; i < 3; i++) {
    check(ckjit_open_cached(name, ways[i], 0, UINT64_MAX, NULL) < 0 && errno == EINVAL, "a FIFO");
    check(ckjit_open_named("/dev/null", ways[i], 0, UINT64_MAX, NULL) < 0 && errno == EINVAL, "a device");
  }
  check(ckjit_open_named(dir, O_RDONLY, 0, UINT64_MAX, NULL) < 0 && errno == EISDIR,
        "a directory, for reading");
  snprintf(name, sizeof name, "%s/sparse", dir);
  int fd = ckjit_open_cached(name, O_RDWR | O_CREAT, 0600, 0, NULL);
  if (fd < 0 || ftruncate(fd, (off_t)100 << 30))
    abort();
  close(fd);
  check(ckjit_open_cached(name, O_RDONLY, 0, 1 << 20, NULL) < 0 && errno == EFBIG, "a sparse file");
  fd = ckjit_open_cached(name, O_RDONLY, 0, (uint64_t)100 << 30, &st);
  check(fd >= 0 && st.st_size == (off_t)100 << 30, "as large as may be");
  close(fd);
  snprintf(link, sizeof link, "%s/link", dir);
  check(symlink(name, link) == 0 && ckjit_open_cached(link, O_RDONLY, 0, UINT64_MAX, NULL) < 0 &&
            errno == ELOOP,
        "a link in a cache");
  fd = ckjit_open_named(link, O_RDONLY, 0, UINT64_MAX, NULL);
  check(fd >= 0, "a link that a user names");
  close(fd);
  static const char *const left[] = {"fifo", "sparse", "link", "limited"};
  for (size_t i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "%s/%s", dir, left[i]);
    unlink(name);
  }
}

int main(void) {
  char dir[] = "/tmp/ckjit-file-XXXXXX";
  if (!mkdtemp(dir))
    return 1;
  alarm(60); /* a write that waits */
  streams();
  terminal();
  pending();
  limited(dir);
  opened(dir);
  rmdir(dir);
  return failures != 0;
}
