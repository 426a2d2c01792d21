/* realtools.c - finds the real compilers that a fake home replaces.
 *
 * Searched in this order: ckjit's own variable (CK_JIT_HIPCC), an option, the variables of homes
 * (ROCM_PATH), the PATH, the usual directories. Fake homes are skipped: this may run in the very
 * shell in which an earlier one was set up.
 */
#include "realtools.h"
#include "rocm.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/cc/nvcc.h"
#include "core/cc/steps.h"
#include "core/files/home.h"

#include <limits.h>
#include <unistd.h>

static bool has_conf(const char *dir) {
  autofree char *conf = path_join(dir, HOME_FILE);
  return file_exists(conf);
}

/* Whether PROGRAM, after symbolic links, is in the bin/ of a fake home. */
static bool in_fake_home(const char *program) {
  autofree char *real = realpath(program, NULL);
  if (!real)
    return false;
  autofree char *bin = path_dir(real), *home = path_dir(bin);
  return has_conf(home);
}

bool tools_is_fake(const char *path) {
  autofree char *above = path_dir(path);
  return has_conf(path) || has_conf(above) || in_fake_home(path);
}

/* The first NAME on the PATH that is not the wrapper, or NULL. */
static char *which_real(const char *name) {
  const char *path = getenv("PATH");
  for (const char *s = path ? path : "/usr/bin:/bin"; *s;) {
    size_t n = strcspn(s, ":");
    autofree char *dir = xstrndup(s, n), *program = path_join(n ? dir : ".", name);
    if (file_is_program(program) && !in_fake_home(program))
      return path_abs(program);
    s += n + (s[n] == ':');
  }
  return NULL;
}

/* The path of PROGRAM, a name on the PATH or a path, the value of variable NAME; dies if there is
 * none. */
static char *program_of(const char *name, const char *program) {
  char *found = NULL;
  if (!strchr(program, '/'))
    found = which_real(program);
  else if (file_is_program(program))
    found = path_abs(program);
  if (!found)
    die(EXIT_FAILED, "%s='%s' %s; set it to the name or path of a compiler%s, or unset it", name,
        program, path_which_why(program),
        strchr(program, ' ')
            ? ", without arguments (CK_JIT_COMPILER_LAUNCHER is for ccache and similar launchers)"
            : "");
  if (in_fake_home(found))
    die(EXIT_FAILED,
        "%s='%s' is the wrapper of a fake home; set it to the real compiler or unset it", name,
        program);
  return found;
}

void tools_linkers(struct argv *names) {
  static const char *const always[] = {"c++", "g++", "clang++", "gcc", "cc"};
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    argv_add(names, always[i]);
  autofree_argv others = {
      0}; /* Python's setuptools links with the compiler of Python itself, x86_64-linux-gnu-gcc */
  argv_add(&others, "clang");
  argv_addf(&others, "%s-linux-gnu-g++", CKJIT_OWN.name);
  argv_addf(&others, "%s-linux-gnu-gcc", CKJIT_OWN.name);
  for (size_t i = 0; i < others.n; i++) {
    autofree char *program = which_real(others.args[i]);
    if (program)
      argv_add(names, others.args[i]);
  }
}

/* The layout of ROCm and CUDA: DIR/bin/hipcc. Sets home and compiler if DIR is a real home with a
 * compiler. */
static bool try_home(struct tools *t, const char *dir) {
  char *abs = path_abs(dir), *compiler = xasprintf("%s/bin/%s", abs, t->kind->name);
  if (!file_is_program(compiler) || in_fake_home(compiler))
    return false;
  t->home = abs;
  t->compiler = compiler;
  return true;
}

/* The home of COMPILER, by the rule of CUDA's own tools: realpath/../.. */
static char *home_of(const char *compiler) {
  autofree char *real = realpath(compiler, NULL), *bin = path_dir(real ? real : compiler);
  return path_dir(bin);
}

