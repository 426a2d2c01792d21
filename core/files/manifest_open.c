#include "abi/ck_jit_access.h"
#include "manifest.h"
#include "core/base/path.h"
#include "core/base/human.h"
#include "core/base/suggest.h"

#include <unistd.h>

/* For a mistyped name, or the directory instead of the file, do not advise to rebuild the
 * library. */
struct manifest *manifest_open(const char *file, char **err) {
  autofree char *within = path_join(file, MANIFEST_NAME);
  bool is_dir = file_is_dir(file), unreadable = !ckjit_may(file, R_OK);
  const int why = unreadable ? errno : EISDIR; /* before file_exists() changes it */
  if (unreadable || is_dir)
    *err = xasprintf("%s: cannot read the manifest: %s; expected the " MANIFEST_NAME
                     " of a library, in the ck_jit directory beside it: --manifest or "
                     "CK_JIT_MANIFEST names it%s%s%s",
                     file, strerror(why), file_exists(within) ? "; did you mean '" : "",
                     file_exists(within) ? within : "", file_exists(within) ? "'?" : "");
  return unreadable || is_dir ? NULL : manifest_read(file, err);
}

char *manifest_unknown(const struct manifest *m, const char *name, bool suggests) {
  autofree const char **stems = xcalloc(m->nblobs + 1, sizeof *stems);
  for (size_t i = 0; i < m->nblobs; i++)
    stems[i] = m->blobs[i].stem;
  autofree char *stem = path_stem(name),
                *meant = suggests ? did_you_mean(stem, stems) : xstrdup("");
  autofree_buf file = {0};
  argv_quote(&file, m->file);
  return xasprintf("unknown blob '%s': %s has %zu %s and none of that name%s%s `ckjit list "
                   "--manifest %s` prints them",
                   name, m->file, m->nblobs, noun(m->nblobs, "blob", "blobs"), meant,
                   *meant ? "" : ";", file.data);
}
