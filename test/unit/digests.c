/* digests.c - a header is read once in a compile, and again if anything shows that it may be another by now. */
// tier: check
#include "compile/digests.h"
#include "core/base/path.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct stat written;

static bool is_new(const struct stat *st) {
  return st->st_ctim.tv_sec != written.st_ctim.tv_sec || st->st_ctim.tv_nsec != written.st_ctim.tv_nsec;
}

/* Write TEXT to FILE, under another time of change than before, and with the same time stamp. */
static void rewrite(const char *file, const char *text) {
  const struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
  struct stat st;
  do {
    FILE *f = fopen(file, "w");
    assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    assert(utimensat(AT_FDCWD, file, times, 0) == 0 && stat(file, &st) == 0);
  } while (!is_new(&st)); // a file system's clock ticks every few milliseconds
  written = st;
}

static void expect(const char *file, const char *text) {
  char found[DIGEST_HEX], wanted[DIGEST_HEX];
  for (int i = 0; i < 2; i++) {
    assert(header_digest(found, file));
    digest_bytes(wanted, text, strlen(text));
    assert(strcmp(found, wanted) == 0);
  }
}

int main(void) {
  char dir[] = "/tmp/ckjit-digests-XXXXXX", found[DIGEST_HEX];
  assert(mkdtemp(dir) && chdir(dir) == 0);

  rewrite("a.h", "one");
  expect("a.h", "one");
  expect("../../tmp/../proc/self/cwd/a.h", "one"); // by another name
  rewrite("a.h", "two");                           // of the same size and time stamp
  expect("a.h", "two");

  rewrite("b.h", "six"); // another file in its place
  expect("b.h", "six");
  assert(rename("b.h", "a.h") == 0);
  expect("a.h", "six");

  // What is known is not read again: where nothing can be opened it is still known, and another file is not.
  rewrite("c.h", "new");
  struct rlimit limit;
  assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  assert(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, limit.rlim_max}) == 0);
  expect("a.h", "six");
  assert(!header_digest(found, "c.h"));
  assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  expect("c.h", "new");

  assert(unlink("a.h") == 0);
  assert(!header_digest(found, "a.h") && strcmp(found, DIGEST_NONE) == 0);
  assert(!header_digest(found, "/") && strcmp(found, DIGEST_NONE) == 0);

  // more than there are buckets
  for (int i = 0; i < 3000; i++) {
    char name[16], text[16];
    snprintf(name, sizeof name, "%d.h", i);
    snprintf(text, sizeof text, "%d", i);
    assert(file_write(name, text, strlen(text), 0600));
  }
  for (int i = 0; i < 3000; i++) {
    char name[16], text[16];
    snprintf(name, sizeof name, "%d.h", i);
    snprintf(text, sizeof text, "%d", i);
    expect(name, text);
  }
  assert(chdir("/") == 0);
  dir_remove(dir);
  return 0;
}
