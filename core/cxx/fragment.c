/* fragment.c - see fragment.h.
 *
 * The scan calls a __device__ function ITEM_EXTERNAL, like everything that is neither part of a
 * blob nor harmless. A fragment is a file whose external items are all device functions; this file
 * looks at those items again to find the names of the functions.
 *
 * A function that a kernel lacks is known only by its mangled name, from the kernel's code object,
 * and no demangler can tell how a template argument was written in the source. So names are not
 * compared but scored (fragment_fits): the candidate with the most words of its source in the
 * mangled name is tried first, and the object compiled from it shows whether it was the right one.
 */
#include "fragment.h"
#include "cxxdeclarator.h"

#include <ctype.h>

#define TAG "ckjit_fragment"

/* ---- is it one? ---- */

/* Find the name of the function that IT declares, and its template arguments, which the scan leaves
 * open. False if it has no parameters. */
static bool find_name(const struct cxx_text *t, const struct cxx_item *it, struct cxx_item *named) {
  struct cxx_shape d;
  uint32_t i = it->begin + cxx_is(t, it->begin, "template");
  uint32_t behind = cxx_punct(t, i) == '<' ? cxx_skip_angles(t, i, it->end) : 0;
  i = behind ? behind : i;
  if (!cxx_shape_read(t, i, it->end, &d) || !d.params || d.assign)
    return false;
  *named = (struct cxx_item){0};
  cxx_name_before_params(t, i, &d, named);
  return named->name_end > named->name;
}

/* Does this external definition define a function for the device, alone unless HOST? If so, add
 * "name words…" to FUNCTIONS. */
static bool add_function(const struct cxx_scan *s, const struct cxx_item *it, bool host,
                         struct argv *functions) {
  const struct cxx_text *t = &s->code;
  bool device = false, explicit_form = cxx_is(t, it->begin, "template");
  struct cxx_item named;
  for (uint32_t i = it->begin; i < it->end && cxx_punct(t, i) != '{'; i++) {
    if ((cxx_is(t, i, "__host__") && !host) || cxx_is(t, i, "__global__") ||
        cxx_is(t, i, "operator"))
      return false;
    device |= cxx_is(t, i, "__device__");
  }
  if (!device || !find_name(t, it, &named))
    return false;
  if (!explicit_form && cxx_punct(t, it->end - 1) != '}')
    return false; /* a variable initialised by a constructor */
  const struct cxx_tok *name = &t->toks[named.name_end - 1];
  bool list = named.args_end > named.args; /* with its < and > */
  struct buf b = {0};
  buf_add(&b, t->text + name->at, name->len);
  words_render(&b, s, named.args + list, named.args_end - list);
  argv_add_own(functions, b.data);
  return true;
}

static void take_tag(struct fragment_text *f, const struct cxx_scan *s, const struct cxx_item *it) {
  const struct cxx_text *t = &s->code;
  uint32_t i = it->begin;
  if (!cxx_is(t, i, "using") || !cxx_is(t, i + 1, TAG) || cxx_punct(t, i + 2) != '=' || f->tag)
    return;
  struct buf b = {0};
  uint32_t end = cxx_punct(t, it->end - 1) == ';' ? it->end - 1 : it->end;
  for (i += 3; i < end; i++)
    buf_printf(&b, " %.*s", (int)t->toks[i].len, t->text + t->toks[i].at);
  buf_putc(&b, ' ');
  f->tag = b.data;
}

bool fragment_read(struct fragment_text *f, const char *text, size_t len) {
  *f = (struct fragment_text){0};
  struct cxx_scan s;
  cxx_scan(&s, text, len);
  bool is = !s.odd;
  for (size_t i = 0; i < s.nitems && is; i++) {
    const struct cxx_item *it = &s.items[i];
    switch (it->kind) {
    case ITEM_EXTERNAL:
      is = add_function(&s, it, false, &f->functions);
      break;
    case ITEM_SPECIALISATION: /* a host function */
    case ITEM_INSTANTIATION:
    case ITEM_VARIABLE:
    case ITEM_UNKNOWN:
      is = false;
      break;
    case ITEM_ALIAS:
      take_tag(f, &s, it);
      break;
    default:
      break;
    }
  }
  cxx_scan_free(&s);
  is = is && f->functions.n;
  if (!is)
    fragment_free(f);
  return is;
}

