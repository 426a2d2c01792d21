/* The key of a lazy unit is the same by the texts and by the file that has them, and another for any other text, architecture, flag of the
 * code or compiler. A file that is not understood has none. */
// tier: check
#include "core/base/path.h"
#include "core/files/unitkey.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *words[] = {"-O3", "-std=c++17", NULL}, *other_words[] = {"-O2", "-std=c++17", NULL};
static char *with_warnings[] = {"-O3", "-std=c++17", "-Wall", NULL};

static void key_of(char key[DIGEST_HEX], const struct unittext *texts, size_t n, char *const *device,
                   const char *compiler) {
  struct buf lines = {0};
  unitkey_texts(&lines, texts, n);
  unitkey_make(key, &lines, CC_GNU, device, compiler);
  buf_free(&lines);
}

static void differs(const char *key, const struct unittext *texts, size_t n, char *const *device,
                    const char *compiler) {
  char other[DIGEST_HEX];
  key_of(other, texts, n, device, compiler);
  assert(strcmp(key, other) != 0);
}

int main(void) {
  char dir[] = "/tmp/unitkey-XXXXXX", key[DIGEST_HEX], again[DIGEST_HEX], *err = NULL;
  assert(mkdtemp(dir));
  char *file = xasprintf("%s/k.text", dir);
  const struct unittext texts[] = {{"gfx90a", "int a;\n", 7}, {"gfx942", "int a;\nint b;\n", 14}};
  const struct unittext arch[] = {{"gfx90a", "int a;\n", 7}, {"gfx950", "int a;\nint b;\n", 14}};
  const struct unittext text[] = {{"gfx90a", "int a;\n", 7}, {"gfx942", "int a;\nint c;\n", 14}};
  key_of(key, texts, 2, words, "c");
  key_of(again, texts, 2, with_warnings, "c");
  assert(strcmp(key, again) == 0);
  differs(key, texts, 1, words, "c");
  differs(key, arch, 2, words, "c");
  differs(key, text, 2, words, "c");
  differs(key, texts, 2, other_words, "c");
  differs(key, texts, 2, words, "d");

  struct buf lines = {0};
  const struct argv kernels = {(char *[]){"_Z1kPi", NULL}, 1}; /* not in it */
  assert(unittext_write(file, texts, 2, &kernels, &err) && unitkey_file(&lines, file, &err));
  unitkey_make(again, &lines, CC_GNU, words, "c");
  assert(strcmp(key, again) == 0);
  buf_free(&lines);
  assert(file_write(file, "ckjit-text 3\ngfx942 7", 21, 0666) && !unitkey_file(&lines, file, &err));
  assert(strstr(err, file) && strstr(err, "a part of it"));
  free(err);
  buf_free(&lines);
  unlink(file);
  assert(!unitkey_file(&lines, file, &err) && strstr(err, file));
  free(err);
  free(file);
  rmdir(dir);
  return 0;
}
