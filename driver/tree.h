/* tree.h - copying directory trees, by content: what is copied stays whole when the original is deleted or
 * changed.
 *
 * Hard links are not used for that reason. Blocks are shared with the original where the file system can
 * (FICLONE on btrfs and xfs), so that a copy costs next to nothing there. The destination is not complete
 * until tree_copy has returned: copy into a directory that nobody looks at yet, then rename that.
 */
#ifndef CKJIT_TREE_H
#define CKJIT_TREE_H

#include "core/base/base.h"

#include <sys/stat.h>

enum tree_action {
  TREE_COPY,
  TREE_SKIP, /* with all that is below it */
  TREE_LINK, /* a symbolic link to the original: for what is big and only read */
};

/* Start with {0} and set what is needed. */
struct tree {
  /* What to do with the entry at BELOW, relative to where the copy started. ST is of what a symbolic link
   * points to. NULL: everything is copied. */
  enum tree_action (*choose)(const char *below, const struct stat *st, void *user);
  void *user;
  /* results, added up over all calls with this struct */
  size_t files;
  char *err; /* the first error; free() it */
};

/* Copy the directory FROM into TO, which is made where it is not there, with permission bits and times.
 * Symbolic links are followed (aiter's 3rdparty/composable_kernel is one in many checkouts); one that points
 * nowhere is copied as a link. A file that TO already has must have the same content. False with t->err set;
 * what was copied stays. */
bool tree_copy(struct tree *t, const char *from, const char *to);
/* the same for one file, its directory made where it is not there */
bool tree_copy_file(struct tree *t, const char *from, const char *to);

#endif
