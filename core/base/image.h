/* image.h - files for which stamps do not show a change: those of an image.
 *
 * squashfs and erofs (Apptainer, snaps, composefs) do not store the time of a file's last change:
 * ctime is the time of its content, which the image's builder sets, and inodes are numbered in
 * order. Two images made with one SOURCE_DATE_EPOCH have different contents under the same stamps,
 * and a loop device or FUSE gives both the same device number. Only the mount distinguishes them.
 *
 * Thread safety: the first call of a process must not run beside another.
 */
#ifndef CKJIT_IMAGE_H
#define CKJIT_IMAGE_H

#include <sys/stat.h>

enum { IMAGE_SIZE = 80 };

/* If FILE, whose status is ST, may be a file of an image, set MARK to an id of the mount that is
 * never used again: the boot and the kernel's number of the mount. A kernel that does not number
 * mounts (before 6.8) gives a mark that is valid for this process only. Otherwise MARK is "". */
void image_mark(char mark[IMAGE_SIZE], const char *file, const struct stat *st);

#endif
