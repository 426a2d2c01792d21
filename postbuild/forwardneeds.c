/* forwardneeds.c - whether a blob can be forwarded, and which of its own names its signatures need;
 * see forward.h. */
#include "forward.h"

#include "core/cxx/visibility.h"

enum {
  /* MARK_STUB has one byte for the number */
  MAX_FUNCTIONS = 254,
  /* each word of a signature is compared with all, and one may lead to the next */
  MAX_ITEMS = 5000,
};

/* ---- which of the blob's own names a signature needs ---- */

/* Is word I of T another name that the blob gives to a namespace: `namespace N = …;`? */
static bool names_namespace(const struct blob_reader *r, const struct cxx_text *t, uint32_t i) {
  for (size_t k = 0; k < r->s.nitems; k++) {
    const struct cxx_item *it = &r->s.items[k];
    if (it->kind == ITEM_USING && it->name_end > it->name && same_word(t, i, &r->s.code, it->name))
      return true;
  }
  return false;
}

bool forward_names_item(const struct blob_reader *r, const struct cxx_text *t, uint32_t i, size_t k) {
  const struct cxx_item *it = &r->s.items[k];
  const struct cxx_text *code = &r->s.code;
  if (r->macros[k].n > 1)
    return same_word(t, i, &r->macros[k], 1);
  if (it->name_end == it->name || !same_word(t, i, code, it->name_end - 1))
    return false;
  if (i && (cxx_punct(t, i - 1) == '.' || cxx_is(t, i - 1, "->")))
    return false;
  if (!i || !cxx_is(t, i - 1, "::"))
    return true;
  const struct cxx_scope *sc = &r->s.scopes[it->scope];
  if (i > 1 && it->name_end > it->name + 2 && same_word(t, i - 2, code, it->name_end - 3)) /* a::f */
    return true;
  if (i < 2 || tok(t, i - 2)->kind != TOK_IDENT)
    return sc->parent < 0 && (i < 2 || cxx_punct(t, i - 2) != '>');
  for (; sc->parent >= 0; sc = &r->s.scopes[sc->parent]) {
    if (sc->name_end > sc->name && same_word(t, i - 2, code, sc->name_end - 1))
      return true;
    if (sc->name_end > sc->name && !sc->is_inline)
      break;
  }
  return names_namespace(r, t, i - 2);
}

static bool has_braces(const struct blob_reader *r, const struct cxx_item *it) {
  for (uint32_t i = it->begin; i < it->end; i++)
    if (cxx_punct(&r->s.code, i) == '{')
      return true;
  return false;
}

/* Does the item mean the same if it is repeated in a unit? A type that is defined, or is of an
 * unnamed namespace, is another one in each file. */
static bool repeatable(const struct blob_reader *r, const struct cxx_item *it) {
  switch (it->kind) {
  case ITEM_DEFINE:
  case ITEM_CONSTANT:
    return true;
  case ITEM_ALIAS:
    return !has_braces(r, it); /* typedef struct {…} T; */
  case ITEM_TYPE:
    return !has_braces(r, it) && !r->s.scopes[it->scope].internal;
  default:
    return false;
  }
}

/* Is word I a value of IT, an enumeration? */
static bool enumerates(const struct blob_reader *r, const struct cxx_text *t, uint32_t i,
                       const struct cxx_item *it) {
  const struct cxx_text *code = &r->s.code;
  if (it->kind != ITEM_TYPE || !cxx_is(code, it->begin, "enum") || (i && cxx_is(t, i - 1, "::")))
    return false;
  uint32_t k = it->begin;
  while (k < it->end && cxx_punct(code, k) != '{')
    k++;
  for (; k < it->end; k++)
    if (tok(code, k)->kind == TOK_IDENT && same_word(t, i, code, k))
      return true;
  return false;
}

static void need_range(struct blob_reader *r, const struct cxx_text *t, uint32_t begin, uint32_t end);

static void need_item(struct blob_reader *r, size_t k) {
  if (r->needed[k])
    return;
  const struct cxx_item *it = &r->s.items[k];
  r->needed[k] = true;
  if (it->kind == ITEM_DEFINE)
    need_range(r, &r->macros[k], 2, r->macros[k].n);
  else
    need_range(r, &r->s.code, it->begin, it->end);
}

static void need_range(struct blob_reader *r, const struct cxx_text *t, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++) {
    if (tok(t, i)->kind != TOK_IDENT)
      continue;
    for (size_t k = 0; k < r->s.nitems; k++) {
      const struct cxx_item *it = &r->s.items[k];
      if (r->needed[k] || (!forward_names_item(r, t, i, k) && !enumerates(r, t, i, it)))
        continue;
      bool type = it->kind == ITEM_TYPE || it->kind == ITEM_TEMPLATE || it->kind == ITEM_ALIAS;
      bool call = it->kind == ITEM_FUNCTION && cxx_punct(t, i + 1) == '(';
      if (repeatable(r, it))
        need_item(r, k);
      else if ((type || call) && blob_is_forwarded(r->b))
        forward_cannot(r, xasprintf("line %u: its signature needs '%.*s', which only this file defines",
                                    tok(t, i)->line, (int)tok(t, i)->len, t->text + tok(t, i)->at));
    }
  }
}

