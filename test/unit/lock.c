/* lock.c - a lock file is removed by nobody but who has looked at it (core/cache/lock.c), is given up when its holder is stopped, and at no
 * other time. */
// tier: check
#include "core/cache/lock.h"
#include "core/base/path.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *top, *path;
static int failures;

static void check(bool good, const char *what) {
  if (!good) {
    fprintf(stderr, "%s\n", what);
    failures++;
  }
}

static enum lock_state take(int *fd, double patience, bool *waited) {
  char *err = NULL;
  enum lock_state state = lock_take(fd, path, &(struct lock_wait){.patience = patience}, waited, &err);
  free(err);
  return state;
}

/* A process that takes the lock and sleeps in one call for ever. */
static pid_t start_holder(void) {
  int ends[2], fd;
  bool waited;
  char byte;
  if (pipe(ends))
    exit(1);
  pid_t pid = fork();
  if (pid == 0) {
    if (take(&fd, 1, &waited) != LOCK_OURS || write(ends[1], "", 1) != 1)
      _exit(1);
    for (;;)
      sleep(1000);
  }
  if (read(ends[0], &byte, 1) != 1)
    exit(1);
  close(ends[0]);
  close(ends[1]);
  return pid;
}

static void test_alone(void) {
  int fd, other;
  bool waited;
  check(lock_try(&fd, path) == LOCK_NONE && fd == -1, "no file");
  check(take(&fd, 1, &waited) == LOCK_OURS && !waited && lock_is_current(fd, path), "taken");
  check(lock_try(&other, path) == LOCK_HELD && other == -1, "held");
  char *err = NULL;
  const struct lock_wait at_once = {.patience = 0.1, .at_once = true};
  check(lock_take(&other, path, &at_once, &waited, &err) == LOCK_HELD && other == -1 && file_exists(path),
        "held, and not waited for, nor given up");
  check(lock_remove(path) && file_exists(path), "a held one is not removed");
  lock_release(fd, path);
  check(!file_exists(path), "released");
  check(lock_take(&fd, path, &at_once, &waited, &err) == LOCK_OURS && !waited && lock_is_current(fd, path),
        "taken at once");
  lock_release(fd, path);
  check(file_write(path, "", 0, 0600) && lock_remove(path) && !file_exists(path),
        "one that nobody holds is removed");
}

static void count(void *n) {
  ++*(int *)n;
}

/* Whoever was given up removes nothing and does nothing in the holder's name. */
static void test_given_up(void) {
  int old, fd, calls = 0;
  bool waited;
  check(take(&old, 1, &waited) == LOCK_OURS, "the first");
  check(unlink(path) == 0, "given up");
  check(take(&fd, 1, &waited) == LOCK_OURS && !waited, "the second");
  check(!lock_is_current(old, path) && !lock_protect(old, path, count, &calls) && calls == 0,
        "the first notices");
  lock_release(old, path);
  check(lock_is_current(fd, path), "the first has removed the second's");
  check(lock_protect(fd, path, count, &calls) && calls == 1, "the second");
  lock_release(fd, path);
  check(lock_protect(-1, path, count, &calls) && calls == 2, "without a lock");
}

static void test_stopped(void) {
  int fd;
  bool waited;
  pid_t pid = start_holder();
  kill(pid, SIGSTOP);
  check(take(&fd, 1, &waited) == LOCK_OURS && waited, "a stopped one is given up");
  kill(pid, SIGCONT);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  check(lock_is_current(fd, path), "the one that took it");
  lock_release(fd, path);
}

static bool has_beaten(struct timespec *seen) {
  struct stat st;
  if (stat(path, &st))
    return true;
  bool beaten = st.st_mtim.tv_sec != seen->tv_sec || st.st_mtim.tv_nsec != seen->tv_nsec;
  *seen = st.st_mtim;
  return beaten;
}

/* It sleeps in one system call, as in an fsync on a slow disk, and is alive. */
static void test_busy(void) {
  struct timespec seen = {0};
  pid_t pid = start_holder();
  for (int beats = 0; beats < 3; beats += has_beaten(&seen))
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  check(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid, "it is still there");
  int fd;
  bool waited;
  check(take(&fd, 1, &waited) == LOCK_OURS && !waited, "a killed one holds nothing");
  lock_release(fd, path);
}

/* A process that was stopped while it removed a name must not stop all others: they go on, and remove nothing. */
static void test_guard_held(void) {
  int guard = open(top, O_RDONLY | O_DIRECTORY), fd;
  bool waited;
  check(take(&fd, 1, &waited) == LOCK_OURS, "taking needs no guard");
  check(guard >= 0 && flock(guard, LOCK_EX) == 0, "guard");
  lock_release(fd, path);
  check(file_exists(path), "nothing is removed without it");
  close(guard);
  check(lock_remove(path) && !file_exists(path), "later it is");
}

int main(void) {
  const char *tmp = getenv("TMPDIR");
  top = xasprintf("%s/ckjit-lock.XXXXXX", tmp ? tmp : "/tmp");
  if (!mkdtemp(top))
    return 1;
  path = path_join(top, "lock");
  test_alone();
  test_given_up();
  test_stopped();
  test_busy();
  test_guard_held();
  dir_remove(top);
  free(top);
  free(path);
  return failures != 0;
}
