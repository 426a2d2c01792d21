/* macros.c - see macros.h. */
#include "macros.h"

#include "cxxscan.h"
#include "cxxshape.h"
#include "visibility.h"

static const char *const odd_words[] = {
    ";",        "=",          "{",          "}",          "namespace",
    "extern",   "static",     "inline",     "__inline__", "__forceinline__",
    "template", "class",      "struct",     "hidden",     "weak",
    "alias",    "asm",        "__asm__",    "operator",   "ifunc",
    "internal", "\"hidden\"", "constructor"};

void macros_add_code(struct macros *m, const struct cxx_text *t) {
  for (uint32_t i = 0; i < t->n; i++) {
    if (t->toks[i].kind != TOK_DIRECTIVE)
      continue;
    struct cxx_text line;
    cxx_lex(&line, t->text + t->toks[i].at + 1, t->toks[i].len - 1);
    if (line.n > 1 && cxx_is(&line, 0, "define") && cxx_ident(&line, 1)) {
      bool odd = false, shown = false, device = false;
      for (uint32_t k = 2; k < line.n; k++) {
        m->runs |= cxx_says_runs(&line, k);
        odd |= CXX_ONE_OF(&line, k, odd_words);
        shown |= cxx_is(&line, k, SHOWN_WORD);
        device |= cxx_is(&line, k, "__device__");
      }
      argv_add_own(&m->all, cxx_spelling(&line, 1));
      if (line.n == 3 && cxx_ident(&line, 2))
        argv_addf(&m->aliases, "%.*s %.*s", (int)line.toks[1].len, line.text + line.toks[1].at,
                  (int)line.toks[2].len, line.text + line.toks[2].at);
      if (odd)
        argv_add_own(&m->odd, cxx_spelling(&line, 1));
      if (shown)
        argv_add_own(&m->shown, cxx_spelling(&line, 1));
      if (device)
        argv_add_own(&m->device, cxx_spelling(&line, 1));
      argv_addf(&m->bodies, "%.*s %.*s", (int)line.toks[1].len, line.text + line.toks[1].at,
                (int)(t->toks[i].len - 1), t->text + t->toks[i].at + 1);
    }
    cxx_text_free(&line);
  }
}

void macros_add(struct macros *m, const char *text, size_t len) {
  struct cxx_text t;
  cxx_lex(&t, text, len);
  macros_add_code(m, &t);
  cxx_text_free(&t);
}

void macros_settle(struct macros *m) {
  argv_unique(&m->all);
  argv_unique(&m->odd);
  argv_unique(&m->shown);
  argv_unique(&m->device);
  argv_unique(&m->aliases);
  argv_unique(&m->bodies);
}

const char *macros_meant(const struct macros *const *m, size_t count, const char *word) {
  /* a macro may stand for itself */
  enum { MOST = 16 };
  for (int step = 0; step < MOST; step++) {
    const char *next = NULL;
    size_t n = strlen(word);
    for (size_t i = 0; i < count && !next; i++)
      for (size_t k = 0; k < m[i]->aliases.n && !next; k++)
        if (strncmp(m[i]->aliases.args[k], word, n) == 0 && m[i]->aliases.args[k][n] == ' ')
          next = m[i]->aliases.args[k] + n + 1;
    if (!next)
      break;
    word = next;
  }
  return word;
}

void macros_free(struct macros *m) {
  argv_free(&m->all);
  argv_free(&m->odd);
  argv_free(&m->shown);
  argv_free(&m->device);
  argv_free(&m->aliases);
  argv_free(&m->bodies);
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

const char *words_among(const struct argv *sorted, const struct argv *words) {
  for (size_t i = 0; i < words->n && sorted->n; i++)
    if (bsearch(&words->args[i], sorted->args, sorted->n, sizeof *sorted->args, by_text))
      return words->args[i];
  return NULL;
}
