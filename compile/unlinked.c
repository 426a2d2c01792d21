/* unlinked.c - a compile that leaves nothing on a disk.
 *
 * With CK_JIT_DISABLE_FILE_CACHING the library that starts us has an open file without a name
 * (runtime/ck_jit_unlinked.h) and wants the shared object in it. The compiler needs names to write
 * to, so it works in a directory below $TMPDIR, which is removed when we are done, told to stop or
 * killed (keeper.c). If we and our keeper are killed at the same moment, it stays; its name says
 * that it was ours (core/cache/owned.c), and the next compile of this kind removes it.
 *
 * Nothing that a cache would keep is made: no precompiled header, no note of a compiler, no log.
 */
#include "unlinked.h"
#include "core/base/path.h"
#include "core/cache/owned.h"

#include <fcntl.h>
#include <unistd.h>

#define PREFIX "ckjit-unlinked-"

char *unlinked_temporary(const struct compile_task *t, char **err) {
  const char *set = secure_getenv("TMPDIR");
  autofree char *root = path_abs(set && *set ? set : "/tmp"),
                *prefix = xasprintf("%s/" PREFIX "%s", root, t->hex);
  owned_sweep(root, PREFIX);
  char *dir = owned_make(prefix);
  if (!dir)
    task_fail(t, err, "cannot make a directory in %s: %s; set TMPDIR to another place", root,
              strerror(errno));
  return dir;
}

bool unlinked_place(const struct compile_task *t, const char *file, char **err) {
  size_t len;
  autofree char *bytes = file_read(file, &len);
  return (bytes && ftruncate(t->output_fd, 0) == 0 && file_write_at(t->output_fd, bytes, len, 0)) ||
         task_fail(t, err, "cannot write to %s: %s", t->output, strerror(errno));
}
