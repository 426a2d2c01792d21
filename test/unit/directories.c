/* directories.c - where a clang looks for headers by itself, from its answer to -###: those of the host's pass that
 * exist, each once, in the order of its search. */
// tier: check
#include "core/base/path.h"
#include "core/cache/toolchain.h"

#include <stdio.h>
#include <stdlib.h>

static char top[] = "/tmp/ckjit-test.XXXXXX";

int main(void) {
  static const char *const expected[] = {"given", "wrappers", "c", "last"};
  struct inputs *in = xcalloc(1, sizeof *in);
  int failed = 0;
  if (!mkdtemp(top))
    return 1;
  char *program = path_join(top, "hipcc"), *memo = path_join(top, "memo"),
       *script = xasprintf(
           "#!/bin/sh\ncd %s && mkdir -p device given wrappers c last\ncat >&2 <<END\n"
           " \"/x/clang\" \"-cc1\" \"-fcuda-is-device\" \"-internal-isystem\" \"%s/device\"\n"
           " \"/x/clang\" \"-cc1\" \"-idirafter\" \"%s/last\" \"-internal-isystem\" \"%s/wrappers\""
           " \"-isystem\" \"%s/given\" \"-isystem\" \"%s/missing\" \"-internal-isystem\" \"%s/wrappers\""
           " \"-internal-externc-isystem\" \"%s/c\" \"-x\" \"hip\" \"/dev/null\"\nEND\n",
           top, top, top, top, top, top, top, top);
  if (!file_write(program, script, strlen(script), 0777))
    die(EXIT_FAILED, "%s: cannot write", program);
  toolchain_read(in, program, compiler_of_kind("hip"), "gfx90a", NULL, memo);
  for (size_t i = 0; i < sizeof expected / sizeof *expected || i < in->directories.n; i++) {
    const char *is = i < in->directories.n ? path_base(in->directories.args[i]) : "nothing";
    const char *wanted = i < sizeof expected / sizeof *expected ? expected[i] : "nothing";
    if (strcmp(is, wanted) != 0 && ++failed)
      printf("%zu: %s, not %s\n", i, is, wanted);
  }
  inputs_free(in);
  free(program);
  free(memo);
  free(script);
  dir_remove(top);
  return failed != 0;
}
