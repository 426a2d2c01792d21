/* owned.c - whose a temporary directory is (core/cache/owned.c): it goes when its owner is certainly gone, and at no other time: not while
 * the owner is stopped, not because its process id came again, not by another machine's guess. */
// tier: check
#include "core/cache/owned.h"
#include "core/base/path.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *top;
static int failures;

static void check(bool good, const char *what) {
  if (!good) {
    fprintf(stderr, "%s\n", what);
    failures++;
  }
}

static char *invented; /* NULL: by the kernel */

/* As under qemu-user, which invents what a process reads in its own /proc/PID/stat, and nothing else. */
int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  char own[64];
  snprintf(own, sizeof own, "/proc/%d/stat", getpid());
  return (int)syscall(SYS_openat, AT_FDCWD, invented && strcmp(path, own) == 0 ? invented : path, flags,
                      mode);
}

static enum owned look(const char *path) {
  return owned_look(top, path_base(path));
}

/* A process that makes a directory and sleeps: its name in *DIR. */
static pid_t start(char **dir) {
  int ends[2];
  char name[4096];
  if (pipe(ends))
    exit(1);
  pid_t pid = fork();
  if (pid == 0) {
    char *prefix = path_join(top, ".tmp-key"), *own = owned_make(prefix);
    if (!own || write(ends[1], own, strlen(own) + 1) < 0)
      _exit(1);
    for (;;)
      pause();
  }
  ssize_t n = read(ends[0], name, sizeof name);
  if (n <= 0)
    exit(1);
  *dir = xstrdup(name);
  close(ends[0]);
  close(ends[1]);
  return pid;
}

static void test_owner_killed(void) {
  char *dir, *file;
  pid_t pid = start(&dir);
  file = path_join(dir, "x");
  check(file_write(file, "x", 1, 0600), "a file in it");
  check(look(dir) == OWNED_LIVES, "its owner lives");
  kill(pid, SIGSTOP);
  check(look(dir) == OWNED_LIVES, "its owner is stopped");
  owned_sweep(top, ".tmp-");
  check(file_exists(file), "a stopped owner's is not swept");
  kill(pid, SIGKILL);
  siginfo_t info;
  waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
  check(look(dir) == OWNED_GONE, "its owner is over, and not waited for");
  waitpid(pid, NULL, 0);
  check(look(dir) == OWNED_GONE, "its owner is gone");
  owned_sweep(top, ".other-");
  check(file_exists(file), "another prefix");
  owned_sweep(top, ".tmp-");
  check(!file_exists(dir), "it is swept");
  free(dir);
  free(file);
}

/* the directory DIR with part PART of its owner (machine, space, pid, start) replaced by WITH; made */
static char *forged(const char *dir, int part, const char *with) {
  char machine[16], space[16], pid[16], begun[32];
  const char *owner = strstr(dir, ".tmp-key-") + strlen(".tmp-key-");
  if (sscanf(owner, "%15[^.].%15[^.].%15[^.].%31[^-]", machine, space, pid, begun) != 4)
    exit(1);
  char *made = xasprintf("%s/.tmp-key-%s.%s.%s.%s-abcdef", top, part == 0 ? with : machine,
                         part == 1 || part == 0 ? "0badcafe" : space, part == 2 ? with : pid,
                         part == 3 ? with : begun);
  if (mkdir(made, 0700))
    exit(1);
  return made;
}

static void test_elsewhere(void) {
  char *prefix = path_join(top, ".tmp-key"), *ours = owned_make(prefix), *other;
  check(ours && look(ours) == OWNED_LIVES, "our own");
  other = forged(ours, 3, "1");
  check(look(other) == OWNED_GONE, "its process id came again");
  dir_remove(other);
  free(other);

  /* a container on this machine */
  other = forged(ours, 1, "");
  check(look(other) == OWNED_GONE, "another process space, nobody holds it");
  int fd = open(other, O_RDONLY | O_DIRECTORY);
  check(fd >= 0 && flock(fd, LOCK_EX) == 0, "flock");
  check(look(other) == OWNED_LIVES, "another process space, held");
  close(fd);
  dir_remove(other);
  free(other);

  /* another machine */
  const struct timespec hours[] = {{.tv_sec = time(NULL) - 7300}, {.tv_sec = time(NULL) - 7300}};
  const char *const machines[] = {"0badcafe", "00000000"};
  for (int i = 0; i < 2; i++) {
    other = forged(ours, 0, machines[i]);
    check(look(other) == OWNED_LIVES, "another machine's, with a sign of life");
    utimensat(AT_FDCWD, other, hours, 0);
    check(look(other) == OWNED_GONE, "another machine's, silent for two hours");
    dir_remove(other);
    free(other);
  }

  check(owned_remove(ours) && !file_exists(ours), "removed by its owner");
  free(ours);
  free(prefix);
}

static void test_emulated(void) {
  static const char stat[] = "1 (qemu) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0";
  char *dir;
  invented = path_join(top, "stat");
  check(file_write(invented, stat, sizeof stat - 1, 0600), "a stat of its own");
  pid_t pid = start(&dir);
  check(!strstr(path_base(dir), ".1-"), "its name has the start time that it alone reads");
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  dir_remove(dir);
  free(dir);
  free(invented);
  invented = NULL;
}

static void test_not_owned(void) {
  static const char *const names[] = {".tmp-0123-abcdef",
                                      ".tmp-",
                                      "-",
                                      ".tmp-0badcafe.0badcafe.0.1-abcdef",
                                      ".tmp-0badcafe.0badcafe.12.1-abcde",
                                      ".tmp-0badcafe.0badcafe.12-abcdef"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    check(owned_look(top, names[i]) == OWNED_NOT, names[i]);
  /* a file and a link of such a name are not ours */
  char *dir, *other;
  pid_t pid = start(&dir);
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  other = xasprintf("%s.d", dir);
  check(rename(dir, other) == 0 && file_write(dir, "", 0, 0600), "a file");
  check(look(dir) == OWNED_LIVES, "a file of such a name");
  check(unlink(dir) == 0 && symlink(other, dir) == 0, "a link");
  check(look(dir) == OWNED_LIVES, "a link of such a name");
  owned_sweep(top, ".tmp-");
  check(file_exists(dir) && file_exists(other), "neither is removed");
  free(dir);
  free(other);
}

int main(void) {
  const char *tmp = getenv("TMPDIR");
  top = xasprintf("%s/ckjit-owned.XXXXXX", tmp ? tmp : "/tmp");
  if (!mkdtemp(top))
    return 1;
  test_owner_killed();
  test_elsewhere();
  test_not_owned();
  test_emulated();
  dir_remove(top);
  free(top);
  return failures != 0;
}