/* The home that NVCC itself reports: /usr/local/bin/nvcc may be a script that starts another. NULL
 * if it reports none; free() it. */
static char *ask_nvcc(const char *nvcc) {
  struct nvcc_plan plan;
  nvcc_ask(&plan, nvcc, NULL, NULL);
  const char *top = nvcc_variable(&plan, "TOP");
  char *home = top ? realpath(top, NULL) : NULL;
  nvcc_plan_free(&plan);
  return home;
}

static char *ask_rocm(const char *hipcc) {
  char *home = rocm_home(hipcc);
  if (!home)
    die(EXIT_FAILED,
        "%s: cannot tell which ROCm this compiler belongs to; set ROCM_PATH to the directory that "
        "ROCm is installed in [ckjit help which-rocm]",
        hipcc);
  return home;
}

/* The home of a compiler that was found without a home. */
static char *home_of_found(const struct compiler *kind, const char *compiler) {
  static char *(*const ask[])(const char *) = {[RUNTIME_HIP] = ask_rocm, [RUNTIME_CUDA] = ask_nvcc};
  char *home = ask[kind->runtime](compiler);
  return home ? home : home_of(compiler);
}

/* The places that were searched, as text. */
static char *places(const struct compiler *kind) {
  struct buf b = {0};
  for (size_t i = 0; kind->home_vars[i]; i++)
    buf_printf(&b, "%s, ", kind->home_vars[i]);
  buf_puts(&b, "the PATH");
  for (size_t i = 0; kind->homes[i]; i++)
    buf_printf(&b, "%s%s", kind->homes[i + 1] ? ", " : " or ", kind->homes[i]);
  return b.data;
}

/* A hint if HOME is the bin/ of a home or the compiler itself: "; did you mean --rocm DIR?". */
static const char *home_above(struct tools *t, const char *option, const char *home) {
  char *dir = path_abs(home);
  if (strcmp(path_base(dir), t->kind->name) == 0)
    dir = path_dir(dir);
  bool is_bin = strcmp(path_base(dir), "bin") == 0;
  dir = path_dir(dir);
  return is_bin && try_home(t, dir) ? xasprintf("; did you mean --%s %s?", option, dir) : "";
}

/* HOME, given by the option for homes of OTHER, has no compiler of the profile's kind. It may have
 * one of OTHER. */
static _Noreturn void die_without(struct tools *t, const struct compiler *other, const char *home) {
  const struct compiler *kind = t->kind;
  struct tools meant = {.kind = other};
  bool is_other = other != kind && try_home(&meant, home);
  die(EXIT_FAILED,
      "--%s %s: no real compiler at %s/bin/%s; expected the directory that %s is installed "
      "in%s%s%s [ckjit help no-real-compiler]",
      other->option, home, home, kind->name, kind->toolkit,
      is_other ? ", as the profile says; did you mean --profile "
               : home_above(t, other->option, home),
      is_other ? other->kind : "", is_other ? "?" : "");
}

/* Search for the compiler of t->kind where the user did not name one; false if there is none. */
static bool search_compiler(struct tools *t) {
  const struct compiler *kind = t->kind;
  for (size_t i = 0; kind->home_vars[i] && !t->compiler; i++) {
    const char *dir = getenv(kind->home_vars[i]);
    if (dir && *dir)
      try_home(t, dir);
  }
  if (!t->compiler && (t->compiler = which_real(kind->name)))
    t->home = home_of_found(kind, t->compiler);
  for (size_t i = 0; kind->homes[i] && !t->compiler; i++)
    try_home(t, kind->homes[i]);
  return t->compiler;
}

