/* cxxlex.c - see cxxlex.h. One pass with one function per class of token. The text is not copied: a
 * token is a range of it. So a line splice inside a word is refused; only obfuscated sources
 * contain one.
 *
 * What belongs to the grammar of C++ and not to the lexer stays open: `>>` is two tokens because it
 * may close two template argument lists, and a directive is one token for the caller to read.
 */
#include "cxxlex.h"

/* The character classes of a byte. A table, not ctype: the wrapper reads every source of a build,
 * and this loop is most of its work. Bytes outside ASCII count as letters. */
enum { C_SPACE = 1, C_DIGIT = 2, C_LETTER = 4, C_WORD = C_DIGIT | C_LETTER };
static const unsigned char classes[256] = {
    [' '] = C_SPACE,          ['\t'] = C_SPACE,         ['\v'] = C_SPACE,
    ['\f'] = C_SPACE,         ['\r'] = C_SPACE,         ['\n'] = C_SPACE,
    ['_'] = C_LETTER,         ['$'] = C_LETTER,         ['0' ... '9'] = C_DIGIT,
    ['a' ... 'z'] = C_LETTER, ['A' ... 'Z'] = C_LETTER, [0x80 ... 0xff] = C_LETTER,
};

static bool is(char c, unsigned class) {
  return classes[(unsigned char)c] & class;
}

struct lexer {
  const char *s;
  size_t n, p;
  uint32_t line;
  bool line_start, space;
  struct cxx_text *out;
  /* No vec.h: the text's length predicts the number of tokens, and copying them costs a tenth of
   * the time it takes to find them. */
  size_t cap;
};

static void emit(struct lexer *l, enum cxx_kind kind, size_t at, size_t len, uint32_t line) {
  if (l->out->n + 1 >= l->cap) {
    l->cap *= 2;
    l->out->toks = xrealloc(l->out->toks, l->cap * sizeof *l->out->toks);
  }
  l->out->toks[l->out->n++] = (struct cxx_tok){(uint32_t)at, (uint32_t)len, line, kind, l->space};
  l->space = false;
  l->line_start = false;
}

/* The length of the backslash-newline at P, or 0. */
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

/* A quote that is not closed on its line is a separate token: text that #if leaves out may contain
 * `don't`. */
static bool lex_lone_quote(struct lexer *l, size_t at, uint32_t line) {
  l->p = at;
  l->line = line;
  emit(l, TOK_PUNCT, l->p++, 1, line);
  return true;
}

static bool lex_quoted(struct lexer *l, size_t at, char quote) {
  uint32_t line = l->line;
  size_t open = l->p;
  for (l->p++; l->p < l->n && l->s[l->p] != quote; l->p++) {
    size_t sp = splice_at(l, l->p);
    if (sp) {
      l->line++;
      l->p += sp - 1;
    } else if (l->s[l->p] == '\\') {
      l->p++;
    } else if (l->s[l->p] == '\n') {
      return lex_lone_quote(l, open, line);
    }
  }
  if (l->p >= l->n)
    return lex_lone_quote(l, open, line);
  l->p++;
  emit(l, quote == '"' ? TOK_STRING : TOK_CHAR, at, l->p - at, line);
  return true;
}

/* R"delim( … )delim": no escapes, comments or splices inside */
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
    char c = l->s[l->p], before = l->s[l->p - 1] | 0x20;
    bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'p');
    /* 0xE+1 is meant as a sum but is one preprocessing number; the ' in 1'000 is a separator, not a
     * character literal */
    bool separator = c == '\'' && l->p + 1 < l->n && is(l->s[l->p + 1], C_WORD);
    if (!is(c, C_WORD) && c != '.' && !sign && !separator)
      break;
  }
  emit(l, TOK_NUMBER, at, l->p - at, l->line);
}

