/* cclink.c - the files of a link: resolves -lNAME and linker response files for ccargs_link_files
 * (ccargs.h). All of these files are searched for the stub objects of a library. */
#include "ccargs.h"
#include "core/base/path.h"

/* What -lNAME (or -l:FILE) finds in DIR, a shared library before an archive; NULL: nothing. free()
 * it. */
static char *cc_library_in(const char *dir, const char *name, bool static_only) {
  static const char *const suffix[] = {".so", ".a"};
  bool file_named = name[0] == ':';
  for (size_t i = file_named ? 1 : static_only; i < 2; i++) {
    char *file = file_named ? path_join(dir, name + 1) : xasprintf("%s/lib%s%s", dir, name, suffix[i]);
    if (file_exists(file))
      return file;
    free(file);
  }
  return NULL;
}

char *cc_find_library(const struct argv *words, const char *name) {
  char *file = NULL;
  for (size_t i = 0; i < words->n && !file; i++)
    if (str_starts(words->args[i], "-L"))
      file = cc_library_in(words->args[i] + 2, name, false);
  return file;
}

/* Find -lNAME in the -L directories; NULL if it is in none. free() it. */
static char *find_library(const struct ccargs *a, const char *name, bool static_only) {
  char *file = NULL;
  for (size_t i = 0; i < a->ninputs && !file; i++)
    if (a->inputs[i].kind == CC_IN_LIBDIR)
      file = cc_library_in(a->inputs[i].text, name, static_only);
  return file;
}

static bool each_library(const struct ccargs *a, const struct cc_input *in, const char *name,
                         bool static_only, cc_each_file *each, void *user) {
  autofree char *file = find_library(a, name, static_only);
  return !file || each(file, in, user);
}

static bool each_response_word(const struct ccargs *a, const struct cc_input *in, bool static_only,
                               cc_each_file *each, void *user) {
  autofree char *at = xasprintf("@%s", in->text);
  char *args[] = {at, NULL};
  autofree_argv words = {0};
  argv_expand(&words, "", args);
  bool go_on = true;
  for (size_t i = 0; go_on && i < words.n; i++) {
    const char *word = words.args[i];
    if (str_starts(word, "-l"))
      go_on = each_library(a, in, word + 2, static_only, each, user);
    else if (word[0] != '-' && word[0] != '@')
      go_on = each(word, in, user);
  }
  return go_on;
}

void ccargs_link_files(const struct ccargs *a, cc_each_file *each, void *user) {
  bool static_only = a->is_static, go_on = true;
  for (size_t i = 0; go_on && i < a->ninputs; i++) {
    const struct cc_input *in = &a->inputs[i];
    switch (in->kind) {
    case CC_IN_FILE:
      go_on = each(in->text, in, user);
      break;
    case CC_IN_LIBRARY:
      go_on = each_library(a, in, in->text, static_only, each, user);
      break;
    case CC_IN_RESPONSE:
      go_on = each_response_word(a, in, static_only, each, user);
      break;
    case CC_IN_STATIC:
      static_only = true;
      break;
    case CC_IN_DYNAMIC:
      static_only = a->is_static;
      break;
    case CC_IN_SOURCE:
    case CC_IN_LIBDIR:
      break;
    }
  }
}

/* ---- the libraries of a line, as g++ takes them ---- */

/* Appends each -rpath in TEXT, words for the linker that nvcc calls with commas between, in the
 * form of g++. *NEXT: the word after them is the directory of one. */
static void add_rpaths(struct argv *out, const char *text, bool *next) {
  for (const char *p = text; *p; p += strspn(p, ",")) {
    size_t n = strcspn(p, ","), dashes = strspn(p, "-");
    bool is = dashes && str_starts(p + dashes, "rpath");
    const char *value = is ? p + dashes + strlen("rpath") : p;
    if (*next || (is && *value == '='))
      argv_addf(out, "-Wl,-rpath,%.*s", (int)(p + n - value - (*next ? 0 : 1)), *next ? p : value + 1);
    *next = !*next && is && value == p + n;
    p += n;
  }
}

/* VALUE of -Xcompiler without the quotes and backslashes that keep its commas; free() it */
static char *unquoted(const char *value) {
  struct buf b = {0};
  buf_add(&b, "", 0);
  for (; *value; value++)
    if (!strchr("\\\"'", *value))
      buf_putc(&b, *value);
  return b.data;
}

static void add_directory(struct argv *out, const char *dir, const char *cwd) {
  autofree char *full = path_abs_in(cwd, dir);
  argv_addf(out, "-L%s", full);
}

/* Append INPUT, of a line in CWD. A file is none: of an archive that the library has as well, a blob
 * would have a second copy with its own state. */
static void add_library(struct argv *out, const struct cc_input *input, const char *cwd, bool static_only) {
  autofree_argv words = {0};
  autofree char *at = xasprintf("@%s", input->text);
  if (input->kind == CC_IN_LIBDIR)
    add_directory(out, input->text, cwd);
  else if (input->kind == CC_IN_LIBRARY && static_only && *input->text != ':')
    argv_addf(out, "-l:lib%s.a", input->text);
  else if (input->kind == CC_IN_LIBRARY)
    argv_addf(out, "-l%s", input->text);
  else if (input->kind == CC_IN_RESPONSE)
    argv_expand(&words, cwd, (char *[]){at, NULL});
  for (size_t i = 0; i < words.n; i++)
    if (str_starts(words.args[i], "-L") && words.args[i][2])
      add_directory(out, words.args[i] + 2, cwd);
    else if (str_starts(words.args[i], "-l") && words.args[i][2])
      argv_add(out, words.args[i]);
}

void ccargs_libraries(struct argv *out, const struct ccargs *a, const char *cwd, char **cudart) {
  bool next = false, static_only = false;
  for (size_t i = 0; i < a->ninputs; i++) {
    static_only = a->inputs[i].kind == CC_IN_STATIC || (static_only && a->inputs[i].kind != CC_IN_DYNAMIC);
    /* nvcc's options for the linker stand before all libraries */
    add_library(out, &a->inputs[i], cwd, static_only && a->dialect == CC_GNU);
  }
  for (size_t i = 0; i < a->nwords; i++) {
    const struct cc_word *w = &a->words[i];
    const char *word = a->args[w->arg] + strspn(a->args[w->arg], "-");
    autofree char *host = w->role == CC_ROLE_HOST ? unquoted(w->value) : NULL;
    if (w->role == CC_ROLE_LINKER || str_starts(word, "Wl,") || str_starts(word, "Xlinker"))
      add_rpaths(out, w->value, &next);
    else if (host && str_starts(host, "-Wl,"))
      add_rpaths(out, host + strlen("-Wl,"), &next);
    else if (a->dialect == CC_NVCC && *w->value && str_starts(word, "cudart") &&
             (w->pair || word[strlen("cudart")] == '=')) {
      free(*cudart);
      *cudart = xstrdup(w->value);
    }
  }
}
