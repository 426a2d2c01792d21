/* inputs.c - from what a user has at hand to blobs.
 *
 * Lists of blobs come from logs, from `ls` of a cache directory and from build trees, so every form counts
 * and they may be mixed: stems, base names, source paths, cached files under their plain or keyed name. A
 * name that means no blob is an error before anything is done: a typing error must not cost the hours that
 * the other blobs take. */
#include "inputs.h"
#include "prebuild.h"
#include "select.h"
#include "core/files/bloblist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void inputs_read_list(struct request *r, const char *file) {
  char *err;
  if (!bloblist_read(file, &r->names, &r->where, &err))
    die(EXIT_FAILED, "--blob-list %s", err);
  r->lists = true;
}

bool inputs_resolve(struct request *r) {
  const struct manifest *m = r->m;
  r->blobs = xcalloc(m->nblobs, sizeof *r->blobs);
  bool *wanted = xcalloc(m->nblobs, sizeof *wanted), ok = true;
  for (size_t i = 0; i < r->names.n; i++) {
    const struct manifest_blob *blob = manifest_find_any(m, r->names.args[i]);
    const char *where = r->where.args[i];
    if (!blob) {
      complain("%s%sunknown blob '%s': none of the %zu in %s; `ckjit-prebuild list` prints them", where,
               *where ? ": " : "", r->names.args[i], m->nblobs, m->file);
      ok = false;
    } else if (!wanted[blob - m->blobs]) {
      wanted[blob - m->blobs] = true;
      r->blobs[r->nblobs++] = blob;
    }
  }
  if (r->matrix && !matrix_select(r, wanted))
    ok = false;
  for (size_t i = 0; r->all && i < m->nblobs; i++)
    if (!wanted[i])
      r->blobs[r->nblobs++] = &m->blobs[i];
  free(wanted);
  return ok;
}
