#include "find_compiler.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/cc/compiler.h"

#include <stdlib.h>

static char *not_found(const struct compiler *kind, const char *by_default) {
  return xasprintf("there is no %s: not%s%s%s on the PATH, in $%s/bin or in %s/bin; set %s to the compiler",
                   kind->name, by_default ? " at the build's " : "", by_default ? by_default : "",
                   by_default ? "," : "", kind->home_vars[0], kind->homes[0], kind->variable);
}

/* DIR/bin/NAME if it is a program; free() it */
static char *compiler_in(const struct compiler *kind, const char *dir) {
  char *file = dir && *dir ? xasprintf("%s/bin/%s", dir, kind->name) : NULL,
       *found = file ? path_which(file) : NULL;
  free(file);
  return found;
}

char *find_compiler(const char *named, const char *option, const char *by_default, char **err) {
  if (by_default && !*by_default)
    by_default = NULL;
  const char *alike = by_default ? by_default : option ? option : "";
  const struct compiler *kind = named ? compiler_named(named) : compiler_meant(alike);
  const char *said = option ? option : env_get(kind->variable);
  char *found;
  if (said) {
    /* What the user names is what is used; another compiler would give other code under the same key. */
    if (!(found = path_which(said)))
      *err = xasprintf("the compiler %s%s%s %s; set it to the real %s, or leave it out to have one found",
                       option ? "--hipcc" : kind->variable, option ? " " : "=", said, path_which_why(said),
                       kind->name);
    return found;
  }
  found = by_default ? path_which(by_default) : NULL;
  if (!found)
    found = path_which(kind->name);
  if (!found)
    found = compiler_in(kind, secure_getenv(kind->home_vars[0]));
  if (!found)
    found = compiler_in(kind, kind->homes[0]);
  if (!found)
    *err = not_found(kind, by_default);
  return found;
}
