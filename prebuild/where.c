#include "where.h"
#include "core/base/env.h"
#include "core/base/path.h"

#include <stdlib.h>

char *where_manifest(const struct request *r) {
  const char *named = r->manifest ? r->manifest : env_get("CK_JIT_MANIFEST");
  if (named)
    return path_abs(named);
  char *self = path_self_dir(), *found = NULL;
  static const char *const places[] = {MANIFEST_NAME, "../" MANIFEST_NAME};
  for (int i = 0; i < 2 && !found; i++) {
    char *file = path_abs_in(self, places[i]);
    if (file_exists(file))
      found = file;
    else
      free(file);
  }
  free(self);
  return found;
}

/* An installed manifest lies in the root and has "" for it; the manifest of a work directory names the build's
 * root. */
char *where_root(const struct request *r, const struct manifest *m) {
  const char *named = r->root_given ? r->root_given : env_get("CK_JIT_ROOT");
  if (named)
    return path_abs(named);
  return *m->root ? path_abs(m->root) : path_dir(m->file);
}
