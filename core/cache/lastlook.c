#include "lastlook.h"
#include "core/base/memofile.h"
#include "core/base/path.h"
#include "abi/ck_jit_cachedir.h"

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 1024, NAMES_A_SECOND = 1000, SECONDS = 600 };

#define MEMO "lastlook" /* its name */

static char *file_of(const char *dir) {
  return path_join(dir, CKJIT_LOCKS "/lastlook");
}

/* What the file says; false: there is none. */
static bool load(const char *dir, int64_t *then, uint64_t *names, struct cachedir_sum *sum) {
  int counted, n = 0;
  autofree char *file = file_of(dir), *text = memofile_read(file, MEMO);
  bool known = text &&
               sscanf(text, "%" SCNd64 " %" SCNu64 " %d %" SCNu64 " %" SCNu64 "%n", then, names,
                      &counted, &sum->bytes, &sum->entries, &n) == 5 &&
               !text[n];
  sum->counted = known && counted;
  return known;
}

static void store(const char *dir, int64_t then, uint64_t names, const struct cachedir_sum *sum) {
  autofree char *file = file_of(dir);
  autofree char *text = xasprintf("%" PRId64 " %" PRIu64 " %d %" PRIu64 " %" PRIu64, then, names,
                                  sum->counted, sum->bytes, sum->entries);
  if (names < MANY || !memofile_write(file, MEMO, text))
    unlink(file);
}

bool lastlook_read(struct cachedir_sum *sum, const char *dir) {
  int64_t then, now = time(NULL);
  uint64_t names;
  *sum = (struct cachedir_sum){0};
  if (load(dir, &then, &names, sum) && names >= MANY && now >= then && now - then <= SECONDS &&
      (uint64_t)(now - then) <= names / NAMES_A_SECOND)
    return true;
  *sum = (struct cachedir_sum){0};
  return false;
}

bool lastlook_is_due(const char *dir) {
  struct cachedir_sum sum;
  return !lastlook_read(&sum, dir);
}

void lastlook_add(const char *dir, uint64_t bytes) {
  struct cachedir_sum sum = {0};
  int64_t then;
  uint64_t names;
  if (!load(dir, &then, &names, &sum))
    return;
  sum.bytes += bytes;
  sum.entries++;
  store(dir, then, names, &sum);
}

void lastlook_write(const char *dir, size_t names, const struct cachedir_sum *sum) {
  store(dir, time(NULL), names, sum);
}

void lastlook_forget(const char *dir) {
  autofree char *file = file_of(dir);
  unlink(file);
}
