/* home.c - what ckjit-build writes into ckjit.conf is what the wrapper reads. Damage: test/wrapper-home.sh.
 */
// tier: check
#include "core/files/home.h"
#include "core/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static void same(const char *what, const char *a, const char *b) {
  if (strcmp(a, b) != 0) {
    fprintf(stderr, "%s: '%s' came back as '%s'\n", what, a, b);
    bad = 1;
  }
}

int main(void) {
  char dir[] = "/tmp/ckjit-home.XXXXXX", *err = NULL;
  if (!mkdtemp(dir))
    die(EXIT_FAILED, "%s: cannot be made", dir);
  struct home h = {.dir = dir,
                   .real_home = "/opt/rocm 6=x",
                   .real_compiler = "/opt/rocm/bin/hipcc",
                   .real_cxx = "/usr/bin/c++",
                   .work = "/w",
                   .link = "/l"};
  argv_add(&h.home_vars, "ROCM_PATH");
  argv_add(&h.home_vars, "HIP_PATH");
  argv_add(&h.family, "fmha_*");
  argv_add(&h.generated, "");
  if (!home_write(&h, &err))
    die(EXIT_FAILED, "%s", err);
  struct home *back = home_read(dir, &err);
  if (!back)
    die(EXIT_FAILED, "%s", err);
  same("real_home", h.real_home, back->real_home);
  same("real_compiler", h.real_compiler, back->real_compiler);
  same("real_cxx", h.real_cxx, back->real_cxx);
  same("work", h.work, back->work);
  same("link", h.link, back->link);
  if (back->home_vars.n != 2 || back->family.n != 1 || back->generated.n != 1 || back->tools.n != 0) {
    fprintf(stderr, "lists came back with other lengths\n");
    bad = 1;
  } else {
    same("home_var", "HIP_PATH", back->home_vars.args[1]);
    same("generated", "", back->generated.args[0]);
  }
  home_free(back);

  h.work = "/two\nlines";
  if (home_write(&h, &err)) {
    fprintf(stderr, "a value with a newline was written\n");
    bad = 1;
  } else {
    free(err);
  }
  back = home_read(dir, &err);
  same("work, after a refused write", "/w", back ? back->work : "nothing");
  home_free(back);
  argv_free(&h.home_vars);
  argv_free(&h.family);
  argv_free(&h.generated);
  dir_remove(dir);
  return bad;
}
