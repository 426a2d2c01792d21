/* tree.c - see tree.h.
 *
 * A recursive walk that follows symbolic links. A link back to a directory above it would recurse
 * for ever, so the chain of open directories is passed down and compared by device and inode.
 *
 * A file is cloned with FICLONE if the file system can, else copied with copy_file_range, and from
 * where that stops by read and write. A file that exists at the destination must have the same
 * content: several trees may be copied to the same place, and different files must not silently
 * hide each other. The first error is kept and ends the walk.
 */
#include "tree.h"
#include "core/base/path.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The directories being copied, innermost first, to detect a link back to one of them. */
struct above {
  dev_t dev;
  ino_t ino;
  const struct above *up;
};

static bool fail(struct tree *t, const char *what, const char *file) {
  if (!t->err)
    t->err = xasprintf("cannot %s %s: %s", what, file, strerror(errno));
  return false;
}

/* Copy the content of IN to OUT, sharing blocks if possible; 0, or -1 with errno. */
static int copy_content(int in, int out) {
  if (ioctl(out, FICLONE, in) == 0)
    return 0;
  for (;;) {
    ssize_t n = copy_file_range(in, NULL, out, NULL, 1 << 30, 0);
    if (n == 0)
      return 0;
    if (n < 0)
      break;
  }
  /* Across file systems, and without copy_file_range in the kernel or the file system: continue
   * from where it stopped. */
  autofree char *bytes = xmalloc(1 << 16);
  ssize_t n;
  while ((n = read(in, bytes, 1 << 16)) > 0)
    for (ssize_t done = 0, w; done < n; done += w)
      if ((w = write(out, bytes + done, (size_t)(n - done))) < 0)
        return -1;
  return n < 0 ? -1 : 0;
}

bool file_is_same(const char *a, const char *b) {
  size_t n, m;
  autofree char *x = file_read(a, &n), *y = file_read(b, &m);
  return x && y && n == m && memcmp(x, y, n) == 0;
}

static bool copy_file(struct tree *t, const char *from, const char *to, const struct stat *st) {
  int in = open(from, O_RDONLY | O_CLOEXEC);
  if (in < 0)
    return fail(t, "read", from);
  int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st->st_mode & 0777);
  if (out < 0) {
    int e = errno;
    close(in);
    errno = e;
    if (e != EEXIST)
      return fail(t, "write", to);
    if (!file_is_same(from, to) && !t->err)
      t->err = xasprintf("%s differs from %s, which was copied to the same place", from, to);
    return !t->err;
  }
  struct timespec times[2] = {st->st_atim, st->st_mtim};
  int r = copy_content(in, out);
  if (!r)
    futimens(out, times);
  close(in);
  if (close(out) && !r)
    r = -1;
  t->files += !r;
  return r ? fail(t, "write", to) : true;
}

static bool copy_dir(struct tree *t, const char *from, const char *to, const char *below,
                     const struct above *up);

/* Make the symbolic link AT -> TARGET; one from an earlier copy may exist. */
static bool make_link(struct tree *t, const char *target, const char *at) {
  return symlink(target, at) == 0 || errno == EEXIST ? true : fail(t, "make the link", at);
}

static bool copy_entry(struct tree *t, const char *from, const char *to, const char *below,
                       const struct above *up) {
  struct stat st;
  if (stat(from, &st)) {
    char target[PATH_MAX];
    ssize_t n = readlink(from, target, sizeof target - 1);
    if (n < 0)
      return fail(t, "read", from);
    target[n] = 0;
    return t->look || make_link(t, target, to);
  }
  enum tree_action action = t->choose ? t->choose(below, &st, t->user) : TREE_COPY;
  if (action == TREE_SKIP)
    return true;
  if (action == TREE_LINK)
    return t->look || make_link(t, from, to);
  if (S_ISDIR(st.st_mode))
    return copy_dir(t, from, to, below, up);
  if (!S_ISREG(st.st_mode)) /* a build does not read sockets, pipes or devices */
    return true;
  bool ok = t->look || copy_file(t, from, to, &st);
  if (ok && t->copied)
    t->copied(below, t->look ? from : to, &st, t->user);
  return ok;
}

static bool copy_dir(struct tree *t, const char *from, const char *to, const char *below,
                     const struct above *up) {
  struct stat st;
  DIR *d = opendir(from);
  if (!d || fstat(dirfd(d), &st)) {
    fail(t, "read the directory", from);
    if (d)
      closedir(d);
    return false;
  }
  for (const struct above *a = up; a; a = a->up)
    if (a->dev == st.st_dev && a->ino == st.st_ino) {
      closedir(d);
      t->err = xasprintf("%s is a link back to a directory above it; remove the link", from);
      return false;
    }
  struct above here = {st.st_dev, st.st_ino, up};
  bool ok = t->look || dir_make(to) || fail(t, "make the directory", to);
  for (struct dirent *e; ok && (e = readdir(d));) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    autofree char *from2 = path_join(from, e->d_name), *to2 = path_join(to, e->d_name);
    autofree char *below2 = *below ? path_join(below, e->d_name) : xstrdup(e->d_name);
    ok = copy_entry(t, from2, to2, below2, &here);
  }
  closedir(d);
  return ok;
}

bool tree_copy(struct tree *t, const char *from, const char *to) {
  return !t->err && copy_dir(t, from, to, "", NULL);
}

bool tree_copy_file(struct tree *t, const char *from, const char *to) {
  if (t->err)
    return false;
  struct stat st;
  autofree char *dir = path_dir(to);
  bool ok = stat(from, &st) == 0 ? true : fail(t, "read", from);
  ok = ok && (dir_make(dir) || fail(t, "make the directory", dir));
  return ok && copy_file(t, from, to, &st);
}
