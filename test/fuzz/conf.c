/* conf.c - ckjit.conf of a fake home, read at each start of the wrapper. */
#include "fuzz.h"

#include "core/files/home.h"

/* home_read takes the directory: the input is its ckjit.conf */
static const char *home(const uint8_t *data, size_t size) {
  static char *file;
  const char *input = fuzz_file(data, size);
  if (!file) {
    file = path_join(fuzz_dir(), HOME_FILE);
    CHECK(symlink(input, file) == 0);
  }
  return fuzz_dir();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *err = NULL;
  struct home *h = home_read(home(data, size), &err);
  CHECK(!h == !!err);
  if (h)
    CHECK(h->real_home && h->real_compiler && h->real_cxx && h->work && h->link);
  home_free(h);
  free(err);
  return 0;
}
