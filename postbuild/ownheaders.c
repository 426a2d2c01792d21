/* ownheaders.c - the headers that are the build's own, read once a link for what needs.c and onecopy.c ask: which names lead to
 * shared variables, and which templates are instantiated elsewhere (core/cxx/cxxshared.h). Headers of the system and of
 * Python packages, PyTorch's, are left out: what they declare is in libraries of their own.
 */
#include "ownheaders.h"

#include "flags.h"
#include "link.h"

#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cc/deps.h"

#include <stdlib.h>
#include <string.h>

/* What headers add to the late blobs that include them. */
struct added {
  /* why these cannot be late; NULL: nothing keeps them from it */
  char *why;
  /* last names of functions */
  struct argv functions;
};

struct reading {
  struct link *l;
  /* headers that were read, or need not be, and what each of them adds */
  struct intern read;
  struct added *of_file;
  size_t nfiles;
  /* what units include, that was looked through, and what that adds */
  struct intern heads;
  struct added *of_head;
  size_t nheads;
};

static void added_free(struct added *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    free(list[i].why);
    argv_free(&list[i].functions);
  }
  free(list);
}

/* What FILE adds, which is read if it is new and the build's own. */
static const struct added *read_header(struct reading *o, const struct record *r, const char *file,
                                       const struct argv *parts) {
  size_t len, at = intern(&o->read, file);
  if (at < o->nfiles)
    return &o->of_file[at];
  struct added *a = vec_add(o->of_file, o->nfiles);
  bool own = !ownheaders_is_foreign(r, file) && !argv_has(parts, file);
  char *header = own ? file_read_text(file, &len) : NULL;
  struct reason why = {0};
  if (header)
    cxx_shared_add(&o->l->headers, header, len);
  if (header && definitions_in_header(&a->functions, header, len, &why)) {
    struct buf said = {0};
    reason_sentence(&said, &why);
    a->why = xasprintf("%s:%u: %s", path_base(file), why.line, said.data);
    buf_free(&said);
  }
  free(header);
  return a;
}

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

/* Read all headers of a unit that includes PREAMBLE (NULL: nobody knows), but for the files PARTS of
 * its own. Returns what they add to it; borrowed until the next call. */
static const struct added *read_headers(struct reading *o, const struct record *r, const char *preamble,
                                        const struct argv *parts) {
  struct argv flags = {0}, headers = {0};
  flags_code(&flags, r);
  char *dir = path_dir(r->source), *joined = argv_join(flags.args);
  char *key = xasprintf("%s\n%s\n%s\n%s", r->cwd, dir, joined, preamble ? preamble : r->source);
  size_t len, head = intern(&o->heads, key);
  bool new = head == o->nheads;
  char *text = new ? file_read_text(r->source, &len) : NULL, *cache = path_join(o->l->work, DEPS_CACHE);
  if (new)
    vec_add(o->of_head, o->nheads);
  if (text)
    deps_list(&headers, &r->cc, r->cwd, text, len, cache);
  struct added *all = &o->of_head[head];
  for (size_t i = 1; i < headers.n; i++) {
    char *file = path_abs_in(r->cwd, headers.args[i]);
    const struct added *a = read_header(o, r, file, parts);
    if (a->why && !all->why)
      all->why = xstrdup(a->why);
    if (a->functions.n)
      argv_add_all(&all->functions, a->functions.args);
    free(file);
  }
  argv_unique(&all->functions);
  argv_free(&flags);
  argv_free(&headers);
  free(text);
  free(dir);
  free(joined);
  free(key);
  free(cache);
  return all;
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
    struct blob *b = &l->blobs[i];
    const struct added *a = read_headers(&o, b->record, b->preamble.len ? b->preamble.data : "", &b->parts);
    if (b->late && a->why)
      blob_settle(b, BLOB_AHEAD, xstrdup(a->why));
    if (b->late && a->functions.n)
      argv_add_all(&b->in_headers, a->functions.args);
  }
  for (size_t i = 0; i < l->ndispatchers && l->nblobs; i++)
    if (!link_has_blob(l, l->dispatchers[i].record))
      read_headers(&o, l->dispatchers[i].record, NULL, &no_parts);
  intern_free(&o.read);
  intern_free(&o.heads);
  added_free(o.of_file, o.nfiles);
  added_free(o.of_head, o.nheads);
}
