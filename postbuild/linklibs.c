/* linklibs.c - see linklibs.h. The words are part of every key of the library, so their spelling
 * and their order are those of the command.
 */
#include "linklibs.h"
#include "archive.h"

#include "core/base/ar.h"
#include "core/base/path.h"
#include "core/cc/linkscript.h"
#include "core/files/stubobj.h"

#include <unistd.h>

static bool has_stub(const char *file, size_t at, size_t len, void *user) {
  bool *any = user;
  (void)at, (void)len;
  *any |= file && stub_in_file(file);
  return !*any;
}

/* Is FILE, an input of A, a script that names something with stubs? */
static bool names_stub(const struct ccargs *a, const char *file) {
  size_t len;
  autofree char *text = linkscript_is(file) ? file_read_text(file, &len) : NULL;
  bool any = false;
  if (text)
    cc_script_files(a, file, text, has_stub, &any);
  return any;
}

/* Append WORDS, of ccargs_libraries, but for those of the build's own directories, which are below
 * BASE: when the build is gone, they are gone, too. Nor is an archive of this build's stubs named:
 * there is nothing in it for a compiled blob, and if the link's output is libNAME.so, beside the
 * archive, -lNAME would find that. */
static void add_libraries(struct argv *out, const struct argv *words, const struct ccargs *a,
                          const char *base) {
  autofree_argv own = {0}; /* directories of the build */
  for (size_t i = 0; i < words->n; i++) {
    const char *word = words->args[i];
    if (str_starts(word, "-L") && base && *base && path_within(word + 2, base)) {
      argv_add(&own, word);
    } else if (str_starts(word, "-l")) {
      autofree char *file = cc_find_library(words, word + 2), *ours = cc_find_library(&own, word + 2);
      bool stubs = file && ((str_ends(file, ".a") && stub_in_file(file)) || names_stub(a, file));
      if (!stubs && !ours)
        argv_add(out, word);
    } else {
      argv_add(out, word);
    }
  }
}

void linklibs_read(struct argv *out, const struct ccargs *a, const char *cwd, const char *base) {
  autofree_argv words = {0};
  autofree char *cudart = NULL;
  ccargs_libraries(&words, a, cwd, &cudart);
  add_libraries(out, &words, a, base);
  if (cudart)
    argv_addf(out, "-cudart=%s", cudart);
}

/* ---- libraries that only what is compiled later needs ---- */

struct named {
  bool shared;
  size_t archives; /* that -l finds */
};

static bool look_at(const char *path, const struct cc_input *in, void *user) {
  struct named *n = user;
  bool shared = path_is_shared(path);
  n->shared |= shared;
  n->archives += !shared && in->kind == CC_IN_LIBRARY;
  return true;
}

/* Does A name a shared library, or one that may be: by -l one of the system, or in a list? */
static bool names_shared(const struct ccargs *a) {
  struct named named = {0};
  size_t libraries = 0;
  for (size_t i = 0; i < a->ninputs; i++)
    libraries += a->inputs[i].kind == CC_IN_LIBRARY || a->inputs[i].kind == CC_IN_RESPONSE;
  ccargs_link_files(a, look_at, &named);
  return named.shared || libraries > named.archives;
}

/* WORD, an option, with --no-as-needed where it says --as-needed; free() it. */
static char *with_all_needed(const char *word) {
  static const char option[] = "-as-needed";
  struct buf b = {0};
  buf_add(&b, "", 0);
  for (const char *p = word; *p; p++) {
    if (*word == '-' && str_starts(p, option) && (p == word || strchr("-,=", p[-1])))
      buf_puts(&b, "-no");
    buf_putc(&b, *p);
  }
  return b.data;
}

void linklibs_keep(struct argv *command, const struct ccargs *a) {
  struct argv kept = {0};
  if (a->is_static || !names_shared(a))
    return;
  argv_add(&kept, command->args[0]);
  argv_add_words(&kept, "-Xlinker", "--no-as-needed", NULL);
  for (size_t i = 1; i < command->n; i++)
    argv_add_own(&kept, with_all_needed(command->args[i]));
  argv_free(command);
  *command = kept;
}

/* ---- archives that a bundle carries ---- */

/* The content of the archive FILE, with the members of a thin one in it; NULL: it cannot be read. WORK:
 * a name for a temporary file. free() it. */
static char *read_archive(const char *file, const char *work, size_t *size) {
  struct ar ar;
  char *bytes = file_read(file, size);
  if (bytes && ar_open(&ar, bytes, *size) && ar.thin) {
    archive_copy(file, work, NULL, NULL);
    free(bytes);
    bytes = file_read(work, size);
    unlink(work);
  }
  return bytes;
}

void linklibs_carry(struct sourcebundle_files *files, const struct argv *link, const char *compiler,
                    const char *work) {
  autofree char *real = realpath(compiler, NULL), *bin = path_dir(real ? real : compiler),
                *top = path_dir(bin);
  for (size_t i = 0; i < link->n; i++) {
    bool library = str_starts(link->args[i], "-l");
    autofree char *file = library ? cc_find_library(link, link->args[i] + 2) : NULL,
                  *found = file ? realpath(file, NULL) : NULL;
    size_t size = 0;
    bool carried = found && str_ends(file, ".a") && !path_within(found, top);
    char *bytes = carried ? read_archive(found, work, &size) : NULL;
    autofree char *name = bytes ? path_join(SOURCEBUNDLE_LIBS, path_base(file)) : NULL;
    if (bytes)
      sourcebundle_add(files, name, bytes, size);
  }
}
