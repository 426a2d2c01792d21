/* erase.c - writing an erased helper; helper.c finds it.
 *
 * Of a helper three things are written in place of its definition, dispatch.h has an example: its
 * body as a function of pointers, never inlined (ckjit_body_N), for the calls through the helper,
 * of which there may be thousands; the same once more, always inlined (ckjit_erased_N), for the few
 * calls that tables make; and the helper itself, which passes addresses to the first. The types of
 * the pointers are template parameters of both, deduced from the call: as all blobs agree on them,
 * there is one instance.
 */
#include "helper.h"

#include "core/base/intern.h"
#include "core/base/vec.h"

static void put(const struct helper *h, struct range r, struct buf *out) {
  cxx_render(h->t, r.begin, r.end, out);
}

static bool is_reference(const struct helper *h, size_t p) {
  uint32_t last = h->params[p].type.end - 1;
  return punct(h->t, last, '&') || cxx_is(h->t, last, "&&");
}

/* Specifiers that the erased function does not repeat: it is static anyway. */
static bool drops(const struct cxx_text *t, uint32_t i) {
  return cxx_is(t, i, "static") || cxx_is(t, i, "inline");
}

static bool is_static_member(const struct helper *h) {
  for (uint32_t i = h->result.begin; i < h->result.end; i++)
    if (cxx_is(h->t, i, "static"))
      return h->member;
  return false;
}

/* the body with uses and conditions replaced by pointers and template parameters */
static void put_body(const struct helper *h, struct buf *out) {
  const struct cxx_text *t = h->t;
  autofree struct hole *holes = NULL;
  size_t n = 0;
  for (uint32_t i = h->body.begin; i < h->body.end; i++) {
    struct hole hole = {0};
    for (size_t k = 0; k < h->nconds; k++)
      if (i == h->conds[k].begin)
        hole = (struct hole){i, h->conds[k].end, xasprintf("ckjit_c%zu", k), {0}};
    for (size_t k = 0; k < h->nuses && !hole.text; k++) {
      uint32_t len = h->uses[k].text.end - h->uses[k].text.begin;
      if (i + len > h->body.end || !text_same(t, h->uses[k].text, (struct range){i, i + len}) ||
          cxx_is(t, i - 1, "::") || punct(t, i - 1, '.') || cxx_is(t, i - 1, "->"))
        continue;
      hole = (struct hole){text_takes_address(t, i) ? i - 1 : i, i + len, xasprintf("ckjit_f%zu", k), {0}};
      argv_add(&hole.names, hole.text);
    }
    if (!hole.text)
      continue;
    vec_push(holes, n, hole);
    i = hole.end - 1;
  }
  text_fill(t, h->body, holes, n, out);
  holes_free(holes, n);
}

/* The parameters as they were declared or, for the erased function, as references to the copies
 * that its caller made: CK passes 500 bytes of arguments by value. */
static void put_params(const struct helper *h, bool references, bool comma, struct buf *out) {
  for (size_t k = 0; k < h->nparams; k++) {
    buf_puts(out, k || comma ? ", " : "");
    put(h, h->params[k].type, out);
    buf_puts(out, references && !is_reference(h, k) ? " &" : " ");
    text_put(h->t, h->params[k].name, out);
  }
}

static void put_arguments(const struct helper *h, struct buf *out) {
  for (size_t k = 0; k < h->nparams; k++) {
    buf_puts(out, h->nuses || k ? ", " : "");
    bool rvalue = cxx_is(h->t, h->params[k].type.end - 1, "&&");
    if (rvalue) {
      buf_puts(out, "static_cast<");
      put(h, h->params[k].type, out);
      buf_puts(out, ">(");
    }
    text_put(h->t, h->params[k].name, out);
    buf_puts(out, rvalue ? ")" : "");
  }
}

/* The pointers' types are deduced: their text in blobs need not be understood here. */
static void put_pointer_types(const struct helper *h, struct buf *out) {
  buf_puts(out, "template <");
  for (size_t k = 0; k < h->nconds; k++)
    buf_printf(out, "bool ckjit_c%zu, ", k);
  for (size_t k = 0; k < h->nuses; k++)
    buf_printf(out, "%stypename ckjit_F%zu", k ? ", " : "", k);
  buf_printf(out, ">%s ", h->member && !is_static_member(h) ? "" : " static");
}

