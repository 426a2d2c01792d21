/* runtime.c - the runtime's object. It is the same for all libraries with one command, so the first
 * link of a work directory compiles it there, and the others find the step fresh (step.h). Each
 * library gets a copy, which `ckjit quick` replaces. */
#include "abi/ck_jit_access.h"
#include "link.h"

#include "embed.h"

#include "core/base/env.h"
#include "core/base/install.h"
#include "core/base/path.h"
#include "core/files/state.h"

#include <unistd.h>

static const char *cxx_of(const struct link *l) {
  const char *named = env_get("CK_JIT_CXX");
  return named ? named : l->home->real_cxx;
}

static void include_variables(struct argv *out) {
  static const char *const names[] = {"CK_JIT_CK_INCLUDE", "CK_JIT_AITER_INCLUDE", "CK_JIT_ROCM_INCLUDE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (env_get(names[i]))
      argv_addf(out, "-I%s", env_get(names[i]));
}

/* what keeps a library that others may protect from losing that by ckjit's own objects */
static void add_machine_option(const struct link *l, struct argv *out) {
  const char *option = link_machine(l)->option;
  if (*option)
    argv_add(out, option);
}

void link_runtime_command(const struct link *l, const char *source, const char *dir, struct argv *out) {
  static char *const words[] = {"-x",
                                "c",
                                "-std=gnu11",
                                "-O1",
                                "-fPIC",
                                "-fvisibility=hidden",
                                "-fexceptions",
                                "-fasynchronous-unwind-tables",
                                "-D_GNU_SOURCE",
                                "-DCKJIT_THROWS",
                                NULL};
  autofree char *runtime = install_share("runtime");
  argv_add(out, cxx_of(l));
  argv_add_all(out, words);
  add_machine_option(l, out);
  argv_addf(out, "-DCKJIT_CUDA=%d", link_kind(l)->runtime == RUNTIME_CUDA);
  argv_addf(out, "-DCKJIT_LAZY=%d", lazy_units_rows(&l->lazy) > 0);
  argv_addf(out, "-I%s", dir);
  argv_addf(out, "-I%s", runtime);
  include_variables(out);
  if (env_get("CK_JIT_IS_FWD"))
    argv_addf(out, "-DCK_JIT_IS_FWD=%s", env_get("CK_JIT_IS_FWD"));
  argv_add(out, "-c");
  argv_add(out, source);
}

/* The dlopen of a static program needs at run time the shared libraries of the very glibc that it
 * was linked with, and those of the blob: it is linked statically so that it needs none. */
static bool is_static_program(const struct link *l) {
  return l->line.scan.is_static && !argv_has(&l->line.args, "-shared");
}

/* A step that makes the object that all libraries with this command and these CALLS share, in a
 * directory of their digest. A compiler that was replaced compiles it again. */
static struct step shared_step(const struct link *l, const char *source, const char *calls) {
  struct step s = {.source = xstrdup(source)};
  char digest[DIGEST_HEX];
  link_runtime_command(l, source, ".", &s.args);
  autofree char *command = argv_join(s.args.args), *key = xasprintf("%s\n%s", command, calls);
  digest_bytes(digest, key, strlen(key));
  s.cwd = xasprintf("%s/.runtime/%s", l->work, digest);
  s.object = path_join(s.cwd, "ck_jit_runtime.o");
  char *program = path_which(s.args.args[0]);
  if (program)
    argv_add_own(&s.reads, program);
  return s;
}

/* Make runtime_obj, whole or not at all: nobody reads the shared object without its lock. Returns
 * why not, or NULL. free() it. */
static char *make_object(struct link *l, const char *source) {
  autofree char *own = path_join(l->dir, LINK_CALLS);
  size_t n;
  autofree char *calls = lazy_units_rows(&l->lazy) ? file_read_text(own, &n) : xstrdup("");
  if (!calls)
    die(EXIT_FAILED, "%s: cannot read: %s", own, strerror(errno));
  struct step s = shared_step(l, source, calls);
  autofree char *shared = path_join(s.cwd, LINK_CALLS);
  link_make_own(l, s.cwd);
  int lock = link_lock(s.cwd);
  char *why = NULL;
  if (!file_update(shared, calls, strlen(calls), 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", shared, strerror(errno));
  step_run(&l->runner, &s);
  link_count_steps(l, &s, 1);
  if (s.status) {
    autofree char *error = step_first_error(&s.output, s.status);
    why = xasprintf("%s, which ckjit adds to it, does not compile: %s", source, error);
  } else if (!file_copy(s.object, l->runtime_obj)) {
    die(EXIT_FAILED, "%s: cannot be copied to %s: %s", s.object, l->runtime_obj, strerror(errno));
  }
  close(lock);
  step_free(&s);
  return why;
}

char *link_compile_runtime(struct link *l) {
  autofree char *by_default = install_share("runtime/ck_jit_runtime.c");
  const char *source = env_get("CK_JIT_RUNTIME_SRC") ? env_get("CK_JIT_RUNTIME_SRC") : by_default;
  if (!ckjit_may(source, R_OK))
    die(EXIT_FAILED, "%s: cannot read the runtime's source: %s; see CK_JIT_RUNTIME_SRC", source,
        strerror(errno));
  l->runtime_obj = path_join(l->dir, "objs/ck_jit_runtime.o");
  if (is_static_program(l))
    return xstrdup("it is linked statically, and a static program can hardly load what is compiled later");
  char *why = make_object(l, source);
  if (why)
    return why;
  argv_add(&l->objs, l->runtime_obj);
  argv_add_own(&l->objs, path_join(l->dir, EMBED_TABLES));
  if (l->bundle)
    argv_add_own(&l->objs, path_join(l->dir, EMBED_BUNDLE));
  return NULL;
}
