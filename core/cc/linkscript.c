/* linkscript.c - see linkscript.h. Installed libraries often are such scripts: libm.so names the
 * library itself and libmvec, a package's libNAME.so the archives that belong together.
 */
#include "linkscript.h"

#include "core/base/path.h"

#include <fcntl.h>
#include <unistd.h>

bool linkscript_is(const char *file) {
  enum { HEAD = 256 };
  char head[HEAD];
  if (str_ends(file, ".o") || str_ends(file, ".obj") || !file_is_regular(file))
    return false;
  autoclose fd = open(file, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof head);
  return n > 0 && !memchr(head, 0, (size_t)n) && memcmp(head, "!<", 2) != 0 &&
         memcmp(head, "BC\xc0\xde", 4) != 0;
}

struct reader {
  const char *text;
  size_t at; /* the end of the token */
  struct linkscript_word token;
  char *word;
};

static size_t skip_blanks(const char *text, size_t at) {
  for (;;) {
    at += strspn(text + at, " \t\r\n,;");
    if (str_starts(text + at, "/*")) {
      const char *end = strstr(text + at + 2, "*/");
      at = end ? (size_t)(end + 2 - text) : strlen(text);
    } else if (text[at] == '#') {
      at += strcspn(text + at, "\n");
    } else {
      return at;
    }
  }
}

/* The next token: a bracket, or a word; false: there is none. */
static bool next(struct reader *r) {
  size_t at = skip_blanks(r->text, r->at), n, quote = r->text[at] == '"';
  if (!r->text[at])
    return false;
  n = quote                         ? strcspn(r->text + at + 1, "\"")
      : strchr("(){}", r->text[at]) ? 1
                                    : strcspn(r->text + at, " \t\r\n,;(){}\"");
  free(r->word);
  r->word = xstrndup(r->text + at + quote, n);
  r->at = at + quote + n;
  r->at += quote && r->text[r->at] == '"';
  r->token = (struct linkscript_word){.at = at, .len = r->at - at, .text = r->word};
  return true;
}

static bool is(const struct reader *r, const char *word) {
  return strcmp(r->word, word) == 0;
}

static bool is_among(const struct reader *r, const char *const *words) {
  while (*words && !is(r, *words))
    words++;
  return *words;
}

/* R is at a keyword with brackets: read what is in them. PREFIX: what EACH gets before a word; NULL: it
 * gets none. Returns whether to go on. */
static bool read_brackets(struct reader *r, const char *prefix, linkscript_each *each, void *user) {
  int depth = 0;
  bool go_on = true;
  do {
    if (!next(r))
      return go_on;
    bool file = *r->word != '(' && *r->word != ')' && !is(r, "AS_NEEDED");
    depth += is(r, "(") - is(r, ")");
    autofree char *text = file && prefix ? xasprintf("%s%s", prefix, r->word) : NULL;
    const struct linkscript_word word = {r->token.at, r->token.len, text};
    go_on = go_on && (!text || each(&word, user));
  } while (depth > 0);
  return go_on;
}

bool linkscript_read(const char *text, linkscript_each *each, void *user) {
  static const char *const files[] = {"INPUT", "GROUP", "STARTUP", NULL}, *const formats[] = {"OUTPUT_FORMAT",
                                                                                              "OUTPUT_ARCH",
                                                                                              "TARGET", NULL};
  struct reader r = {.text = text};
  bool understood = true, go_on = true;
  for (int depth = 0; go_on && next(&r);) {
    depth += is(&r, "{") - is(&r, "}");
    if (!depth && is_among(&r, files))
      go_on = read_brackets(&r, "", each, user);
    else if (!depth && is(&r, "SEARCH_DIR"))
      go_on = read_brackets(&r, "-L", each, user);
    else if (!depth && is(&r, "INCLUDE"))
      go_on = !next(&r) || each(&r.token, user);
    else if (!depth && is_among(&r, formats))
      read_brackets(&r, NULL, each, user);
    else
      understood = false;
  }
  free(r.word);
  return understood;
}

static bool ignore(const struct linkscript_word *word, void *user) {
  (void)word, (void)user;
  return true;
}

bool linkscript_only_names(const char *file) {
  size_t len;
  autofree char *text = linkscript_is(file) ? file_read_text(file, &len) : NULL;
  return text && linkscript_read(text, ignore, NULL);
}
