/* exec.c - the way out: exec, so that exit status, signals, standard input and output are by themselves
 * right.
 *
 * Before it, the environment is put back to what it was without the fake home. The real hipcc inherits
 * ROCM_PATH; left at the fake home it finds no device library there and fails, and aiter, which probes each
 * flag with a compile, then believes that every flag is unsupported and drops it without a word. Debian's
 * hipcc is a Perl script that starts other tools by PATH: with the fake bin still first it would start us
 * again.
 */
#include "wrap.h"
#include "core/base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_file(const struct stat *a, const char *path) {
  struct stat b;
  return stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* Ends the program where PATH is no program, or is this one: a fake hipcc that execs itself would spin until
 * somebody looks. ORIGIN, "CK_JIT_HIPCC=", says what names PATH, HINT what to do. */
static void check_program(const struct home *h, const char *path, const char *origin, const char *hint) {
  struct stat st;
  if (!file_is_program(path) || stat(path, &st))
    die(EXIT_FAILED, "%s%s %s; %s", origin, path, path_which_why(path), hint);
  char *dir = path_dir(path), *bin = path_join(h->dir, "bin");
  struct stat bin_st;
  if (same_file(&st, "/proc/self/exe") || (stat(bin, &bin_st) == 0 && same_file(&bin_st, dir)))
    die(EXIT_FAILED, "%s%s is the wrapper itself; %s", origin, path, hint);
  free(dir);
  free(bin);
}

/* The program that a name other than the configured compiler's stands for: amdclang++ is not hipcc, clang++
 * is not g++. NULL where there is none of that name; then the configured one is meant. */
static char *namesake(const struct call *c, bool is_cxx, const char *configured) {
  if (strcmp(c->name, path_base(configured)) == 0 || strcmp(c->name, "ckjit-cxx") == 0)
    return NULL;
  home_leave_path(c->home);
  char *in_home = xasprintf("%s/bin/%s", c->home->real_home, c->name);
  char *path = path_which(in_home);
  free(in_home);
  if (!path && is_cxx)
    path = path_which(c->name);
  /* clang++ is not g++, and amdclang++ not hipcc, also where ROCm has neither in its bin/. */
  if (!path && strstr(c->name, "clang++") && c->home->clang.n)
    path = path_which(c->home->clang.args[0]);
  return path;
}

char *wrap_compiler(const struct call *c) {
  bool is_cxx = !c->kind;
  const char *variable = is_cxx ? "CK_JIT_CXX" : c->kind->variable,
             *key = is_cxx ? "real_cxx" : "real_compiler";
  const char *env = getenv(variable);
  bool from_env = env && *env;
  const char *name = from_env ? env : is_cxx ? c->home->real_cxx : c->home->real_compiler;
  const char *what = is_cxx ? "C++ compiler" : c->kind->name;
  char *origin =
      from_env ? xasprintf("%s=", variable) : xasprintf("%s/" HOME_FILE ": %s=", c->home->dir, key);
  char *hint = from_env ? xasprintf("set it to the real %s, or unset it", what)
                        : xasprintf("run ckjit-build home again, or set %s to the real %s", variable, what);
  char *own = from_env ? NULL : namesake(c, is_cxx, name), *path = own ? own : xstrdup(name);
  if (!strchr(path, '/')) {
    home_leave_path(c->home);
    free(path);
    path = path_which(name);
    if (!path)
      die(EXIT_FAILED, "%s%s is not on the PATH; %s", origin, name, hint);
  }
  check_program(c->home, path, origin, hint);
  free(origin);
  free(hint);
  return path;
}

static _Noreturn void become(const struct call *c, char *path, char **argv) {
  home_leave(c->home);
  execv(path, argv);
  die(EXIT_FAILED, "%s: cannot be started: %s", path, strerror(errno));
}

void wrap_exec_compiler(const struct call *c) {
  c->argv[0] = c->compiler;
  become(c, c->compiler, c->argv);
}

void wrap_exec_tool(const struct call *c) {
  char *path = xasprintf("%s/bin/%s", c->home->real_home, c->name);
  char *origin = xasprintf("%s/" HOME_FILE ": real_home: the tool ", c->home->dir);
  check_program(c->home, path, origin, "install it, or run ckjit-build home again for another home");
  c->argv[0] = path;
  become(c, path, c->argv);
}

void wrap_exec_link(const struct call *c) {
  struct argv v = {0};
  argv_add(&v, c->home->link);
  argv_add(&v, "--home");
  argv_add(&v, c->home->dir);
  argv_add(&v, "--work");
  argv_add(&v, c->work);
  argv_add(&v, "--compiler");
  argv_add(&v, c->compiler);
  argv_add(&v, "--");
  argv_add_all(&v, c->argv + 1);
  become(c, c->home->link, v.args);
}
