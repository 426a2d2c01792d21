#include "keep.h"

#include "core/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* BASE shortened to what it has in common with DIR */
static void shorten(char *base, const char *dir) {
  size_t n = 0, end = 0;
  for (; base[n] && base[n] == dir[n]; n++)
    if (base[n] == '/')
      end = n;
  bool whole = (!base[n] && (!dir[n] || dir[n] == '/')) || (!dir[n] && base[n] == '/');
  base[whole ? n : end] = 0;
}

char *keep_base(const struct blob *blobs, size_t n, const char *cwd) {
  char *base = xstrdup(cwd);
  for (size_t i = 0; i < n; i++) {
    char *dir = path_dir(blobs[i].record->source);
    shorten(base, dir);
    free(dir);
  }
  const char *second = *base ? strchr(base + 1, '/') : NULL;
  if (second && second[1])
    return base;
  free(base);
  return NULL;
}

static bool is_same(const struct stat *a, const char *file) {
  struct stat b;
  return stat(file, &b) == 0 && a->st_size == b.st_size && a->st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a->st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

/* FILE, where it lies below BASE, to TREE, with its time stamp: it says what was copied already. */
static void keep_file(const char *tree, const char *base, const char *file) {
  const char *below = path_below(file, base);
  struct stat st;
  if (!below || stat(file, &st) || S_ISDIR(st.st_mode))
    return;
  char *to = path_join(tree, below), *dir = path_dir(to);
  const struct timespec times[] = {st.st_atim, st.st_mtim};
  if (!is_same(&st, to) && (dir_make(dir) || file_copy(file, to) || utimensat(AT_FDCWD, to, times, 0)))
    die(EXIT_FAILED,
        "%s: cannot be copied to %s: %s; kernels are compiled from there when the build tree is gone (`keep: "
        "sources` of "
        "the profile)",
        file, to, strerror(errno));
  free(to);
  free(dir);
}

void keep_sources(const char *tree, const char *base, const struct blob *blobs, size_t n,
                  const struct units *u) {
  for (size_t i = 0; i < n; i++)
    keep_file(tree, base, blobs[i].record->source);
  for (size_t g = 0; g < u->ngroups; g++)
    for (size_t i = 0; i < u->groups[g].ninputs; i++)
      keep_file(tree, base, u->groups[g].inputs[i].path);
}
