/* blob.c - a recorded source, read for its forwarding unit. */
#include "fuzz.h"

#include "postbuild/blob.h"

/* Marks stand only where the unit's writer can fill them in. */
static void check_marks(const struct blob *b) {
  for (size_t i = 0; i < b->forward.len; i++)
    if (b->forward.data[i] == MARK_STUB) {
      CHECK(++i < b->forward.len);
      CHECK((unsigned char)b->forward.data[i] <= b->functions.n && b->forward.data[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char stem[] = "x", output[] = "/build/x.o", cwd[] = "/build", compiler[] = "/usr/bin/hipcc";
  struct record r = {.stem = stem,
                     .source = xstrdup(fuzz_file(data, size)),
                     .output = output,
                     .cwd = cwd,
                     .compiler = compiler};
  struct blob b;
  blob_read(&b, &r, NULL);
  CHECK(b.functions.n == b.signatures.n);
  if (blob_is_forwarded(&b))
    check_marks(&b);
  blob_free(&b);
  free(r.source);
  return 0;
}
