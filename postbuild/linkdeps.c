/* linkdeps.c - see linkdeps.h. It is for CMake 3.27 and later, whose Ninja files rely on the
 * linker's own list of inputs (CMAKE_LINK_DEPENDS_USE_LINKER). */
#include "linkdeps.h"
#include "core/base/path.h"
#include "core/cc/compiler.h"
#include "core/cc/deps.h"

char *linkdeps_file(const struct argv *words, const char *cwd) {
  static const char option[] = "-dependency-file";
  autofree_argv linker = {0};
  char *file = NULL;
  compiler_linker_words(&linker, words);
  for (size_t i = 0; i < linker.n; i++) {
    const char *word = linker.args[i], *name = word + (word[0] == '-' && word[1] == '-');
    if (!str_starts(name, option))
      continue;
    const char *behind = name + sizeof option - 1;
    const char *value = *behind == '=' ? behind + 1 : !*behind && i + 1 < linker.n ? linker.args[++i] : NULL;
    if (!value)
      continue;
    free(file);
    file = path_abs_in(cwd, value);
  }
  return file;
}

/* ---- the names that the build's command has for files ---- */

/* lines "ABSOLUTE\nGIVEN", sorted: of files, and of directories that libraries are looked for in */
static void given_names(struct argv *names, const struct linkline *l) {
  for (size_t k = 0; k < l->scan.nwords; k++) {
    const struct cc_word *w = &l->scan.words[k];
    if ((w->role != CC_ROLE_FILE && w->role != CC_ROLE_PATH) || !*w->value || *w->value == '/')
      continue;
    autofree char *whole = path_abs_in(l->cwd, w->value);
    argv_addf(names, "%s\n%s", whole, w->value);
  }
  argv_sort(names);
}

/* The first line of NAMES that begins with the N bytes at TEXT: what follows them; NULL if there is
 * none. Borrowed. */
static const char *find(const struct argv *names, const char *text, size_t n) {
  size_t low = 0, high = names->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strncmp(names->args[middle], text, n) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < names->n && strncmp(names->args[low], text, n) == 0 ? names->args[low] + n : NULL;
}

/* The name given to the N bytes of PATH; NULL: no other one. Borrowed. */
static const char *find_given(const struct argv *names, const char *path, size_t n) {
  autofree char *line = xasprintf("%.*s\n", (int)n, path);
  return find(names, line, n + 1);
}

/* PATH as the build would name it; free() it. */
static char *given(const struct argv *names, const char *path) {
  const char *name = find_given(names, path, strlen(path)), *base = path_base(path);
  if (name)
    return xstrdup(name);
  name = base > path + 1 ? find_given(names, path, (size_t)(base - path) - 1) : NULL;
  return name ? path_join(name, base) : xstrdup(path);
}

/* ---- the file ---- */

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Each file of L that has records, unless NAMES have it. */
static void add_recorded(struct argv *names, const struct linkline *l) {
  autofree_argv there = {0};
  argv_add_all(&there, names->args);
  argv_sort(&there);
  for (size_t i = 0; i < l->files.n; i++) {
    const char *file = l->files.args[i], *last = i ? l->files.args[i - 1] : "";
    if (strcmp(file, last) != 0 && !(there.n && bsearch(&file, there.args, there.n, sizeof file, by_name)))
      argv_add(names, file);
  }
}

void linkdeps_clean(const char *file, const struct linkline *l, const char *work) {
  size_t len;
  autofree char *text = file_read(file, &len), *output = linkline_output(l);
  autofree_argv read = {0}, known = {0}, names = {0};
  autofree_buf out = {0};
  if (text)
    deps_read(&read, text);
  given_names(&known, l);
  for (size_t i = 0; i < read.n; i++)
    if (!path_within(read.args[i], work))
      argv_add_own(&names, given(&known, read.args[i]));
  add_recorded(&names, l);
  deps_put_name(&out, output);
  deps_put_files(&out, &names, 0);
  if (read.n)
    file_overwrite(file, out.data, out.len, 0666);
}
