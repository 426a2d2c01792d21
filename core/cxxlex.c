#include "cxxlex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct lexer {
  const char *s;
  size_t n, p;
  uint32_t line;
  bool line_start, space;
  struct cxx_text *out;
  size_t cap;
};

static void emit(struct lexer *l, enum cxx_kind kind, size_t at, size_t len, uint32_t line) {
  if (l->out->n + 1 >= l->cap) {
    l->cap = l->cap ? l->cap * 2 : 512;
    l->out->toks = xrealloc(l->out->toks, l->cap * sizeof *l->out->toks);
  }
  l->out->toks[l->out->n++] = (struct cxx_tok){(uint32_t)at, (uint32_t)len, line, kind, l->space};
  l->space = false;
  l->line_start = false;
}

static bool ident_start(unsigned char c) {
  return isalpha(c) || c == '_' || c == '$' || c >= 0x80;
}

static bool ident_char(unsigned char c) {
  return ident_start(c) || isdigit(c);
}

/* the length of a backslash-newline at P, or 0 */
static size_t splice_at(const struct lexer *l, size_t p) {
  if (l->s[p] != '\\')
    return 0;
  if (p + 1 < l->n && l->s[p + 1] == '\n')
    return 2;
  return p + 2 < l->n && l->s[p + 1] == '\r' && l->s[p + 2] == '\n' ? 3 : 0;
}

static void skip_line_comment(struct lexer *l) {
  while (l->p < l->n && l->s[l->p] != '\n') {
    size_t sp = splice_at(l, l->p);
    if (sp)
      l->line++;
    l->p += sp ? sp : 1;
  }
}

static bool skip_block_comment(struct lexer *l) {
  for (l->p += 2; l->p + 1 < l->n; l->p++) {
    if (l->s[l->p] == '*' && l->s[l->p + 1] == '/') {
      l->p += 2;
      return true;
    }
    if (l->s[l->p] == '\n')
      l->line++;
  }
  return false;
}

static bool lex_quoted(struct lexer *l, size_t at, char quote) {
  uint32_t line = l->line;
  for (l->p++; l->p < l->n && l->s[l->p] != quote; l->p++) {
    if (l->s[l->p] == '\\' && l->p + 1 < l->n) {
      if (l->s[++l->p] == '\n')
        l->line++;
    } else if (l->s[l->p] == '\n') {
      return false;
    }
  }
  if (l->p >= l->n)
    return false;
  l->p++;
  emit(l, quote == '"' ? TOK_STRING : TOK_CHAR, at, l->p - at, line);
  return true;
}

/* R"delim( … )delim": nothing in it is an escape, a comment or a splice */
static bool lex_raw(struct lexer *l, size_t at) {
  uint32_t line = l->line;
  size_t d = l->p + 1, open = d;
  while (open < l->n && l->s[open] != '(' && open - d <= 16)
    open++;
  if (open >= l->n || l->s[open] != '(')
    return false;
  size_t dn = open - d;
  for (size_t q = open + 1; q + dn + 1 < l->n; q++) {
    if (l->s[q] == '\n')
      l->line++;
    if (l->s[q] == ')' && memcmp(l->s + q + 1, l->s + d, dn) == 0 && l->s[q + 1 + dn] == '"') {
      l->p = q + dn + 2;
      emit(l, TOK_STRING, at, l->p - at, line);
      return true;
    }
  }
  return false;
}

static void lex_number(struct lexer *l) {
  size_t at = l->p++;
  for (; l->p < l->n; l->p++) {
    unsigned char c = (unsigned char)l->s[l->p], before = (unsigned char)l->s[l->p - 1];
    bool sign = (c == '+' || c == '-') && strchr("eEpP", before);
    /* 0xE+1 is a sum, but a preprocessing number all the same; 1'000 has a separator, not a character literal */
    bool separator = c == '\'' && l->p + 1 < l->n && ident_char((unsigned char)l->s[l->p + 1]);
    if (!ident_char(c) && c != '.' && !sign && !separator)
      break;
  }
  emit(l, TOK_NUMBER, at, l->p - at, l->line);
}

/* A directive ends at a newline that no backslash hides and that lies in no block comment. */
static bool lex_directive(struct lexer *l) {
  size_t at = l->p, end = at;
  uint32_t line = l->line;
  while (l->p < l->n && l->s[l->p] != '\n') {
    size_t sp = splice_at(l, l->p);
    if (sp) {
      l->line++;
      l->p += sp;
    } else if (l->s[l->p] == '/' && l->p + 1 < l->n && l->s[l->p + 1] == '*') {
      if (!skip_block_comment(l))
        return false;
    } else if (l->s[l->p] == '/' && l->p + 1 < l->n && l->s[l->p + 1] == '/') {
      skip_line_comment(l);
    } else if (l->s[l->p] == '"') {
      /* an #include or a macro body may hold // in a string */
      for (l->p++; l->p < l->n && l->s[l->p] != '"' && l->s[l->p] != '\n'; l->p++)
        if (l->s[l->p] == '\\' && l->p + 1 < l->n && l->s[l->p + 1] != '\n')
          l->p++;
      if (l->p < l->n && l->s[l->p] == '"')
        l->p++;
      end = l->p;
    } else {
      if (!isspace((unsigned char)l->s[l->p]))
        end = l->p + 1;
      l->p++;
    }
  }
  emit(l, TOK_DIRECTIVE, at, end - at, line);
  return true;
}

