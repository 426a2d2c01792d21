/* tree.h - copies directory trees by content, so that the copy does not change when the original is
 * deleted or changed.
 *
 * That is why there are no hard links. Blocks are shared with the original if the file system can
 * do that (FICLONE on btrfs and xfs), so that a copy costs next to nothing there. The destination
 * is not complete until tree_copy has returned: copy into a directory that nobody uses yet, then
 * rename it.
 */
#ifndef CKJIT_TREE_H
#define CKJIT_TREE_H

#include "core/base/base.h"

#include <sys/stat.h>

enum tree_action {
  TREE_COPY,
  TREE_SKIP, /* with everything below it */
  /* make a symbolic link to the original: for big files that are only read */
  TREE_LINK,
};

/* Start with {0} and set the members that are needed. */
struct tree {
  /* What to do with the entry at BELOW, relative to the start of the copy. ST is that of the target
   * of a symbolic link. NULL: everything is copied. */
  enum tree_action (*choose)(const char *below, const struct stat *st, void *user);
  /* Called for each file that was copied, with its copy TO; ST is that of the original. May be
   * NULL. */
  void (*copied)(const char *below, const char *to, const struct stat *st, void *user);
  void *user;
  /* copy nothing: `copied` is called with the original, and TO is not used */
  bool look;
  /* Results, added up over all calls with this struct. */
  size_t files;
  char *err; /* the first error; free() it */
};

/* Copy the directory FROM into TO, which is made if it is missing, with permission bits and times.
 * Symbolic links are followed (aiter's 3rdparty/composable_kernel is one in many checkouts); a
 * dangling one is copied as a link. A file that TO already has must have the same content. False
 * with t->err set; the files copied so far stay. */
bool tree_copy(struct tree *t, const char *from, const char *to);
/* The same for one file; makes its directory if it is missing. */
bool tree_copy_file(struct tree *t, const char *from, const char *to);

/* Whether two files have the same content; false if one cannot be read. */
bool file_is_same(const char *a, const char *b);

#endif
