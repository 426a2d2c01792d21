/* used.c - a record of use: nothing is read behind its end, and what is read is in it, each kernel once. */
#include "fuzz.h"

#include "abi/ck_jit_used.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { MOST = 8 };
  struct ckjit_used list[MOST], u;
  const char *text = (const char *)data, *at = text;
  size_t lines = 0, n = ckjit_used_list(text, size, list, MOST);
  while (ckjit_used_next(&at, text + size, &u))
    lines++;
  CHECK(n <= MOST && n <= lines && (n > 0) == (lines > 0));
  for (size_t i = 0; i < n; i++) {
    const struct ckjit_used *l = &list[i];
    CHECK(l->stem >= text && l->stem_len && l->stem + l->stem_len <= text + size);
    CHECK(!memchr(l->stem, '\n', l->stem_len) && !memchr(l->stem, 0, l->stem_len));
    CHECK(!l->kernel_len || (l->kernel > l->stem && l->kernel + l->kernel_len <= text + size));
    for (size_t k = 0; k < i; k++)
      CHECK(!ckjit_used_same(l, &list[k]));
  }
  return 0;
}
