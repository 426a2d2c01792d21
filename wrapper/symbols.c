/* symbols.c - nm, objcopy and similar programs (home->readers, home->editors). Only the compiler
 * knows what a stub object is going to define, and a build that makes an export list from nm's
 * output, or renames a function by objcopy, would miss it. So ckjit-link is called first if an
 * input is recorded: for a reader the object gets the names of its functions and stays recorded;
 * for an editor it becomes the compiler's object. Any other input costs a look at its first bytes.
 */
#include "wrap.h"
#include "core/base/path.h"
#include "core/files/stubobj.h"

/* Is a word of V, or of a response file in it, a file with records? */
static bool names_stub(const struct call *c) {
  autofree_argv words = {0};
  argv_expand(&words, "", c->argv + 1);
  bool any = false;
  for (size_t i = 0; i < words.n && !any; i++)
    any = words.args[i][0] != '-' && file_is_regular(words.args[i]) && stub_in_file(words.args[i]);
  return any;
}

void wrap_exec_symbols(struct call *c) {
  home_leave_path(c->home);
  char *path = path_which(c->name);
  if (!path)
    die(EXIT_FAILED, "%s is not on the PATH; install it, or run ckjit home again", c->name);
  autofree char *origin = xasprintf("%s of the PATH: ", c->name);
  wrap_check_program(c->home, path, origin, "take the fake home off the PATH once");
  c->argv[0] = path;
  if (!names_stub(c))
    wrap_become(c, path, c->argv);
  wrap_find_work(c);
  c->compiler = path;
  wrap_exec_link(c, "c++", argv_has(&c->home->editors, c->name) ? "changed" : "shown");
}