static void put_head(const struct helper *h, const char *name, bool references, struct buf *out) {
  for (uint32_t i = h->result.begin; i < h->result.end; i++)
    if (!drops(h->t, i)) {
      cxx_render(h->t, i, i + 1, out);
      buf_putc(out, ' ');
    }
  buf_printf(out, "ckjit_%s_%u(", name, h->number);
  for (size_t k = 0; k < h->nuses; k++)
    buf_printf(out, "%sckjit_F%zu ckjit_f%zu", k ? ", " : "", k, k);
  put_params(h, references, h->nuses > 0, out);
  buf_puts(out, ") ");
  put(h, h->qualifiers, out);
}

static void put_conds(const struct helper *h, struct buf *out) {
  for (size_t k = 0; k < h->nconds; k++)
    buf_printf(out, "%sckjit_c%zu%s", k ? ", " : "<", k, k + 1 == h->nconds ? ">" : "");
}

/* No word of the body may be a macro: it could name a template parameter, or hide a word that the
 * body must not have. */
static void put_checks(const struct helper *h, struct buf *out) {
  autofree_intern words = {0};
  for (uint32_t i = h->body.begin; i < h->body.end; i++) {
    if (!ident(h->t, i))
      continue;
    autofree char *word = cxx_spelling(h->t, i);
    if (intern_new(&words, word))
      buf_printf(out, "#ifdef %s\n#error \"a macro\"\n#endif\n", word);
  }
}

/* The body is written twice. Calls in tables use the helper's own parameters and are inlined, as
 * the regular compiler would inline them: it then sees that the copy of the arguments is not needed
 * (CK's backward: 9 of 76 ns a call). */
static void put_erased(const struct helper *h, struct buf *out) {
  buf_putc(out, '\n');
  put_checks(h, out);
  put_pointer_types(h, out);
  buf_puts(out, "__attribute__((noinline)) ");
  put_head(h, "body", true, out);
  put_body(h, out);
  buf_putc(out, '\n');
  put_pointer_types(h, out);
  buf_puts(out, "inline __attribute__((always_inline)) ");
  put_head(h, "erased", false, out);
  put_body(h, out);
  buf_putc(out, '\n');
}

/* A function that is used only if a condition holds must not even be named if it does not: CK's
 * convert_dq<void> is nowhere defined. */
static void put_pointer(const struct helper *h, size_t k, struct buf *out) {
  const struct use *u = &h->uses[k];
  if (u->cond >= 0) {
    buf_printf(out, "ckjit_f%zu", k);
    return;
  }
  buf_putc(out, '&');
  put(h, u->text, out);
}

static void put_wrapper(const struct helper *h, struct buf *out) {
  put(h, h->header, out);
  buf_puts(out, " __attribute__((noinline)) ");
  put(h, h->result, out);
  buf_printf(out, " %s(", h->name);
  put_params(h, false, false, out);
  buf_puts(out, ") ");
  put(h, h->qualifiers, out);
  buf_puts(out, " { ");
  for (size_t k = 0; k < h->nconds; k++) {
    buf_printf(out, "constexpr bool ckjit_c%zu = ", k);
    put(h, h->conds[k], out);
    buf_puts(out, "; ");
  }
  for (size_t k = 0; k < h->nuses; k++) {
    if (h->uses[k].cond < 0)
      continue;
    buf_printf(out, "constexpr decltype(&");
    put(h, h->uses[k].text, out);
    buf_printf(out, ") ckjit_f%zu = %sckjit_c%d ? &", k, h->uses[k].arm ? "" : "!", h->uses[k].cond);
    put(h, h->uses[k].text, out);
    buf_puts(out, " : nullptr; ");
  }
  buf_printf(out, "return ckjit_body_%u", h->number);
  put_conds(h, out);
  buf_putc(out, '(');
  for (size_t k = 0; k < h->nuses; k++) {
    buf_puts(out, k ? ", " : "");
    put_pointer(h, k, out);
  }
  put_arguments(h, out);
  buf_puts(out, "); }\n");
}

void helper_write(const struct helper *h, struct buf *out) {
  put_erased(h, out);
  put_wrapper(h, out);
}
