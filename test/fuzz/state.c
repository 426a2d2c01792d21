/* state.c - ck_jit_quick_rebuild.json: read, written and read again. */
#include "fuzz.h"

#include "core/files/state.h"

static void same(const struct argv *a, const struct argv *b) {
  CHECK(a->n == b->n);
  for (size_t i = 0; i < a->n; i++)
    CHECK(strcmp(a->args[i], b->args[i]) == 0);
}

/* What is written is read as the same. */
static void write_and_read(const struct state *s) {
  char *file = path_join(fuzz_dir(), "state"), *err = NULL;
  if (!state_write(file, s, &err)) { /* a word with the mark for the work directory */
    CHECK(strstr(err, "{jit}"));
    free(err);
    free(file);
    return;
  }
  struct state *again = state_read(file, &err);
  free(file);
  CHECK(again && strcmp(s->out_so, again->out_so) == 0 && strcmp(s->runtime_obj, again->runtime_obj) == 0);
  same(&s->all_objs, &again->all_objs);
  same(&s->arch_fl, &again->arch_fl);
  same(&s->link, &again->link);
  same(&s->runtime_cc, &again->runtime_cc);
  state_free(again);
  free(again);
}

/* A file with a directory: a state is read only if that is the user's own. */
static const char *state_file(const uint8_t *data, size_t size) {
  static char *file;
  if (!file)
    file = path_join(fuzz_dir(), "input");
  CHECK(file_overwrite(file, data, size, 0600));
  return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *err = NULL;
  struct state *s = state_read(state_file(data, size), &err);
  CHECK(!s == !!err);
  if (s) {
    write_and_read(s);
    state_free(s);
    free(s);
  }
  free(err);
  return 0;
}
