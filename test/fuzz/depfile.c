/* depfile.c - depfiles: one that a compiler wrote, and the scan of a source for the one that the wrapper
 * writes, which must come back as it went in. */
#include "fuzz.h"

#include "core/deps.h"

/* the rule of an object whose source and headers are the words of TEXT */
static void read_rule(const char *text) {
  struct argv names = {0};
  deps_read(&names, text);
  for (size_t i = 0; i < names.n; i++)
    CHECK(*names.args[i] && !strchr(names.args[i], '\n'));
  argv_free(&names);
}

static void write_rule(const char *text, size_t size) {
  char c[] = "-c", source[] = "/no/x y$#.cu", md[] = "-MD", mp[] = "-MP", i[] = "-I/no/d",
       *args[] = {c, source, md, mp, i, NULL};
  struct ccargs a;
  struct buf out = {0};
  struct argv names = {0};
  ccargs_scan(&a, args);
  deps_format(&out, &a, text, size, NULL);
  deps_read(&names, out.data);
  CHECK(names.n && strcmp(names.args[0], source) == 0);
  argv_free(&names);
  buf_free(&out);
  ccargs_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size);
  read_rule(text);
  write_rule(text, size);
  free(text);
  return 0;
}
