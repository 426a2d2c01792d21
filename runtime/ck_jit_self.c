/* ck_jit_self.c - the file of this library. */
#include "ck_jit_self.h"
#include "ck_jit_entry.h"
#include "ck_jit_file.h"
#include "ck_jit_manifest.h"
#include "ck_jit_origin.h"

#include <inttypes.h>
#include <stdlib.h>

bool ckjit_add_library(struct ckjit_text *t) {
  char file[CKJIT_ORIGIN_SIZE];
  Dl_info info;
  struct link_map *map;
  if (!dladdr1((void *)ckjit_resolve, &info, (void **)&map, RTLD_DL_LINKMAP) ||
      !ckjit_loaded_as(map, file))
    return false;
  ckjit_add(t, file);
  return true;
}

/* The path in LINE of /proc/self/maps, where a newline is written as \012; NULL: it has none. */
static char *ckjit_path_of_line(char *line) {
  char *path = strchr(line, '/'), *to = path;
  for (const char *from = path; from && *from && *from != '\n'; to++) {
    bool newline = strncmp(from, "\\012", 4) == 0;
    *to = newline ? '\n' : *from;
    from += newline ? 4 : 1;
  }
  if (to)
    *to = 0;
  return path;
}

/* The lines of a file of /proc, which can have any length. */
struct ckjit_lines {
  int fd;
  size_t at, end; /* of the bytes that were read but not returned yet */
  /* room for a path with each byte escaped, and the text before it */
  char text[4 * PATH_MAX + 256];
};

/* The next line of L, valid until the next call; NULL at the end. */
static char *ckjit_next_line(struct ckjit_lines *l) {
  for (;;) {
    char *line = l->text + l->at, *end = memchr(line, '\n', l->end - l->at);
    if (end) {
      *end = 0;
      l->at = (size_t)(end - l->text) + 1;
      return line;
    }
    memmove(l->text, line, l->end -= l->at);
    l->at = 0;
    ssize_t n = read(l->fd, l->text + l->end, sizeof l->text - l->end);
    if (n <= 0)
      return NULL;
    l->end += (size_t)n;
  }
}

/* Append the path of the file that this code is mapped from, by /proc/self/maps, to T; ST describes
 * it. */
static bool ckjit_ask_maps(struct ckjit_text *t, struct stat *st) {
  uintptr_t here = (uintptr_t)ckjit_resolve, from, to;
  struct ckjit_lines maps = {.fd = ckjit_open_kernel("/proc/self/maps")};
  char *line, *path = NULL;
  while (!path && maps.fd >= 0 && (line = ckjit_next_line(&maps)))
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) == 2 && from <= here && here < to)
      path = ckjit_path_of_line(line);
  /* After unlinking, " (deleted)" follows the former name. */
  bool found = path && stat(path, st) == 0 && S_ISREG(st->st_mode);
  if (found)
    ckjit_add(t, path);
  if (maps.fd >= 0)
    close(maps.fd);
  return found && !t->lost;
}

bool ckjit_add_mapped_file(struct ckjit_text *t, struct stat *st) {
  enum { ASKED_NOT, KEEPING, KEPT };
  static char path[PATH_MAX]; /* its path at the first query */
  static dev_t device;
  static ino_t inode; /* unique while this file is mapped */
  static int state;
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == KEPT && stat(path, st) == 0 &&
      st->st_dev == device && st->st_ino == inode) {
    ckjit_add(t, path);
    return !t->lost;
  }
  size_t before = t->len;
  if (!ckjit_ask_maps(t, st))
    return false;
  int not = ASKED_NOT;
  if (t->len - before < sizeof path &&
      __atomic_compare_exchange_n(&state, &not, KEEPING, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED)) {
    memcpy(path, t->data + before, t->len - before + 1);
    device = st->st_dev;
    inode = st->st_ino;
    __atomic_store_n(&state, KEPT, __ATOMIC_RELEASE);
  }
  return true;
}
