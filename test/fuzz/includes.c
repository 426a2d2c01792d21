/* includes.c - an entry of the include cache, which the wrapper believes as far as the stamps in it are
 * right. The input is what stands behind the entry's key. */
#include "fuzz.h"

#include "core/base/memofile.h"
#include "core/cc/depcache.h"

#include <dirent.h>

/* the file that holds the answer to KEY: the one that is made when KEY is met for the first time */
static char *entry_of(const struct buf *key) {
  struct deps d = {0};
  CHECK(depcache_read(fuzz_dir(), key, &d) == DEPCACHE_NEW);
  deps_free(&d);
  char *file = NULL;
  DIR *dir = opendir(fuzz_dir());
  CHECK(dir);
  for (struct dirent *e; (e = readdir(dir));)
    if (e->d_name[0] != '.')
      file = path_join(fuzz_dir(), e->d_name);
  closedir(dir);
  CHECK(file);
  return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char text[] = "k1:a\n", *file;
  const struct buf key = {text, sizeof text - 1, 0};
  struct deps d = {0};
  if (!file)
    file = entry_of(&key);
  autofree char *entry = xstrndup((const char *)data, size);
  CHECK(memofile_write(file, "includes k1:a\n", entry));
  enum depcache answer = depcache_read(fuzz_dir(), &key, &d);
  CHECK(answer == DEPCACHE_HIT || (answer == DEPCACHE_MISS && !d.n));
  for (size_t i = 0; i < d.n; i++)
    CHECK(d.list[i].listed && d.list[i].stamp);
  deps_free(&d);
  return 0;
}
