/* cxxarms.c - the conditional directives of a file: removed from its tokens, and written back.
 *
 * The scan does not preprocess, so it does not know which arm of an #if is active. It keeps them
 * all: each remaining token gets the number of the innermost arm around it, and the declarations
 * are read as if there were no directives. That is correct as long as all arms of a conditional
 * leave the same number of brackets open, which is checked. `#if A  void f() {  #else  void g() {
 * #endif` is fine. If only one arm opens a bracket, the file is `odd` and compiled as it is.
 *
 *     #if A           arm 1 {parent 0, before -1}
 *     void f();       arm_of 1
 *     #ifdef B        arm 2 {parent 1, before -1}
 *     void g();       arm_of 2
 *     #endif
 *     #else           arm 3 {parent 0, before 1}
 *     void h();       arm_of 3
 *     #endif
 *
 * Three kinds of conditional are decided here: `#if 0` and `#if 1`, which are used to comment code
 * out, `#ifdef __cplusplus`, which opens an `extern "C" {` in one place and closes it in another,
 * and the include guard around a whole file, which does not affect its content.
 *
 * Code that writes items elsewhere, or in another order, writes the directives around them with
 * cxx_arm_move().
 */
#include "cxxarms.h"
#include "core/base/vec.h"

#include <ctype.h>

const char *cxx_directive(const struct cxx_text *t, const struct cxx_tok *k, size_t *n) {
  const char *p = t->text + k->at + 1, *end = t->text + k->at + k->len;
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  const char *q = p;
  while (q < end && isalpha((unsigned char)*q))
    q++;
  *n = (size_t)(q - p);
  return p;
}

/* Is there no more than a comment from P to END? */
static bool is_end(const char *p, const char *end) {
  while (p < end && isspace((unsigned char)*p))
    p++;
  if (end - p < 2 || *p != '/')
    return p == end;
  const char *behind = p[1] == '*' ? memmem(p + 2, (size_t)(end - p) - 2, "*/", 2) : NULL;
  return p[1] == '/' || (behind && is_end(behind + 2, end));
}

/* Is what begins at P and ends at END, with or without brackets, __cplusplus and no more? */
static bool is_cplusplus(const char *p, const char *end) {
  static const char name[] = "__cplusplus";
  while (p < end && (isspace((unsigned char)*p) || *p == '('))
    p++;
  if ((size_t)(end - p) < strlen(name) || memcmp(p, name, strlen(name)) != 0)
    return false;
  for (p += strlen(name); p < end && (isspace((unsigned char)*p) || *p == ')');)
    p++;
  return is_end(p, end);
}

/* The value of a condition that is a literal 0 or 1, or asks for C++; -1 for any other, which is
 * kept. */
static int literal_condition(const struct cxx_text *t, const struct cxx_tok *k, const char *word,
                             size_t n) {
  const char *p = word + n, *end = t->text + k->at + k->len;
  while (p < end && isspace((unsigned char)*p))
    p++;
  if (cxx_word_is(word, n, "ifdef") || cxx_word_is(word, n, "ifndef"))
    return is_cplusplus(p, end) ? cxx_word_is(word, n, "ifdef") : -1;
  if ((size_t)(end - p) > strlen("defined") && memcmp(p, "defined", strlen("defined")) == 0)
    return is_cplusplus(p + strlen("defined"), end) ? 1 : -1;
  if (p == end || (*p != '0' && *p != '1'))
    return -1;
  int value = *p - '0';
  return is_end(p + 1, end) ? value : -1;
}

/* a conditional whose #endif has not been seen */
struct open_if {
  int outer;       /* the enclosing arm */
  int outer_depth; /* brackets open at #if */
  /* brackets open at the end of the first arm; INT32_MIN: not ended yet */
  int first_depth;
  bool dead_outer; /* the whole conditional is dead */
  /* an arm with a literal 1 was seen; the later ones are dead */
  bool taken;
  bool guard; /* an include guard, which is ignored */
  /* its first arm is taken whatever is defined, as if there were no directive */
  bool always;
  uint32_t line;
};

/* The remaining tokens are written over those of the whole text: never more than have been read. */
struct splitter {
  struct cxx_scan *s;
  uint32_t n_text;
  struct open_if *stack;
  size_t n, cap;
  int arm, depth;
  uint32_t line; /* of the token that is looked at */
  bool dead;
  size_t arm_cap;
};

/* The text cannot be read as arms, because of WHY; the first reason stays. */
static void odd(struct splitter *sp, const char *why) {
  if (sp->s->odd)
    return;
  sp->s->odd = why;
  sp->s->odd_line = sp->line;
}