void fragment_free(struct fragment_text *f) {
  free(f->tag);
  argv_free(&f->functions);
  *f = (struct fragment_text){0};
}

/* ---- ordinary units ---- */

/* A table of functions, which kernels of other units call by it. */
static void add_constant(const struct cxx_scan *s, const struct cxx_item *it,
                         struct argv *functions) {
  const struct cxx_tok *name = &s->code.toks[it->name_end - 1];
  bool device = false;
  for (uint32_t i = it->begin; i < it->end && i < it->name; i++)
    device |= cxx_is(&s->code, i, "__device__");
  if (device)
    argv_addf(functions, "%.*s ", (int)name->len, s->code.text + name->at);
}

void fragment_functions(struct argv *functions, const struct cxx_scan *s) {
  for (size_t i = 0; i < s->nitems; i++) {
    const struct cxx_item *it = &s->items[i];
    if (it->kind == ITEM_EXTERNAL || it->kind == ITEM_SPECIALISATION ||
        it->kind == ITEM_INSTANTIATION)
      add_function(s, it, true, functions);
    if ((it->kind == ITEM_CONSTANT || it->kind == ITEM_EXTERNAL) && it->name_end > it->name)
      add_constant(s, it, functions);
  }
}

static bool says_device(const struct cxx_text *t, uint32_t i, const struct argv *words) {
  bool says = cxx_is(t, i, "__device__") || cxx_is(t, i, "__global__");
  for (size_t k = 0; k < words->n && !says; k++)
    says = cxx_is(t, i, words->args[k]);
  return says;
}

/* What follows the word for the device before token I: a function, up to the "(" of its
 * parameters, or something with memory? Returns where its body begins, 0 if it has none, and
 * T->n if it is no function. */
static uint32_t find_body(const struct cxx_text *t, uint32_t i) {
  for (; i < t->n && cxx_punct(t, i) != '('; i++) {
    char c = cxx_punct(t, i);
    if (cxx_takes_group(t, i))
      i = cxx_skip_group(t, i + 1, t->n) - 1;
    else if (c == '<')
      i = cxx_skip_angles(t, i, t->n) ? cxx_skip_angles(t, i, t->n) - 1 : t->n;
    else if (c == '[' || c == ';' || c == '=' || c == '{' || c == '}' || c == ',')
      return cxx_is(t, i - 1, "operator") ? 0 : t->n;
  }
  while (i < t->n && cxx_punct(t, i) != '{' && cxx_punct(t, i) != ';')
    i = cxx_punct(t, i) == '(' ? cxx_skip_group(t, i, t->n) : i + 1;
  return cxx_punct(t, i) == '{' ? i : 0;
}

/* Is the variable whose declaration has the word for the device at token I a constant? */
static bool is_constant(const struct cxx_text *t, uint32_t i) {
  bool constant = false;
  while (i > 0 && !strchr(";{}:", cxx_punct(t, i - 1) ? cxx_punct(t, i - 1) : 'a') &&
         t->toks[i - 1].kind != TOK_DIRECTIVE)
    i--;
  for (; i < t->n && !strchr("=[;{,", cxx_punct(t, i) ? cxx_punct(t, i) : 'a'); i++) {
    if (cxx_is(t, i, "constexpr"))
      return true;
    constant = cxx_is(t, i, "const") || (constant && cxx_punct(t, i) != '*');
  }
  return constant;
}

static bool has_static(const struct cxx_text *t, uint32_t i) {
  for (uint32_t end = cxx_skip_group(t, i, t->n); i < end; i++)
    if (cxx_is(t, i, "static") && !cxx_is(t, i + 1, "constexpr") && !cxx_is(t, i + 1, "const"))
      return true;
  return false;
}