/* Is there `visibility("hidden")` or the like in the head of function IT? It would not be found
 * when the blob is loaded apart. */
static bool says_hidden(const struct cxx_text *t, const struct cxx_item *it) {
  for (uint32_t i = it->sig; i + 2 < it->sig_end; i++)
    if (cxx_is(t, i, "visibility") && cxx_punct(t, i + 1) == '(' && !cxx_is(t, i + 2, "\"default\"") &&
        !cxx_is(t, i + 2, "\"protected\""))
      return true;
  return false;
}

/* Is the name at I the one that a declaration gives to a variable, a parameter or a member, `namer
 * name;`? */
static bool is_declared(const struct cxx_text *t, uint32_t i) {
  if (i && cxx_punct(t, i - 1) == '&')
    i--;
  return i && ((cxx_ident(t, i - 1) && !cxx_is(t, i - 1, "return")) || cxx_punct(t, i - 1) == '>' ||
               cxx_punct(t, i - 1) == '*');
}

/* Is the function IT a constructor or destructor, `C::C` or `C::~C`? It has no address, and its name is that of a type. */
static bool is_structor(const struct cxx_text *t, const struct cxx_item *it) {
  return (it->name && cxx_punct(t, it->name_end - 2) == '~') ||
         (it->name_end > it->name + 2 && same_word(t, it->name_end - 1, t, it->name_end - 3));
}

/* Is IT a function that callers outside of the unit reach by a stub, and of which they may take the address? */
static bool has_stub(const struct blob_reader *r, const struct cxx_item *it) {
  if (it->name_end == it->name || !(forward_is_function(it) || (r->b->late && it->kind == ITEM_EXTERNAL)) ||
      is_structor(&r->s.code, it))
    return false;
  bool device = false, host = false;
  for (uint32_t i = it->begin; i < it->name; i++) {
    if (cxx_is(&r->s.code, i, "__global__"))
      return false;
    device |= cxx_is(&r->s.code, i, "__device__");
    host |= cxx_is(&r->s.code, i, "__host__");
  }
  if (device && !host)
    return false;
  return it->kind != ITEM_EXTERNAL || it->rule == RULE_FUNCTION;
}

/* The names of the unit's forwarded functions, each once, as tokens: mostly one. */
static size_t function_names(const struct blob_reader *r, uint32_t names[MAX_FUNCTIONS]) {
  const struct cxx_text *t = &r->s.code;
  size_t n = 0;
  for (size_t k = 0; k < r->s.nitems; k++) {
    const struct cxx_item *f = &r->s.items[k];
    if (!has_stub(r, f) || !cxx_ident(t, f->name_end - 1))
      continue;
    size_t same = 0;
    while (same < n && !same_word(t, names[same], t, f->name_end - 1))
      same++;
    if (same == n && n < MAX_FUNCTIONS)
      names[n++] = f->name_end - 1;
  }
  return n;
}

/* Does word I say one of the unit's forwarded functions, at another place than its definition? */
static bool says_function(const struct blob_reader *r, uint32_t i) {
  bool says = false;
  for (size_t k = 0; k < r->s.nitems; k++) {
    const struct cxx_item *f = &r->s.items[k];
    if (!has_stub(r, f))
      continue;
    if (i == f->name_end - 1)
      return false;
    says = says || forward_names_item(r, &r->s.code, i, k);
  }
  return says;
}

/* Is word I an argument of what looks like a macro? TransformerEngine's NVTE_API_CALL(name) makes a string of the name of
 * the function that it stands in. */
static bool is_given_to_macro(const struct cxx_text *t, uint32_t i) {
  int depth = 0;
  while (i && depth >= 0 && !strchr(";{}", cxx_punct(t, i) ? cxx_punct(t, i) : 'x')) {
    i--;
    depth += (cxx_punct(t, i) == ')') - (cxx_punct(t, i) == '(');
  }
  autofree char *word = depth < 0 && i && cxx_ident(t, i - 1)
                            ? xstrndup(t->text + tok(t, i - 1)->at, tok(t, i - 1)->len)
                            : NULL;
  return word && visibility_in_capitals(word);
}

