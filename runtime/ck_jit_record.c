/* ck_jit_record.c - the record of use of this library in a cache, as numbers of blobs. */
#include "ck_jit_record.h"
#include "ck_jit_manifest.h"
#include "ck_jit_protocol.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

const char *ckjit_record_name(const struct ckjit_wanted *w) {
  const char *file = ckjit_whole(&w->library), *slash = file ? strrchr(file, '/') : NULL;
  return slash && slash[1] && slash[1] != '.' ? slash + 1 : NULL;
}

/* The end of the record NAME in W's cache, *N bytes; free() it. NULL: there is no record. */
static char *ckjit_record_text(const struct ckjit_wanted *w, const char *name, size_t *n) {
  char path[PATH_MAX];
  bool fits =
      snprintf(path, sizeof path, "%s/" CKJIT_USED "/%s", w->cache.data, name) < (int)sizeof path;
  return fits ? ckjit_used_read(path, n) : NULL;
}

/* How much of the record, the N bytes at TEXT, is before the line that W's own compile may just
 * have written. The kernels that followed W's in the past are after W's earlier line. */
static size_t ckjit_record_before(const struct ckjit_wanted *w, const char *text, size_t n) {
  const char *at = text, *last = text + n;
  struct ckjit_used u;
  for (const char *line = text; ckjit_used_next(&at, text + n, &u); line = at)
    last = !u.kernel_len && u.stem_len == w->stem_len && memcmp(u.stem, w->stem, w->stem_len) == 0
               ? line
               : text + n;
  return (size_t)(last - text);
}

void ckjit_record_read(struct ckjit_recorded *r, const struct ckjit_wanted *w) {
  uint32_t blob_of[CKJIT_USED_KERNELS];
  const struct ckjit_used *list = r->lines;
  const char *name = ckjit_record_name(w);
  size_t len = 0;
  r->n = r->nlines = 0;
  r->text = name && w->cache.len ? ckjit_record_text(w, name, &len) : NULL;
  if (r->text)
    r->nlines = ckjit_used_list(r->text, ckjit_record_before(w, r->text, len), r->lines,
                                CKJIT_USED_KERNELS);
  for (size_t i = 0; i < r->nlines; i++)
    blob_of[i] = ckjit_facts.blobs;
  for (uint32_t b = 0; r->nlines && b < ckjit_facts.blobs; b++) {
    size_t stem_len;
    const char *stem = ckjit_stem_of(b, &stem_len);
    for (size_t i = 0; i < r->nlines; i++)
      if (list[i].stem_len == stem_len && memcmp(list[i].stem, stem, stem_len) == 0)
        blob_of[i] = b;
  }
  for (size_t i = 0; i < r->nlines; i++) {
    if (blob_of[i] == ckjit_facts.blobs || (r->n && r->blobs[r->n - 1] == blob_of[i]))
      continue; /* of another version of the library; another kernel of the same blob */
    r->follows[r->n] = i && list[i].distance <= CKJIT_USED_NEAR;
    r->blobs[r->n++] = blob_of[i];
  }
}

void ckjit_record_free(struct ckjit_recorded *r) {
  free(r->text);
}

unsigned ckjit_record_kernels(struct ckjit_text *words, const struct ckjit_recorded *r,
                              const struct ckjit_wanted *w) {
  unsigned n = 0;
  for (size_t i = 0; i < r->nlines; i++) {
    const struct ckjit_used *u = &r->lines[i];
    if (!u->kernel_len || u->stem_len != w->stem_len || memcmp(u->stem, w->stem, w->stem_len) != 0)
      continue;
    ckjit_add(words, CKJIT_THEN_KERNEL);
    ckjit_add_bytes(words, u->kernel, u->kernel_len);
    ckjit_add_bytes(words, "", 1);
    n++;
  }
  return n;
}
