/* blobnames.c - finds blobs by the names that users have.
 *
 * Lists of blobs come from logs, from `ls` of a cache directory and from build trees, so every form
 * is accepted and they may be mixed: stems, base names, source paths, cached files by their plain
 * or keyed name, kernels of lazy units. A name that matches no blob is an error before any work
 * starts: a typo must not surface after the hours that the other blobs take. */
#include "blobnames.h"
#include "lazykernels.h"
#include "prebuild.h"
#include "select.h"
#include "core/files/bloblist.h"

void blobnames_read_list(struct request *r, const char *option, const char *file) {
  char *err;
  size_t before = r->names.n;
  if (!bloblist_read(file, &r->names, &r->where, &err))
    die(EXIT_FAILED, "%s %s", option, err);
  if (r->names.n == before)
    warn("%s %s: it names no blob; expected one name per line", option, file);
  r->lists = true;
}

/* Report that the I-th name matches no blob, after BEFORE others. A list from another build has
 * hundreds of such names. */
static void tell_unknown(const struct request *r, size_t i, size_t before) {
  enum { MESSAGES = 20, SUGGESTIONS = 3 };
  const char *name = r->names.args[i], *where = r->where.args[i];
  if (before == MESSAGES)
    note("more names are unknown; only the first %d are listed", MESSAGES);
  if (before >= MESSAGES)
    return;
  autofree char *why = manifest_unknown(r->m, name, before < SUGGESTIONS);
  complain("%s%s%s%s", where, *where ? ": " : "", why,
           strcmp(name, "all") == 0 ? "; --all means every blob" : "");
}

bool blobnames_take(struct request *r) {
  const struct manifest *m = r->m;
  r->blobs = xcalloc(m->nblobs, sizeof *r->blobs);
  autofree bool *wanted = xcalloc(m->nblobs, sizeof *wanted);
  r->unknown = xcalloc(r->names.n + 1, sizeof *r->unknown);
  for (size_t i = 0; i < r->names.n; i++) {
    if (kernels_take(r, r->names.args[i], wanted))
      continue;
    const struct manifest_blob *blob = kernels_find_whole(r, r->names.args[i]);
    if (blob)
      kernels_take_whole(r, blob, wanted);
    r->unknown[i] = !blob;
  }
  bool ok = !r->matrix || matrix_select(r, wanted);
  for (size_t i = 0; r->all && i < m->nblobs; i++)
    kernels_take_whole(r, &m->blobs[i], wanted);
  return ok;
}

bool blobnames_resolve(struct request *r) {
  bool ok = blobnames_take(r);
  size_t unknown = 0;
  for (size_t i = 0; i < r->names.n; i++)
    if (r->unknown[i])
      tell_unknown(r, i, unknown++);
  return ok && !unknown;
}
