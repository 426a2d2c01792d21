/* exec.c - replaces the wrapper by the real program, by exec, so that exit status, signals,
 * standard input and output need no handling.
 *
 * First the environment is restored to its state before the fake home. The real hipcc inherits
 * ROCM_PATH. If that named the fake home, hipcc would find no device library there and fail; aiter,
 * which probes each flag with a compile, would take every flag for unsupported and silently drop
 * it. Debian's hipcc is a Perl script that starts other tools by PATH: with the fake bin still
 * first it would start the wrapper again.
 */
#include "wrap.h"
#include "core/base/path.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool same_file(const struct stat *a, const char *path) {
  struct stat b;
  return stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* Ends the program if PATH is not a program, or is the wrapper: a fake hipcc that execs itself
 * would loop for ever. ORIGIN, such as "CK_JIT_HIPCC=", says where PATH comes from, HINT what to
 * do. */
void wrap_check_program(const struct home *h, const char *path, const char *origin,
                        const char *hint) {
  struct stat st;
  if (!file_is_program(path) || stat(path, &st))
    die(EXIT_FAILED, "%s%s %s; %s", origin, path, path_which_why(path), hint);
  autofree char *dir = path_dir(path), *bin = path_join(h->dir, "bin");
  struct stat bin_st;
  if (same_file(&st, "/proc/self/exe") || (stat(bin, &bin_st) == 0 && same_file(&bin_st, dir)))
    die(EXIT_FAILED, "%s%s is the wrapper itself; %s", origin, path, hint);
}

/* The real program of a name other than the configured compiler's: amdclang++ is not hipcc, clang++
 * is not g++. NULL if there is none of that name, or if it is the name of the home's kind: nvcc
 * means the configured compiler, even one that is called /opt/my-nvcc. Then the configured one is
 * used. */
static char *namesake(const struct call *c, bool is_cxx, const char *configured) {
  if (strcmp(c->name, path_base(configured)) == 0 || strcmp(c->name, "ckjit-cxx") == 0 ||
      (!is_cxx && strcmp(c->name, c->of_home->name) == 0))
    return NULL;
  home_leave_path(c->home);
  autofree char *in_home = xasprintf("%s/bin/%s", c->home->real_home, c->name);
  char *path = path_which(in_home);
  if (!path && is_cxx)
    path = path_which(c->name);
  /* even if ROCm has neither clang++ nor amdclang++ in its bin/ */
  if (!path && strstr(c->name, "clang++") && c->home->clang.n)
    path = path_which(c->home->clang.args[0]);
  return path;
}

/* The kind of PATH, which this call's name stands for. */
static const struct compiler *kind_of(const struct call *c, const char *path) {
  const struct compiler *meant = c->of_home;
  if (!meant)
    meant = compiler_of_kind("c++");
  else if (meant->clang && !str_starts(c->name, meant->name)) /* beside hipcc: amdclang++ */
    meant = compiler_of_kind("clang");
  return compiler_meant(meant, path);
}

void wrap_compiler(struct call *c) {
  bool is_cxx = !c->of_home;
  const char *variable = is_cxx ? "CK_JIT_CXX" : c->of_home->variable,
             *key = is_cxx ? "real_cxx" : "real_compiler";
  const char *env = getenv(variable);
  bool from_env = env && *env;
  const char *name = from_env ? env : is_cxx ? c->home->real_cxx : c->home->real_compiler;
  const char *what = is_cxx ? "C++ compiler" : c->of_home->name;
  autofree char *origin =
      from_env ? xasprintf("%s=", variable) : xasprintf("%s/" HOME_FILE ": %s=", c->home->dir, key);
  autofree char *hint =
      from_env ? xasprintf("set it to the real %s, or unset it", what)
               : xasprintf("run ckjit home again, or set %s to the real %s", variable, what);
  char *own = from_env ? NULL : namesake(c, is_cxx, name), *path = own ? own : xstrdup(name);
  if (!strchr(path, '/')) {
    home_leave_path(c->home);
    free(path);
    path = path_which(name);
    if (!path)
      die(EXIT_FAILED, "%s%s is not on the PATH; %s", origin, name, hint);
  }
  wrap_check_program(c->home, path, origin, hint);
  c->compiler = path;
  c->kind = kind_of(c, path);
}

void wrap_find_work(struct call *c) {
  const char *env = getenv("CK_JIT_TMP_DIR");
  c->cwd = getcwd(NULL, 0);
  if (!c->cwd)
    die(EXIT_FAILED, "cannot read the current directory: %s", strerror(errno));
  c->work = path_abs_in(c->cwd, env && *env ? env : c->home->work);
}

void wrap_become(const struct call *c, const char *path, char **argv) {
  home_leave(c->home);
  if (wrap_is_traced())
    wrap_run_traced(c, path, argv);
  execv(path, argv);
  die(EXIT_FAILED, "%s: cannot be started: %s", path, strerror(errno));
}

/* ---- `$CXX -v` ---- */

/* Copy FD, a file, to the descriptor TO. Does it have the word "version"? */
static bool put_answer(int fd, int to) {
  char buf[1 << 16];
  ssize_t n;
  autofree_buf all = {0};
  while ((n = pread(fd, buf, sizeof buf, (off_t)all.len)) > 0)
    buf_add(&all, buf, (size_t)n);
  for (size_t at = 0; at < all.len; at += (size_t)n)
    if ((n = write(to, all.data + at, all.len - at)) <= 0)
      break;
  return all.len && memmem(all.data, all.len, "version", strlen("version"));
}

/* PyTorch and aiter ask `$CXX -v` which compiler it is, and end the build if the status is not 0.
 * hipcc, and ROCm's clang++ with a rocm.cfg, print their version and then fail, because there is no
 * input file. The version is the answer, so the status becomes 0. */
static void answer_version(const struct call *c) {
  int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC), status;
  pid_t pid = out >= 0 && err >= 0 ? fork() : -1;
  if (pid < 0)
    return; /* the plain answer has to do */
  if (pid == 0) {
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    c->argv[0] = c->compiler;
    wrap_become(c, c->compiler, c->argv);
  }
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  bool answered = put_answer(out, STDOUT_FILENO);
  answered |= put_answer(err, STDERR_FILENO);
  exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : answered ? EXIT_OK : WEXITSTATUS(status));
}

void wrap_exec_compiler(const struct call *c) {
  if (c->argv[1] && strcmp(c->argv[1], "-v") == 0 && !c->argv[2])
    answer_version(c);
  c->argv[0] = c->compiler;
  wrap_become(c, c->compiler, c->argv);
}

void wrap_exec_tool(const struct call *c) {
  char *path = xasprintf("%s/bin/%s", c->home->real_home, c->name);
  char *origin = xasprintf("%s/" HOME_FILE ": real_home: the tool ", c->home->dir);
  wrap_check_program(c->home, path, origin, "install it, or run ckjit home again for another home");
  c->argv[0] = path;
  wrap_become(c, path, c->argv);
}

void wrap_exec_link(const struct call *c, const char *kind, const char *symbols) {
  struct argv v = {0};
  argv_add_words(&v, c->home->link, "--home", c->home->dir, "--work", c->work, "--compiler",
                 c->compiler, "--kind", kind, NULL);
  if (symbols)
    argv_add_words(&v, "--symbols", symbols, NULL);
  argv_add(&v, "--");
  argv_add_all(&v, c->argv + 1);
  wrap_become(c, c->home->link, v.args);
}
