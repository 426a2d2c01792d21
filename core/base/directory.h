/* directory.h - a directory that is read, and closes itself as a descriptor does (autoclose in
 * base.h):
 *
 *     autoclose_dir *d = opendir(dir);
 *     for (struct dirent *e; d && (e = readdir(d));)
 *
 * It is not in path.h, because a name of <dirent.h> is one of ccoptions.h too.
 */
#ifndef CKJIT_DIRECTORY_H
#define CKJIT_DIRECTORY_H

#include <dirent.h>

/* Close *D, which may be NULL; errno stays. */
void autoclose_stream(DIR *const *d);
#define autoclose_dir __attribute__((cleanup(autoclose_stream))) DIR

#endif
