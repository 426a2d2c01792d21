/* verify.c - checks that a compile ran and read the files from which the key was made.
 *
 * inputs.c checks the files that the list of inputs names. That they are unchanged does not mean
 * that a compile uses them: /opt/rocm is switched to another release, a gcc is installed beside the
 * one that existed, a header appears in a directory that is searched earlier. So the compile itself
 * is asked:
 *
 *     what it runs     each program in the driver's own plan, with the libraries that the dynamic linker finds for it,
 *                      and each file of bitcode, must be one of the list's tools, by content
 *     by what driver   a driver that is not one of the tools (a wrapper named by CK_JIT_HIPCC) must have, word for word,
 *                      the plan of the one in the list, which is asked the same
 *     what it reads    each header must be in the list, under its name, or as a copy of one that was not read
 *
 * Linkers and assemblers of the host are left out, as libc is: they do not make the code.
 *
 * A difference becomes part of the build id (learnt.c). A file of the library's own tree that is
 * found in place of a listed one is an error, as a changed one is.
 */
#include "verify.h"
#include "child.h"
#include "environment.h"
#include "learnt.h"
#include "plan_run.h"
#include "reads.h"
#include "seen.h"
#include "variant.h"
#include "core/base/childenv.h"
#include "core/base/path.h"
#include "core/cache/toolchain.h"
#include "core/cc/nvcc.h"
#include "core/cc/steps.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- asking ---- */

/* Returns the steps that the compiler would run for COMMAND. DRIVER: asks this program; NULL:
 * COMMAND's own. free() it; NULL: no answer. */
static char *ask_steps(const struct compile_task *t, const struct argv *command, const char *driver,
                       const struct argv *env) {
  autofree_argv words = {0};
  argv_add(&words, driver ? driver : command->args[0]);
  argv_add_all(&words, command->args + 1);
  return plan_ask_steps(t->kind->dialect, &words, env->args, t->temporary, NULL);
}

/* ---- what runs ---- */

static void note_dryrun(const struct compile_task *t, const char *answer, const struct argv *env) {
  struct nvcc_plan plan;
  autofree char *err = NULL;
  if (nvcc_plan_read(&plan, answer, &err))
    for (size_t i = 0; i < plan.n; i++) {
      autofree_argv ask_host = {0};
      if (plan.steps[i].kind == NVCC_REMOVE || plan.steps[i].kind == NVCC_OTHER)
        continue;
      seen_step(t, &plan.steps[i].words);
      if (&plan.steps[i] != plan.first[NVCC_HOST]) /* others have the same program */
        continue;
      argv_add_words(&ask_host, plan.steps[i].words.args[0], "-print-prog-name=cc1plus", NULL);
      autofree char *proper =
          ask_host.args[0][0] == '/' ? plan_ask(&ask_host, env->args, t->temporary, NULL) : NULL;
      argv_free(&ask_host);
      if (proper && proper[0] == '/') {
        proper[strcspn(proper, "\n")] = 0;
        argv_add(&ask_host, proper);
        seen_step(t, &ask_host);
      }
    }
  toolchain_nvcc_last(&t->seen->programs, &plan);
  nvcc_plan_free(&plan);
}

static void note_steps(const struct compile_task *t, const char *answer) {
  struct steps steps;
  steps_read(&steps, answer);
  for (size_t i = 0; i < steps.configs.n; i++)
    seen_step(t, &(struct argv){.args = (char *[]){steps.configs.args[i], NULL}, .n = 1});
  for (size_t i = 0; i < steps.n; i++)
    seen_step(t, &steps.list[i]);
  steps_free(&steps);
}

/* Append to FILES the libraries that PROGRAM loads in ENV, and no program in LOADS. */
static void add_libraries(const struct compile_task *t, struct argv *files, struct argv *loads,
                          const char *program, const struct argv *env) {
  if (str_ends(program, ".bc") || !toolchain_loads_others(loads, program))
    return;
  autofree_argv words = {0}, listing = {0};
  argv_add(&words, program);
  argv_add_all(&listing, env->args);
  childenv_set(&listing, "LD_TRACE_LOADED_OBJECTS", "1");
  autofree char *text = plan_ask(&words, listing.args, t->temporary, NULL);
  if (text)
    toolchain_libraries(files, text);
}

static void add_difference(const struct compile_task *t, const char *word, const char *digest,
                           const char *path) {
  if (t->verbose)
    note("%s: %s %s is used, but the library was linked with another one", t->stem, word, path);
  argv_add_once(&t->seen->files, learnt_line(word, digest, path));
}

static void compare_programs(const struct compile_task *t, const struct argv *env) {
  autofree_argv files = {0}, loads = {0};
  char digest[DIGEST_HEX];
  for (size_t i = 0; i < t->seen->programs.n; i++) {
    autofree char *real = realpath(t->seen->programs.args[i], NULL);
    if (real && !steps_is_binutils(real) && !argv_has(&files, real)) {
      argv_add(&files, real);
      add_libraries(t, &files, &loads, real, env);
    }
  }
  for (size_t i = 0; i < files.n; i++) {
    variant_digest(t, t->inputs, files.args[i], digest);
    if (!variant_knows_tool(t, t->inputs, digest))
      add_difference(t, "tool", digest, files.args[i]);
  }
}