/* With more, walking from arm to arm would take longer than a compile. */
enum { MAX_ARMS = 5000, MAX_IFS = 200 };

static int arm_add(struct splitter *sp, int parent, int before, const struct cxx_tok *k) {
  struct cxx_scan *s = sp->s;
  if (s->narms > MAX_ARMS || sp->n > MAX_IFS) {
    odd(sp, "conditional directives are too many, or nested too deep");
    return parent < 0 ? 0 : parent;
  }
  vec_push(s->arms, s->narms, (struct cxx_arm){parent, before, k ? k->at : 0, k ? k->len : 0});
  return (int)s->narms - 1;
}

/* The word after the directive's name: the macro of #ifndef and #define. */
static const char *directive_macro(const struct cxx_text *t, const struct cxx_tok *k, size_t *n) {
  const char *p = cxx_directive(t, k, n) + *n, *end = t->text + k->at + k->len;
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  const char *q = p;
  while (q < end && (isalnum((unsigned char)*q) || *q == '_'))
    q++;
  *n = (size_t)(q - p);
  return p;
}

/* Is token I an include guard, the #ifndef X of an `#ifndef X  #define X` that starts the file? */
static bool is_guard(const struct splitter *sp, uint32_t i) {
  const struct cxx_text *t = &sp->s->code;
  if (sp->n || i + 1 >= sp->n_text || t->n || t->toks[i + 1].kind != TOK_DIRECTIVE)
    return false;
  size_t n, m;
  const char *a = cxx_directive(t, &t->toks[i], &n), *b = cxx_directive(t, &t->toks[i + 1], &m);
  if (!cxx_word_is(a, n, "ifndef") || !cxx_word_is(b, m, "define"))
    return false;
  a = directive_macro(t, &t->toks[i], &n);
  b = directive_macro(t, &t->toks[i + 1], &m);
  return n && n == m && memcmp(a, b, n) == 0;
}

static void split_if(struct splitter *sp, uint32_t i, const char *word, size_t n) {
  const struct cxx_tok *k = &sp->s->code.toks[i];
  int value = literal_condition(&sp->s->code, k, word, n);
  bool guard = is_guard(sp, i);
  vec_push(sp->stack, sp->n,
           (struct open_if){sp->arm, sp->depth, INT32_MIN, sp->dead, value == 1, guard, value == 1,
                            k->line});
  sp->dead = sp->dead || value == 0;
  if (!sp->dead && !guard && value != 1)
    sp->arm = arm_add(sp, sp->arm, -1, k);
}

/* End an arm. It must leave as many brackets open as the other arms; otherwise the file cannot be
 * read as a list of arms. */
static void arm_end(struct splitter *sp, struct open_if *o) {
  if (!sp->dead) {
    if (o->first_depth == INT32_MIN)
      o->first_depth = sp->depth;
    else if (o->first_depth != sp->depth)
      odd(sp, "conditional directives split a bracket");
  }
}

static void split_else(struct splitter *sp, uint32_t i, const char *word, size_t n) {
  if (!sp->n) {
    odd(sp, "#else without #if");
    return;
  }
  struct open_if *o = &sp->stack[sp->n - 1];
  const struct cxx_tok *k = &sp->s->code.toks[i];
  if (o->guard)
    odd(sp, "an include guard with an #else");
  arm_end(sp, o);
  sp->depth = o->outer_depth;
  int value = cxx_word_is(word, n, "elif") ? literal_condition(&sp->s->code, k, word, n) : -1;
  bool was_dead = sp->dead;
  sp->dead = o->dead_outer || o->taken || value == 0;
  if (value == 1)
    o->taken = true;
  if (sp->dead)
    return;
  /* After `#if 0` the chain starts here. A plain #else becomes the enclosing arm. An #elif would be
   * left without its #if, which cannot be represented. */
  if (was_dead && sp->arm == o->outer) {
    if (cxx_word_is(word, n, "else"))
      return;
    odd(sp, "#elif after #if 0");
    return;
  }
  sp->arm = arm_add(sp, o->outer, sp->arm, k);
}

static void split_endif(struct splitter *sp) {
  if (!sp->n) {
    odd(sp, "#endif without #if");
    return;
  }
  struct open_if *o = &sp->stack[--sp->n];
  arm_end(sp, o);
  if (o->first_depth != INT32_MIN && o->first_depth != o->outer_depth && !o->guard && !o->always)
    /* `#if A  void f() {  #endif` */
    odd(sp, "conditional directives split a bracket");
  sp->depth = o->first_depth == INT32_MIN ? o->outer_depth : o->first_depth;
  sp->arm = o->outer;
  sp->dead = o->dead_outer;
}

