/* manifest_records.c - reads manifest.json.ndjson, the wrapper's own log, as a manifest: what a build has
 * recorded so far, before or without a link. Its blobs have no keys, because keys need the headers, which
 * only the post-build linker reads. So it can be listed but not built from.
 */
#include "manifest.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>

static void add_blob(struct manifest *m, struct record *r) {
  vec_push(m->blobs, m->nblobs,
           (struct manifest_blob){.stem = xstrdup(r->stem), .source = xstrdup(r->source)});
  if (!*m->compiler) {
    free(m->compiler);
    m->compiler = xstrdup(r->compiler);
    m->compiler_kind = r->compiler_kind;
  }
}

/* A source that was compiled again is in the log twice. */
static void drop_doubles(struct manifest *m) {
  size_t n = 0;
  manifest_sort(m);
  for (size_t i = 0; i < m->nblobs; i++) {
    if (n && strcmp(m->blobs[n - 1].stem, m->blobs[i].stem) == 0) {
      free(m->blobs[i].stem);
      free(m->blobs[i].source);
    } else {
      m->blobs[n++] = m->blobs[i];
    }
  }
  m->nblobs = n;
}

bool manifest_is_records(const char *text, size_t len) {
  static const char start[] = "{\"ckjit\":1,\"kind\":";
  return len >= sizeof start - 1 && memcmp(text, start, sizeof start - 1) == 0;
}

struct manifest *manifest_from_records(const char *file, const char *text, size_t len, char **err) {
  struct manifest *m = xcalloc(1, sizeof *m);
  size_t number = 0;
  m->file = xstrdup(file);
  m->root = xstrdup("");
  m->compiler = xstrdup("");
  m->compiler_kind = compiler_by_name("");
  vec_add(m->groups, m->ngroups);
  m->unkeyed = true;
  for (const char *p = text, *end = text + len; p < end;) {
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    struct record r;
    char *why;
    number++;
    if (!nl || !record_parse(p, (size_t)(nl - p), &r, &why)) {
      *err = xasprintf(
          "%s:%zu: not a record of ckjit's wrapper: %s; remove the line, or build again in a fresh work "
          "directory",
          file, number, nl ? why : "the line does not end");
      if (nl)
        free(why);
      manifest_free(m);
      return NULL;
    }
    if (r.kind == RECORD_BLOB)
      add_blob(m, &r);
    record_free(&r);
    p = nl + 1;
  }
  drop_doubles(m);
  return m;
}
