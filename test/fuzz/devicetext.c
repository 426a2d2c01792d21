/* devicetext.c - device text without the bodies of kernels, and with one kernel's alone. */
#include "fuzz.h"

#include "core/cxx/devicetext.h"

static size_t lines(const char *s, size_t n) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    count += s[i] == '\n';
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = xmalloc(size ? size : 1); /* a read behind its end is seen */
  struct buf once = {0}, twice = {0};
  if (size)
    memcpy(text, data, size);
  size_t bodies = devicetext_without_bodies(text, size, &once);
  if (bodies) {
    CHECK(once.len <= size && lines(once.data, once.len) == lines(text, size));
    CHECK(devicetext_without_bodies(once.data, once.len, &twice) == bodies);
    CHECK(twice.len == once.len && memcmp(twice.data, once.data, once.len) == 0);
  }
  struct buf selected = {0};
  size_t found = devicetext_select(text, size, "_Z1kv", &selected); /* a pragma may be in its way */
  CHECK(!found || (found == bodies && lines(selected.data, selected.len) == lines(text, size)));
  struct buf alone = {0};
  found = devicetext_select_alone(text, size, "_Z1kv", &alone);
  CHECK(!found || lines(alone.data, alone.len) == lines(text, size));
  buf_free(&alone);
  devicetext_variables(text, size);
  struct devicetext_named *names;
  size_t n;
  devicetext_names(text, size, "_id", &names, &n);
  for (size_t i = 0; i < n; i++) {
    CHECK(*names[i].name && (!names[i].device || strstr(names[i].device, names[i].name)));
    free(names[i].name);
    free(names[i].scope);
    free(names[i].device);
  }
  free(names);
  buf_free(&selected);
  buf_free(&once);
  buf_free(&twice);
  free(text);
  return 0;
}
