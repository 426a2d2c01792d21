/* profile.c - rule profiles, YAML. */
#include "fuzz.h"

#include "driver/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *err = NULL;
  struct profile *p = profile_read(fuzz_file(data, size), &err);
  CHECK(!p == !!err);
  if (p)
    CHECK(p->compilers.n && *p->compilers.args[0]);
  profile_free(p);
  free(err);
  return 0;
}
