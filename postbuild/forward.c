/* forward.c - see forward.h.
 *
 * Names: a unit declares the functions of thousands of blobs, each of which has its aliases,
 * constants and macros, often with the same names. So aliases and constants get a name with the
 * blob's number in it, wherever they are mentioned; a macro is defined between push_macro and
 * pop_macro. Other names that a signature can need, a type or a function that only the blob
 * defines, would be different entities in the unit: such a blob is not forwarded.
 *
 * Conditions: the blob's #if and #else are repeated around their contents, for the compiler of the
 * unit to evaluate. A function that is not compiled in gets no stub.
 */
#include "forward.h"

#include "core/base/path.h"
#include "core/cxx/cxxmacro.h"
#include "core/cxx/fragment.h"

#include <stdlib.h>
#include <string.h>

enum {
  /* MARK_STUB has one byte for the number */
  MAX_FUNCTIONS = 254,
  /* each word of a signature is compared with all, and one may lead to the next */
  MAX_ITEMS = 5000,
};

/* The blob cannot be forwarded, because of REASON, which is taken over. */
static void cannot(struct blob_reader *r, char *reason) {
  blob_settle(r->b, BLOB_AHEAD, reason);
}

static const struct cxx_tok *tok(const struct cxx_text *t, uint32_t i) {
  return &t->toks[i];
}

static bool same_word(const struct cxx_text *a, uint32_t i, const struct cxx_text *b, uint32_t k) {
  return tok(a, i)->len == tok(b, k)->len &&
         memcmp(a->text + tok(a, i)->at, b->text + tok(b, k)->at, tok(a, i)->len) == 0;
}

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

/* Does word I of T, which is the file or a macro's body, name item K? A qualified name does only if
 * the qualifier is the item's namespace, or may be: `ck_tile::sequence` is not the blob's own
 * `sequence`. */
