/* unread.c - a link with a response file or an options file that ckjit does not read as the
 * compiler does: nvcc reads a backslash in one of two ways, gcc and clang differ in a form feed, a
 * NUL, a mark of UTF-8 and a quote that is left open. Or a link whose output is not the file that
 * its words name.
 *
 * Such a link cannot be written again with other objects. But the stubs that it names can become
 * ordinary objects: each is compiled by its recorded command, and takes the stub's place in the
 * build, in its archive too. Then the real compiler runs the command as it was given. The library
 * is an ordinary one, with no lazy kernel. The next make finds objects and no stubs.
 */
#include "link.h"

#include <unistd.h>

_Noreturn void link_become(struct link *l, const char *program, char *const *args) {
  step_launcher_close(&l->runner.launcher);
  execvp(program, args);
  die(EXIT_FAILED, "%s: cannot be run: %s", program, strerror(errno));
}

_Noreturn void link_become_given(struct link *l) {
  struct argv command = {0};
  argv_add(&command, l->line.compiler);
  argv_add_all(&command, l->line.given.args);
  link_become(l, command.args[0], command.args);
}

static _Noreturn void become_stock(struct link *l, const char *why) {
  size_t n = l->line.nrecords;
  char **objects = xcalloc(n + 1, sizeof *objects);
  warn("%s: it is built without ckjit, with no kernel lazy: %s", l->line.output, why);
  for (size_t i = 0; i < n; i++)
    objects[i] = xasprintf("%s/objs/unread-%zu-%s.o", l->dir, i, l->line.records[i].stem);
  link_put_whole(l, objects, "the words of this link are not read as the compiler reads them");
  link_become_given(l);
}

void link_leave_unread(struct link *l) {
  if (l->line.unclear)
    become_stock(l, l->line.kind->unreadable);
  const char *output = l->line.scan.output;
  if (output && compiler_expands(l->line.kind, output))
    become_stock(l, "hipcc has a shell expand the name of its output");
}
