/* nvcc.c - what `nvcc --dryrun` says. */
#include "fuzz.h"

#include "core/cc/nvcc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size);
  struct nvcc_plan p;
  char *why = NULL;
  CHECK(nvcc_plan_read(&p, text, &why) ? p.n && !why : why != NULL);
  for (size_t i = 0; i < p.n; i++) {
    CHECK(p.steps[i].words.n && p.steps[i].words.args[0]);
    CHECK(p.count[p.steps[i].kind] && p.first[p.steps[i].kind] <= &p.steps[i]);
    const char *value = nvcc_value(&p.steps[i], "-o");
    CHECK(!value || strlen(value) <= 16 << 20);
  }
  nvcc_plan_free(&p);
  free(why);
  free(text);
  return 0;
}
