/* doctor_tools.c - the programs of ckjit, which must have the same version, and those that they
 * start.
 *
 * ckjit-compile chooses the compiler of a kernel (compile/find_compiler.c): the build's, or else
 * the first one of the same search order as here. */
#include "abi/ck_jit_access.h"
#include "findings.h"
#include "prebuild/where.h"
#include "core/base/env.h"
#include "core/base/human.h"
#include "core/base/install.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/trust.h"
#include "core/files/home.h"

#include <fcntl.h>
#include <unistd.h>

/* The output of `PROGRAM --version`; free() it. NULL: it fails, with *STATUS. */
static char *version_of(const char *program, int *status) {
  char *args[] = {(char *)program, (char *)"--version", NULL};
  struct job job = {.args = args};
  pool_run(&job, 1, 1, NULL, NULL);
  char *text =
      job.status == 0 ? xstrndup(job.output.len ? job.output.data : "", job.output.len) : NULL;
  *status = job.status;
  buf_free(&job.output);
  return text;
}

/* The line of TEXT that has MARK, from there on, else its first; free() it. */
static char *line_with(const char *text, const char *mark) {
  const char *at = strstr(text, mark);
  if (!at)
    at = text;
  return xstrndup(at, strcspn(at, "\n"));
}

/* ---- ckjit's own ---- */

/* Is NAME a program beside this one, of the same version? Reports it if not. */
static bool look_at_own(struct findings *f, const char *name) {
  autofree char *program = install_program(name),
                *wanted = xasprintf("%s " CKJIT_VERSION "\n", name), *is = NULL;
  int status = 0;
  bool good = program && (is = version_of(program, &status)) && strcmp(is, wanted) == 0;
  if (!program)
    found(f, FOUND_ERROR, "programs", "install ckjit again", "%s is missing beside ckjit-prebuild",
          name);
  else if (!is)
    found(f, FOUND_ERROR, "programs", "install ckjit again", "cannot run %s (status %d)", program,
          status);
  else if (!good)
    found(f, FOUND_ERROR, "programs",
          "install ckjit again: programs of two versions do not work together",
          "%s is '%.*s'; expected version " CKJIT_VERSION, program, (int)strcspn(is, "\n"), is);
  return good;
}

/* An install of libraries has ckjit-compile alone; one of ckjit has ckjit-build and the programs
 * that it starts. */
static void look_at_programs(struct findings *f) {
  autofree char *self = path_self_dir(), *build = install_program("ckjit-build");
  bool good = look_at_own(f, "ckjit-compile");
  static const char *const others[] = {"ckjit-build", "ckjit-link", "ckjit-unit"};
  for (size_t i = 0; i < sizeof others / sizeof *others && build; i++)
    good &= look_at_own(f, others[i]);
  if (good)
    found_ok(f, "programs", "ckjit " CKJIT_VERSION " in %s, %s", self,
             build ? "complete" : "the programs that an installed library needs");
}

/* ---- compilers ---- */

/* Is PROGRAM, after symbolic links, in the bin/ of a fake home? */
static bool is_wrapper(const char *program) {
  autofree char *real = realpath(program, NULL), *bin = path_dir(real ? real : program),
                *home = path_dir(bin), *conf = path_join(home, HOME_FILE);
  return file_exists(conf);
}

/* DIR/bin/NAME if it is a program; free() it. */
static char *compiler_in(const struct compiler *kind, const char *dir) {
  autofree char *file = dir && *dir ? xasprintf("%s/bin/%s", dir, kind->name) : NULL;
  return file ? path_which(file) : NULL;
}

/* The compiler of KIND that ckjit-compile would find, and *FROM where; free() it. NULL: there is
 * none. */
static char *find_compiler(const struct compiler *kind, char **from) {
  char *program = path_which(kind->name);
  *from = xstrdup("on the PATH");
  if (program)
    return program;
  *from = xasprintf("by %s", kind->home_vars[0]);
  if ((program = compiler_in(kind, secure_getenv(kind->home_vars[0]))))
    return program;
  *from = xstrdup("in the usual place");
  return compiler_in(kind, kind->homes[0]);
}

/* Does PROGRAM, a compiler of KIND that FROM led to, run, and which version is it? */
static void look_at_compiler(struct findings *f, const struct compiler *kind, const char *name,
                             const char *program, const char *from) {
  int status = 0;
  autofree char *said = is_wrapper(program) ? NULL : version_of(program, &status);
  autofree char *version = said ? line_with(said, kind->release) : NULL;
  autofree char *host = kind->host && !getenv("NVCC_CCBIN") ? path_which(kind->host) : xstrdup("");
  if (is_wrapper(program))
    found(f, FOUND_WARNING, name,
          xasprintf(
              "start jobs without the variables of `ckjit home`, or set %s to the real compiler",
              kind->variable),
          "%s (%s) is the wrapper of a fake home", program, from);
  else if (!said)
    found(f, FOUND_ERROR, name,
          xasprintf("repair it, or set %s to another compiler", kind->variable),
          "%s (%s): `%s --version` ends with status %d", program, from, kind->name, status);
  else if (!host)
    found(f, FOUND_WARNING, name,
          "install g++, or set NVCC_CCBIN to a C++ compiler that this nvcc supports",
          "%s (%s), %s; no g++ on the PATH", program, from, version);
  else
    found_ok(f, name, "%s (%s), %s", program, from, version);
}