/* A directive ends at a newline that is not spliced and not inside a block comment. */
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
      /* an #include or a macro body may contain // in a string */
      for (l->p++; l->p < l->n && l->s[l->p] != '"' && l->s[l->p] != '\n'; l->p++)
        if (l->s[l->p] == '\\' && l->p + 1 < l->n && l->s[l->p + 1] != '\n')
          l->p++;
      if (l->p < l->n && l->s[l->p] == '"')
        l->p++;
      end = l->p;
    } else {
      if (!is(l->s[l->p], C_SPACE))
        end = l->p + 1;
      l->p++;
    }
  }
  emit(l, TOK_DIRECTIVE, at, end - at, line);
  return true;
}

static bool string_prefix(const char *s, size_t n, bool *raw) {
  static const char *const plain[] = {"u8", "u", "U", "L"}, *const raws[] = {"R", "u8R", "uR", "UR",
                                                                             "LR"};
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
  while (l->p < l->n && is(l->s[l->p], C_WORD))
    l->p++;
  bool raw;
  if (l->p < l->n && (l->s[l->p] == '"' || l->s[l->p] == '\'') &&
      string_prefix(l->s + at, l->p - at, &raw)) {
    if (raw && l->s[l->p] == '"')
      return lex_raw(l, at);
    if (!raw)
      return lex_quoted(l, at, l->s[l->p]);
  }
  emit(l, TOK_IDENT, at, l->p - at, l->line);
  return true;
}

static void lex_punct(struct lexer *l) {
  char c = l->s[l->p], next = l->p + 1 < l->n ? l->s[l->p + 1] : 0;
  bool pair = false;
  switch (c) {
  case ':':
  case '&':
  case '|':
    pair = next == c;
    break;
  case '-':
    pair = next == '>';
    break;
  case '<':
    pair = next == '=' || next == '<';
    break;
  case '>':
  case '=':
  case '!':
    pair = next == '=';
    break;
  }
  emit(l, TOK_PUNCT, l->p, pair ? 2 : 1, l->line);
  l->p += pair ? 2 : 1;
}

/* C++ allows a splice anywhere, even inside a word or between the characters that open a comment. A
 * token is one range of the text, so such a splice is refused. */
static bool skip_splice(struct lexer *l, size_t n) {
  bool alone =
      l->p == 0 || is(l->s[l->p - 1], C_SPACE) || l->p + n >= l->n || is(l->s[l->p + n], C_SPACE);
  l->line++;
  l->p += n;
  l->space = true;
  return alone;
}

static bool lex_one(struct lexer *l) {
  char c = l->s[l->p];
  if (c == '\n') {
    l->line++;
    l->p++;
    l->line_start = l->space = true;
    return true;
  }
  if (is(c, C_SPACE)) {
    while (l->p < l->n && is(l->s[l->p], C_SPACE) && l->s[l->p] != '\n')
      l->p++;
    return l->space = true;
  }
  if (is(c, C_LETTER))
    return lex_ident(l);
  size_t sp = splice_at(l, l->p);
  if (sp)
    return skip_splice(l, sp);
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
    return lex_quoted(l, l->p, c);
  if (is(c, C_DIGIT) || (c == '.' && is(next, C_DIGIT)))
    lex_number(l);
  else
    lex_punct(l);
  return true;
}

bool cxx_lex(struct cxx_text *t, const char *text, size_t len) {
  bool ok = len < UINT32_MAX; /* a token's position is a uint32_t */
  len = ok ? len : 0;
  *t = (struct cxx_text){.text = text, .len = len};
  struct lexer l = {
      .s = text, .n = len, .line = 1, .line_start = true, .out = t, .cap = len / 4 + 64};
  t->toks = xmalloc(l.cap * sizeof *t->toks);
  if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
    l.p = 3; /* a byte order mark */
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

uint32_t cxx_skip_group(const struct cxx_text *t, uint32_t i, uint32_t end) {
  int depth = 0;
  for (; i < end; i++) {
    char c = cxx_punct(t, i);
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
    char c = cxx_punct(t, i);
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