/* Is word I the name of plain functions alone? Others may have an instance of a template, too. */
static bool says_plain(const struct blob_reader *r, uint32_t i) {
  const struct cxx_text *t = &r->s.code;
  bool plain = true;
  for (size_t k = 0; k < r->s.nitems && plain; k++) {
    const struct cxx_item *f = &r->s.items[k];
    plain = !has_stub(r, f) || !same_word(t, i, t, f->name_end - 1) ||
            (f->kind == ITEM_EXTERNAL && !cxx_is(t, f->begin, "template"));
  }
  return plain;
}

#define NAMED_ALONE                                                                                          \
  "a function of it is named without being called, and its address is another one when it is loaded apart"

/* The line in which one of the unit's forwarded functions is named and not called; 0: none. The
 * blob's own code would get the address of the function itself, the library that of its stub:
 * `return p == &f<1>` gives another answer. A macro or a header's template that does the same with
 * the name is not seen; of a macro that a late blob gives it to, the preprocessor is asked. Of a late blob's plain
 * function, whether others need it decides (demand.c). */
static unsigned line_of_address(struct blob_reader *r) {
  const struct cxx_text *t = &r->s.code;
  const struct cxx_item *in = r->s.items;
  uint32_t names[MAX_FUNCTIONS];
  size_t nnames = function_names(r, names);
  for (uint32_t i = 0; i < t->n && nnames; i++) {
    size_t n = 0;
    while (n < nnames && !same_word(t, i, t, names[n]))
      n++;
    if (n == nnames || is_declared(t, i) || !says_function(r, i))
      continue;
    while (in + 1 < r->s.items + r->s.nitems && in->end <= i)
      in++;
    uint32_t behind = cxx_punct(t, i + 1) == '<' ? cxx_skip_angles(t, i + 1, t->n) : i + 1;
    if (in->kind != ITEM_USING && behind &&
        !strchr("(:.[=", cxx_punct(t, behind) ? cxx_punct(t, behind) : 'x') && !cxx_is(t, behind, "::") &&
        !cxx_is(t, behind, "->")) {
      if (r->b->late && !r->expanded && is_given_to_macro(t, i))
        r->b->doubt = true;
      else if (!r->b->late || !says_plain(r, i))
        return tok(t, i)->line;
      else
        argv_addf(&r->b->addressed, "%.*s line %u: " NAMED_ALONE, (int)tok(t, i)->len,
                  t->text + tok(t, i)->at, tok(t, i)->line);
    }
  }
  return 0;
}

static void check_addresses(struct blob_reader *r) {
  unsigned line = line_of_address(r);
  if (line)
    forward_cannot(r, xasprintf("line %u: " NAMED_ALONE, line));
}

/* Is token I `#pragma GCC visibility push(hidden)`? */
static bool hides_what_follows(const struct cxx_text *t, uint32_t i) {
  const char *text = t->text + tok(t, i)->at;
  size_t n = tok(t, i)->len;
  return tok(t, i)->kind == TOK_DIRECTIVE && memmem(text, n, "pragma", strlen("pragma")) &&
         memmem(text, n, "visibility", strlen("visibility")) &&
         !memmem(text, n, "default", strlen("default"));
}

/* Nothing of the signatures is repeated for a blob that is late. */
static void need_late(struct blob_reader *r) {
  const struct cxx_text *t = &r->s.code;
  check_addresses(r);
  for (uint32_t i = 0; i < t->n; i++)
    if ((cxx_is(t, i, "visibility") && cxx_punct(t, i + 1) == '(' &&
         (cxx_is(t, i + 2, "\"hidden\"") || cxx_is(t, i + 2, "\"internal\""))) ||
        hides_what_follows(t, i))
      forward_cannot(
          r, xasprintf("line %u: a function of hidden visibility would not be found when it is loaded apart",
                       tok(t, i)->line));
}

void forward_needs(struct blob_reader *r) {
  if (r->b->late) {
    need_late(r);
    return;
  }
  size_t functions = 0;
  for (size_t k = 0; k < r->s.nitems; k++)
    functions += forward_is_function(&r->s.items[k]);
  if (functions > MAX_FUNCTIONS) {
    forward_cannot(r, xasprintf("it defines %zu functions, more than %d", functions, MAX_FUNCTIONS));
    return;
  }
  if (r->s.nitems > MAX_ITEMS) {
    forward_cannot(r, xasprintf("it has %zu declarations, more than %d", r->s.nitems, MAX_ITEMS));
    return;
  }
  check_addresses(r);
  for (size_t k = 0; k < r->s.nitems; k++) {
    const struct cxx_item *it = &r->s.items[k];
    if (!forward_is_function(it))
      continue;
    if (says_hidden(&r->s.code, it))
      forward_cannot(
          r, xasprintf("line %u: a function of hidden visibility would not be found when it is loaded apart",
                       tok(&r->s.code, it->begin)->line));
    need_range(r, &r->s.code, it->sig, it->name);
    need_range(r, &r->s.code, it->args, it->sig_end);
  }
}