/* ---- by what driver ---- */

/* Does the driver in the list, if it still is that, plan for COMMAND what ANSWER says? */
static bool plans_the_same(const struct compile_task *t, const struct argv *command, const char *answer,
                           const struct argv *env) {
  char digest[DIGEST_HEX];
  autofree char *real = realpath(t->inputs->program, NULL);
  bool same = false;
  if (real)
    variant_digest(t, t->inputs, real, digest);
  if (real && strcmp(digest, t->inputs->tools[0].digest) == 0) {
    autofree char *theirs = ask_steps(t, command, t->inputs->program, env);
    autofree char *a = steps_plain(t->kind->dialect, answer),
                  *b = theirs ? steps_plain(t->kind->dialect, theirs) : NULL;
    same = b && strcmp(a, b) == 0;
  }
  return same;
}

static void compare_driver(const struct compile_task *t, const struct argv *command, const char *answer,
                           const struct argv *env) {
  char digest[DIGEST_HEX];
  autofree char *real = realpath(t->compiler, NULL);
  if (real && !variant_is_own_compiler(t, t->inputs)) {
    variant_digest(t, t->inputs, real, digest);
    if (!variant_knows_tool(t, t->inputs, digest) && !plans_the_same(t, command, answer, env))
      add_difference(t, "tool", digest, real);
  }
}

void verify_answer(const struct compile_task *t, const struct argv *command, const char *answer,
                   const struct argv *env) {
  if (!t->seen || t->seen->asked || !t->inputs->ntools)
    return;
  t->seen->asked = true;
  if (t->kind->dryrun)
    note_dryrun(t, answer, env);
  else
    note_steps(t, answer);
  compare_programs(t, env);
  compare_driver(t, command, answer, env);
}

char *verify_programs(const struct compile_task *t) {
  return t->seen && t->seen->files.n ? argv_join(t->seen->files.args) : xstrdup("");
}

/* ---- a plain command ---- */

/* A list holding only the driver means the driver does not report its subcommands. */
static bool is_asked(const struct compile_task *t) {
  return t->seen && !t->seen->asked && t->inputs->ntools > 1;
}

static void environment(const struct compile_task *t, struct argv *env, const char *temporary) {
  argv_add_all(env, compile_environment(t));
  childenv_set(env, "TMPDIR", temporary);
}

/* Does the plain command say itself what it runs? clang does, of HIP; it says it in words other
 * than those of -###, so not of a driver whose words are compared. Of other compilers the question
 * costs less than reading what they say: a millisecond of gcc. */
static bool says_itself(const struct compile_task *t) {
  return t->kind->clang && variant_is_own_compiler(t, t->inputs);
}

#define ANSWER "asked"

void verify_begin(const struct compile_task *t, const struct argv *command, const char *temporary) {
  if (t->seen)
    t->seen->wanted = true;
  if (!is_asked(t) || (t->seen->says = says_itself(t)))
    return;
  autofree_argv words = {0}, env = {0};
  autofree char *file = path_abs_in(temporary, ANSWER);
  autoclose fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  pid_t pid;
  steps_question(&words, t->kind->dialect, command);
  environment(t, &env, temporary);
  /* if it cannot be started, it says nothing */
  if (fd >= 0)
    child_start(&pid, &words, env.args, fd);
}

/* Returns the steps that the compiler of COMMAND reported; free() it. NULL: none. */
static char *read_answer(const struct compile_task *t, const struct argv *command, const struct argv *env,
                         const char *temporary) {
  size_t len;
  autofree char *file = path_abs_in(temporary, ANSWER);
  char *answer = NULL;
  if (t->seen->answer.len) {
    answer = xstrdup(t->seen->answer.data);
  } else if (file_exists(file)) {
    answer = file_read(file, &len);
    unlink(file);
  } else { /* it did not print what -v asks for */
    answer = ask_steps(t, command, NULL, env);
  }
  return answer;
}

void verify_ask(const struct compile_task *t, const struct argv *command, const struct argv *env) {
  autofree char *answer = is_asked(t) ? ask_steps(t, command, NULL, env) : NULL;
  if (answer) {
    buf_puts(&t->seen->answer, answer);
    verify_answer(t, command, answer, env);
  }
}

void verify_end(const struct compile_task *t, const struct argv *command, const char *temporary) {
  int status;
  while (child_wait(&status) > 0)
    ;
  if (t->seen && t->seen->wanted)
    seen_of_variables(t, temporary);
  if (t->seen)
    t->seen->wanted = t->seen->says = false;
  if (!is_asked(t))
    return;
  autofree_argv env = {0};
  environment(t, &env, temporary);
  autofree char *answer = read_answer(t, command, &env, temporary);
  if (answer)
    verify_answer(t, command, answer, &env);
}

/* ---- after the compile ---- */

bool verify_made(struct compile_task *t, char **err) {
  if (!t->seen)
    return true;
  bool of_parts = *t->inputs->entry; /* each part was compared when it was made */
  if (!of_parts && !reads_compare(t, err))
    return false;
  /* A launcher that had the object, a compiler that says nothing: what is known of them stays. */
  if (of_parts || t->seen->asked || t->seen->reads.n) {
    learnt_set(t, &t->seen->files);
    t->seen->compared = true;
  }
  return true;
}
