/* The text of a unit comes back as it was written, for each architecture; a file that was changed, cut or lengthened
 * anywhere is refused by its name, and so is one without the architecture. */
// tier: check
#include "core/base/path.h"
#include "core/files/unittext.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *file;

static void is_refused(const char *bytes, size_t n, const char *want) {
  char *err = NULL;
  size_t len;
  assert(file_write(file, bytes, n, 0666));
  char *text = unittext_read(file, "gfx942", &len, &err);
  assert(!text && err && strstr(err, want) && strstr(err, file));
  free(err);
  free(text);
}

static void names_are(char *const *want, size_t n) {
  struct argv kernels = {0};
  char *err = NULL;
  assert(unittext_kernels(file, &kernels, &err) && kernels.n == n);
  for (size_t i = 0; i < n; i++)
    assert(strcmp(kernels.args[i], want[i]) == 0);
  argv_free(&kernels);
}

/* Never read as other names than were written. */
static void names_are_or_refused(char *const *want, size_t n) {
  struct argv kernels = {0};
  char *err = NULL;
  if (!unittext_kernels(file, &kernels, &err)) {
    assert(!kernels.n && strstr(err, file));
    free(err);
    return;
  }
  names_are(want, n);
  argv_free(&kernels);
}

int main(void) {
  char dir[] = "/tmp/unittext-XXXXXX", *err = NULL;
  assert(mkdtemp(dir));
  file = xasprintf("%s/k.text", dir);
  struct buf large = {0};
  for (int i = 0; i < 20000; i++)
    buf_printf(&large, "# %d \"gemm.hpp\"\nint f%d;\n", i, i);
  const struct unittext texts[] = {
      {"gfx90a:xnack-", large.data, large.len}, {"gfx942", "int a;\n", 7}, {"gfx1100", "", 0}};
  const struct argv kernels = {(char *[]){"_Z1kPi", "times", NULL}, 2};
  assert(unittext_write(file, texts, 3, &kernels, &err));
  for (size_t i = 0; i < 3; i++) {
    size_t len;
    char *text = unittext_read(file, texts[i].arch, &len, &err);
    assert(text && len == texts[i].len && memcmp(text, texts[i].text, len) == 0 && !text[len]);
    free(text);
  }
  names_are(kernels.args, 2);
  size_t n, len;
  char *bytes = file_read(file, &n);
  assert(bytes && n < large.len / 5);
  assert(!unittext_read(file, "gfx9", &len, &err) &&
         strstr(err, "no text for gfx9, but for gfx90a:xnack-, gfx942 and gfx1100;"));
  free(err);

  /* each change of the head and of our frame, and each length */
  size_t head = (size_t)(strstr(bytes, "\n\n") - bytes) + 2;
  for (size_t i = 0; i < n; i++) {
    if (i == head + 40)
      i = n - 40; /* the frame of another architecture is not looked at */
    char was = bytes[i], *text;
    bytes[i] ^= 1;
    assert(file_write(file, bytes, n, 0666));
    if ((text = unittext_read(file, "gfx942", &len, &err)))
      assert(len == 7 && memcmp(text, "int a;\n", 7) == 0); /* a line or a frame of the others */
    else
      free(err);
    free(text);
    names_are_or_refused(kernels.args, 2);
    bytes[i] = was;
  }
  for (size_t i = 0; i < n; i += i < head ? 1 : n / 50)
    is_refused(bytes, i, "a part of it");
  is_refused("", 0, "a part of it");
  is_refused("ckjit-text 2\n\n", 14, "a part of it");
  is_refused("ckjit-text 3\ngfx942 18446744073709551615\t1\t0123456789abcdef0123456789abcdef\n\nx", 78,
             "a part of it");
  bytes[n - 1] ^= 1;
  is_refused(bytes, n - 1, "a part of it");

  /* what is damaged is written again by the next build, what is right is not touched */
  assert(unittext_write(file, texts, 3, &kernels, &err));
  char *text = unittext_read(file, "gfx942", &len, &err);
  assert(text);
  free(text);
  assert(unittext_write(file, texts, 3, &(struct argv){0}, &err));
  names_are(NULL, 0);
  unlink(file);
  assert(!unittext_kernels(file, &(struct argv){0}, &err) && strstr(err, file));
  free(err);
  assert(!unittext_read(file, "gfx942", &len, &err) && strstr(err, file) &&
         strstr(err, "build the unit again"));
  free(err);
  char *no = xasprintf("%s/none/k.text", dir);
  assert(!unittext_write(no, texts, 3, &kernels, &err) && strstr(err, no));
  free(err);
  free(no);
  free(bytes);
  free(file);
  buf_free(&large);
  rmdir(dir);
  return 0;
}
