/* depfile.c - depfiles: one that a compiler wrote, and the scan of a source for the one that the wrapper
 * writes, which must come back as it went in. */
#include "fuzz.h"

#include "core/cc/deps.h"

/* the rule of an object whose source and headers are the words of TEXT */
static void read_rule(const char *text) {
  struct argv names = {0};
  deps_read(&names, text);
  for (size_t i = 0; i < names.n; i++)
    CHECK(*names.args[i] && !strchr(names.args[i], '\n'));
  argv_free(&names);
}

/* a name that a depfile can hold, from the first line: it begins as the compilers would print it, and does
 * not end in a backslash, which would hide the blank behind it */
static char *name_of(const char *text) {
  return xasprintf("/no/%.*s.cu", (int)strcspn(text, "\n"), text);
}

/* the depfile of a source of this name with these directives */
static void write_rule(const char *text, size_t size) {
  char c[] = "-c", o[] = "-ox.o", *source = name_of(text), md[] = "-MD", mp[] = "-MP", dir[] = "-I/no/d";
  char *args[] = {c, o, source, md, mp, dir, NULL};
  struct ccargs a;
  struct buf out = {0};
  struct argv names = {0};
  ccargs_scan(&a, CC_GNU, args);
  CHECK(a.source);
  deps_format(&out, &a, NULL, text, size, NULL, NULL);
  deps_read(&names, out.data);
  CHECK(names.n && strcmp(names.args[0], source) == 0);
  argv_free(&names);
  buf_free(&out);
  ccargs_free(&a);
  free(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size);
  read_rule(text);
  write_rule(text, size);
  free(text);
  return 0;
}
