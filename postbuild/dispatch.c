#include "dispatch.h"

#include "core/cxxscan.h"

#include <stdlib.h>
#include <string.h>

/* ---- the functions of the blobs ---------------------------------------------------------------------------- */

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

/* ---- one helper -------------------------------------------------------------------------------------------- */

enum { MAX_PARAMS = 16, MAX_USES = 32 };

struct range {
  uint32_t begin, end;
};

/* A parameter of the helper: its type and its name. */
struct param {
  struct range type;
  uint32_t name;
};

/* A use of a blob function in the body: f<A, B>, the same text once. */
struct use {
  struct range text;
  const char *signature;
};

struct helper {
  const struct cxx_text *t;
  const struct cxx_item *it;
  struct range header;  /* template <…> */
  struct range result;  /* specifiers and return type */
  struct range body;    /* {…}, braces included */
  uint32_t tparams[MAX_PARAMS];
  size_t ntparams;
  struct param params[MAX_PARAMS];
  size_t nparams;
  struct use uses[MAX_USES];
  size_t nuses;
};

static bool punct(const struct cxx_text *t, uint32_t i, char c) {
  return i < t->n && t->toks[i].kind == TOK_PUNCT && t->toks[i].len == 1 && t->text[t->toks[i].at] == c;
}

static bool ident(const struct cxx_text *t, uint32_t i) {
  return i < t->n && t->toks[i].kind == TOK_IDENT;
}

/* template <typename A, class B>: anything else (values, packs, defaults) is not ours */
static bool read_tparams(struct helper *h, uint32_t i, uint32_t end) {
  for (; i < end; i++) {
    if (!(cxx_is(h->t, i, "typename") || cxx_is(h->t, i, "class")) || !ident(h->t, i + 1) || h->ntparams == MAX_PARAMS)
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
        memcmp(h->t->text + h->t->toks[i].at, h->t->text + h->t->toks[h->tparams[k]].at, h->t->toks[i].len) == 0)
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
    if (punct(h->t, i, '(') || punct(h->t, i, '[') || punct(h->t, i, '=') || punct(h->t, i, '.'))
      return false;
    if (i < close && !punct(h->t, i, ','))
      continue;
    if (i < from + 2 || !ident(h->t, i - 1) || h->nparams == MAX_PARAMS)
      return false;
    h->params[h->nparams++] = (struct param){{from, i - 1}, i - 1};
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

/* the use of a blob function at I, or 0 */
static uint32_t use_at(const struct helper *h, uint32_t i, const struct functions *f, const char **signature) {
  if (!ident(h->t, i) || !punct(h->t, i + 1, '<'))
    return 0;
  size_t k = find(f, h->t->text + h->t->toks[i].at, h->t->toks[i].len);
  if (k == f->names.n)
    return 0;
  *signature = f->signatures.args[k];
  return cxx_skip_angles(h->t, i + 1, h->body.end);
}

/* Every mention of a template parameter in the body must be an argument of a blob function whose type is known. */
static bool read_uses(struct helper *h, const struct functions *f) {
  for (uint32_t i = h->body.begin; i < h->body.end; i++) {
    const char *signature = NULL;
    uint32_t behind = use_at(h, i, f, &signature);
    if (!behind) {
      if (is_tparam(h, i))
        return false;
      continue;
    }
    if (!*signature || h->nuses == MAX_USES)
      return false;
    struct use u = {{i, behind}, signature};
    size_t k = 0;
    while (k < h->nuses && !same_text(h->t, h->uses[k].text, u.text))
      k++;
    if (k == h->nuses)
      h->uses[h->nuses++] = u;
    i = behind - 1;
  }
  return h->nuses > 0;
}

static bool helper_read(struct helper *h, const struct cxx_scan *s, const struct cxx_item *it, const struct functions *f) {
  const struct cxx_text *t = &s->code;
  *h = (struct helper){.t = t, .it = it};
  if (it->kind != ITEM_TEMPLATE || it->name_end != it->name + 1 || !punct(t, it->begin + 1, '<'))
    return false;
  uint32_t behind = cxx_skip_angles(t, it->begin + 1, it->end);
  if (!behind || !read_tparams(h, it->begin + 2, behind - 1))
    return false;
  h->header = (struct range){it->begin, behind};
  h->result = (struct range){behind, it->name};
  if (!punct(t, it->name_end, '(') || mentions_tparam(h, behind, it->name))
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
  return read_uses(h, f);
}

/* ---- writing ----------------------------------------------------------------------------------------------- */

static void put(const struct helper *h, struct range r, struct buf *out) {
  cxx_render(h->t, r.begin, r.end, out);
}

static void put_name(const struct helper *h, uint32_t i, struct buf *out) {
  buf_add(out, h->t->text + h->t->toks[i].at, h->t->toks[i].len);
}

/* "R(*)(…)" with a name in it: "R(*NAME)(…)" */
static void put_pointer(const char *signature, size_t k, struct buf *out) {
  const char *star = strstr(signature, "(*)") + 2;
  buf_add(out, signature, (size_t)(star - signature));
  buf_printf(out, "ckjit_f%zu%s", k, star);
}

static void put_body(const struct helper *h, const struct functions *f, struct buf *out) {
  for (uint32_t i = h->body.begin; i < h->body.end;) {
    const char *signature;
    uint32_t behind = use_at(h, i, f, &signature);
    if (h->t->toks[i].space)
      buf_putc(out, ' ');
    if (!behind) {
      put_name(h, i++, out);
      continue;
    }
    size_t k = 0;
    while (!same_text(h->t, h->uses[k].text, (struct range){i, behind}))
      k++;
    buf_printf(out, "ckjit_f%zu", k);
    i = behind;
  }
}

/* Parameters by value are passed by reference and copied once, in the erased body: a branch then passes an address
 * where the stock one copied 500 bytes of arguments. */
static void put_params(const struct helper *h, bool erased, struct buf *out) {
  for (size_t k = 0; k < h->nparams; k++) {
    const struct param *p = &h->params[k];
    if (k || (erased && h->nuses))
      buf_puts(out, ", ");
    bool value = by_value(h, p);
    if (value)
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

static void put_erased(const struct helper *h, size_t number, const struct functions *f, struct buf *out) {
  buf_puts(out, "static __attribute__((noinline)) ");
  put(h, h->result, out);
  buf_printf(out, " ckjit_erased_%zu(", number);
  for (size_t k = 0; k < h->nuses; k++) {
    buf_puts(out, k ? ", " : "");
    put_pointer(h->uses[k].signature, k, out);
  }
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