/* Handle token I if it is a conditional directive, which is dropped from the code; true if it
 * is. */
static bool split_conditional(struct splitter *sp, uint32_t i) {
  size_t n;
  const char *w = cxx_directive(&sp->s->code, &sp->s->code.toks[i], &n);
  if (cxx_word_is(w, n, "if") || cxx_word_is(w, n, "ifdef") || cxx_word_is(w, n, "ifndef"))
    split_if(sp, i, w, n);
  else if (cxx_word_is(w, n, "else") || cxx_word_is(w, n, "elif") || cxx_word_is(w, n, "elifdef") ||
           cxx_word_is(w, n, "elifndef"))
    split_else(sp, i, w, n);
  else if (cxx_word_is(w, n, "endif"))
    split_endif(sp);
  else
    return false;
  return true;
}

void cxx_arms_split(struct cxx_scan *s) {
  struct splitter sp = {.s = s, .n_text = s->code.n};
  arm_add(&sp, -1, -1, NULL);
  s->arm_of = xcalloc(sp.n_text + 1, sizeof *s->arm_of);
  struct cxx_tok end = s->code.toks[sp.n_text];
  s->code.n = 0;
  for (uint32_t i = 0; i < sp.n_text; i++) {
    const struct cxx_tok *k = &s->code.toks[i];
    sp.line = k->line;
    if (k->kind == TOK_DIRECTIVE && split_conditional(&sp, i))
      continue;
    if (sp.dead)
      continue;
    if (k->kind == TOK_PUNCT && k->len == 1) {
      char c = s->code.text[k->at];
      sp.depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
      if (sp.depth < 0)
        odd(&sp, "a bracket closes that was not open");
      if (c == '"' || c == '\'')
        odd(&sp, "a string that does not end");
    }
    if (sp.arm)
      s->arm_of[s->code.n] = sp.arm;
    s->code.toks[s->code.n++] = *k;
  }
  s->code.toks[s->code.n] = end;
  if (sp.n) {
    sp.line = sp.stack[sp.n - 1].line;
    odd(&sp, "#if without #endif");
  } else if (sp.depth > 0) {
    odd(&sp, "a bracket that does not close");
  }
  free(sp.stack);
}

/* ---- the way back: from one arm to another ---- */

static int arm_first(const struct cxx_scan *s, int arm) {
  while (s->arms[arm].before >= 0)
    arm = s->arms[arm].before;
  return arm;
}

static int arm_level(const struct cxx_scan *s, int arm) {
  int n = 0;
  for (; arm > 0; arm = s->arms[arm].parent)
    n++;
  return n;
}

static int arm_ancestor(const struct cxx_scan *s, int arm, int level) {
  for (int n = arm_level(s, arm); n > level; n--)
    arm = s->arms[arm].parent;
  return arm;
}

/* Write the directives of WANT's conditional from after arm AFTER (-1: from the start) up to WANT's
 * own. */
static void arm_enter(const struct cxx_scan *s, int after, int want, struct buf *out) {
  if (want == after)
    return;
  if (s->arms[want].before >= 0)
    arm_enter(s, after, s->arms[want].before, out);
  buf_putc(out, '\n');
  buf_add(out, s->code.text + s->arms[want].at, s->arms[want].len);
  buf_putc(out, '\n');
}

void cxx_arm_move(const struct cxx_scan *s, int *open, int want, struct buf *out) {
  int have = arm_level(s, *open), need = arm_level(s, want), same = 0;
  while (same < have && same < need &&
         arm_ancestor(s, *open, same + 1) == arm_ancestor(s, want, same + 1))
    same++;
  /* A later arm of the currently open conditional continues it; anything else closes it. */
  int from = same < have ? arm_ancestor(s, *open, same + 1) : -1;
  int to = same < need ? arm_ancestor(s, want, same + 1) : -1;
  bool onward = from >= 0 && to >= 0 && arm_first(s, from) == arm_first(s, to) && to > from;
  for (int n = have; n > same + (onward ? 1 : 0); n--)
    buf_puts(out, "\n#endif\n");
  for (int level = same + 1; level <= need; level++)
    arm_enter(s, onward && level == same + 1 ? from : -1, arm_ancestor(s, want, level), out);
  *open = want;
}
