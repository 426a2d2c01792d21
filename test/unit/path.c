/* path.c - whole files are written beside their place under a name that nobody else has, and renamed; what a
 * name says. */
// tier: check
#include "core/base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static bool holds(const char *file, const char *text) {
  size_t n;
  char *found = file_read(file, &n);
  bool same = found && strcmp(found, text) == 0;
  free(found);
  return same;
}

/* A process of another container has our process id: what it writes at this moment is not ours to open. */
static void test_own_name(bool (*write)(const char *, const void *, size_t, mode_t)) {
  char *file = path_join(top, "file"), *other = path_join(top, "other"),
       *taken = xasprintf("%s.tmp%ld", file, (long)getpid());
  struct stat st;
  check(file_write(other, "theirs", 6, 0600) && symlink(other, taken) == 0, "the other's");
  mode_t mask = umask(027);
  check(write(file, "ours", 4, 0666) && holds(file, "ours"), "written");
  umask(mask);
  check(holds(other, "theirs"), "what another process writes was overwritten");
  check(stat(file, &st) == 0 && (st.st_mode & 0777) == 0640, "the mode");
  check(write(file, "again", 5, 0600) && holds(file, "again"), "replaced");
  check(unlink(taken) == 0 && unlink(file) == 0 && unlink(other) == 0 && rmdir(top) == 0 &&
            mkdir(top, 0700) == 0,
        "something is left");
  free(file);
  free(other);
  free(taken);
}

static void test_failure(void) {
  char *file = path_join(top, "directory"), *below = path_join(file, "file");
  check(mkdir(file, 0700) == 0 && mkdir(below, 0700) == 0, "directories");
  check(!file_write(file, "x", 1, 0600) && errno == EISDIR, "over a directory");
  check(rmdir(below) == 0 && rmdir(file) == 0, "directories, again");
  check(!file_write(below, "x", 1, 0600) && errno == ENOENT, "where there is nothing");
  check(rmdir(top) == 0 && mkdir(top, 0700) == 0, "something is left of failures");
  free(file);
  free(below);
}

static void test_unfinished(void) {
  static const char *const are[] = {"a.tmp123", "a.tmp-abc123", "x.tmp.tmp-aaaaaa", ".times.tmp7"};
  static const char *const are_not[] = {
      "a.tmp",           "a.tmpx", ".tmp-abc123", "a.tmp-abc12", "a.tmp-ABC123",
      "a.tmp-abc123.so", ".tmp12", "a.tmp12x",    "tmp",         ""};
  for (size_t i = 0; i < sizeof are / sizeof *are; i++)
    check(file_is_unfinished(are[i]), are[i]);
  for (size_t i = 0; i < sizeof are_not / sizeof *are_not; i++)
    check(!file_is_unfinished(are_not[i]), are_not[i]);
}

static void test_clock(void) {
  struct timespec now;
  struct stat st;
  char *file = path_join(top, "file");
  check(file_clock(top, &now) && file_write(file, "", 0, 0600) && stat(file, &st) == 0, "clock");
  check(st.st_mtim.tv_sec - now.tv_sec >= 0 && st.st_mtim.tv_sec - now.tv_sec < 3600,
        "the clock of the file system");
  check(unlink(file) == 0 && rmdir(top) == 0 && mkdir(top, 0700) == 0, "something is left of the clock");
  check(!file_clock(file, &now), "of no directory");
  free(file);
}

static void test_shared(void) {
  static const char *const is[] = {"libx.so", "/a.some/libx.so.5", "x.so.0.1", "x.solo.so"},
                           *const is_not[] = {"x.some.o", "x.so.o", "x.so/y.o", "x.s", ".so.", "x.sort.cu.o"};
  for (size_t i = 0; i < sizeof is / sizeof *is; i++)
    check(path_is_shared(is[i]), is[i]);
  for (size_t i = 0; i < sizeof is_not / sizeof *is_not; i++)
    check(!path_is_shared(is_not[i]), is_not[i]);
}

int main(void) {
  test_shared();
  const char *tmp = getenv("TMPDIR");
  top = xasprintf("%s/ckjit-path.XXXXXX", tmp ? tmp : "/tmp");
  if (!mkdtemp(top))
    return 1;
  test_own_name(file_write);
  test_failure();
  test_unfinished();
  test_clock();
  dir_remove(top);
  free(top);
  return failures != 0;
}
