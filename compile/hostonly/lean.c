/* lean.c - see lean.h. */
#include "lean.h"
#include "core/base/path.h"
#include "core/cxx/cxxscan.h"
#include "core/cxx/cxxshape.h"

static const char in_place[] =
    "{ void ckjit_left_out() __asm__(\"__hip_ckjit_left_out\") __attribute__((weak)); "
    "ckjit_left_out(); __builtin_unreachable();";

/* hipStream_t, CK's stream_config */
static bool is_given_stream(const struct cxx_text *t, const struct cxx_item *item) {
  for (uint32_t i = item->params; i < item->sig_end; i++) {
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)t->toks[i].len, t->text + t->toks[i].at);
    if (cxx_ident(t, i) && strcasestr(word, "stream"))
      return true;
  }
  return false;
}

/* Is one of the tokens from I to END-1 a word that makes the body more than what is done? */
static bool says_more(const struct cxx_text *t, uint32_t i, uint32_t end) {
  static const char *const words[] = {"auto",        "constexpr", "consteval", "decltype",
                                      "__auto_type", "requires",  "try"};
  for (; i < end; i++)
    if (CXX_ONE_OF(t, i, words))
      return true;
  return false;
}

/* Can the body of ITEM be left out? Then it is bytes *FROM to *TO, braces included. */
static bool has_body(const struct cxx_text *t, const struct cxx_item *item, size_t *from, size_t *to) {
  struct cxx_shape d;
  if (item->kind != ITEM_SPECIALISATION || !is_given_stream(t, item) ||
      !cxx_shape_read(t, item->sig, item->end, &d) || !d.body || d.assign || says_more(t, item->sig, d.body))
    return false;
  uint32_t behind = cxx_skip_group(t, d.body, t->n);
  if (behind != item->end || !cxx_is(t, behind - 1, "}"))
    return false;
  *from = t->toks[d.body].at;
  *to = t->toks[behind - 1].at + 1;
  return !memchr(t->text + *from, '#', *to - *from);
}

static void leave_out(struct buf *out, const char *body, size_t len) {
  buf_puts(out, in_place);
  for (size_t i = 0; i < len; i++)
    if (body[i] == '\n')
      buf_puts(out, "\n");
  buf_puts(out, "}");
}

bool lean_write(const char *source, const char *file) {
  size_t len = 0, at = 0, from, to;
  autofree_buf out = {0};
  struct cxx_scan s = {0};
  autofree char *text = file_read_text(source, &len);
  if (!text || memmem(text, len, "__COUNTER__", strlen("__COUNTER__")))
    return false;
  cxx_scan(&s, text, len);
  for (size_t i = 0; i < s.nitems && !s.odd; i++) {
    if (!has_body(&s.code, &s.items[i], &from, &to) || from < at)
      continue;
    buf_add(&out, text + at, from - at);
    leave_out(&out, text + from, to - from);
    at = to;
  }
  bool done = at != 0;
  buf_add(&out, text + at, len - at);
  done = done && file_write(file, out.data, out.len, 0600);
  cxx_scan_free(&s);
  return done;
}
