#include "dispatch.h"

#include "core/cxxscan.h"

#include <stdlib.h>
#include <string.h>

/* ---- the functions of the blobs
 * ---------------------------------------------------------------------------- */

/* Names are few (a dozen for all of CK's FMHA) however many blobs define them, and come in runs. */
static size_t find(const struct functions *f, const char *name, size_t n) {
  for (size_t i = f->names.n; i-- > 0;)
    if (strncmp(f->names.args[i], name, n) == 0 && !f->names.args[i][n])
      return i;
  return f->names.n;
}

void functions_add(struct functions *f, const char *name, const char *signature) {
  size_t i = find(f, name, strlen(name));
  if (i == f->names.n) {
    argv_add(&f->names, name);
    argv_add(&f->signatures, signature);
  } else if (strcmp(f->signatures.args[i], signature) != 0) {
    f->signatures.args[i][0] = 0;
  }
}

const char *functions_find(const struct functions *f, const char *name) {
  size_t i = find(f, name, strlen(name));
  return i < f->names.n ? f->signatures.args[i] : NULL;
}

void functions_free(struct functions *f) {
  argv_free(&f->names);
  argv_free(&f->signatures);
}

/* ---- one helper
 * -------------------------------------------------------------------------------------------- */

enum { MAX_PARAMS = 16, MAX_USES = 32 };

struct range {
  uint32_t begin, end;
};

/* A parameter of the helper: its type and its name. */
struct param {
  struct range type;
  uint32_t name;
};

/* A use of a blob function in the body: f<A, B> or n::f<A, B>, the same text once. */
struct use {
  struct range text;
};

struct helper {
  const struct cxx_text *t;
  const struct cxx_item *it;
  struct range header; /* template <…> */
  struct range result; /* specifiers and return type */
  struct range body;   /* {…}, braces included */
  uint32_t tparams[MAX_PARAMS];
  size_t ntparams;
  struct param params[MAX_PARAMS];
  size_t nparams;
  struct use uses[MAX_USES];
  size_t nuses;
};

static bool punct(const struct cxx_text *t, uint32_t i, char c) {
  return cxx_punct(t, i) == c;
}

static bool ident(const struct cxx_text *t, uint32_t i) {
  return i < t->n && t->toks[i].kind == TOK_IDENT;
}

/* template <typename A, class B>: anything else (values, packs, defaults) is not ours */
static bool read_tparams(struct helper *h, uint32_t i, uint32_t end) {
  for (; i < end; i++) {
    if (!(cxx_is(h->t, i, "typename") || cxx_is(h->t, i, "class")) || !ident(h->t, i + 1) ||
        h->ntparams == MAX_PARAMS)
      return false;
    h->tparams[h->ntparams++] = i + 1;
    i += 2;
    if (i < end && !punct(h->t, i, ','))
      return false;
  }
  return h->ntparams > 0;
}

static bool is_tparam(const struct helper *h, uint32_t i) {
  for (size_t k = 0; k < h->ntparams; k++)
    if (ident(h->t, i) && h->t->toks[i].len == h->t->toks[h->tparams[k]].len &&
        memcmp(h->t->text + h->t->toks[i].at, h->t->text + h->t->toks[h->tparams[k]].at, h->t->toks[i].len) ==
            0)
      return true;
  return false;
}

static bool mentions_tparam(const struct helper *h, uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i++)
    if (is_tparam(h, i))
      return true;
  return false;
}

/* (T a, const U& b): each has a name, none a default or an array or function type */
static bool read_params(struct helper *h, uint32_t open, uint32_t close) {
  uint32_t from = open + 1;
  if (from == close)
    return true;
  for (uint32_t i = from; i <= close; i++) {
    if (i < close && punct(h->t, i, '<')) {
      uint32_t behind = cxx_skip_angles(h->t, i, close);
      if (!behind)
        return false;
      i = behind;
    }
    if (cxx_is(h->t, i, "auto") || punct(h->t, i, '.'))
      return false;
    if (i < close && !punct(h->t, i, ','))
      continue;
    uint32_t name = cxx_param_name(h->t, from, i);
    if (name == i || h->nparams == MAX_PARAMS)
      return false;
    h->params[h->nparams++] = (struct param){{from, name}, name};
    from = i + 1;
  }
  return true;
}

