#include "ccheader.h"

#include "core/base/path.h"

/* DIR/NAME if it is a file, relative to CWD; takes nothing over. */
static char *in_directory(const struct cc_headers *h, const char *dir, const char *name) {
  char *path = path_join(dir, name), *full = h->cwd ? path_abs_in(h->cwd, path) : path;
  bool there = file_is_regular(full);
  if (full != path)
    free(path);
  if (there)
    return full;
  free(full);
  return NULL;
}

char *cc_header_find(void *user, const char *from, const char *name, bool angled) {
  static const enum cc_dir_kind order[] = {CC_DIR_QUOTE, CC_DIR_USER};
  const struct cc_headers *h = user;
  autofree char *dir = path_dir(from);
  char *found = NULL;
  if (!angled || *name == '/')
    found = in_directory(h, *dir == '.' && !dir[1] ? "" : dir, name);
  for (size_t k = angled ? 1 : 0; k < sizeof order / sizeof *order && !found; k++)
    for (size_t i = 0; i < h->args->ndirs && !found; i++)
      if (h->args->dirs[i].kind == order[k])
        found = in_directory(h, h->args->dirs[i].dir, name);
  return found;
}
