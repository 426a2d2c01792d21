#include "cudatext.h"
#include "core/cxx/cxxlex.h"

#include <ctype.h>
#include <string.h>

/* The token behind the attribute at I, if that is __global__'s; else 0. */
static uint32_t behind_global(const struct cxx_text *t, uint32_t i) {
  if (!cxx_is(t, i, "__attribute__") || cxx_punct(t, i + 1) != '(')
    return 0;
  uint32_t end = cxx_skip_group(t, i + 1, t->n);
  for (uint32_t k = i + 2; k + 1 < end; k++)
    if (cxx_is(t, k, "global") || cxx_is(t, k, "__global__"))
      return end;
  return 0;
}

/* The { of the body of the function that is declared from I on; 0: it has none. Behind anything else than the
 * end of its declarator, braces are a value: `__global__ type_of<width{4}> k() {`. */
static uint32_t find_body(const struct cxx_text *t, uint32_t i) {
  while (i < t->n) {
    char c = cxx_punct(t, i);
    if (c == ';' || c == '}' || c == '=')
      return 0;
    if (c == '{' && (cxx_is(t, i - 1, ")") || cxx_is(t, i - 1, "noexcept") || cxx_is(t, i - 1, "void")))
      return i;
    i = c == '(' || c == '[' || c == '{' ? cxx_skip_group(t, i, t->n) : i + 1;
  }
  return 0;
}

/* Whether the N bytes at S are a line marker of the preprocessor's, `# 70 "x.h" 3`. No backslash
 * lets it go on in a next line. */
static bool is_marker(const char *s, size_t n) {
  return n > 2 && s[0] == '#' && s[1] == ' ' && isdigit((unsigned char)s[2]) && s[n - 1] != '\\' &&
         !memchr(s, '\n', n);
}

/* What stays of the tokens from FIRST to LAST and of what is between them: newlines, and the line markers. A
 * #pragma must not stay: without its loop it is an error. */
static void put_lines(const struct cxx_text *t, uint32_t first, uint32_t last, struct buf *out) {
  size_t at = t->toks[first].at;
  for (uint32_t i = first; i <= last; i++) {
    const struct cxx_tok *k = &t->toks[i];
    for (; at < k->at; at++)
      if (t->text[at] == '\n')
        buf_putc(out, '\n');
    if (k->kind == TOK_DIRECTIVE && is_marker(t->text + at, k->len)) {
      buf_add(out, t->text + at, k->len);
      at += k->len;
    }
  }
}

size_t cudatext_without_bodies(const char *text, size_t len, struct buf *out) {
  struct cxx_text t;
  size_t bodies = 0, at = 0;
  if (!cxx_lex(&t, text, len)) {
    cxx_text_free(&t);
    return 0;
  }
  for (uint32_t i = 0; i < t.n;) {
    uint32_t behind = behind_global(&t, i), open = behind ? find_body(&t, behind) : 0;
    uint32_t close = open ? cxx_skip_group(&t, open, t.n) - 1 : 0; /* its } */
    if (open && cxx_is(&t, close, "}")) {
      buf_add(out, text + at, t.toks[open].at + 1 - at);
      put_lines(&t, open, close, out);
      at = t.toks[close].at;
      bodies++;
      i = close;
    }
    i++;
  }
  buf_add(out, text + at, len - at);
  cxx_text_free(&t);
  return bodies;
}

/* the length of a temporary name at S, or 0 */
static size_t temporary_name(const char *s) {
  static const char start[] = "__T";
  size_t n = sizeof start - 1;
  if (strncmp(s, start, n) != 0 || !isdigit((unsigned char)s[n]))
    return 0;
  while (isdigit((unsigned char)s[n]))
    n++;
  return n;
}

/* the length of a line at S that names the stub's own file, or 0 */
static size_t marker_line(const char *s) {
  size_t n = strcspn(s, "\n");
  return is_marker(s, n) ? n : 0;
}

/* Step over what A and B may differ in. False: only one of them has it. */
static bool skip(const char **a, const char **b, size_t (*length)(const char *)) {
  size_t n = length(*a), m = length(*b);
  *a += n;
  *b += m;
  return !n == !m;
}

bool cudatext_same_stub(const char *a, const char *b) {
  for (bool line_start = true; *a || *b; a++, b++) {
    if ((line_start && !skip(&a, &b, marker_line)) || !skip(&a, &b, temporary_name) || *a != *b)
      return false;
    line_start = *a == '\n';
    if (!*a)
      break;
  }
  return true;
}
