/* runtime.c - the runtime's part of the library: the runtime itself, the function that throws for it, and the
 * embedded tables, each an object of its own. */
#include "abi/ck_jit_access.h"
#include "link.h"

#include "embed.h"

#include "core/base/env.h"
#include "core/base/install.h"
#include "core/base/path.h"
#include "core/files/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The runtime is C: it hands what is to be thrown to this. */
static const char throw_text[] =
    "// What a failed first call throws; written by ckjit-link.\n"
    "#include <stdexcept>\n"
    "extern \"C\" __attribute__((visibility(\"hidden\"), noreturn)) void ckjit_throw(const char *message);\n"
    "void ckjit_throw(const char *message) { throw std::runtime_error(message); }\n";

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
                                NULL};
  char *runtime = install_share("runtime");
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
  free(runtime);
}

/* S compiles SOURCE, which ckjit-link has written into the link's directory, to objs/NAME.o. */
static void own_step(const struct link *l, struct step *s, const char *source, const char *name) {
  static char *const words[] = {"-O2", "-fPIC", "-fvisibility=hidden", "-c", NULL};
  argv_add(&s->args, cxx_of(l));
  argv_add_all(&s->args, words);
  add_machine_option(l, &s->args);
  argv_add(&s->args, source);
  s->cwd = xstrdup(l->dir); /* the assembler looks there for what the source includes */
  s->source = path_join(l->dir, source);
  s->object = xasprintf("%s/objs/%s.o", l->dir, name);
}

/* The dlopen of a static program needs at run time the shared libraries of the very glibc that it was linked with, and those of the blob: it is
 * linked statically so that it needs none. */
static bool is_static_program(const struct link *l) {
  return l->line.scan.is_static && !argv_has(&l->line.args, "-shared");
}

char *link_compile_runtime(struct link *l) {
  char *by_default = install_share("runtime/ck_jit_runtime.c");
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
  enum { STEPS = 3 };
  struct step steps[STEPS] = {0};
  runtime_command(l, source, &steps[0].args);
  steps[0].cwd = xstrdup(l->dir);
  steps[0].source = xstrdup(source);
  steps[0].object = xstrdup(l->runtime_obj);
  char *thrower = path_join(l->dir, "units/ckjit_throw.cpp");
  if (!file_update(thrower, throw_text, sizeof throw_text - 1, 0666))
    die(EXIT_FAILED, "%s: cannot write: %s", thrower, strerror(errno));
  free(thrower);
  own_step(l, &steps[1], "units/ckjit_throw.cpp", "ckjit_throw");
  own_step(l, &steps[2], EMBED_TABLES, "ck_jit_tables");
  steps_run(&l->runner, steps, STEPS);
  link_count_steps(l, steps, STEPS);
  for (size_t i = 0; i < STEPS; i++) {
    if (steps[i].status) {
      char *error = step_first_error(&steps[i].output, steps[i].status);
      return xasprintf("%s, which ckjit adds to it, does not compile: %s", steps[i].source, error);
    }
    argv_add(&l->objs, steps[i].object);
  }
  for (size_t i = 0; i < STEPS; i++)
    step_free(&steps[i]);
  free(by_default);
  return NULL;
}
