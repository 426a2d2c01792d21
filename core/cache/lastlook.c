#include "lastlook.h"
#include "core/base/path.h"
#include "abi/ck_jit_cachedir.h"
#include "abi/ck_jit_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 1024, NAMES_A_SECOND = 1000, SECONDS = 600, MOST = 256 * 1024 };

#define HEAD "ckjit-lastlook 1 "

static char *file_of(const char *dir) {
  return path_join(dir, CKJIT_LOCKS "/lastlook");
}

/* The whole file, free() it; NULL: there is none, or it is too large. */
static char *read_text(const char *dir) {
  size_t len;
  char *file = file_of(dir), *text = file_read_cached(file, MOST - 1, &len);
  free(file);
  return text;
}

bool lastlook_read(struct cachedir_sum *sum, const char *dir) {
  int64_t then, now = time(NULL);
  uint64_t names;
  int counted, n = 0;
  char *text = read_text(dir);
  *sum = (struct cachedir_sum){0};
  bool known = text &&
               sscanf(text, HEAD "%" SCNd64 " %" SCNu64 " %d %" SCNu64 " %" SCNu64 "%n", &then,
                      &names, &counted, &sum->bytes, &sum->entries, &n) == 5 &&
               text[n] == '\n' && names >= MANY && now >= then && now - then <= SECONDS &&
               (uint64_t)(now - then) <= names / NAMES_A_SECOND;
  if (!known) {
    free(text);
    *sum = (struct cachedir_sum){0};
    return false;
  }
  sum->counted = counted;
  for (const char *line = text + n + 1; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    sum->bytes += strtoull(line, NULL, 10);
    sum->entries++;
  }
  free(text);
  return true;
}

bool lastlook_is_due(const char *dir) {
  struct cachedir_sum sum;
  return !lastlook_read(&sum, dir);
}

void lastlook_add(const char *dir, uint64_t bytes) {
  char *file = file_of(dir), line[32];
  int n = snprintf(line, sizeof line, "%" PRIu64 "\n", bytes);
  struct stat st;
  int fd = ckjit_open_cached(file, O_WRONLY | O_APPEND, 0, MOST - 1, &st);
  bool added = fd >= 0 && ckjit_append_file(fd, st.st_size, line, (size_t)n) == 0;
  if (fd >= 0)
    close(fd);
  if (!added)
    unlink(file);
  free(file);
}

void lastlook_write(const char *dir, size_t names, const struct cachedir_sum *sum) {
  char *file = file_of(dir);
  char *text = xasprintf(HEAD "%" PRId64 " %zu %d %" PRIu64 " %" PRIu64 "\n", (int64_t)time(NULL),
                         names, sum->counted, sum->bytes, sum->entries);
  if (names < MANY || !file_write(file, text, strlen(text), 0600))
    unlink(file);
  free(text);
  free(file);
}

void lastlook_forget(const char *dir) {
  char *file = file_of(dir);
  unlink(file);
  free(file);
}
