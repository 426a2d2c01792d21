/* cxxmacro.c - see cxxmacro.h. The definition is found by its name, without lexing the file:
 * headers are long. Its line is lexed, and so is the text with the calls, of which everything
 * except the calls is copied unchanged. The body goes onto the line of the call, so that lines keep
 * their numbers.
 */
#include "cxxmacro.h"

/* ---- the definition ---- */

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/* Returns the text after the word if the '#' at HASH begins a directive called WORD, else NULL. */
static const char *directive_of(const char *text, const char *hash, const char *end,
                                const char *word) {
  for (const char *p = hash; p > text && p[-1] != '\n'; p--)
    if (!is_blank(p[-1]))
      return NULL;
  const char *p = hash + 1;
  size_t n = strlen(word);
  while (p < end && is_blank(*p))
    p++;
  return (size_t)(end - p) > n && memcmp(p, word, n) == 0 && is_blank(p[n]) ? p + n : NULL;
}

static bool is_word_of(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Does the directive at HASH define NAME, or undefine it? */
static bool is_about(const char *text, const char *hash, const char *end, const char *word,
                     const char *name, size_t n) {
  const char *p = directive_of(text, hash, end, word);
  while (p && p < end && is_blank(*p))
    p++;
  return p && (size_t)(end - p) > n && memcmp(p, name, n) == 0 && !is_word_of(p[n]);
}

/* The end of the logical line at P. */
static const char *line_end(const char *p, const char *end) {
  for (; p < end && *p != '\n'; p++)
    if (*p == '\\' && p + 1 < end)
      p += p[1] == '\r' && p + 2 < end ? 2 : 1;
  return p;
}

/* Reads the parameters; the name is token 1. A "(" after a blank would be the body. */
static bool read_params(struct cxx_macro *m) {
  const struct cxx_text *t = &m->line;
  if (cxx_punct(t, 2) != '(' || t->toks[2].space)
    return false;
  m->params = 3;
  for (m->params_end = 3; cxx_punct(t, m->params_end) != ')'; m->params_end++) {
    uint32_t i = m->params_end;
    if (i >= t->n || m->variadic)
      return false;
    if (cxx_punct(t, i) == '.') {
      m->variadic = cxx_punct(t, i + 1) == '.' && cxx_punct(t, i + 2) == '.';
      m->params_end += 2;
      if (!m->variadic || cxx_ident(t, i - 1))
        return false;
    } else if (!cxx_ident(t, i) && cxx_punct(t, i) != ',') {
      return false;
    }
  }
  return true;
}

bool cxx_macro_read(struct cxx_macro *m, const char *line, size_t len) {
  *m = (struct cxx_macro){0};
  if (cxx_lex(&m->line, line, len) && cxx_ident(&m->line, 1) &&
      (cxx_punct(&m->line, 2) != '(' || m->line.toks[2].space || read_params(m)))
    return true;
  cxx_macro_free(m);
  return false;
}

enum cxx_macro_found cxx_macro_find(struct cxx_macro *m, const char *text, size_t len,
                                    const char *name, size_t n) {
  *m = (struct cxx_macro){0};
  const char *end = text + len, *found = NULL;
  /* another place with the name: before or after the first #undef */
  bool said = false, undefined = false;
  for (const char *p = text; p < end && (p = memmem(p, (size_t)(end - p), name, n)); p += n) {
    const char *hash = p; /* Most names stand in calls: the line is searched, not the text. */
    while (hash > text && hash[-1] != '\n' && *hash != '#')
      hash--;
    if (*hash != '#' || !(is_about(text, hash, end, "undef", name, n) ||
                          is_about(text, hash, end, "define", name, n))) {
      if (undefined && !is_word_of(p[n]) && !(p > text && is_word_of(p[-1])))
        return CXX_MACRO_UNCLEAR;
      said = true;
      continue;
    }
    if (is_about(text, hash, end, "undef", name, n)) {
      /* one that was defined elsewhere, or is no longer used */
      undefined = found || said;
      continue;
    }
    if (undefined)
      return CXX_MACRO_UNCLEAR;
    if (!is_about(text, hash, end, "define", name, n))
      continue;
    if (found && found != hash)
      return CXX_MACRO_UNCLEAR;
    found = hash;
  }
  if (!found)
    return undefined ? CXX_MACRO_UNCLEAR : CXX_MACRO_NONE;
  const char *stop = line_end(found, end);
  if (cxx_macro_read(m, found + 1, (size_t)(stop - found - 1)) && m->params)
    return CXX_MACRO_FOUND;
  cxx_macro_free(m);
  return CXX_MACRO_UNCLEAR;
}

void cxx_macro_free(struct cxx_macro *m) {
  cxx_text_free(&m->line);
  *m = (struct cxx_macro){0};
}

/* ---- the calls ---- */

/* A macro that repeats its argument may be called with a call of another one that does, and two may
 * name each other: the text is bounded. aiter's units come to some kilobytes. */
enum { MAX_ARGUMENTS = 64, MAX_EXPANDED = 2 << 20 };

/* The arguments of a call: tokens from[i] to to[i]-1. */
struct call {
  const struct cxx_text *code;
  uint32_t n, from[MAX_ARGUMENTS], to[MAX_ARGUMENTS];
};

/* Split the tokens between the parentheses OPEN and CLOSE. For the preprocessor only ( and ) are
 * brackets. */
static bool read_arguments(struct call *c, uint32_t open, uint32_t close) {
  uint32_t depth = 0, from = open + 1;
  for (uint32_t i = open + 1; i <= close; i++) {
    char p = cxx_punct(c->code, i);
    if (c->code->toks[i].kind == TOK_DIRECTIVE)
      return false;
    if (i == close || (p == ',' && !depth)) {
      if (c->n == MAX_ARGUMENTS)
        return false;
      c->from[c->n] = from;
      c->to[c->n++] = i;
      from = i + 1;
    }
    depth += p == '(';
    depth -= p == ')' && i < close;
  }
  return true;
}

/* The index of parameter I of M's line; the number of parameters if it is none. */
static uint32_t parameter(const struct cxx_macro *m, uint32_t word) {
  const struct cxx_text *t = &m->line;
  const struct cxx_tok *w = &t->toks[word];
  uint32_t k = 0;
  for (uint32_t i = m->params; i < m->params_end; i++) {
    k += cxx_punct(t, i) == ',';
    if (cxx_ident(t, i) && cxx_is_n(t, word, t->text + t->toks[i].at, t->toks[i].len) &&
        cxx_ident(t, word))
      return k;
    if (m->variadic && i + 3 == m->params_end && w->len == 11 && cxx_is(t, word, "__VA_ARGS__"))
      return k;
  }
  return UINT32_MAX;
}

static uint32_t count_parameters(const struct cxx_macro *m) {
  uint32_t n = m->params_end > m->params;
  for (uint32_t i = m->params; i < m->params_end; i++)
    n += cxx_punct(&m->line, i) == ',';
  return n;
}

/* Append parameter K of the call; the last one of a variadic macro has all the rest. */
static void put_argument(const struct cxx_macro *m, const struct call *c, uint32_t k,
                         struct buf *out) {
  bool rest = m->variadic && k + 1 == count_parameters(m);
  if (k >= c->n)
    return;
  cxx_render(c->code, c->from[k], c->to[rest ? c->n - 1 : k], out);
}

/* Appends the body of M for the call C. A body that names its own macro is refused: the
 * preprocessor leaves that name as it is, and here each round would write out more of them. */
static bool put_body(const struct cxx_macro *m, const struct call *c, struct buf *out) {
  const struct cxx_text *t = &m->line;
  const struct cxx_tok *own = &t->toks[1];
  bool joined = true; /* nothing separates the next token from the last one */
  for (uint32_t i = m->params_end + 1; i < t->n; i++) {
    if (t->toks[i].kind == TOK_DIRECTIVE || cxx_is(t, i, "__VA_OPT__") || out->len > MAX_EXPANDED ||
        cxx_is_n(t, i, t->text + own->at, own->len))
      return false;
    if (cxx_punct(t, i) == '#') {
      if (cxx_punct(t, i + 1) != '#' || t->toks[i + 1].space)
        return false; /* part of an argument: no declaration has it at this place */
      i++;
      joined = true;
      continue;
    }
    if (!joined && t->toks[i].space)
      buf_putc(out, ' ');
    joined = false;
    uint32_t k = parameter(m, i);
    if (k == UINT32_MAX)
      buf_add(out, t->text + t->toks[i].at, t->toks[i].len);
    else
      put_argument(m, c, k, out);
  }
  return true;
}

/* Append the call at token I, whose "(" is the next. Returns the index after its ")"; 0 if it is
 * not understood. */
static uint32_t put_call(const struct cxx_macro *m, const struct cxx_text *code, uint32_t i,
                         struct buf *out) {
  struct call c = {.code = code};
  uint32_t behind = i + 2, depth = 1, want = count_parameters(m);
  for (; behind < code->n && depth; behind++) {
    depth += cxx_punct(code, behind) == '(';
    depth -= cxx_punct(code, behind) == ')';
  }
  if (depth || !read_arguments(&c, i + 1, behind - 1))
    return 0;
  if (want == 0 && c.n == 1 && c.from[0] == c.to[0])
    c.n = 0;
  if (m->variadic ? c.n + 1 < want : c.n != want)
    return 0;
  buf_putc(out, ' ');
  if (!put_body(m, &c, out))
    return 0;
  buf_putc(out, ' ');
  for (uint32_t line = code->toks[i].line; line < code->toks[behind - 1].line; line++)
    buf_putc(out, '\n');
  return behind;
}

bool cxx_macro_expand(const struct cxx_macro *m, const char *text, size_t len, struct buf *out) {
  struct cxx_text code;
  const struct cxx_tok *name = &m->line.toks[1];
  bool understood = cxx_lex(&code, text, len);
  size_t from = 0;
  for (uint32_t i = 0; i < code.n && understood; i++) {
    if (!cxx_ident(&code, i) || cxx_punct(&code, i + 1) != '(' ||
        !cxx_is_n(&code, i, m->line.text + name->at, name->len))
      continue;
    buf_add(out, text + from, code.toks[i].at - from);
    uint32_t behind = put_call(m, &code, i, out);
    understood = behind != 0;
    i = behind - 1;
    from = understood ? code.toks[i].at + code.toks[i].len : from;
  }
  buf_add(out, text + from, len - from);
  cxx_text_free(&code);
  return understood;
}
