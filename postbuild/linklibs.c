/* linklibs.c - see linklibs.h. The words are part of every key of the library, so their spelling
 * and their order are those of the command.
 */
#include "linklibs.h"

#include "core/base/path.h"
#include "core/files/stubobj.h"

/* Is the library NAME in DIR, a directory of the build? When the build is gone, it is gone, too. */
static bool library_in(const char *dir, const char *name) {
  static const char *const suffix[] = {".so", ".a"};
  bool found = false;
  for (size_t i = 0; i < sizeof suffix / sizeof *suffix && !found; i++) {
    autofree char *file = xasprintf("%s/lib%s%s", dir, name, suffix[i]);
    found = file_exists(file);
  }
  return found;
}

/* Is what -lNAME finds in the directory DIR an archive of stubs? *FOUND: it is there at all. */
static bool is_stubs(const char *dir, const char *name, bool *found) {
  autofree char *shared = xasprintf("%s/lib%s.so", dir, name), *archive = xasprintf("%s/lib%s.a", dir, name);
  bool stubs = !file_exists(shared) && stub_in_file(archive);
  *found = stubs || file_exists(shared) || file_exists(archive);
  return stubs;
}

/* Is -lNAME an archive of this build's stubs? There is nothing in it for a compiled blob. And if
 * the link's output is libNAME.so, beside the archive, -lNAME would find that. */
static bool finds_stubs(char *const *args, const char *cwd, const char *name) {
  bool found = false, stubs = false;
  for (size_t i = 0; args[i] && !found; i++) {
    const char *dir = str_starts(args[i], "-L") ? (args[i][2] ? args[i] + 2 : args[++i]) : NULL;
    if (!args[i])
      break;
    if (!dir)
      continue;
    autofree char *full = path_abs_in(cwd, dir);
    stubs = is_stubs(full, name, &found);
  }
  return stubs;
}

static void libraries_of_gcc(struct argv *out, char *const *args, const char *cwd, const char *base) {
  autofree_argv own = {0}; /* directories of the build */
  for (size_t i = 0; args[i]; i++) {
    const char *dir = str_starts(args[i], "-L") ? (args[i][2] ? args[i] + 2 : args[i + 1]) : NULL;
    if (dir) {
      autofree char *full = path_abs_in(cwd, dir);
      if (base && *base && path_within(full, base))
        argv_add(&own, full);
      else
        argv_addf(out, "-L%s", full);
      i += args[i][2] ? 0 : 1;
      if (!args[i])
        break;
    } else if (str_starts(args[i], "-l") && args[i][2]) {
      bool ours = finds_stubs(args, cwd, args[i] + 2);
      for (size_t k = 0; k < own.n; k++)
        ours |= library_in(own.args[k], args[i] + 2);
      if (!ours)
        argv_add(out, args[i]);
    } else if (str_starts(args[i], "-Wl,-rpath,") || str_starts(args[i], "-Wl,-rpath=")) {
      argv_add(out, args[i]);
    }
  }
}

void linklibs_read(struct argv *out, const struct ccargs *a, const char *cwd, const char *base) {
  autofree_argv words = {0};
  autofree char *cudart = NULL;
  ccargs_libraries(&words, a, &cudart);
  if (words.n)
    libraries_of_gcc(out, words.args, cwd, base);
  if (cudart)
    argv_addf(out, "-cudart=%s", cudart);
}
