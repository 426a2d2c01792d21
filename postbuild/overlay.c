#include "overlay.h"

#include "postbuild/dispatch/helper.h"

#include "core/cc/deps.h"
#include "core/base/path.h"
#include "abi/ck_jit_abi.h"

#include <jansson.h>

/* the headers that R includes, found by the wrapper's scan: the compiler has not run yet */
static void list_headers(const struct record *r, const char *text, size_t len, struct argv *out) {
  autofree_argv all = {0};
  deps_list(&all, &r->cc, r->cwd, text, len, NULL);
  for (size_t i = 0; i < all.n; i++)
    argv_add_own(out, path_abs_in(r->cwd, all.args[i]));
}

/* Only a header that names one of the functions, or a helper found before, can hold a helper. */
static bool may_hold(const char *text, size_t len, const struct functions *f, const struct helpers *hs) {
  for (size_t i = 0; i < f->names.n; i++)
    if (memmem(text, len, f->names.args[i], strlen(f->names.args[i])))
      return true;
  for (size_t i = 0; i < hs->n; i++)
    if (memmem(text, len, hs->all[i].name, strlen(hs->all[i].name)))
      return true;
  return false;
}

static void write_or_die(const char *file, const struct buf *b) {
  if (!file_update(file, b->data, b->len, 0666))
    die(EXIT_FAILED, "%s: cannot write the rewritten header: %s", file, strerror(errno));
}

static void write_overlay(struct overlay *o, json_t *roots, const char *file) {
  json_t *all = json_pack("{s:i, s:b, s:o}", "version", 0, "use-external-names", 0, "roots", roots);
  autofree char *text = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
  if (!text)
    die(EXIT_FAILED, "%s: cannot make the overlay of headers", file);
  struct buf b = {text, strlen(text), 0};
  write_or_die(file, &b);
  o->file = xstrdup(file);
  json_decref(all);
}

void overlay_make(struct overlay *o, const struct record *r, const char *text, size_t len,
                  const struct functions *f, const char *dir) {
  autofree_argv headers = {0};
  *o = (struct overlay){.helpers = dispatch_headers()};
  list_headers(r, text, len, &headers);
  json_t *roots = json_array();
  bool named = true;
  for (size_t i = headers.n;
       i-- > 1;) { /* from the last: a header uses what it includes, which comes later */
    size_t n;
    autofree char *header = file_read(headers.args[i], &n);
    autofree_buf out = {0};
    if (header && may_hold(header, n, f, o->helpers) && dispatch_header(o->helpers, &out, header, n, f)) {
      autofree char *file = xasprintf("%s/%s-%zu.hpp", dir, r->stem, i);
      write_or_die(file, &out);
      o->digest = o->digest * 31 + ckjit_fnv1a(out.data, out.len);
      named &= !json_array_append_new(roots, json_pack("{s:s, s:s, s:s}", "type", "file", "name",
                                                       headers.args[i], "external-contents", file));
    }
  }
  struct cxx_text t;
  bool used = named && o->helpers->n && cxx_lex(&t, text, len);
  if (used) {
    used = helpers_used(o->helpers, &t);
    cxx_text_free(&t);
  }
  if (used) { /* not if a header's name is no UTF-8: an overlay cannot say it */
    autofree char *file = xasprintf("%s/%s.overlay", dir, r->stem);
    o->nhelpers = o->helpers->n;
    write_overlay(o, roots, file);
  } else {
    json_decref(roots);
    dispatch_headers_free(o->helpers);
    o->helpers = NULL;
  }
}

void overlay_free(struct overlay *o) {
  dispatch_headers_free(o->helpers);
  free(o->file);
  *o = (struct overlay){0};
}
