#include "memo.h"
#include "wait.h"
#include "core/base/path.h"
#include "core/cache/key.h"
#include "core/cache/lock.h"
#include "core/base/memofile.h"

#include <sys/stat.h>

static char *memo_file(const struct compile_task *t, const char *name) {
  char digest[DIGEST_HEX];
  digest_bytes(digest, name, strlen(name));
  return xasprintf("%s/" CKJIT_COMPILERS "/%s", t->dir, digest);
}

static bool is_trusted(const char *file) {
  struct stat st;
  return lstat(file, &st) == 0 && S_ISREG(st.st_mode) && !ckjit_owner_check(&st);
}

char *memo_read_file(const char *file, const char *name) {
  return is_trusted(file) ? memofile_read(file, name) : NULL;
}

char *memo_read(const struct compile_task *t, const char *name) {
  if (!t->cache)
    return NULL;
  autofree char *file = memo_file(t, name);
  return memo_read_file(file, name);
}

void memo_enter(struct memo_turn *turn, const struct compile_task *t, const char *name) {
  char digest[DIGEST_HEX];
  autofree char *locks = path_join(t->dir, CKJIT_LOCKS), *err = NULL;
  bool waited;
  *turn = (struct memo_turn){.fd = -1};
  digest_bytes(digest, name, strlen(name));
  if (t->cache && cachedir_open(locks, &err)) {
    /* as long as the name of any lock, so that it is swept as one */
    autofree char *hex = xasprintf("%s%016d", digest, 0);
    turn->lock = cachedir_lock_path(t->dir, hex);
    wait_for_lock(&turn->fd, turn->lock, &(struct lock_wait){.patience = t->patience}, &waited, &err);
  }
}

void memo_leave(struct memo_turn *turn) {
  lock_release(turn->fd, turn->lock);
  free(turn->lock);
  *turn = (struct memo_turn){.fd = -1};
}

void memo_write(const struct compile_task *t, const char *name, const char *text) {
  if (!t->cache)
    return;
  autofree char *file = memo_file(t, name), *dir = path_dir(file);
  if (dir_make_own(dir) && !memofile_write(file, name, text) && t->verbose)
    warn("%s: cannot write: %s", file, strerror(errno));
}
