/* runtime.c - the runtime's object, which is compiled for the library. */
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

/* the command that makes runtime_obj of SOURCE */
static void runtime_command(const struct link *l, const char *source, struct argv *out) {
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
  argv_addf(out, "-I%s", l->dir);
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

char *link_compile_runtime(struct link *l) {
  autofree char *by_default = install_share("runtime/ck_jit_runtime.c");
  const char *source = env_get("CK_JIT_RUNTIME_SRC") ? env_get("CK_JIT_RUNTIME_SRC") : by_default;
  if (!ckjit_may(source, R_OK))
    die(EXIT_FAILED, "%s: cannot read the runtime's source: %s; see CK_JIT_RUNTIME_SRC", source,
        strerror(errno));
  l->runtime_obj = path_join(l->dir, "objs/ck_jit_runtime.o");
  runtime_command(l, STATE_RUNTIME_SRC, &l->runtime_cc);
  argv_add(&l->runtime_cc, "-o");
  argv_add(&l->runtime_cc, l->runtime_obj);
  if (is_static_program(l))
    return xstrdup("it is linked statically, and a static program can hardly load what is compiled later");
  struct step step = {0};
  runtime_command(l, source, &step.args);
  step.cwd = xstrdup(l->dir);
  step.source = xstrdup(source);
  step.object = xstrdup(l->runtime_obj);
  step_run(&l->runner, &step);
  link_count_steps(l, &step, 1);
  if (step.status) {
    char *error = step_first_error(&step.output, step.status);
    return xasprintf("%s, which ckjit adds to it, does not compile: %s", step.source, error);
  }
  argv_add(&l->objs, step.object);
  argv_add_own(&l->objs, path_join(l->dir, EMBED_TABLES));
  if (l->bundle)
    argv_add_own(&l->objs, path_join(l->dir, EMBED_BUNDLE));
  step_free(&step);
  return NULL;
}
