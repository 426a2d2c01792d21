/* entryarch.c - the GPUs that a file has code for. A build id has only a hash of the architectures;
 * the code itself shows them. */
#include "entries.h"
#include "prebuild/entryfile.h"

static void add(const struct entry_code *code, void *archs) {
  argv_add_once(archs, xstrdup(code->arch));
}

void entry_archs(struct argv *archs, const char *file) {
  struct entry_file f;
  if (!entry_open(&f, file))
    return;
  entry_codes(&f, add, archs);
  entry_close(&f);
}
