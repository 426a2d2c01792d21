/* with_launcher.c - a compile through CK_JIT_COMPILER_LAUNCHER.
 *
 * ccache and sccache keep the object that one `-c` makes. A compile that links as well (hipcc
 * -shared k.cu) and a step of clang's own (clang -cc1 …) bypass them. So a blob is compiled into an
 * object by the launcher and linked without it. The passes side by side and their precompiled
 * headers are not used then, because a launcher cannot see them.
 *
 * Before the compile the driver is asked for the steps of the plain command, because they are
 * compared (verify.c), and the differences from the link's are in the words that the launcher sees:
 * otherwise it would keep an object of another toolchain under the words of the library's own, for
 * every machine that shares its store. The last of the steps is the link; it is run unchanged, with
 * the launcher's object in place of the host pass's. That saves a call of hipcc, which is a script
 * in places and takes longer than the launcher that has the object. If the answer is not
 * understood, or there is none, the driver links.
 *
 * If the launcher fails (no server, no space, a compiler that it cannot handle), the plain command
 * runs without it. A source with an error in it is therefore compiled twice.
 */
#include "with_launcher.h"
#include "abi/ck_jit_access.h"
#include "child.h"
#include "command.h"
#include "cuid.h"
#include "environment.h"
#include "learnt.h"
#include "plan.h"
#include "run.h"
#include "seen.h"
#include "verify.h"
#include "core/base/childenv.h"
#include "core/cc/launcher.h"
#include "core/base/path.h"

#include <unistd.h>

/* Appends the files that are known to differ from those of the link: programs by the driver's
 * answer, if there is one, and findings of earlier compiles. They have the form of T->learnt, so
 * that the words do not depend on when a file was found. */
static void add_known(struct buf *out, const struct compile_task *t) {
  autofree_argv lines = {0};
  const char *learnt = t->learnt.len ? t->learnt.data : "";
  for (size_t n; *learnt; learnt += n + (learnt[n] == '\n')) {
    n = strcspn(learnt, "\n");
    if (!t->seen || !t->seen->asked || !str_starts(learnt, "tool "))
      argv_add_own(&lines, xstrndup(learnt, n));
  }
  for (size_t i = 0; t->seen && i < t->seen->files.n; i++)
    argv_add_own(&lines, learnt_word(t->seen->files.args[i]));
  argv_unique(&lines);
  for (size_t i = 0; i < lines.n; i++)
    buf_printf(out, "%s\n", lines.args[i]);
}

/* Returns the key's words about the compiler, and the differences that are known now. NULL for a
 * blob that is compiled by hand: its compiler was never examined. */
static char *seed_of(const struct compile_task *t) {
  if (!t->inputs)
    return NULL;
  char digest[DIGEST_HEX];
  autofree_buf said = {0};
  buf_printf(&said, "%s\n%s", t->inputs->compiler, t->variant.len ? t->variant.data : "");
  add_known(&said, t);
  digest_bytes(digest, said.data, said.len);
  return launcher_seed(digest);
}

/* Launchers keep the depfile with the object. It is of the host's pass; what else is read is in the
 * launcher's own hash, and cannot be had from one that has the object. */
static void add_depfile(struct argv *compile, const char *depfile) {
  argv_add_words(compile, "-MD", "-MF", depfile, NULL);
}

/* Make OBJECT. The driver is asked what it would run for ASKED; NULL: for the compile alone. */
static bool run_compile(const struct compile_task *t, const struct argv *asked, const char *temporary,
                        const char *object, char **err) {
  autofree_argv compile = {0}, plain = {0}, env = {0};
  argv_add_all(&env, compile_environment(t));
  childenv_set(&env, "TMPDIR", temporary); /* clang leaves directories there */
  if (!asked)
    command_object(&plain, t, NULL, NULL, object);
  verify_ask(t, asked ? asked : &plain, &env);
  autofree char *seed = seed_of(t), *log = path_join(temporary, "launched"),
                *depfile = path_join(temporary, "launched.d");
  command_object(&compile, t, &t->launcher, seed, object);
  cuid_add_word(&compile, t);
  if (t->seen && !t->kind->depfile_apart)
    add_depfile(&compile, depfile);
  say_command(t, &compile);
  bool done =
      run_command(t, &compile, log, err) &&
      (ckjit_may(object, R_OK) || task_fail(t, err, "%s succeeded but wrote no object", t->launcher.args[0]));
  if (done)
    seen_depfile(t, depfile);
  return done;
}

/* The link of OBJECT that the driver has said, as the last step of the plain command. False: it has
 * not. */
static bool known_link(struct argv *link, const struct compile_task *t, const char *object,
                       const char *output) {
  struct plan plan;
  const char *why;
  if (!t->seen || !t->seen->answer.len)
    return false;
  bool known = plan_read(&plan, t, t->seen->answer.data, output, &why);
  if (known) {
    const struct argv *words = &plan.steps[plan.last].words;
    size_t at = words_find(words, plan.steps[plan.host].output);
    known = at < words->n;
    argv_add_all(link, words->args);
    if (known)
      words_set(link, at, object);
  }
  plan_free(&plan);
  return known;
}

static bool run_compile_and_link(const struct compile_task *t, const char *temporary, const char *output,
                                 char **err) {
  autofree char *object = xasprintf("%s/%s.o", temporary, t->stem),
                *log = path_join(temporary, "launched.link");
  autofree_argv plain = {0}, link = {0};
  command_plain(&plain, t, output);
  bool done = run_compile(t, command_is_cuda(t) ? NULL : &plain, temporary, object, err);
  if (done) {
    if (!known_link(&link, t, object, output)) {
      argv_free(&link);
      command_link_object(&link, t, object, output);
    }
    say_command(t, &link);
    done = run_command(t, &link, log, err);
  }
  return done;
}

/* Always printed: the user who set the variable expects that it is used. If the time is up, the
 * plain command reports that. */
static void say_failure(const struct compile_task *t, char *why) {
  if (!deadline_passed())
    warn("%s: compiled again without the launcher: %s [ckjit help launcher-failed]", t->stem, why);
  free(why);
}

bool with_launcher_make(const struct compile_task *t, const char *temporary, const char *output) {
  if (!t->launcher.n)
    return false;
  char *why;
  if (t->fragment ? run_compile(t, NULL, temporary, output, &why)
                  : run_compile_and_link(t, temporary, output, &why))
    return true;
  unlink(output);
  say_failure(t, why);
  return false;
}

bool with_launcher_run(const struct compile_task *t, const char *temporary, const struct argv *command) {
  if (!t->launcher.n)
    return false;
  autofree_argv words = {0};
  autofree char *log = path_join(temporary, "launched");
  char *why;
  argv_add_all(&words, t->launcher.args);
  argv_add_all(&words, command->args);
  say_command(t, &words);
  bool done = run_command(t, &words, log, &why);
  if (!done)
    say_failure(t, why);
  return done;
}