static void find_compiler(struct tools *t, const struct compiler *meant, const char *home) {
  const struct compiler *kind = t->kind;
  const char *named = env_get(kind->variable);
  if (home && !try_home(t, home))
    die_without(t, meant, home);
  if (named) {
    free(t->compiler);
    t->compiler = program_of(kind->variable, named);
    if (!t->home)
      t->home = home_of_found(kind, t->compiler);
  }
  if (!t->compiler && !search_compiler(t))
    die(EXIT_FAILED,
        "no real %s: not in %s; install %s, or name it with --%s DIR or %s [ckjit help "
        "no-real-compiler]",
        kind->name, places(kind), kind->package, kind->option, kind->variable);
}

bool tools_has(const struct compiler *kind) {
  struct tools t = {.kind = kind};
  return env_get(kind->variable) || search_compiler(&t);
}

static void find_cxx(struct tools *t) {
  const char *named = env_get("CK_JIT_CXX"), *cxx = getenv("CXX");
  if (named) {
    t->cxx = program_of("CK_JIT_CXX", named);
    return;
  }
  /* CXX may still be the wrapper, from an `eval` of an earlier `ckjit home`, whose directory may be
   * gone. */
  if (cxx && *cxx && !(strchr(cxx, '/') && in_fake_home(cxx)) &&
      strcmp(path_base(cxx), "ckjit-cxx") != 0) {
    t->cxx = program_of("CXX", cxx);
    return;
  }
  if (!(t->cxx = which_real("c++")) && !(t->cxx = which_real("g++")))
    die(EXIT_FAILED, "no real C++ compiler: neither c++ nor g++ is on the PATH; install one "
                     "(Debian: apt-get install g++) "
                     "or name it with CK_JIT_CXX [ckjit help no-real-compiler]");
}

/* DIR/clang++ if it is a real program; DIR may be NULL. */
static char *clang_in(const char *dir) {
  char *clang = dir && *dir == '/' ? path_join(dir, "clang++") : NULL;
  return clang && file_is_program(clang) && !in_fake_home(clang) ? clang : NULL;
}

/* The directory of the clang that HIPCC starts, from its output for -###; NULL if it prints none.
 * *MACHINE is the target in that output, NULL as in realtools.h. */
static char *ask_hipcc(const char *hipcc, const struct ckjit_machine **machine) {
  static const char target[] = "Target: ";
  char *args[] = {(char *)hipcc, (char *)"-###",      (char *)"-x",
                  (char *)"c++", (char *)"-c",        (char *)"/dev/null",
                  (char *)"-o",  (char *)"/dev/null", NULL};
  struct job job = {.args = args};
  struct steps steps;
  pool_run(&job, 1, 1, NULL, NULL);
  const char *answer = job.output.len ? job.output.data : "", *said = strstr(answer, target);
  if (said)
    *machine = ckjit_machine_named(said + sizeof target - 1);
  steps_read(&steps, answer);
  const struct argv *cc1 = steps_cc1(&steps);
  char *dir = cc1 ? path_dir(cc1->args[0]) : NULL;
  steps_free(&steps);
  buf_free(&job.output);
  return dir;
}

/* The target of CXX, which is nvcc's host compiler; NULL as in realtools.h. */
static const struct ckjit_machine *ask_cxx(const char *cxx) {
  char *args[] = {(char *)cxx, (char *)"-dumpmachine", NULL};
  struct job job = {.args = args};
  pool_run(&job, 1, 1, NULL, NULL);
  if (job.output.len)
    job.output.data[strcspn(job.output.data, "\n")] = 0;
  const struct ckjit_machine *m = job.output.len ? ckjit_machine_named(job.output.data) : NULL;
  buf_free(&job.output);
  return m;
}

void tools_find(struct tools *t, const struct compiler *kind, const struct compiler *meant,
                const char *home) {
  *t = (struct tools){.kind = kind};
  find_compiler(t, meant, home);
  find_cxx(t);
  if (kind->clang)
    t->clang = clang_in(ask_hipcc(t->compiler, &t->machine));
  else if (t->cxx)
    t->machine = ask_cxx(t->cxx);
}
