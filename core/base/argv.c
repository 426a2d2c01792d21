/* argv.c - see argv.h. Words are split as by libiberty's expandargv, which gcc, clang and ld share.
 * If gcc and clang disagree about a response file, the caller is informed, because then the real
 * compiler has to read it.
 */
#include "argv.h"
#include "path.h"
#include "vec.h"

#include <ctype.h>

/* gcc's limits. Without the limit on files, one that names itself twice would give 2^32 words at
 * level 32. */
enum { MAX_NESTING = 32, MAX_FILES = 2000 };

void argv_add_own(struct argv *v, char *arg) {
  size_t used = v->args ? v->n + 1 : 0; /* including the NULL at the end */
  vec_reserve(v->args, used, v->n + 2 - used);
  v->args[v->n++] = arg;
  v->args[v->n] = NULL;
}

void argv_add(struct argv *v, const char *arg) {
  argv_add_own(v, xstrdup(arg));
}

void argv_add_once(struct argv *v, char *arg) {
  if (argv_has(v, arg))
    free(arg);
  else
    argv_add_own(v, arg);
}

void argv_add_words(struct argv *v, const char *word, ...) {
  va_list ap;
  va_start(ap, word);
  for (; word; word = va_arg(ap, const char *))
    argv_add(v, word);
  va_end(ap);
}

void argv_addf(struct argv *v, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  argv_add_own(v, xvasprintf(fmt, ap));
  va_end(ap);
}

void argv_add_all(struct argv *v, char *const *args) {
  for (; args && *args; args++)
    argv_add(v, *args);
}

void argv_free(struct argv *v) {
  for (size_t i = 0; i < v->n; i++)
    free(v->args[i]);
  free(v->args);
  *v = (struct argv){0};
}

bool argv_has(const struct argv *v, const char *word) {
  for (size_t i = 0; i < v->n; i++)
    if (strcmp(v->args[i], word) == 0)
      return true;
  return false;
}

const char *argv_after(const struct argv *v, const char *word) {
  size_t i = 0;
  while (i < v->n && strcmp(v->args[i], word) != 0)
    i++;
  return i + 1 < v->n ? v->args[i + 1] : NULL;
}

bool argv_has_prefix(const struct argv *v, const char *prefix) {
  for (size_t i = 0; i < v->n; i++)
    if (str_starts(v->args[i], prefix))
      return true;
  return false;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

void argv_sort(struct argv *v) {
  if (v->n)
    qsort(v->args, v->n, sizeof *v->args, by_text);
}

void argv_unique(struct argv *v) {
  size_t n = 0;
  argv_sort(v);
  for (size_t i = 0; i < v->n; i++)
    if (n && strcmp(v->args[i], v->args[n - 1]) == 0)
      free(v->args[i]);
    else
      v->args[n++] = v->args[i];
  v->n = n;
  if (v->args)
    v->args[n] = NULL;
}

bool argv_split(struct argv *v, const char *text, size_t len) {
  const char *p = text, *end = text + len;
  char quote = 0;
  for (;;) {
    while (p < end && isspace((unsigned char)*p))
      p++;
    if (p >= end)
      return !quote;
    struct buf word = {0};
    buf_add(&word, "", 0);
    for (; p < end; p++) {
      if (*p == '\\' && p + 1 < end) {
        buf_putc(&word, *++p);
      } else if (quote) {
        if (*p == quote)
          quote = 0;
        else
          buf_putc(&word, *p);
      } else if (*p == '\'' || *p == '"') {
        quote = *p;
      } else if (isspace((unsigned char)*p)) {
        break;
      } else {
        buf_putc(&word, *p);
      }
    }
    argv_add_own(v, word.data);
  }
}

void argv_quote(struct buf *out, const char *arg) {
  if (!*arg) {
    buf_puts(out, "\"\"");
    return;
  }
  for (const char *s = arg; *s; s++) {
    if (isspace((unsigned char)*s) || *s == '\\' || *s == '"' || *s == '\'')
      buf_putc(out, '\\');
    buf_putc(out, *s);
  }
}

void argv_in_quotes(struct buf *out, const char *word) {
  buf_putc(out, '\'');
  for (; *word; word++)
    if (*word == '\'')
      buf_puts(out, "'\\''");
    else
      buf_putc(out, *word);
  buf_putc(out, '\'');
}

void argv_quote_shell(struct buf *out, const char *word) {
  static const char plain[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-+/=:,@%";
  if (*word && !word[strspn(word, plain)])
    buf_puts(out, word);
  else
    argv_in_quotes(out, word);
}

char *argv_join(char *const *args) {
  struct buf b = {0};
  buf_add(&b, "", 0);
  for (size_t i = 0; args && args[i]; i++) {
    if (i)
      buf_putc(&b, ' ');
    argv_quote(&b, args[i]);
  }
  return b.data;
}

/* Does the text have bytes that gcc and clang treat differently in a response file: form feeds,
 * NUL, a UTF-8 or UTF-16 byte order mark? */
static bool is_unclear(const char *text, size_t len) {
  if (len >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
    return true;
  if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
    return true;
  if (len && text[len - 1] == '\\')
    return true;
  return memchr(text, '\f', len) || memchr(text, '\v', len) || memchr(text, 0, len);
}

struct expansion {
  struct argv *v;
  const char *cwd;
  int files;    /* files read so far */
  bool unclear; /* one of them is unclear */
};

static void expand(struct expansion *e, char *const *args, int depth) {
  for (; args && *args; args++) {
    size_t len;
    autofree char *text = NULL;
    if ((*args)[0] == '@' && (*args)[1] && depth < MAX_NESTING && e->files < MAX_FILES) {
      autofree char *file = path_join(e->cwd, *args + 1);
      if (file_is_regular(file))
        text = file_read_any(file, &len);
    }
    if (!text) {
      argv_add(e->v, *args);
      continue;
    }
    e->files++;
    autofree_argv words = {0};
    e->unclear |= !argv_split(&words, text, len) || is_unclear(text, len);
    expand(e, words.args, depth + 1);
  }
}

bool argv_expand(struct argv *v, const char *cwd, char *const *args) {
  struct expansion e = {.v = v, .cwd = cwd};
  expand(&e, args, 0);
  return !e.unclear;
}

void argv_drop_all(struct argv *v, const struct argv *others) {
  struct argv kept = {0};
  for (size_t i = 0; i < v->n; i++)
    if (!argv_has(others, v->args[i]))
      argv_add(&kept, v->args[i]);
  argv_free(v);
  *v = kept;
}
