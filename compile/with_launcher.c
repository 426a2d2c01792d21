/* with_launcher.c - a compile behind CK_JIT_COMPILER_LAUNCHER.
 *
 * ccache and sccache keep the object that one `-c` makes. A compile that links as well (hipcc -shared k.cu)
 * and a step of clang's own (clang -cc1 …) bypass them. So a blob is compiled into an object by the launcher
 * and linked without it. The passes side by side and their precompiled headers are not used then, for a
 * launcher cannot see them.
 *
 * If the launcher fails (no server, no space, a compiler that it cannot handle), the plain command runs
 * without it. A source with an error in it is therefore compiled twice.
 */
#include "with_launcher.h"
#include "child.h"
#include "command.h"
#include "cuid.h"
#include "run.h"
#include "seen.h"
#include "verify.h"
#include "core/cc/launcher.h"
#include "core/base/path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the key says of the compiler, and what is known to be different by now. NULL for a blob that is
 * compiled by hand: nobody has looked at its compiler. */
static char *seed_of(const struct compile_task *t) {
  if (!t->inputs)
    return NULL;
  char digest[DIGEST_HEX];
  char *said = xasprintf("%s\n%s%s", t->inputs->compiler, t->variant.len ? t->variant.data : "",
                         t->learnt.len ? t->learnt.data : "");
  digest_bytes(digest, said, strlen(said));
  free(said);
  return launcher_seed(digest);
}

/* Launchers keep the depfile with the object. It is of the host's pass; what else is read is in the launcher's own hash,
 * and cannot be had from one that has the object. */
static void add_depfile(struct argv *compile, const char *depfile) {
  argv_add(compile, "-MD");
  argv_add(compile, "-MF");
  argv_add(compile, depfile);
}

static bool run_compile(const struct compile_task *t, const char *temporary, const char *object, char **err) {
  char *seed = seed_of(t), *log = path_join(temporary, "launched"),
       *depfile = path_join(temporary, "launched.d");
  struct argv compile = {0}, plain = {0};
  command_object(&plain, t, NULL, seed, object);
  command_object(&compile, t, &t->launcher, seed, object);
  cuid_add_word(&compile, t);
  if (t->seen && t->kind->dialect == CC_GNU)
    add_depfile(&compile, depfile);
  say_command(t, &compile);
  verify_begin(t, &plain, temporary);
  bool done = run_command(t, &compile, log, err) &&
              (access(object, R_OK) == 0 ||
               task_fail(t, err, "%s ended well and made no object", t->launcher.args[0]));
  verify_end(t, &plain, temporary);
  if (done)
    seen_depfile(t, depfile);
  argv_free(&compile);
  argv_free(&plain);
  free(depfile);
  free(seed);
  free(log);
  return done;
}

static bool run_compile_and_link(const struct compile_task *t, const char *temporary, const char *output,
                                 char **err) {
  char *object = xasprintf("%s/%s.o", temporary, t->stem), *log = path_join(temporary, "launched.link");
  struct argv link = {0};
  bool done = run_compile(t, temporary, object, err);
  if (done) {
    command_link_object(&link, t, object, output);
    say_command(t, &link);
    done = run_command(t, &link, log, err);
  }
  argv_free(&link);
  free(object);
  free(log);
  return done;
}

/* Always said: whoever set the variable believes that it is used. If the time is up, the plain command
 * says so. */
static void say_failure(const struct compile_task *t, char *why) {
  if (!deadline_passed())
    warn("%s: compiled again without the launcher: %s", t->stem, why);
  free(why);
}

bool with_launcher_make(const struct compile_task *t, const char *temporary, const char *output) {
  if (!t->launcher.n)
    return false;
  char *why;
  if (t->fragment ? run_compile(t, temporary, output, &why)
                  : run_compile_and_link(t, temporary, output, &why))
    return true;
  unlink(output);
  say_failure(t, why);
  return false;
}

bool with_launcher_run(const struct compile_task *t, const char *temporary, const struct argv *command) {
  if (!t->launcher.n)
    return false;
  struct argv words = {0};
  char *log = path_join(temporary, "launched"), *why;
  argv_add_all(&words, t->launcher.args);
  argv_add_all(&words, command->args);
  say_command(t, &words);
  bool done = run_command(t, &words, log, &why);
  if (!done)
    say_failure(t, why);
  argv_free(&words);
  free(log);
  return done;
}
