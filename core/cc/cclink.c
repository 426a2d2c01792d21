/* cclink.c - the files of a link: resolves -lNAME and linker response files for ccargs_link_files
 * (ccargs.h). All of these files are searched for the stub objects of a library. */
#include "ccargs.h"
#include "linkscript.h"

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

/* Append the directories of LIBRARY_PATH, in which the compiler has the linker search last. */
static void add_of_environment(struct argv *out) {
  const char *dirs = getenv("LIBRARY_PATH");
  for (const char *p = dirs ? dirs : ""; *p; p += strspn(p, ":")) {
    size_t n = strcspn(p, ":");
    if (n)
      argv_add_own(out, xstrndup(p, n));
    p += n;
  }
}

/* Append the directories in which the compiler of A has the linker search, but for the system's. */
static void add_searched(struct argv *out, const struct ccargs *a) {
  for (size_t i = 0; i < a->ninputs; i++)
    if (a->inputs[i].kind == CC_IN_LIBDIR)
      argv_add(out, a->inputs[i].text);
  add_of_environment(out);
}

/* Find -lNAME in DIRS; NULL if it is in none. free() it. */
static char *find_library(const struct argv *dirs, const char *name, bool static_only) {
  char *file = NULL;
  for (size_t i = 0; i < dirs->n && !file; i++)
    file = cc_library_in(dirs->args[i], name, static_only);
  return file;
}

/* ---- scripts ---- */

struct scripted {
  const char *dir; /* of the script */
  struct argv dirs;
  bool static_only;
  cc_each_scripted *each;
  void *user;
};

/* Find the file that a script in the directory DIR calls NAME; NULL: nowhere. free() it. */
static char *find_named(const struct scripted *s, const char *name) {
  if (*name == '/' || file_exists(name))
    return xstrdup(name);
  char *file = path_join(s->dir, name);
  for (size_t i = 0; i < s->dirs.n && !file_exists(file); i++) {
    free(file);
    file = path_join(s->dirs.args[i], name);
  }
  if (file_exists(file))
    return file;
  free(file);
  return NULL;
}

static bool found_word(const struct linkscript_word *word, void *user) {
  struct scripted *s = user;
  bool dir = str_starts(word->text, "-L");
  if (dir)
    argv_add(&s->dirs, word->text + 2);
  autofree char *file = dir ? NULL
                        : str_starts(word->text, "-l")
                            ? find_library(&s->dirs, word->text + 2, s->static_only)
                            : find_named(s, word->text);
  return dir || s->each(file, word->at, word->len, s->user);
}

bool cc_script_files(const struct ccargs *a, const char *script, const char *text, cc_each_scripted *each,
                     void *user) {
  autofree char *dir = path_dir(script);
  struct scripted s = {.dir = dir, .static_only = a->is_static, .each = each, .user = user};
  add_searched(&s.dirs, a);
  bool understood = linkscript_read(text, found_word, &s);
  argv_free(&s.dirs);
  return understood;
}

struct following {
  const struct ccargs *a;
  const struct cc_input *in;
  cc_each_file *each;
  void *user;
  int depth;
  bool stopped;
};

static bool follow(const char *file, size_t at, size_t len, void *user);

/* The files that FILE names, if it is a script. */
static void follow_script(struct following *f, const char *file) {
  enum { DEPTH = 8 };
  size_t len;
  autofree char *text = f->depth < DEPTH && linkscript_is(file) ? file_read_text(file, &len) : NULL;
  f->depth++;
  if (text)
    cc_script_files(f->a, file, text, follow, f);
  f->depth--;
}

static bool follow(const char *file, size_t at, size_t len, void *user) {
  struct following *f = user;
  (void)at, (void)len;
  f->stopped = f->stopped || (file && !f->each(file, f->in, f->user));
  if (file && !f->stopped)
    follow_script(f, file);
  return !f->stopped;
}

/* FILE of input IN, and the files that it names if it is a script. Returns whether to go on. */
static bool each_file(const struct ccargs *a, const char *file, const struct cc_input *in, cc_each_file *each,
                      void *user) {
  struct cc_input named = *in;
  struct following f = {.a = a, .in = &named, .each = each, .user = user};
  named.script = file;
  if (!each(file, in, user))
    return false;
  follow_script(&f, file);
  return !f.stopped;
}

static bool each_library(const struct ccargs *a, const struct cc_input *in, const char *name,
                         bool static_only, cc_each_file *each, void *user) {
  autofree_argv dirs = {0};
  add_searched(&dirs, a);
  autofree char *file = find_library(&dirs, name, static_only);
  return !file || each_file(a, file, in, each, user);
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
      go_on = each_file(a, in->text, in, each, user);
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
  autofree_argv more = {0};
  for (size_t i = 0; i < a->ninputs; i++) {
    static_only = a->inputs[i].kind == CC_IN_STATIC || (static_only && a->inputs[i].kind != CC_IN_DYNAMIC);
    /* nvcc's options for the linker stand before all libraries */
    add_library(out, &a->inputs[i], cwd, static_only && a->dialect == CC_GNU);
  }
  add_of_environment(&more);
  for (size_t i = 0; i < more.n; i++)
    add_directory(out, more.args[i], cwd);
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
