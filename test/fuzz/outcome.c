/* outcome.c - ck_jit_units.txt, what a link did of each unit. What is taken is written and read again as it was. */
#include "fuzz.h"

#include "core/base/memofile.h"
#include "core/files/outcome.h"

static bool same_text(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_again(const struct outcomes *o) {
  static char *file;
  struct outcomes again;
  char *err = NULL;
  if (!file)
    file = path_join(fuzz_dir(), OUTCOME_FILE);
  CHECK(outcomes_write(file, o) && outcomes_read(file, &again, &err));
  CHECK(same_text(again.library, o->library) && same_text(again.stock, o->stock) && again.n == o->n);
  for (size_t i = 0; i < o->n; i++) {
    const struct outcome *a = &o->all[i], *b = &again.all[i];
    CHECK(a->kind == b->kind && same_text(a->source, b->source) && same_text(a->object, b->object) &&
          same_text(a->why, b->why));
    CHECK(a->helpers == b->helpers && a->tables == b->tables);
    CHECK(a->rows == b->rows || (!a->helpers && !a->tables));
  }
  outcomes_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct outcomes o;
  char *err = NULL;
  autofree char *text = xstrndup((const char *)data, size), *file = path_join(fuzz_dir(), "input");
  CHECK(memofile_write(file, "units 1", text));
  bool read = outcomes_read(file, &o, &err);
  CHECK(read == !err);
  if (read) {
    CHECK(o.library);
    for (size_t i = 0; i < o.n; i++)
      CHECK(o.all[i].source && o.all[i].object && outcome_name(o.all[i].kind) && outcome_says(o.all[i].kind));
    check_again(&o);
    outcomes_free(&o);
  }
  free(err);
  return 0;
}
