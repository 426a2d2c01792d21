/* ownheaders.c - the headers that are the build's own, read once a link for what needs.c and onecopy.c ask: which names lead to
 * shared variables, and which templates are instantiated elsewhere (core/cxx/cxxshared.h). Headers of the system and of
 * Python packages, PyTorch's, are left out: what they declare is in libraries of their own.
 */
#include "ownheaders.h"

#include "flags.h"
#include "link.h"

#include "core/base/path.h"
#include "core/cc/deps.h"

#include <stdlib.h>
#include <string.h>

struct reading {
  struct link *l;
  struct intern read;  /* headers that were read, or need not be */
  struct intern heads; /* what units include, that was looked through */
};

bool ownheaders_is_foreign(const struct record *r, const char *file) {
  if (deps_is_installed(file))
    return true;
  for (size_t i = 0; i < r->cc.ndirs; i++) {
    char *dir = r->cc.dirs[i].kind == CC_DIR_SYSTEM ? path_abs_in(r->cwd, r->cc.dirs[i].dir) : NULL;
    bool within = dir && path_within(file, dir);
    free(dir);
    if (within)
      return true;
  }
  return false;
}

/* All headers of a unit that includes PREAMBLE (NULL: nobody knows), but for the files PARTS of its own. */
static void read_headers(struct reading *o, const struct record *r, const char *preamble,
                         const struct argv *parts) {
  struct argv flags = {0}, headers = {0};
  struct buf rule = {0};
  flags_code(&flags, r);
  char *dir = path_dir(r->source), *joined = argv_join(flags.args);
  char *key = xasprintf("%s\n%s\n%s\n%s", r->cwd, dir, joined, preamble ? preamble : r->source);
  bool new = intern_new(&o->heads, key);
  size_t len;
  char *text = new ? file_read_text(r->source, &len) : NULL, *cache = path_join(o->l->work, DEPS_CACHE);
  if (text)
    deps_format(&rule, &r->cc, r->cwd, text, len, cache);
  free(text);
  deps_read(&headers, rule.len ? rule.data : "");
  for (size_t i = 1; i < headers.n; i++) {
    char *file = path_abs_in(r->cwd, headers.args[i]);
    bool own = intern_new(&o->read, file) && !ownheaders_is_foreign(r, file) && !argv_has(parts, file);
    char *header = own ? file_read_text(file, &len) : NULL;
    if (header)
      cxx_shared_add(&o->l->headers, header, len);
    free(header);
    free(file);
  }
  argv_free(&flags);
  argv_free(&headers);
  buf_free(&rule);
  free(dir);
  free(joined);
  free(key);
  free(cache);
}

bool link_has_blob(const struct link *l, const struct record *r) {
  for (size_t i = 0; i < l->nblobs; i++)
    if (l->blobs[i].record == r)
      return true;
  return false;
}

void link_read_headers(struct link *l) {
  static const struct argv no_parts;
  struct reading o = {.l = l};
  for (size_t i = 0; i < l->nblobs; i++) {
    const struct blob *b = &l->blobs[i];
    read_headers(&o, b->record, b->preamble.len ? b->preamble.data : "", &b->parts);
  }
  for (size_t i = 0; i < l->ndispatchers && l->nblobs; i++)
    if (!link_has_blob(l, l->dispatchers[i].record))
      read_headers(&o, l->dispatchers[i].record, NULL, &no_parts);
  intern_free(&o.read);
  intern_free(&o.heads);
}
