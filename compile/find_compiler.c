#include "find_compiler.h"
#include "carried.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/base/trust.h"

#include <sys/stat.h>

static char *not_found(const struct compiler *kind, const char *by_default) {
  return xasprintf(
      "there is no %s: not%s%s%s on the PATH, in $%s/bin or in %s/bin; set %s to the compiler [ckjit help no-compiler]",
      kind->name, by_default ? " at the build's " : "", by_default ? by_default : "", by_default ? "," : "",
      kind->home_vars[0], kind->homes[0], kind->variable);
}

/* DIR/bin/NAME if it is a program; free() it */
static char *compiler_in(const struct compiler *kind, const char *dir) {
  autofree char *file = dir && *dir ? xasprintf("%s/bin/%s", dir, kind->name) : NULL;
  return file ? path_which(file) : NULL;
}

/* A compiler of KIND on the PATH, in the usual places or in a package beside LIBRARY; NULL: there is none. free() it */
static char *look_around(const struct compiler *kind, const char *library) {
  char *found = path_which(kind->name);
  if (!found)
    found = compiler_in(kind, secure_getenv(kind->home_vars[0]));
  if (!found)
    found = compiler_in(kind, kind->homes[0]);
  if (!found)
    found = carried_compiler(kind, library);
  return found;
}

static bool same_program(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Where a compiler of KIND is that nobody has named; NULL: nowhere, or *ERR. free() it.
 *
 * BY_DEFAULT is a name of the time when the library was built. Another user may have put a program
 * there since, so it is used if that cannot be, or if it is what the PATH or the usual places have
 * as well. It is not passed over in silence: its code and that of the next compiler differ. */
static char *look_for(const struct compiler *kind, const char *by_default, const char *library, char **err) {
  char *built = by_default ? path_which(by_default) : NULL;
  autofree char *full = built ? path_abs(built) : NULL, *why = full ? trust_why(full) : NULL;
  if (built && !why)
    return built;
  char *found = look_around(kind, library);
  if (why && !(found && same_program(found, built))) {
    *err = xasprintf("the build's compiler, %s, is not used: another user could have put it there\n%s\n"
                     "set %s to the compiler, or to this one if you trust it",
                     built, why, kind->variable);
    free(found);
    found = NULL;
  }
  free(built);
  return found;
}

bool find_compiler(struct compile_task *t, const struct compiler *kind, const char *option,
                   const char *by_default, const char *library, char **err) {
  if (by_default && !*by_default)
    by_default = NULL;
  bool told = kind != NULL;
  if (!told)
    kind = compiler_by_name(by_default ? by_default : option ? option : "hipcc");
  const char *named = option ? option : env_get(kind->variable);
  t->compiler = named ? path_which(named) : look_for(kind, by_default, library, err);
  if (t->compiler) {
    t->kind = compiler_meant(kind, t->compiler);
    t->kind_is_known = compiler_has_telling_name(t->compiler) || (told && (option || !named));
    return true;
  }
  t->kind = kind; /* for messages */
  if (*err)
    return false;
  /* A compiler that the user names is used without a search; another compiler would give different
   * code under the same key. */
  if (named)
    *err = xasprintf("the compiler %s%s%s %s; set it to the real %s, or unset it: ckjit then looks for one",
                     option ? "--hipcc" : kind->variable, option ? " " : "=", named, path_which_why(named),
                     kind->name);
  else
    *err = not_found(kind, by_default);
  return false;
}
