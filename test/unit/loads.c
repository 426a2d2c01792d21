/* loads.c - a program is asked for its libraries unless another one that was asked has them all and
 * looks for them in the same places, or it has only those of a language's runtime, zlib, and what
 * gcc's programs calculate with. */
// tier: check
#include "core/base/path.h"
#include "core/cache/toolchain.h"

#include <stdio.h>
#include <stdlib.h>

static char dir[] = "/tmp/ckjit-test.XXXXXX";

/* Link the program NAME with OPTIONS; free() its path. */
static char *program(const char *name, const char *options) {
  char *file = path_join(dir, name), *above = path_dir(file);
  char *command = xasprintf(
      "mkdir -p %s && echo 'int main(void) { return 0; }' | cc -x c - -x none -Wl,--no-as-needed %s -o %s",
      above, options, file);
  if (system(command) != 0)
    die(EXIT_FAILED, "%s", command);
  free(command);
  free(above);
  return file;
}

static int failed;

static void expect(struct argv *known, const char *name, const char *options, bool asked) {
  char *file = program(name, options);
  if (toolchain_loads_others(known, file) != asked && ++failed)
    printf("%s (%s) is%s asked\n", name, options, asked ? " not" : "");
  free(file);
}

int main(void) {
  struct argv known = {0};
  if (system("cc --version >/dev/null 2>&1") != 0)
    return 77;
  if (!mkdtemp(dir))
    return 1;
  expect(&known, "a/runtime", "-lm -ldl -lrt -lpthread", false);
  expect(&known, "a/zlib", "-l:libz.so.1", false);
  static const char *const of_gcc[] = {"libgmp.so.10", "libisl.so.23", "libmpc.so.3", "libmpfr.so.6"};
  for (size_t i = 0; i < sizeof of_gcc / sizeof *of_gcc; i++) {
    char *options = xasprintf("-shared -Wl,-soname,%s", of_gcc[i]), *library = program(of_gcc[i], options);
    expect(&known, "a/gcc", library, false);
    free(options);
    free(library);
  }
  expect(&known, "a/first", "-lresolv", true);
  expect(&known, "a/same", "-lresolv", false);
  expect(&known, "b/fewer", "", false);
  expect(&known, "a/more", "-lresolv -lanl", true);
  expect(&known, "a/elsewhere", "-lresolv -Wl,-rpath,/opt/lib", true);
  expect(&known, "b/elsewhere", "-lresolv -Wl,-rpath,/opt/lib", false);
  expect(&known, "a/beside", "-lresolv -Wl,-rpath,'$ORIGIN/../lib'", true);
  expect(&known, "a/beside2", "-Wl,-rpath,'$ORIGIN/../lib'", false);
  expect(&known, "b/beside", "-lresolv -Wl,-rpath,'$ORIGIN/../lib'", true);
  expect(&known, "a/static", "-static", false);
  char *script = path_join(dir, "script");
  file_write(script, "#!/bin/sh\n", 10, 0777);
  if (toolchain_loads_others(&known, script) && ++failed)
    puts("a script is asked");
  free(script);
  argv_free(&known);
  dir_remove(dir);
  return failed != 0;
}
