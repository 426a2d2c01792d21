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

/* Does word I name an item that has the blob's number in its name in the unit? */
static bool gets_own_name(const struct blob_reader *r, const struct cxx_text *t, uint32_t i) {
  if (tok(t, i)->kind == TOK_IDENT)
    for (size_t k = 0; k < r->s.nitems; k++)
      if (r->needed[k] && forward_renames(&r->s.items[k]) && forward_names_item(r, t, i, k))
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
  autofree_buf name = {0};
  cxx_render(m, 1, 2, &name);
  buf_printf(out, "\n#pragma push_macro(\"%s\")\n#", name.data);
  put_tokens(r, m, 0, m->n, out);
  buf_putc(out, '\n');
  struct buf line = {0};
  buf_printf(&line, "\n#pragma pop_macro(\"%s\")\n", name.data);
  buf_puts(&line, undo->len ? undo->data : "");
  buf_free(undo);
  *undo = line;
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
          forward_cannot(r, xasprintf("line %u: the file is within a condition that this directive changes",
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
    autofree_buf line = {0};
    put_open(r, (int)n, &line);
    put_close(r, (int)n, &line);
    buf_putc(&line, '\n');
    /* most are opened again and again */
    if (!r->b->context.len || !strstr(r->b->context.data, line.data))
      buf_puts(&r->b->context, line.data);
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
          !forward_is_function(own) && forward_names_item(r, &r->s.code, i, k))
        found = r->needed[k] && forward_renames(own) ? USING_NEEDED : USING_NOT_THERE;
    }
  return found;
}

/* Have the compiler compare the macro that is defined by LINE, which the blob's functions came out
 * of, with what its name stands for in the end: another header may have defined it again. All other
 * macros are replaced alike on both sides. */
static void put_check(struct buf *out, const char *line) {
  struct cxx_macro m;
  autofree_buf args = {0};
  buf_puts(&args, "(");
  autofree char *directive = xasprintf("define %s", line);
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
}

void forward_write(struct blob_reader *r) {
  forward_preamble(r);
  write_namespaces(r);
  struct buf *out = &r->b->forward;
  autofree_buf undo = {0};
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
    bool item = r->needed[k] && (forward_renames(it) || it->kind == ITEM_TYPE);
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
}
