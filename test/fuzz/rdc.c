/* rdc.c - the device side of objects with -fgpu-rdc: the sections that hold bitcode, and its symbol table. */
#include "fuzz.h"

#include "core/device/rdc.h"

static volatile size_t seen; /* so that each byte handed out is read */

static void note_symbol(const struct rdc_symbol *s, void *user) {
  CHECK(*s->name);
  seen += strlen(s->name);
  ++*(size_t *)user;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t found = 0;
  void *exact = xmalloc(size ? size : 1); /* a read behind its end is seen */
  if (size)
    memcpy(exact, data, size);
  if (rdc_symbols(exact, size, note_symbol, &found) == RDC_NONE)
    CHECK(!found);
  bitcode_symbols(exact, size, note_symbol, &found);
  free(exact);
  return 0;
}
