/* nvccfiles.c - options from outside nvcc's command line: options files, `-optf x` (ccache issue
 * 47), which may name others, and variables. `@x` is not a response file for nvcc, but a file of
 * unknown type (Kokkos issue 5712).
 *
 * In a file, white space separates words, "…" groups and is removed, '…' does not group. The
 * meaning of a backslash depends on its context, in one of two passes of nvcc: such a file is left
 * to nvcc. Relative names in it are relative to the compiler's directory.
 */
#include "ccoptions.h"
#include "core/base/path.h"

/* limits for files that include themselves */
enum { MAX_NESTING = 32, MAX_FILES = 2000 };

struct expansion {
  struct argv *out;
  const char *cwd;
  int files; /* files read so far */
  bool clear;
};

/* Split TEXT into words: white space separates them, "…" groups and is removed. False if there is a
 * backslash, whose meaning depends on its context. */
static bool split(struct argv *out, const char *text, size_t len) {
  bool clear = !memchr(text, '\\', len) && !memchr(text, 0, len);
  for (const char *p = text, *end = text + len;;) {
    while (p < end && is_blank(*p))
      p++;
    if (p == end)
      return clear;
    struct buf word = {0};
    bool quoted = false;
    buf_add(&word, "", 0);
    for (; p < end && *p && (quoted || !is_blank(*p)); p++) {
      if (*p == '"')
        quoted = !quoted;
      else
        buf_putc(&word, *p);
    }
    argv_add_own(out, word.data);
    if (quoted || (p < end && !*p))
      return false;
  }
}

static void expand(struct expansion *e, char *const *args, int depth);

static void expand_file(struct expansion *e, const char *name, int depth) {
  autofree char *file = path_join(e->cwd, name), *text = NULL;
  size_t len;
  if (depth < MAX_NESTING && e->files < MAX_FILES && file_is_regular(file))
    text = file_read_any(file, &len);
  if (!text) {
    e->clear = false;
    argv_addf(e->out, "--options-file=%s", name);
    return;
  }
  e->files++;
  autofree_argv words = {0};
  e->clear &= split(&words, text, len);
  if (words.n)
    expand(e, words.args, depth + 1);
}

static void expand(struct expansion *e, char *const *args, int depth) {
  for (size_t at = 0; args[at]; at++) {
    size_t first = at;
    const char *value = NULL;
    const struct row *r = is_option(args[at]) ? nvcc_take_option(args, &at, &value) : NULL;
    if (r && value && r->what == OPTIONS_FILE) {
      autofree_argv names = {0};
      nvcc_cut_list(&names, value, false);
      for (size_t i = 0; i < names.n; i++)
        expand_file(e, names.args[i], depth);
      continue;
    }
    if (r && !value && depth)
      e->clear = false; /* the next word of the line is not its value */
    for (size_t i = first; i <= at; i++)
      argv_add(e->out, args[i]);
  }
}

bool nvcc_expand(struct argv *out, const char *cwd, char *const *args) {
  struct expansion e = {.out = out, .cwd = cwd, .clear = true};
  if (args)
    expand(&e, args, 0);
  return e.clear;
}

/* In a variable, double quotes group and are kept; a backslash between words is literal. */
bool nvcc_split(struct argv *out, const char *text) {
  bool clear = !strchr(text, '"');
  for (const char *p = text + strspn(text, " \t\r\n"); *p; p += strspn(p, " \t\r\n")) {
    size_t n = strcspn(p, " \t\r\n");
    argv_add_own(out, xstrndup(p, n));
    p += n;
  }
  return clear;
}