/* Check the compiler of KIND. False, without a report: there is none. */
static bool look_at_kind(struct findings *f, const char *kind_name, const char *name) {
  const struct compiler *kind = compiler_of_kind(kind_name);
  const char *named = env_get(kind->variable);
  autofree char *from = named ? xstrdup(kind->variable) : NULL,
                *program = named ? path_which(named) : find_compiler(kind, &from);
  bool told = program || named;
  if (program)
    look_at_compiler(f, kind, name, program, from);
  else if (named)
    found(f, FOUND_ERROR, name,
          xasprintf("set it to the real %s, or unset it: ckjit then looks for one", kind->name),
          "%s=%s %s", kind->variable, named, path_which_why(named));
  return told;
}

static void look_at_compilers(struct findings *f) {
  bool hip = look_at_kind(f, "hip", "compiler hip"),
       cuda = look_at_kind(f, "cuda", "compiler cuda");
  if (hip || cuda)
    return;
  found(f, FOUND_WARNING, "compiler",
        "install a compiler, or unpack kernels that another machine has compiled (ckjit "
        "pack); cached kernels work without one",
        "neither hipcc nor nvcc is on the PATH or in the usual places");
}

/* ---- the library ---- */

/* The compiler that built M. */
static void look_at_build_compiler(struct findings *f, const struct manifest *m) {
  autofree char *program = path_which(m->compiler), *full = program ? path_abs(program) : NULL,
                *why = full ? trust_why(full) : NULL;
  if (!program)
    found(f, FOUND_WARNING, "library",
          "install it if its kernels are shared with other machines: those of the compiler "
          "found above are cached separately",
          "the compiler that built it, %s, is not here", m->compiler);
  else if (why)
    found(
        f, FOUND_ERROR, "library",
        xasprintf("make it writable for root and you only, or set %s", m->compiler_kind->variable),
        "the compiler that built it cannot be trusted: %.*s", (int)strcspn(why, "\n"), why);
}

static void look_at_sources(struct findings *f, const struct request *r, const struct manifest *m) {
  autofree char *root = where_root(r, m);
  size_t missing = 0;
  autofree char *first = NULL;
  for (size_t i = 0; i < m->nblobs; i++) {
    autofree char *source = manifest_expand(m->blobs[i].source, root);
    if (!ckjit_may(source, R_OK) && !missing++)
      first = xstrdup(source);
  }
  if (missing)
    found(f, FOUND_ERROR, "library",
          "set CK_JIT_ROOT to the ck_jit directory of the install tree, which has them",
          "%zu of %zu %s missing, such as %s", missing, m->nblobs,
          noun(m->nblobs, "source is", "sources are"), first);
}

/* With both flags clang 22 inlines everything before it simplifies anything, and then needs hours
 * for large kernels (docs/heavy-kernels.md). */
static void look_at_flags(struct findings *f, const struct manifest *m) {
  for (size_t i = 0; i < m->ngroups; i++)
    if (argv_has(&m->groups[i].flags, "-amdgpu-early-inline-all=true") &&
        argv_has(&m->groups[i].flags, "-amdgpu-function-calls=false")) {
      found(f, FOUND_WARNING, "library",
            "build it without these flags if a first call takes minutes",
            "it was built with -amdgpu-early-inline-all=true and -amdgpu-function-calls=false, "
            "with which clang 22 needs hours for large kernels");
      return;
    }
}

static void look_at_library(struct findings *f, const struct request *r) {
  autofree char *file = where_manifest(r, WHERE_NAMED);
  char *err = NULL;
  if (!file) {
    found_ok(f, "library",
             "none is named (--manifest), and no " MANIFEST_NAME " lies beside ckjit-prebuild");
    return;
  }
  struct manifest *m = manifest_open(file, &err);
  if (!m) {
    found(f, FOUND_ERROR, "library", "name the ck_jit_manifest.json of an install tree", "%s", err);
  } else {
    autofree char *libraries = argv_join(m->libraries.args);
    found_ok(f, "library", "%s: %zu %s of %s, built by %s", file, m->nblobs,
             noun(m->nblobs, "kernel", "kernels"), m->libraries.n ? libraries : "no library",
             m->compiler);
    look_at_build_compiler(f, m);
    look_at_flags(f, m);
    look_at_sources(f, r, m);
    manifest_free(m);
  }
}

/* Without /dev/null no program can be started, and each would look broken. */
static bool look_at_null(struct findings *f) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0)
    found(f, FOUND_ERROR, "/dev/null",
          "start the container with a /dev, or create it: mknod -m 666 /dev/null c 1 3; "
          "ckjit can start no program without it",
          "cannot open it: %s", strerror(errno));
  else
    close(null);
  return null >= 0;
}

void doctor_tools(struct findings *f, const struct request *r) {
  if (look_at_null(f)) {
    look_at_programs(f);
    look_at_compilers(f);
  }
  look_at_library(f, r);
}