static bool by_value(const struct helper *h, const struct param *p) {
  for (uint32_t i = p->type.begin; i < p->type.end; i++)
    if (punct(h->t, i, '&') || punct(h->t, i, '*') || cxx_is(h->t, i, "&&"))
      return false;
  return true;
}

static bool has_const(const struct helper *h, const struct param *p) {
  for (uint32_t i = p->type.begin; i < p->type.end; i++)
    if (cxx_is(h->t, i, "const"))
      return true;
  return false;
}

static bool same_text(const struct cxx_text *t, struct range a, struct range b) {
  if (a.end - a.begin != b.end - b.begin)
    return false;
  for (uint32_t i = 0; i < a.end - a.begin; i++) {
    const struct cxx_tok *x = &t->toks[a.begin + i], *y = &t->toks[b.begin + i];
    if (x->len != y->len || memcmp(t->text + x->at, t->text + y->at, x->len) != 0)
      return false;
  }
  return true;
}

/* The use of a blob function that begins at I, its qualifiers included: the index behind it, or 0. *KNOWN:
 * all blobs agree on its type. */
static uint32_t use_at(const struct helper *h, uint32_t i, const struct functions *f, bool *known) {
  const struct cxx_text *t = h->t;
  if (!ident(t, i) && !cxx_is(t, i, "::"))
    return 0;
  if (punct(t, i - 1, '.') || cxx_is(t, i - 1, "->") || cxx_is(t, i - 1, "::") ||
      cxx_is(t, i - 1, "template"))
    return 0;
  uint32_t k = i + (ident(t, i) ? 0 : 1);
  while (ident(t, k) && cxx_is(t, k + 1, "::"))
    k += 2;
  if (!ident(t, k) || !punct(t, k + 1, '<'))
    return 0;
  size_t n = find(f, t->text + t->toks[k].at, t->toks[k].len);
  if (n == f->names.n)
    return 0;
  *known = f->signatures.args[n][0];
  return cxx_skip_angles(t, k + 1, h->body.end);
}

/* Is the & before I one that takes an address? Then it goes: a pointer stands in the function's place. */
static bool takes_address(const struct cxx_text *t, uint32_t i) {
  return punct(t, i - 1, '&') && !ident(t, i - 2) && !punct(t, i - 2, ')') && !punct(t, i - 2, ']') &&
         t->toks[i - 2].kind == TOK_PUNCT;
}

/* A call, or an address among arguments, in a list or assigned. As a template argument a pointer would not
 * do. */
static bool replaceable(const struct cxx_text *t, uint32_t i, uint32_t behind) {
  if (punct(t, behind, '('))
    return true;
  uint32_t before = takes_address(t, i) ? i - 2 : i - 1;
  char c = cxx_punct(t, before), d = cxx_punct(t, behind);
  return (c == '(' || c == ',' || c == '{' || c == '=') && (d == ')' || d == ',' || d == '}' || d == ';');
}

/* What would mean something else, or nothing, in one function for all: a static variable is one for each
 * instantiation; a lambda must capture the pointers, so it must be of the form [=]. */
static bool differs_when_shared(const struct helper *h, uint32_t i) {
  static const char *const words[] = {
      "static",       "thread_local", "decltype", "typeid",   "__func__", "__PRETTY_FUNCTION__",
      "__FUNCTION__", "co_return",    "co_await", "co_yield", "goto",     "asm"};
  const struct cxx_text *t = h->t;
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (cxx_is(t, i, words[k]))
      return true;
  if (!punct(t, i, '[') || ident(t, i - 1) || punct(t, i - 1, ')') || punct(t, i - 1, ']') ||
      punct(t, i - 1, '>'))
    return false;
  return !punct(t, i + 1, '[') && !punct(t, i - 1, '[') && !punct(t, i + 1, '=');
}

/* Every mention of a template parameter in the body must be an argument of a blob function whose type is
 * known. */
