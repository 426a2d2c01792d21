#include "find_compiler.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/cc/compiler.h"

#include <stdlib.h>

static char *not_found(const struct compiler *kind, const char *by_default) {
  bool built = by_default && *by_default;
  return xasprintf("there is no %s: not%s%s%s on the PATH, in $%s/bin or in %s/bin; set %s to the compiler",
                   kind->name, built ? " at the build's " : "", built ? by_default : "", built ? "," : "",
                   kind->home_vars[0], kind->homes[0], kind->variable);
}

/* DIR/bin/NAME where it is a program; free() it */
static char *compiler_in(const struct compiler *kind, const char *dir) {
  char *file = dir && *dir ? xasprintf("%s/bin/%s", dir, kind->name) : NULL,
       *found = file ? path_which(file) : NULL;
  free(file);
  return found;
}

char *compile_find_compiler(char **compiler, const char *named, const char *option, const char *by_default) {
  const char *alike = by_default && *by_default ? by_default : option ? option : "";
  const struct compiler *kind = named ? compiler_named(named) : compiler_meant(alike);
  const char *said = option ? option : env_get(kind->variable);
  if (said) {
    /* What the user names is what is used; another compiler would give other code under the same key. */
    *compiler = path_which(said);
    return *compiler
               ? NULL
               : xasprintf("the compiler %s%s%s %s; set it to the real %s, or leave it out to have one found",
                           option ? "--hipcc" : kind->variable, option ? " " : "=", said,
                           path_which_why(said), kind->name);
  }
  *compiler = by_default && *by_default ? path_which(by_default) : NULL;
  if (!*compiler)
    *compiler = path_which(kind->name);
  if (!*compiler)
    *compiler = compiler_in(kind, secure_getenv(kind->home_vars[0]));
  if (!*compiler)
    *compiler = compiler_in(kind, kind->homes[0]);
  return *compiler ? NULL : not_found(kind, by_default);
}
