/* directives.c - see directives.h. Lines are looked at, not tokens: headers are long, and a
 * directive in a comment only makes the list of headers longer. */
#include "directives.h"
#include "base.h"

#include <ctype.h>

static const char *skip_blanks(const char *p, const char *end) {
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  return p;
}

struct span span_header(const char *p, const char *end, enum include *how) {
  struct span name = {p + 1, 0};
  if (p == end || (*p != '"' && *p != '<'))
    return (struct span){p, 0};
  char close = *p == '"' ? '"' : '>';
  while (name.p + name.n < end && name.p[name.n] != close && name.p[name.n] != '\n' &&
         name.p[name.n])
    name.n++;
  if (name.p + name.n >= end || name.p[name.n] != close)
    name.n = 0;
  *how = close == '"' ? QUOTED : ANGLED;
  return name;
}

static struct span take_word(const char *p, const char *end) {
  struct span word = {p, 0};
  while (p + word.n < end && (isalnum((unsigned char)p[word.n]) || p[word.n] == '_'))
    word.n++;
  return word;
}

/* Is the rest of the line at P empty, but for a comment? */
static bool ends_here(const char *p, const char *end) {
  p = skip_blanks(p, end);
  return p == end || *p == '\n' || *p == '\r' || *p == '/';
}

/* P is after #define: a macro that is a header's name? */
static bool take_macro(const char *p, const char *end, struct directive *d) {
  d->macro = take_word(p, end);
  p = skip_blanks(d->macro.p + d->macro.n, end);
  d->header = span_header(p, end, &d->how);
  return d->macro.n && d->header.n && ends_here(d->header.p + d->header.n + 1, end);
}

/* ---- conditions ---- */

/* The conditions around a place of a text: for each one 's', it surely holds there, or 'u'. */
struct conditions {
  struct buf stack;
  size_t unsure;
  bool first; /* no directive but #pragma came before */
};

static bool is_word(struct span s, const char *word) {
  return s.n == strlen(word) && memcmp(s.p, word, s.n) == 0;
}

/* Is the macro of `#ifndef X`, or of `#if !defined(X)` after "if", at P that of an include guard:
 * is #define X next? */
static bool is_guard(const char *p, const char *end, bool negated) {
  if (!negated) {
    static const char word[] = "defined";
    if (p == end || *p++ != '!')
      return false;
    p = skip_blanks(p, end);
    if ((size_t)(end - p) < sizeof word || memcmp(p, word, sizeof word - 1) != 0)
      return false;
    p = skip_blanks(p + sizeof word - 1, end);
    p = skip_blanks(p + (p < end && *p == '('), end);
  }
  struct span guard = take_word(p, end);
  const char *hash = memchr(guard.p, '#', (size_t)(end - guard.p));
  if (!guard.n || !hash)
    return false;
  p = skip_blanks(hash + 1, end);
  if (!is_word(take_word(p, end), "define"))
    return false;
  struct span defined = take_word(skip_blanks(p + strlen("define"), end), end);
  return defined.n == guard.n && memcmp(defined.p, guard.p, guard.n) == 0;
}

/* Does the condition at P, after the directive WORD, #if or its like, surely hold? */
static bool surely_holds(struct span word, const char *p, const char *end, bool first) {
  struct span what = take_word(p, end);
  if (is_word(word, "ifdef"))
    return is_word(what, "__cplusplus");
  if (is_word(word, "if") && is_word(what, "1") && ends_here(p + 1, end))
    return true;
  return first && is_guard(p, end, is_word(word, "ifndef"));
}

/* Take note of the directive WORD, whose rest is at P, if it is a condition. */
static void take_condition(struct conditions *c, struct span word, const char *p, const char *end) {
  bool opens = is_word(word, "if") || is_word(word, "ifdef") || is_word(word, "ifndef");
  bool turns = word.n > 2 && memcmp(word.p, "el", 2) == 0, closes = is_word(word, "endif");
  char *top = c->stack.len ? &c->stack.data[c->stack.len - 1] : NULL;
  if (opens) {
    bool sure = surely_holds(word, p, end, c->first);
    buf_putc(&c->stack, sure ? 's' : 'u');
    c->unsure += !sure;
  } else if (turns && top) { /* #else, #elif, #elifdef */
    c->unsure += *top == 's';
    *top = 'u';
  } else if (closes && top) {
    c->unsure -= *top == 'u';
    c->stack.len--;
  }
  c->first = c->first && is_word(word, "pragma");
}

/* HASH points at a '#' in TEXT: handle the directive if it includes something, or defines what may
 * be included. */
static void take_directive(const char *text, const char *hash, const char *end,
                           struct conditions *c, each_directive *each, void *user) {
  static const struct {
    const char *word;
    size_t len;
  } words[] = {{"include_next", 12}, {"include", 7}, {"import", 6}, {"define", 6}, {"embed", 5}};
  enum { DEFINE = 3, EMBEDDED = 4 };
  for (const char *p = hash; p > text && p[-1] != '\n'; p--)
    if (p[-1] != ' ' && p[-1] != '\t')
      return; /* not the first token of its line */
  const char *p = skip_blanks(hash + 1, end);
  struct span word = take_word(p, end);
  take_condition(c, word, skip_blanks(p + word.n, end), end);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if ((size_t)(end - p) <= words[i].len || memcmp(p, words[i].word, words[i].len) != 0)
      continue;
    p = skip_blanks(p + words[i].len, end);
    struct directive d = {.how = QUOTED, .sure = !c->unsure};
    if (i == DEFINE) {
      if (take_macro(p, end, &d))
        each(user, &d);
      return;
    }
    d.header = span_header(p, end, &d.how);
    if (!d.header.n)
      d.macro = take_word(p, end);
    if (i == 0)
      d.how = NEXT;
    if (i == EMBEDDED) {
      if (d.header.n) {
        d.how = d.how == QUOTED ? EMBED : EMBED_ANGLED;
        each(user, &d);
      }
      return;
    }
    if (d.header.n || (d.macro.n && ends_here(p + d.macro.n, end)))
      each(user, &d);
    return;
  }
}

void directives_scan(const char *text, size_t len, each_directive *each, void *user) {
  const char *end = text + len;
  struct conditions c = {.first = true};
  for (const char *p = text; p < end && (p = memchr(p, '#', (size_t)(end - p))); p++)
    take_directive(text, p, end, &c, each, user);
  buf_free(&c.stack);
}
