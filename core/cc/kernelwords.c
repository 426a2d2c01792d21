/* kernelwords.c - see kernelwords.h.
 *
 * Headers contain the word without a kernel: they define it, and mention it in messages. A macro
 * that stands for it, such as CUB's, counts as well where it is used.
 */
#include "kernelwords.h"

#include "core/base/path.h"

#include <ctype.h>

/* The words of kernels, or of any device code, with the macros that stand for one. */
struct word_search {
  struct argv words;
  /* of the files, NULL if one cannot be read */
  char **texts;
  size_t n;
};

/* Is AT, in the line that begins at LINE, within a comment or a string? */
static bool is_told_only(const char *line, const char *at) {
  size_t quotes = 0;
  const char *word = line + strspn(line, " \t");
  if (*word == '*' || str_starts(word, "//"))
    return true;
  for (const char *p = line; p < at; p++) {
    quotes += *p == '"';
    if (p[0] == '/' && p[1] == '/')
      return true;
  }
  return quotes % 2;
}

static bool is_of_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* The macro that the directive LINE defines, free() it; NULL: it defines none. */
static char *defined_by(const char *line) {
  static const char define[] = "define";
  const char *p = line + strspn(line, " \t#");
  if (!str_starts(p, define))
    return NULL;
  p += sizeof define - 1;
  p += strspn(p, " \t");
  size_t n = 0;
  while (is_of_word(p[n]))
    n++;
  return n ? xstrndup(p, n) : NULL;
}

/* Is WORD at AT, in a line that begins at LINE, a kernel's? In a directive it may be the meaning of
 * a macro. */
static bool is_used(struct word_search *s, const char *line, const char *at, const char *word) {
  const char *behind = at + strlen(word), *first = line + strspn(line, " \t");
  if (is_told_only(line, at) || (*word != '(' && (is_of_word(*behind) || (at > line && is_of_word(at[-1])))))
    return false;
  if (*first != '#')
    return true;
  autofree char *macro = defined_by(first);
  if (macro && strcmp(macro, word) != 0 && !argv_has(&s->words, macro))
    argv_add(&s->words, macro);
  return false;
}

/* Does TEXT use WORD? */
static bool has_word(struct word_search *s, const char *text, const char *word) {
  enum { MAX_LINE = 4096 }; /* words in a longer line count as a kernel */
  for (const char *at = text; (at = strstr(at, word)); at++) {
    const char *line = at;
    while (line > text && at - line < MAX_LINE && line[-1] != '\n')
      line--;
    if (at - line == MAX_LINE || is_used(s, line, at, word))
      return true;
  }
  return false;
}

/* Does any of the texts use any of the words, or a macro that stands for one? */
static bool search(struct word_search *s) {
  for (size_t w = 0; w < s->words.n; w++) {
    autofree char *word = xstrdup(s->words.args[w]);
    bool has = false;
    for (size_t i = 0; i < s->n && !has; i++)
      has = s->texts[i] && has_word(s, s->texts[i], word);
    if (has)
      return true;
  }
  return false;
}

bool kernelwords_in(const struct argv *files, bool device) {
  static const char *const words[] = {"__global__", "((global))", "__device__", "((device))"};
  enum { OF_KERNELS = 2 };
  struct word_search s = {.texts = xcalloc(files->n + 1, sizeof(char *)), .n = files->n};
  for (size_t i = 0; i < (device ? sizeof words / sizeof *words : OF_KERNELS); i++)
    argv_add(&s.words, words[i]);
  for (size_t i = 0, len; i < s.n; i++)
    s.texts[i] = file_read_text(files->args[i], &len);
  bool have = search(&s);
  for (size_t i = 0; i < s.n; i++)
    free(s.texts[i]);
  free(s.texts);
  argv_free(&s.words);
  return have;
}
