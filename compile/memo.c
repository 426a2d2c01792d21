#include "memo.h"
#include "wait.h"
#include "core/base/path.h"
#include "core/cache/key.h"
#include "core/cache/lock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEAD "ckjit-memo 1 "
enum { MEMO_MOST = 64 << 20 };

static char *memo_file(const struct compile_task *t, const char *name) {
  char digest[DIGEST_HEX];
  digest_bytes(digest, name, strlen(name));
  return xasprintf("%s/" CKJIT_COMPILERS "/%s", t->dir, digest);
}

/* The whole of a memo; free() it. */
static char *memo_text(const char *name, const char *text) {
  char digest[DIGEST_HEX], *both = xasprintf("%s\n%s", name, text);
  digest_bytes(digest, both, strlen(both));
  char *whole = xasprintf(HEAD "%s\n%s", digest, text);
  free(both);
  return whole;
}

static bool is_trusted(const char *file) {
  struct stat st;
  return lstat(file, &st) == 0 && S_ISREG(st.st_mode) && !ckjit_owner_check(&st);
}

char *memo_read(const struct compile_task *t, const char *name) {
  if (!t->cache)
    return NULL;
  size_t len, head = strlen(HEAD) + DIGEST_HEX;
  char *file = memo_file(t, name), *found = is_trusted(file) ? file_read_cached(file, MEMO_MOST, &len) : NULL,
       *text = NULL;
  if (found && len >= head && strlen(found) == len) {
    char *whole = memo_text(name, found + head);
    if (strcmp(whole, found) == 0)
      text = xstrdup(found + head);
    free(whole);
  }
  free(found);
  free(file);
  return text;
}

void memo_enter(struct memo_turn *turn, const struct compile_task *t, const char *name) {
  char digest[DIGEST_HEX], *locks = path_join(t->dir, CKJIT_LOCKS), *err = NULL;
  bool waited;
  *turn = (struct memo_turn){.fd = -1};
  digest_bytes(digest, name, strlen(name));
  if (t->cache && cachedir_open(locks, &err)) {
    char *hex =
        xasprintf("%s%016d", digest, 0); /* as long as the name of any lock, so that it is swept as one */
    turn->lock = cachedir_lock_path(t->dir, hex);
    free(hex);
    wait_for_lock(&turn->fd, turn->lock, t->patience, NULL, &waited, &err);
  }
  free(err);
  free(locks);
}

void memo_leave(struct memo_turn *turn) {
  lock_release(turn->fd, turn->lock);
  free(turn->lock);
  *turn = (struct memo_turn){.fd = -1};
}

void memo_write(const struct compile_task *t, const char *name, const char *text) {
  if (!t->cache)
    return;
  char *file = memo_file(t, name), *dir = path_dir(file), *whole = memo_text(name, text);
  if (dir_make_own(dir) && !file_write_durable(file, whole, strlen(whole), 0600) && t->verbose)
    warn("%s: cannot write: %s", file, strerror(errno));
  free(whole);
  free(dir);
  free(file);
}
