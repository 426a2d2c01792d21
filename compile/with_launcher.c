/* with_launcher.c - a compile behind CK_JIT_COMPILER_LAUNCHER.
 *
 * ccache and sccache keep the object that one `-c` makes; a compile that links as well (hipcc -shared k.cu)
 * and a step of clang's own (clang -cc1 …) go past them. So a blob is compiled into an object by the launcher
 * and linked without it. The passes side by side and their precompiled headers are not used then: they are
 * what a launcher cannot see.
 *
 * A launcher that fails (no server, no space, a compiler that it cannot handle) must not take a kernel with
 * it: the plain command has the last word. A source with an error in it is therefore compiled twice.
 */
#include "with_launcher.h"
#include "child.h"
#include "command.h"
#include "run.h"
#include "core/cc/launcher.h"
#include "core/base/path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the key says of the compiler, and what is known to be different by now; NULL for a blob by hand, whose
 * compiler nobody has looked at. */
static char *seed_of(const struct compile_task *t) {
  if (!t->inputs)
    return NULL;
  char digest[DIGEST_HEX];
  char *said = xasprintf("%s\n%s", t->inputs->compiler, t->variant.data ? t->variant.data : "");
  digest_bytes(digest, said, strlen(said));
  free(said);
  return launcher_seed(digest);
}

/* Compile T into OBJECT; NULL or why not. */
static char *run_compile(const struct compile_task *t, const char *temporary, const char *object) {
  char *seed = seed_of(t), *log = path_join(temporary, "launched");
  struct argv compile = {0};
  compile_command_object(&compile, t, &t->launcher, seed, object);
  compile_say(t, &compile);
  char *why = compile_run(t, &compile, log);
  if (!why && access(object, R_OK) != 0)
    why = xasprintf("%s: %s ended well and made no object", t->stem, t->launcher.args[0]);
  argv_free(&compile);
  free(seed);
  free(log);
  return why;
}

/* Both steps; NULL or why not. */
static char *run_both(const struct compile_task *t, const char *temporary, const char *output) {
  char *object = xasprintf("%s/%s.o", temporary, t->stem), *log = path_join(temporary, "launched.link");
  struct argv link = {0};
  char *why = run_compile(t, temporary, object);
  compile_command_link_object(&link, t, object, output);
  if (!why) {
    compile_say(t, &link);
    why = compile_run(t, &link, log);
  }
  argv_free(&link);
  free(object);
  free(log);
  return why;
}

/* Always said: whoever set the variable believes that it is used. Out of time, the plain command says so. */
static bool made(const struct compile_task *t, const char *output, char *why) {
  if (why) {
    if (output)
      unlink(output);
    if (!compile_out_of_time())
      warn("%s: compiled again without the launcher: %s", t->stem, why);
  }
  bool ok = !why;
  free(why);
  return ok;
}

bool compile_with_launcher(const struct compile_task *t, const char *temporary, const char *output) {
  if (!t->launcher.n)
    return false;
  return made(t, output, t->fragment ? run_compile(t, temporary, output) : run_both(t, temporary, output));
}

bool compile_run_with_launcher(const struct compile_task *t, const char *temporary,
                               const struct argv *command) {
  if (!t->launcher.n)
    return false;
  struct argv words = {0};
  char *log = path_join(temporary, "launched");
  argv_add_all(&words, t->launcher.args);
  argv_add_all(&words, command->args);
  compile_say(t, &words);
  bool ok = made(t, NULL, compile_run(t, &words, log));
  argv_free(&words);
  free(log);
  return ok;
}