static bool read_uses(struct helper *h, const struct functions *f) {
  for (uint32_t i = h->body.begin + 1; i < h->body.end; i++) {
    bool known = false;
    uint32_t behind = use_at(h, i, f, &known);
    if (!behind) {
      if (is_tparam(h, i) || differs_when_shared(h, i))
        return false;
      continue;
    }
    if (!known || !replaceable(h->t, i, behind) || h->nuses == MAX_USES)
      return false;
    struct use u = {{i, behind}};
    size_t k = 0;
    while (k < h->nuses && !same_text(h->t, h->uses[k].text, u.text))
      k++;
    if (k == h->nuses)
      h->uses[h->nuses++] = u;
    i = behind - 1;
  }
  return h->nuses > 0;
}

/* Specifiers that the erased function does not repeat: it is static anyhow. */
static bool drops(const struct cxx_text *t, uint32_t i) {
  return cxx_is(t, i, "static") || cxx_is(t, i, "inline");
}

static bool read_result(struct helper *h, uint32_t begin, uint32_t end) {
  static const char *const words[] = {"constexpr", "consteval",  "extern",
                                      "friend",    "__device__", "__global__"};
  for (uint32_t i = begin; i < end; i++) {
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
      if (cxx_is(h->t, i, words[k]))
        return false;
    if (punct(h->t, i, '['))
      return false;
  }
  h->result = (struct range){begin, end};
  return begin < end && !mentions_tparam(h, begin, end);
}

/* Is the helper only ever called, and declared once? Its parameters change from values to references, which
 * another declaration, an explicit specialisation or its address would contradict. */
static bool only_called(const struct helper *h) {
  const struct cxx_text *t = h->t;
  const struct cxx_tok *name = &t->toks[h->it->name];
  for (uint32_t i = 0; i < t->n; i++) {
    if (i == h->it->name || !cxx_is_n(t, i, t->text + name->at, name->len))
      continue;
    uint32_t behind = punct(t, i + 1, '<') ? cxx_skip_angles(t, i + 1, t->n) : 0;
    if (!behind || !punct(t, behind, '(') || punct(t, i - 1, '&'))
      return false;
    bool declared = i && (ident(t, i - 1) && !cxx_is(t, i - 1, "return") && !cxx_is(t, i - 1, "else"));
    if (declared)
      return false;
  }
  return true;
}

static bool helper_read(struct helper *h, const struct cxx_scan *s, const struct cxx_item *it,
                        const struct functions *f) {
  const struct cxx_text *t = &s->code;
  *h = (struct helper){.t = t, .it = it};
  if (it->kind != ITEM_TEMPLATE || it->name_end != it->name + 1 || !punct(t, it->begin + 1, '<'))
    return false;
  uint32_t behind = cxx_skip_angles(t, it->begin + 1, it->end);
  if (!behind || !read_tparams(h, it->begin + 2, behind - 1))
    return false;
  h->header = (struct range){it->begin, behind};
  if (!punct(t, it->name_end, '(') || !read_result(h, behind, it->name))
    return false;
  uint32_t close = cxx_skip_group(t, it->name_end, it->end);
  if (!read_params(h, it->name_end, close - 1) || mentions_tparam(h, it->name_end, close))
    return false;
  if (!punct(t, close, '{') || cxx_skip_group(t, close, it->end) != it->end)
    return false;
  h->body = (struct range){close, it->end};
  for (uint32_t i = it->begin; i < it->end; i++)
    if (s->arm_of[i] != s->arm_of[it->begin] || t->toks[i].kind == TOK_DIRECTIVE)
      return false;
  return read_uses(h, f) && only_called(h);
}

/* ---- writing
 * ----------------------------------------------------------------------------------------------- */

static void put(const struct helper *h, struct range r, struct buf *out) {
  cxx_render(h->t, r.begin, r.end, out);
}

static void put_name(const struct helper *h, uint32_t i, struct buf *out) {
  buf_add(out, h->t->text + h->t->toks[i].at, h->t->toks[i].len);
}

