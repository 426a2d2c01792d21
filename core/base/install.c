#include "install.h"
#include "abi/ck_jit_access.h"
#include "path.h"

#include <unistd.h>

/* From bin/ the prefix is one directory up, from libexec/ckjit/ it is two. */
static const char *const prefixes[] = {"..", "../.."};
enum { PREFIXES = sizeof prefixes / sizeof *prefixes };

/* SELF/PREFIX/REST, normalised, so that no ".." gets into a command line or a path in a library. */
static char *at(const char *self, const char *prefix, const char *rest) {
  autofree char *p = xasprintf("%s/%s/%s", self, prefix, rest);
  return path_abs(p);
}

const char *install_called(const char *command, const char *own) {
  return command && strcmp(path_base(command), "ckjit") == 0 ? "ckjit" : own;
}

char *install_share(const char *name) {
  autofree char *self = path_self_dir();
  char *found = NULL;
  for (int i = 0; i < PREFIXES && !found; i++) {
    autofree char *share = at(self, prefixes[i], "share/ckjit");
    if (file_is_dir(share))
      found = path_join(share, name);
  }
  if (!found)
    die(EXIT_FAILED,
        "no share/ckjit above %s: this program was moved out of its installation; run it where "
        "`make install` put it",
        self);
  return found;
}

char *install_program(const char *name) {
  autofree char *self = path_self_dir();
  char *found = at(self, ".", name);
  static const char *const dirs[] = {"bin", "libexec/ckjit"};
  for (int i = 0; i < PREFIXES * 2 && !ckjit_may(found, X_OK); i++) {
    autofree char *rest = path_join(dirs[i % 2], name);
    free(found);
    found = at(self, prefixes[i / 2], rest);
  }
  if (ckjit_may(found, X_OK))
    return found;
  free(found);
  return NULL;
}