static bool names_item(const struct blob_reader *r, const struct cxx_text *t, uint32_t i, size_t k) {
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

static bool renamed(const struct cxx_item *it) {
  return it->kind == ITEM_ALIAS || it->kind == ITEM_CONSTANT;
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
      if (r->needed[k] || (!names_item(r, t, i, k) && !enumerates(r, t, i, it)))
        continue;
      bool type = it->kind == ITEM_TYPE || it->kind == ITEM_TEMPLATE || it->kind == ITEM_ALIAS;
      bool call = it->kind == ITEM_FUNCTION && cxx_punct(t, i + 1) == '(';
      if (repeatable(r, it))
        need_item(r, k);
      else if ((type || call) && blob_is_forwarded(r->b))
        cannot(r, xasprintf("line %u: its signature needs '%.*s', which only this file defines",
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

/* Is IT a function that callers outside of the unit reach by a stub? */
static bool has_stub(const struct blob_reader *r, const struct cxx_item *it) {
  if (it->name_end == it->name || !(forward_is_function(it) || (r->b->late && it->kind == ITEM_EXTERNAL)))
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
    says = says || names_item(r, &r->s.code, i, k);
  }
  return says;
}

/* The line in which one of the unit's forwarded functions is named and not called; 0: none. The
 * blob's own code would get the address of the function itself, the library that of its stub:
 * `return p == &f<1>` gives another answer. A macro or a header's template that does the same with
 * the name is not seen. */
static unsigned line_of_address(const struct blob_reader *r) {
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
        !cxx_is(t, behind, "->"))
      return tok(t, i)->line;
  }
  return 0;
}

static void check_addresses(struct blob_reader *r) {
  unsigned line = line_of_address(r);
  if (line)
    cannot(
        r,
        xasprintf(
            "line %u: a function of it is named without being called, and its address is another one when it is "
            "loaded apart",
            line));
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
      cannot(r,
             xasprintf("line %u: a function of hidden visibility would not be found when it is loaded apart",
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
    cannot(r, xasprintf("it defines %zu functions, more than %d", functions, MAX_FUNCTIONS));
    return;
  }
  if (r->s.nitems > MAX_ITEMS) {
    cannot(r, xasprintf("it has %zu declarations, more than %d", r->s.nitems, MAX_ITEMS));
    return;
  }
  check_addresses(r);
  for (size_t k = 0; k < r->s.nitems; k++) {
    const struct cxx_item *it = &r->s.items[k];
    if (!forward_is_function(it))
      continue;
    if (says_hidden(&r->s.code, it))
      cannot(r,
             xasprintf("line %u: a function of hidden visibility would not be found when it is loaded apart",
                       tok(&r->s.code, it->begin)->line));
    need_range(r, &r->s.code, it->sig, it->name);
    need_range(r, &r->s.code, it->args, it->sig_end);
  }
}

/* ---- writing ---- */

/* Does word I name an item that has the blob's number in its name in the unit? */
static bool gets_own_name(const struct blob_reader *r, const struct cxx_text *t, uint32_t i) {
  if (tok(t, i)->kind == TOK_IDENT)
    for (size_t k = 0; k < r->s.nitems; k++)
      if (r->needed[k] && renamed(&r->s.items[k]) && names_item(r, t, i, k))
        return true;
  return false;
}

static void put_tokens(const struct blob_reader *r, const struct cxx_text *t, uint32_t begin, uint32_t end,
                       struct buf *out) {
  for (uint32_t i = begin; i < end; i++) {
    if (tok(t, i)->kind == TOK_DIRECTIVE) {
      cxx_render(t, i, i + 1, out);
      continue;
    }
    if (i > begin && tok(t, i)->space)
      buf_putc(out, ' ');
    if (gets_own_name(r, t, i))
      buf_printf(out, "ckjit_b%c_", MARK_BLOB);
    buf_add(out, t->text + tok(t, i)->at, tok(t, i)->len);
  }
}

/* A unit has many blobs: a macro of one must be gone before the next. */
static void put_macro(struct blob_reader *r, size_t k, struct buf *out, struct buf *undo) {
  const struct cxx_text *m = &r->macros[k];
  if (m->n < 2)
    return;
  struct buf name = {0};
  cxx_render(m, 1, 2, &name);
  buf_printf(out, "\n#pragma push_macro(\"%s\")\n#", name.data);
  put_tokens(r, m, 0, m->n, out);
  buf_putc(out, '\n');
  struct buf line = {0};
  buf_printf(&line, "\n#pragma pop_macro(\"%s\")\n", name.data);
  buf_puts(&line, undo->len ? undo->data : "");
  buf_free(undo);
  *undo = line;
  buf_free(&name);
}

static void put_open(const struct blob_reader *r, int scope, struct buf *out) {
  const struct cxx_scope *sc = &r->s.scopes[scope];
  if (sc->parent < 0)
    return;
  put_open(r, sc->parent, out);
  buf_puts(out, sc->is_inline ? "inline namespace " : "namespace ");
  cxx_render(&r->s.code, sc->name, sc->name_end, out);
  buf_puts(out, " { ");
}

static void put_close(const struct blob_reader *r, int scope, struct buf *out) {
  for (; r->s.scopes[scope].parent >= 0; scope = r->s.scopes[scope].parent)
    buf_puts(out, " }");
}

/* Append tokens with a space only where two words would become one: white space of the source does
 * not count. */
static void put_canonical(const struct cxx_text *t, uint32_t begin, uint32_t end, struct buf *out) {
  for (uint32_t i = begin; i < end; i++) {
    if (i > begin && tok(t, i)->kind == TOK_IDENT && tok(t, i - 1)->kind == TOK_IDENT)
      buf_putc(out, ' ');
    buf_add(out, t->text + tok(t, i)->at, tok(t, i)->len);
  }
}

/* Appends the parameters without their names, which differ between declarations of one function.
 * Returns false if there is a comparison in them: each later < would be followed to the end. */
static bool put_types(const struct cxx_text *t, uint32_t open, uint32_t close, struct buf *out) {
  uint32_t from = open + 1;
  for (uint32_t i = from; i <= close; i++) {
    char c = cxx_punct(t, i);
    uint32_t behind = c == '<'                           ? cxx_skip_angles(t, i, close)
                      : c == '(' || c == '[' || c == '{' ? cxx_skip_group(t, i, close)
                                                         : 0;
    if (c == '<' && i < close && !behind)
      return false;
    if (behind && i < close) {
      i = behind - 1;
      continue;
    }
    if (i < close && c != ',')
      continue;
    put_canonical(t, from, cxx_param_name(t, from, i), out);
    if (i < close)
      buf_putc(out, ',');
    from = i + 1;
  }
  return true;
}

/* Add "R(*)(…)" of the function, in one form however it was written: it tells whether all blobs'
 * functions of this name have one type. "" if one of the blob's own names is in it, or if it is not
 * understood. */
static void add_signature(struct blob_reader *r, const struct cxx_item *it) {
  struct buf b = {0};
  const struct cxx_text *t = &r->s.code;
  buf_add(&b, "", 0);
  bool own = false;
  for (uint32_t i = it->sig; i < it->sig_end; i++)
    own |= (i < it->args || i >= it->args_end) && gets_own_name(r, t, i);
  uint32_t params_end = cxx_skip_group(t, it->params, it->sig_end);
  if (!own && params_end == it->sig_end && !cxx_is(t, it->sig, "__attribute__") &&
      cxx_punct(t, it->sig) != '[') {
    uint32_t type = it->sig;
    while (cxx_is(t, type, "extern") || cxx_is(t, type, "__host__"))
      type++;
    put_canonical(t, type, it->name, &b);
    buf_puts(&b, "(*)(");
    bool understood = put_types(t, it->params, params_end - 1, &b);
    buf_putc(&b, ')');
    if (!understood)
      b.data[0] = 0;
  }
  argv_add_own(&r->b->signatures, b.data);
}

static void put_function(struct blob_reader *r, const struct cxx_item *it, struct buf *out) {
  const struct cxx_text *t = &r->s.code;
  size_t k = r->b->functions.n;
  const struct cxx_tok *last = tok(t, it->name_end - 1);
  argv_add_own(&r->b->functions, xstrndup(t->text + last->at, last->len));
  add_signature(r, it);
  struct buf words = {0};
  buf_puts(&words, "");
  if (r->b->rdc) /* they may choose fragments */
    words_render(&words, &r->s, it->args, it->args_end);
  argv_add_own(&r->b->arguments, words.data);
  uint32_t sig = it->sig;
  while (cxx_punct(t, sig) == '[') /* [[attributes]] come first */
    sig = cxx_skip_group(t, sig, it->sig_end);
  const bool instance = it->kind == ITEM_INSTANTIATION;
  put_open(r, it->scope, out);
  if (instance)
    buf_putc(out, MARK_EITHER);
  buf_printf(out, "CKJIT_STUB(%c%c) %s", MARK_STUB, (char)(k + 1),
             it->kind == ITEM_NAMESAKE ? "" : "template<> ");
  put_tokens(r, t, it->sig, sig, out);
  buf_printf(out, "%sCKJIT_IS(%c%c) ", sig > it->sig ? " " : "", MARK_STUB, (char)(k + 1));
  put_tokens(r, t, sig, it->sig_end, out);
  buf_putc(out, ';');
  if (instance) {
    buf_printf(out, "%cCKJIT_AT(%c%c) = (void *)static_cast<", MARK_OR, MARK_STUB, (char)(k + 1));
    put_tokens(r, t, sig, it->name, out);
    buf_puts(out, " (*)");
    put_tokens(r, t, it->params, it->sig_end, out);
    buf_puts(out, ">(&");
    put_tokens(r, t, it->name, it->params, out);
    buf_printf(out, ");%c", MARK_END);
  }
  put_close(r, it->scope, out);
  buf_putc(out, '\n');
}

static void put_scoped(struct blob_reader *r, const struct cxx_item *it, struct buf *out) {
  put_open(r, it->scope, out);
  put_tokens(r, &r->s.code, it->begin, it->end, out);
  put_close(r, it->scope, out);
  buf_putc(out, '\n');
}

void forward_preamble(struct blob_reader *r) {
  int arm = 0;
  for (size_t k = 0; k < r->last_include; k++) {
    const struct cxx_item *it = &r->s.items[k];
    if (it->kind != ITEM_INCLUDE && it->kind != ITEM_DEFINE)
      continue;
    cxx_arm_move(&r->s, &arm, it->arm, &r->b->preamble);
    buf_add(&r->b->preamble, r->s.code.text + tok(&r->s.code, it->begin)->at,
            tok(&r->s.code, it->begin)->len);
    buf_putc(&r->b->preamble, '\n');
  }
  cxx_arm_move(&r->s, &arm, 0, &r->b->preamble);
}

static bool mentions(const struct cxx_text *directive, const struct cxx_text *macro) {
  for (uint32_t i = 1; i < directive->n && macro->n > 1; i++)
    if (same_word(directive, i, macro, 1))
      return true;
  return false;
}

/* A condition around the last #include is asked twice, for the preamble and for the rest, and must
 * give the same answer. It does not if the blob is within `#if !defined(X)` and `#define X`
 * follows. */
static void check_conditions(struct blob_reader *r, int arm) {
  for (; arm > 0 && blob_is_forwarded(r->b); arm = r->s.arms[arm].parent)
    for (int a = arm; a >= 0; a = r->s.arms[a].before) {
      const struct cxx_arm *d = &r->s.arms[a];
      struct cxx_text words;
      cxx_lex(&words, r->s.code.text + d->at + 1, d->len - 1);
      for (size_t k = 0; k < r->last_include && blob_is_forwarded(r->b); k++) {
        const struct cxx_item *it = &r->s.items[k];
        if (it->kind == ITEM_DEFINE && tok(&r->s.code, it->begin)->at > d->at &&
            mentions(&words, &r->macros[k]))
          cannot(r, xasprintf("line %u: the file is within a condition that this directive changes",
                              tok(&r->s.code, it->begin)->line));
      }
      cxx_text_free(&words);
    }
}

/* Does IT, a using-directive, using-declaration or namespace alias, say a name of scope SC? */
static bool says_scope(const struct blob_reader *r, const struct cxx_item *it, const struct cxx_scope *sc) {
  const struct cxx_text *t = &r->s.code;
  for (uint32_t i = it->begin; i < it->end; i++)
    for (uint32_t k = sc->name; k < sc->name_end && tok(t, i)->kind == TOK_IDENT; k++)
      if (same_word(t, i, t, k))
        return true;
  return false;
}

/* A namespace that the blob alone opens is not in the unit. `using namespace N` and `namespace M =
 * N` need it there, be it empty. */
static void write_namespaces(struct blob_reader *r) {
  for (size_t n = 1; n < r->s.nscopes; n++) {
    bool said = false;
    for (size_t k = 0; k < r->s.nitems && !said; k++)
      said = r->s.items[k].kind == ITEM_USING && says_scope(r, &r->s.items[k], &r->s.scopes[n]);
    if (!said)
      continue;
    struct buf line = {0};
    put_open(r, (int)n, &line);
    put_close(r, (int)n, &line);
    buf_putc(&line, '\n');
    /* most are opened again and again */
    if (!r->b->context.len || !strstr(r->b->context.data, line.data))
      buf_puts(&r->b->context, line.data);
    buf_free(&line);
  }
}

/* How a using-declaration concerns the blob's own names: the unit has those that a signature needs,
 * under another name, and no others. */
enum own_using { USING_NOT_OWN, USING_NEEDED, USING_NOT_THERE };

static enum own_using own_using(const struct blob_reader *r, const struct cxx_item *it) {
  enum own_using found = USING_NOT_OWN;
  if (it->name_end > it->name || cxx_is(&r->s.code, it->begin + 1, "namespace"))
    return found;
  for (uint32_t i = it->begin + 1; i < it->end; i++)
    for (size_t k = 0; k < r->s.nitems; k++) {
      const struct cxx_item *own = &r->s.items[k];
      bool last = cxx_punct(&r->s.code, i + 1) == ';' || cxx_punct(&r->s.code, i + 1) == ',';
      if (last && tok(&r->s.code, i)->kind == TOK_IDENT && own->kind >= ITEM_ALIAS && own->scope &&
          !forward_is_function(own) && names_item(r, &r->s.code, i, k))
        found = r->needed[k] && renamed(own) ? USING_NEEDED : USING_NOT_THERE;
    }
  return found;
}

/* Have the compiler compare the macro that is defined by LINE, which the blob's functions came out
 * of, with what its name stands for in the end: another header may have defined it again. All other
 * macros are replaced alike on both sides. */
static void put_check(struct buf *out, const char *line) {
  struct cxx_macro m;
  struct buf args = {0};
  buf_puts(&args, "(");
  char *directive = xasprintf("define %s", line);
  if (!cxx_macro_read(&m, directive, strlen(directive)))
    die(EXIT_FAILED, "internal error: the macro '%s' was understood before", line);
  for (uint32_t i = m.params; i < m.params_end; i++)
    if (i == m.params || cxx_punct(&m.line, i) == ',')
      buf_printf(&args, "%sckjit_x%u", i == m.params ? "" : ", ", i);
  const char *name = m.line.text + m.line.toks[1].at;
  int len = (int)m.line.toks[1].len;
  buf_printf(
      out,
      "\n#ifdef %.*s\n#define CKJIT_TEXT(...) CKJIT_TEXT_(__VA_ARGS__)\n#define CKJIT_TEXT_(...) #__VA_ARGS__\n"
      "#define ckjit_b%c_%s\nstatic_assert(__builtin_strcmp(CKJIT_TEXT(%.*s%s)), CKJIT_TEXT(ckjit_b%c_%.*s%s))) == 0, "
      "\"the headers define the macro %.*s twice, not alike\");\n#endif\n",
      len, name, MARK_BLOB, name, len, name, args.data, MARK_BLOB, len, name, args.data, len, name);
  cxx_macro_free(&m);
  free(directive);
  buf_free(&args);
}

void forward_write(struct blob_reader *r) {
  forward_preamble(r);
  write_namespaces(r);
  struct buf *out = &r->b->forward, undo = {0};
  int arm = 0;
  for (size_t k = 0; k < r->s.nitems; k++) {
    const struct cxx_item *it = &r->s.items[k];
    bool macro = it->kind == ITEM_DEFINE && k >= r->last_include;
    enum own_using own = it->kind == ITEM_USING ? own_using(r, it) : USING_NOT_OWN;
    if (own == USING_NOT_THERE)
      continue;
    bool here = it->kind == ITEM_USING && (it->scope || it->arm || own == USING_NEEDED);
    if (it->kind == ITEM_USING && !here) {
      cxx_render(&r->s.code, it->begin, it->end, &r->b->context);
      buf_putc(&r->b->context, '\n');
    }
    bool item = r->needed[k] && (renamed(it) || it->kind == ITEM_TYPE);
    if (!macro && !here && !item && !forward_is_function(it))
      continue;
    check_conditions(r, it->arm);
    cxx_arm_move(&r->s, &arm, it->arm, out);
    if (macro)
      put_macro(r, k, out, &undo);
    else if (forward_is_function(it))
      put_function(r, it, out);
    else
      put_scoped(r, it, out);
  }
  cxx_arm_move(&r->s, &arm, 0, out);
  for (size_t i = 0; i < r->unit.macros.n; i++)
    put_check(out, r->unit.macros.args[i]);
  buf_puts(out, undo.len ? undo.data : "");
  buf_free(&undo);
}