static bool string_prefix(const char *s, size_t n, bool *raw) {
  static const char *const plain[] = {"u8", "u", "U", "L"}, *const raws[] = {"R", "u8R", "uR", "UR", "LR"};
  for (size_t i = 0; i < sizeof raws / sizeof *raws; i++)
    if (strlen(raws[i]) == n && memcmp(raws[i], s, n) == 0)
      return *raw = true;
  *raw = false;
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (strlen(plain[i]) == n && memcmp(plain[i], s, n) == 0)
      return true;
  return false;
}

static bool lex_ident(struct lexer *l) {
  size_t at = l->p;
  while (l->p < l->n && ident_char((unsigned char)l->s[l->p]))
    l->p++;
  bool raw;
  if (l->p < l->n && (l->s[l->p] == '"' || l->s[l->p] == '\'') && string_prefix(l->s + at, l->p - at, &raw)) {
    if (raw && l->s[l->p] == '"')
      return lex_raw(l, at);
    if (!raw)
      return lex_quoted(l, at, l->s[l->p]);
  }
  emit(l, TOK_IDENT, at, l->p - at, l->line);
  return true;
}

static void lex_punct(struct lexer *l) {
  static const char pairs[][3] = {"::", "->", "<=", ">=", "==", "!=", "&&", "||", "<<"};
  size_t n = 1;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs && l->p + 1 < l->n; i++)
    if (l->s[l->p] == pairs[i][0] && l->s[l->p + 1] == pairs[i][1])
      n = 2;
  emit(l, TOK_PUNCT, l->p, n, l->line);
  l->p += n;
}

static bool lex_one(struct lexer *l) {
  unsigned char c = (unsigned char)l->s[l->p];
  if (c == '\n') {
    l->line++;
    l->p++;
    l->line_start = l->space = true;
    return true;
  }
  size_t sp = splice_at(l, l->p);
  if (sp || isspace(c)) {
    l->line += sp ? 1 : 0;
    l->p += sp ? sp : 1;
    l->space = true;
    return true;
  }
  char next = l->p + 1 < l->n ? l->s[l->p + 1] : 0;
  if (c == '/' && next == '/') {
    skip_line_comment(l);
    return l->space = true;
  }
  if (c == '/' && next == '*') {
    l->space = true;
    return skip_block_comment(l);
  }
  if (c == '#' && l->line_start)
    return lex_directive(l);
  if (c == '"' || c == '\'')
    return lex_quoted(l, l->p, (char)c);
  if (isdigit(c) || (c == '.' && isdigit((unsigned char)next)))
    lex_number(l);
  else if (ident_start(c))
    return lex_ident(l);
  else
    lex_punct(l);
  return true;
}

bool cxx_lex(struct cxx_text *t, const char *text, size_t len) {
  *t = (struct cxx_text){.text = text, .len = len};
  if (len >= UINT32_MAX)
    return false;
  struct lexer l = {.s = text, .n = len, .line = 1, .line_start = true, .out = t};
  bool ok = true;
  while (l.p < l.n && ok)
    ok = lex_one(&l);
  emit(&l, TOK_END, len, 0, l.line);
  t->n--;
  return ok;
}

void cxx_text_free(struct cxx_text *t) {
  free(t->toks);
  *t = (struct cxx_text){0};
}

bool cxx_is_n(const struct cxx_text *t, uint32_t i, const char *s, size_t n) {
  return i < t->n && t->toks[i].len == n && memcmp(t->text + t->toks[i].at, s, n) == 0;
}

bool cxx_is(const struct cxx_text *t, uint32_t i, const char *s) {
  return cxx_is_n(t, i, s, strlen(s));
}

void cxx_render(const struct cxx_text *t, uint32_t begin, uint32_t end, struct buf *out) {
  for (uint32_t i = begin; i < end; i++) {
    const struct cxx_tok *k = &t->toks[i];
    if (k->kind == TOK_DIRECTIVE) {
      buf_putc(out, '\n');
      buf_add(out, t->text + k->at, k->len);
      buf_putc(out, '\n');
      continue;
    }
    if (k->space && i > begin)
      buf_putc(out, ' ');
    buf_add(out, t->text + k->at, k->len);
  }
}

static char opener_of(const struct cxx_text *t, uint32_t i) {
  const struct cxx_tok *k = &t->toks[i];
  char c = k->kind == TOK_PUNCT && k->len == 1 ? t->text[k->at] : 0;
  return c;
}

uint32_t cxx_skip_group(const struct cxx_text *t, uint32_t i, uint32_t end) {
  int depth = 0;
  for (; i < end; i++) {
    char c = opener_of(t, i);
    if (c == '(' || c == '[' || c == '{')
      depth++;
    else if ((c == ')' || c == ']' || c == '}') && --depth <= 0)
      return i + 1;
  }
  return end;
}

uint32_t cxx_skip_angles(const struct cxx_text *t, uint32_t i, uint32_t end) {
  int depth = 0;
  while (i < end) {
    char c = opener_of(t, i);
    if (c == '(' || c == '[' || c == '{') {
      i = cxx_skip_group(t, i, end);
      continue;
    }
    if (c == '<')
      depth++;
    else if (c == '>' && --depth == 0)
      return i + 1;
    else if (c == ';' || c == ')' || c == ']' || c == '}')
      return 0;
    i++;
  }
  return 0;
}
