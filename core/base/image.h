/* image.h - files of which no stamp says that they are the same: those of an image.
 *
 * squashfs and erofs (Apptainer, snaps, composefs) have no time of a file's last change: ctime
 * is the time of its content, which the image's builder sets, and inodes are numbered in order.
 * Two images made with one SOURCE_DATE_EPOCH have other contents under the same stamps, and a
 * loop device or FUSE gives both the same device number. What tells them apart is the mount.
 *
 * Thread safety: the first call of a process must not run beside another.
 */
#ifndef CKJIT_IMAGE_H
#define CKJIT_IMAGE_H

#include <sys/stat.h>

enum { IMAGE_SIZE = 80 };

/* If FILE, whose status is ST, may be a file of an image, set MARK to what is the same as long
 * as it is mounted, and never again: the boot and the kernel's number of the mount. A kernel
 * that does not number them (before 6.8) gives a mark that holds for this process alone. Else
 * MARK is "". */
void image_mark(char mark[IMAGE_SIZE], const char *file, const struct stat *st);

#endif