static void put_body(const struct helper *h, const struct functions *f, struct buf *out) {
  const struct cxx_text *t = h->t;
  for (uint32_t i = h->body.begin; i < h->body.end;) {
    bool known, address = punct(t, i, '&') && takes_address(t, i + 1);
    uint32_t from = address ? i + 1 : i;
    uint32_t behind = from > h->body.begin ? use_at(h, from, f, &known) : 0;
    if (t->toks[i].space)
      buf_putc(out, ' ');
    if (!behind) {
      put_name(h, i++, out);
      continue;
    }
    size_t k = 0;
    while (!same_text(t, h->uses[k].text, (struct range){from, behind}))
      k++;
    buf_printf(out, "ckjit_f%zu", k);
    i = behind;
  }
}

/* Parameters by value are passed by reference and copied once, in the erased body: a branch then passes an
 * address where the stock one copied 500 bytes of arguments. */
static void put_params(const struct helper *h, bool erased, struct buf *out) {
  for (size_t k = 0; k < h->nparams; k++) {
    const struct param *p = &h->params[k];
    if (k || (erased && h->nuses))
      buf_puts(out, ", ");
    bool value = by_value(h, p);
    if (value && !has_const(h, p))
      buf_puts(out, "const ");
    put(h, p->type, out);
    if (value)
      buf_puts(out, "&");
    buf_putc(out, ' ');
    if (value && erased)
      buf_printf(out, "ckjit_p%zu", k);
    else
      put_name(h, p->name, out);
  }
}

/* The pointers' types are deduced: they are written nowhere in a way that is sure to be understood here. All
 * blobs agree on them, so there is one instance. */
static void put_erased(const struct helper *h, size_t number, const struct functions *f, struct buf *out) {
  buf_puts(out, "template <");
  for (size_t k = 0; k < h->nuses; k++)
    buf_printf(out, "%stypename ckjit_F%zu", k ? ", " : "", k);
  buf_puts(out, "> static __attribute__((noinline)) ");
  for (uint32_t i = h->result.begin; i < h->result.end; i++)
    if (!drops(h->t, i)) {
      buf_puts(out, " ");
      cxx_render(h->t, i, i + 1, out);
    }
  buf_printf(out, " ckjit_erased_%zu(", number);
  for (size_t k = 0; k < h->nuses; k++)
    buf_printf(out, "%sckjit_F%zu ckjit_f%zu", k ? ", " : "", k, k);
  put_params(h, true, out);
  buf_puts(out, ") {");
  for (size_t k = 0; k < h->nparams; k++) {
    if (!by_value(h, &h->params[k]))
      continue;
    buf_putc(out, ' ');
    put(h, h->params[k].type, out);
    buf_putc(out, ' ');
    put_name(h, h->params[k].name, out);
    buf_printf(out, "(ckjit_p%zu);", k);
  }
  put_body(h, f, out);
  buf_puts(out, "}\n");
}

static void put_wrapper(const struct helper *h, size_t number, struct buf *out) {
  put(h, h->header, out);
  buf_puts(out, " __attribute__((noinline)) ");
  put(h, h->result, out);
  buf_putc(out, ' ');
  put_name(h, h->it->name, out);
  buf_putc(out, '(');
  put_params(h, false, out);
  buf_printf(out, ") { return ckjit_erased_%zu(", number);
  for (size_t k = 0; k < h->nuses; k++) {
    buf_puts(out, k ? ", &" : "&");
    put(h, h->uses[k].text, out);
  }
  for (size_t k = 0; k < h->nparams; k++) {
    buf_puts(out, ", ");
    put_name(h, h->params[k].name, out);
  }
  buf_puts(out, "); }\n");
}

size_t dispatch_rewrite(struct buf *out, const char *text, size_t len, const struct functions *f) {
  struct cxx_scan s;
  cxx_scan(&s, text, len);
  size_t done = 0, copied = 0;
  for (size_t i = 0; i < s.nitems && !s.odd; i++) {
    struct helper h;
    if (!helper_read(&h, &s, &s.items[i], f))
      continue;
    const struct cxx_tok *first = &s.code.toks[h.it->begin], *last = &s.code.toks[h.it->end - 1];
    buf_add(out, text + copied, first->at - copied);
    put_erased(&h, done, f, out);
    put_wrapper(&h, done, out);
    copied = last->at + last->len;
    done++;
  }
  buf_add(out, text + copied, len - copied);
  cxx_scan_free(&s);
  return done;
}
