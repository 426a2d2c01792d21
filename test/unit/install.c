/* install.c - a program finds its neighbours in every layout: it copies itself into each and asks the copy.
 */
// tier: check
#include "core/base/install.h"
#include "core/base/path.h"
#include "core/base/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int bad;

/* what the copy of us at PREFIX/WHERE prints when asked for WHAT (share or program) NAME */
static void check(const char *prefix, const char *where, const char *what, const char *name,
                  const char *expected) {
  char *self = path_join(prefix, where), *dir = path_dir(self),
       *want = *expected ? path_join(prefix, expected) : xstrdup("");
  dir_make(dir);
  if (!file_copy("/proc/self/exe", self))
    die(EXIT_FAILED, "%s: cannot be made", self);
  struct job job = {.args = (char *[]){self, (char *)what, (char *)name, NULL}};
  pool_run(&job, 1, 1, NULL, NULL);
  char *got = job.output.len ? job.output.data : "";
  if (*expected ? strcmp(got, want) != 0 : job.status == 0) {
    fprintf(stderr, "%s %s from %s: expected '%s', got '%s'\n", what, name, where, want, got);
    bad = 1;
  }
  remove(self);
  buf_free(&job.output);
  free(self);
  free(dir);
  free(want);
}

static void touch(const char *prefix, const char *name, mode_t mode) {
  char *file = path_join(prefix, name), *dir = path_dir(file);
  if (!dir_make(dir) || !file_write(file, "", 0, mode))
    die(EXIT_FAILED, "%s: cannot be made", file);
  free(file);
  free(dir);
}

int main(int argc, char **argv) {
  if (argc == 3) {
    char *found = strcmp(argv[1], "share") == 0 ? install_share(argv[2]) : install_program(argv[2]);
    fputs(found ? found : "none", stdout);
    free(found);
    return 0;
  }
  char dir[] = "/tmp/ckjit-install.XXXXXX", here[4096];
  if (!mkdtemp(dir) || !realpath(dir, here))
    die(EXIT_FAILED, "%s: cannot be made", dir);
  touch(here, "p/share/ckjit/x.yaml", 0644);
  touch(here, "p/bin/one", 0755);
  touch(here, "p/libexec/ckjit/two", 0755);
  touch(here, "p/libexec/ckjit/no-program", 0644);
  touch(here, "tree/ck_jit/one", 0755);
  check(here, "p/bin/self", "share", "x.yaml", "p/share/ckjit/x.yaml");
  check(here, "p/libexec/ckjit/self", "share", "x.yaml", "p/share/ckjit/x.yaml");
  check(here, "p/bin/self", "program", "one", "p/bin/one");
  check(here, "p/bin/self", "program", "two", "p/libexec/ckjit/two");
  check(here, "p/libexec/ckjit/self", "program", "one", "p/bin/one");
  check(here, "p/libexec/ckjit/self", "program", "two", "p/libexec/ckjit/two");
  check(here, "tree/ck_jit/self", "program", "one", "tree/ck_jit/one");
  check(here, "tree/ck_jit/self", "share", "x.yaml", "");
  dir_remove(dir);
  return bad;
}