bool fragment_has_memory(const char *text, size_t len, const struct argv *words) {
  static const char *const marks[] = {"__constant__", "__managed__", "texture<", "surface<"};
  struct cxx_text t;
  bool has = false;
  for (size_t i = 0; i < sizeof marks / sizeof *marks && !has; i++)
    has = memmem(text, len, marks[i], strlen(marks[i])) != NULL;
  has = !cxx_lex(&t, text, len) || has;
  for (uint32_t i = 0; i < t.n && !has; i++) {
    if (!says_device(&t, i, words) || t.toks[i].kind == TOK_DIRECTIVE)
      continue;
    uint32_t body = find_body(&t, i + 1);
    has = (body == t.n && !is_constant(&t, i)) || (body && body < t.n && has_static(&t, body));
  }
  cxx_text_free(&t);
  return has;
}

/* ---- words ---- */

enum {
  MOST_ALIASES = 8, /* length of a chain of aliases */
  /* bytes; aliases of aliases could grow without end */
  MOST_WORDS = 1 << 16,
};

static void render(struct buf *out, const struct cxx_scan *s, uint32_t begin, uint32_t end,
                   int depth) {
  const struct cxx_text *t = &s->code;
  for (uint32_t i = begin; i < end && out->len < MOST_WORDS; i++) {
    buf_printf(out, " %.*s", (int)t->toks[i].len, t->text + t->toks[i].at);
    for (size_t k = 0; k < s->nitems && cxx_ident(t, i) && depth < MOST_ALIASES; k++) {
      const struct cxx_item *it = &s->items[k];
      if (it->kind == ITEM_ALIAS && it->name_end == it->name + 1 && it->name != i &&
          cxx_is_n(t, it->name, t->text + t->toks[i].at, t->toks[i].len))
        render(out, s, it->name + 1, it->end, depth + 1);
    }
  }
}

void words_render(struct buf *out, const struct cxx_scan *s, uint32_t begin, uint32_t end) {
  render(out, s, begin, end, 0);
  buf_putc(out, ' ');
}

/* ---- mangled names ---- */

/* Source: Itanium C++ ABI, 5.1.5 */
static bool builtin_letter(const char *word, size_t n, char *letter) {
  static const struct {
    const char *word;
    char letter;
  } table[] = {{"float", 'f'},    {"double", 'd'},   {"int", 'i'},     {"unsigned", 'j'},
               {"long", 'l'},     {"bool", 'b'},     {"char", 'c'},    {"short", 's'},
               {"uint32_t", 'j'}, {"int32_t", 'i'},  {"int64_t", 'l'}, {"uint64_t", 'm'},
               {"uint8_t", 'h'},  {"uint16_t", 't'}, {"size_t", 'm'}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strlen(table[i].word) == n && memcmp(table[i].word, word, n) == 0) {
      *letter = table[i].letter;
      return true;
    }
  return false;
}

/* Find "<length><name>" in SYMBOL. Returns the text after it, NULL if it is absent. */
static const char *find_source_name(const char *symbol, const char *word, size_t n) {
  autofree char *mark = xasprintf("%zu%.*s", n, (int)n, word);
  const char *at = symbol;
  while ((at = strstr(at, mark)) && at > symbol && isdigit((unsigned char)at[-1]))
    at++;
  return at ? at + strlen(mark) : NULL;
}

unsigned fragment_fits(const char *function, const char *symbol) {
  size_t n = strcspn(function, " ");
  /* extern "C": the name is not mangled */
  bool plain = strlen(symbol) == n && memcmp(symbol, function, n) == 0;
  const char *behind = plain ? symbol + n : find_source_name(symbol, function, n);
  if (!behind)
    return 0;
  unsigned score = 1;
  for (const char *w = function + n; *w;) {
    w += strspn(w, " ");
    size_t len = strcspn(w, " ");
    char letter = 0;
    if (len && builtin_letter(w, len, &letter))
      score += strchr(behind, letter) != NULL;
    else if (len && find_source_name(behind, w, len))
      score += 2;
    w += len;
  }
  return score;
}
