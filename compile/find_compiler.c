#include "find_compiler.h"
#include "core/base/env.h"
#include "core/base/path.h"

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

/* Where a compiler of KIND is that nobody has named; NULL: nowhere. free() it. */
static char *look_for(const struct compiler *kind, const char *by_default) {
  char *found = by_default ? path_which(by_default) : NULL;
  if (!found)
    found = path_which(kind->name);
  if (!found)
    found = compiler_in(kind, secure_getenv(kind->home_vars[0]));
  if (!found)
    found = compiler_in(kind, kind->homes[0]);
  return found;
}

bool find_compiler(struct compile_task *t, const struct compiler *kind, const char *option,
                   const char *by_default, char **err) {
  if (by_default && !*by_default)
    by_default = NULL;
  bool told = kind != NULL;
  if (!told)
    kind = compiler_by_name(by_default ? by_default : option ? option : "hipcc");
  const char *named = option ? option : env_get(kind->variable);
  t->compiler = named ? path_which(named) : look_for(kind, by_default);
  if (t->compiler) {
    t->kind = compiler_meant(kind, t->compiler);
    t->kind_is_known = compiler_has_telling_name(t->compiler) || (told && (option || !named));
    return true;
  }
  if (named) /* What the user names is what is used; another compiler would give other code under the same key. */
    *err = xasprintf("the compiler %s%s%s %s; set it to the real %s, or leave it out to have one found",
                     option ? "--hipcc" : kind->variable, option ? " " : "=", named, path_which_why(named),
                     kind->name);
  else
    *err = not_found(kind, by_default);
  return false;
}
