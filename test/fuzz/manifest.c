/* manifest.c - ck_jit_manifest.json: read, searched, merged with itself, written and read again. */
#include "fuzz.h"

#include "core/files/manifest.h"

static void check(const struct manifest *m) {
  for (size_t i = 0; i < m->nblobs; i++) {
    const struct manifest_blob *b = &m->blobs[i];
    CHECK(b->group < m->ngroups && b->stem && b->source);
    CHECK(manifest_find(m, b->stem) == b && manifest_find_any(m, b->stem) == b);
    CHECK(!strchr(b->stem, '/') && *b->stem);
    free(manifest_expand(b->source, m->root));
  }
}

/* A manifest that is written is read as the same. */
static void write_and_read(const struct manifest *m) {
  char *file = path_join(fuzz_dir(), "manifest"), *err = NULL;
  CHECK(manifest_write(m, file, &err));
  struct manifest *again = manifest_read(file, &err);
  free(file);
  CHECK(again && again->nblobs == m->nblobs && again->ngroups == m->ngroups);
  for (size_t i = 0; i < m->nblobs; i++)
    CHECK(strcmp(m->blobs[i].source, again->blobs[i].source) == 0 &&
          memcmp(m->blobs[i].key, again->blobs[i].key, sizeof m->blobs[i].key) == 0);
  manifest_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *file = fuzz_file(data, size);
  char *err = NULL;
  struct manifest *m = manifest_read(file, &err), *twin = m ? manifest_read(file, &err) : NULL;
  CHECK(!m == !!err);
  if (m) {
    size_t n = m->nblobs;
    check(m);
    if (!m->unkeyed)
      write_and_read(m);
    CHECK(manifest_merge(m, twin, &err) && m->nblobs == n);
    check(m);
  }
  manifest_free(m);
  free(err);
  return 0;
}
