/* compile_launched.c - a compile behind CK_JIT_COMPILER_LAUNCHER.
 *
 * ccache and sccache keep the object that one `-c` makes; a compile that links as well (hipcc -shared k.cu)
 * and a step of clang's own (clang -cc1 …) go past them. So a blob is compiled into an object by the launcher
 * and linked without it. The passes side by side and their precompiled headers are not used then: they are
 * what a launcher cannot see.
 *
 * A launcher that fails (no server, no space, a compiler that it cannot handle) must not take a kernel with
 * it: the plain command has the last word. A source with an error in it is therefore compiled twice.
 */
#include "compile.h"
#include "core/launcher.h"
#include "core/path.h"

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

/* Both steps; NULL or why not. */
static char *run_both(const struct compile_task *t, const char *temporary, const char *output) {
  char *object = xasprintf("%s/%s.o", temporary, t->stem), *seed = seed_of(t);
  char *log = path_join(temporary, "launched"), *link_log = path_join(temporary, "launched.link");
  struct argv compile = {0}, link = {0};
  compile_command_object(&compile, t, seed, object);
  compile_command_link(&link, t, object, output);
  if (t->verbose) {
    compile_say(t, &compile);
    compile_say(t, &link);
  }
  char *why = compile_run(t, &compile, log);
  if (!why && access(object, R_OK) != 0)
    why = xasprintf("%s: %s ended well and made no object", t->stem, t->launcher.args[0]);
  if (!why)
    why = compile_run(t, &link, link_log);
  if (why)
    unlink(output);
  argv_free(&compile);
  argv_free(&link);
  free(object);
  free(seed);
  free(log);
  free(link_log);
  return why;
}

bool compile_launched(const struct compile_task *t, const char *temporary, const char *output) {
  char *why = run_both(t, temporary, output);
  /* Always said: whoever set the variable believes that it is used. Out of time, the plain command says so.
   */
  if (why && !compile_out_of_time())
    warn("%s: compiled again without the launcher: %s", t->stem, why);
  bool made = !why;
  free(why);
  return made;
}
