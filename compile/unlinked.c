/* unlinked.c - a compile that leaves nothing on a disk.
 *
 * With CK_JIT_DISABLE_FILE_CACHING the library that starts us has an open file without a name
 * (runtime/ck_jit_unlinked.h) and wants the shared object in it. The compiler needs names to write to, so it
 * works in a directory below $TMPDIR, which is removed when we are done, told to stop or killed (keeper.c).
 * If we and our keeper are killed at the same moment, it stays; its lock is gone with us, and the next
 * compile of this kind removes it.
 *
 * Nothing that a cache would keep is made: no precompiled header, no note of a compiler, no log.
 */
#include "unlinked.h"
#include "core/base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "ckjit-unlinked-"

int unlinked_option(const char *text) {
  char *end;
  errno = 0;
  long fd = strtol(text, &end, 10);
  if (end == text || *end || errno || fd < 3 || fd > INT_MAX || fcntl((int)fd, F_SETFD, FD_CLOEXEC))
    die(EXIT_USAGE, "--output-fd '%s': expected the number of an open descriptor, 3 or more", text);
  return (int)fd;
}

/* Lock DIR: its descriptor. -1: another process has it, or it is gone, or another one by now. */
static int lock_directory(const char *dir) {
  struct stat ours, named;
  int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return -1;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &ours) == 0 && lstat(dir, &named) == 0 &&
      ours.st_dev == named.st_dev && ours.st_ino == named.st_ino && ours.st_uid == geteuid())
    return fd;
  close(fd);
  return -1;
}

/* what is left in ROOT of processes that were killed together with their keeper */
static void remove_stale(const char *root) {
  DIR *d = opendir(root);
  for (struct dirent *e; d && (e = readdir(d));) {
    if (!str_starts(e->d_name, PREFIX))
      continue;
    char *dir = path_join(root, e->d_name);
    int lock = lock_directory(dir);
    if (lock >= 0) {
      dir_remove(dir);
      close(lock);
    }
    free(dir);
  }
  if (d)
    closedir(d);
}

char *unlinked_temporary(const struct compile_task *t, char **err) {
  enum { ATTEMPTS = 16 };
  const char *set = secure_getenv("TMPDIR");
  char *root = path_abs(set && *set ? set : "/tmp"), *dir = NULL;
  remove_stale(root);
  /* Between mkdtemp and the lock another process may take it for stale. */
  for (int i = 0, lock = -1; i < ATTEMPTS && lock < 0; i++) {
    free(dir);
    dir = xasprintf("%s/" PREFIX "%s-XXXXXX", root, t->hex);
    if (!mkdtemp(dir)) {
      task_fail(t, err, "cannot make a directory in %s: %s; TMPDIR names another place", root,
                strerror(errno));
      free(dir);
      free(root);
      return NULL;
    }
    lock = lock_directory(dir); /* until we end */
  }
  free(root);
  return dir;
}

bool unlinked_place(const struct compile_task *t, const char *file, char **err) {
  size_t len, done = 0;
  char *bytes = file_read(file, &len);
  bool ok = bytes && ftruncate(t->output_fd, 0) == 0;
  while (ok && done < len) {
    ssize_t n = pwrite(t->output_fd, bytes + done, len - done, (off_t)done);
    if (n < 0 && errno == EINTR)
      continue;
    ok = n > 0;
    done += ok ? (size_t)n : 0;
  }
  if (!ok)
    task_fail(t, err, "cannot write to %s: %s", t->output, strerror(errno));
  free(bytes);
  return ok;
}
