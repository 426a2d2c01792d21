/* rdc.c - the device side of objects: offload bundles, sections that hold bitcode, and its symbol table. */
#include "fuzz.h"

#include "core/device/bundle.h"
#include "core/device/rdc.h"

static volatile size_t seen; /* so that each byte handed out is read */

static void note_symbol(const struct rdc_symbol *s, void *user) {
  CHECK(*s->name);
  seen += strlen(s->name);
  ++*(size_t *)user;
}

static void read_bundle(const void *bytes, size_t size) {
  struct bundle b;
  struct bundle_entry e;
  if (!bundle_open(&b, bytes, size))
    return;
  while (bundle_next(&b, &e)) {
    CHECK(e.arch_len <= e.id_len);
    seen += (e.id_len ? (size_t)e.id[e.id_len - 1] : 0) + (e.size ? (size_t)e.data[e.size - 1] : 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t found = 0;
  void *exact = xmalloc(size ? size : 1); /* a read behind its end is seen */
  if (size)
    memcpy(exact, data, size);
  if (rdc_symbols(exact, size, note_symbol, &found) == RDC_NONE)
    CHECK(!found);
  bitcode_symbols(exact, size, note_symbol, &found);
  read_bundle(exact, size);
  free(exact);
  return 0;
}
