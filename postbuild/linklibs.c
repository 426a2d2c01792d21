/* linklibs.c - see linklibs.h. The words are part of every key of the library, so their spelling
 * and their order are those of the command.
 */
#include "linklibs.h"

#include "core/base/path.h"
#include "core/files/stubobj.h"

/* Is what -lNAME finds in the directory DIR an archive of stubs? *FOUND: it is there at all. */
static bool is_stubs(const char *dir, const char *name, bool *found) {
  autofree char *file = cc_library_in(dir, name, false);
  *found = file != NULL;
  return file && str_ends(file, ".a") && stub_in_file(file);
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
      for (size_t k = 0; k < own.n && !ours; k++) { /* when the build is gone, it is gone, too */
        autofree char *file = cc_library_in(own.args[k], args[i] + 2, false);
        ours = file != NULL;
      }
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

/* ---- libraries that only what is compiled later needs ---- */

/* What -lNAME of A finds in a -L directory; NULL: nothing, it is in one of the linker's own. free() it. */
static char *found_library(const struct ccargs *a, const char *name) {
  char *file = NULL;
  for (size_t i = 0; i < a->ninputs && !file; i++)
    if (a->inputs[i].kind == CC_IN_LIBDIR)
      file = cc_library_in(a->inputs[i].text, name, false);
  return file;
}

static bool is_shared(const char *file) {
  return strstr(path_base(file), ".so") != NULL;
}

void linklibs_keep(struct argv *out, const struct ccargs *a, const char *cwd) {
  autofree_argv libraries = {0};
  bool archives = a->is_static;
  for (size_t i = 0; i < a->ninputs; i++) {
    const struct cc_input *in = &a->inputs[i];
    archives = in->kind == CC_IN_STATIC || (archives && in->kind != CC_IN_DYNAMIC);
    autofree char *file = in->kind == CC_IN_LIBRARY && !archives ? found_library(a, in->text) : NULL;
    if (in->kind == CC_IN_LIBRARY && !archives && (!file || is_shared(file)))
      argv_addf(&libraries, "-l%s", in->text);
    else if (in->kind == CC_IN_FILE && is_shared(in->text) && file_exists(in->text))
      argv_add_own(&libraries, path_abs_in(cwd, in->text));
  }
  if (a->is_static || !libraries.n)
    return;
  if (cc_collects_options(a->dialect)) { /* they stand before all libraries */
    argv_add(out, "-Xlinker=--no-as-needed");
    return;
  }
  argv_add(out, "-Wl,--push-state,--no-as-needed,-Bdynamic,--no-whole-archive");
  argv_add_all(out, libraries.args);
  argv_add(out, "-Wl,--pop-state");
}

/* ---- archives that a bundle carries ---- */

void linklibs_carry(struct sourcebundle_files *files, const struct argv *link, const char *compiler) {
  autofree char *real = realpath(compiler, NULL), *bin = path_dir(real ? real : compiler),
                *top = path_dir(bin);
  for (size_t i = 0; i < link->n; i++) {
    char *file = NULL;
    for (size_t k = 0; k < link->n && str_starts(link->args[i], "-l") && !file; k++)
      if (str_starts(link->args[k], "-L"))
        file = cc_library_in(link->args[k] + 2, link->args[i] + 2, false);
    autofree char *found = file ? realpath(file, NULL) : NULL;
    size_t size = 0;
    char *bytes = found && str_ends(file, ".a") && !path_within(found, top) ? file_read(found, &size) : NULL;
    autofree char *name = bytes ? path_join(SOURCEBUNDLE_LIBS, path_base(file)) : NULL;
    if (bytes)
      sourcebundle_add(files, name, bytes, size);
    free(file);
  }
}
