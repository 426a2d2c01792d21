/* placing.c - the name that a new entry gets in a cache. */
#include "placing.h"
#include "core/base/path.h"

#include <fcntl.h>
#include <unistd.h>

/* Syncs the directory's entries, too: an entry that was announced must exist after a crash. File
 * systems that cannot do that for a directory return EINVAL. fsync may be interrupted on a network
 * file system. */
bool placing_sync_dir(const char *dir) {
  autoclose fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int r = -1;
  while (fd >= 0 && (r = fsync(fd)) && errno == EINTR)
    ;
  return r == 0 || (fd >= 0 && (errno == EINVAL || errno == EROFS));
}

/* Rename FILE to PATH if nothing has that name. 0 or errno; EEXIST: the name is taken. */
static int rename_new(const char *file, const char *path) {
  if (renameat2(AT_FDCWD, file, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return errno;
  /* NFS and FUSE have no flags. A hard link does not replace either; FILE itself is removed with
   * its directory. */
  return link(file, path) == 0 ? 0 : errno;
}

/* May the new entry replace PATH? Yes if that is the same entry, or a damaged file that the user
 * owns. */
static bool may_replace(const uint8_t id[CKJIT_BUILD_ID_SIZE], const char *path) {
  struct stat st;
  const char *why;
  enum ckjit_entry_state state = ckjit_entry_look(path, id, &why);
  if (lstat(path, &st) || !S_ISREG(st.st_mode) || !ckjit_is_own(&st))
    return false;
  return state == CKJIT_ENTRY_HIT || state == CKJIT_ENTRY_DAMAGED;
}

int placing_rename(char name[NAME_MAX + 1], const char *dir, const char *stem,
                   const uint8_t id[CKJIT_BUILD_ID_SIZE], const char *file) {
  char plain[PATH_MAX], keyed[PATH_MAX], hex[CKJIT_BUILD_ID_HEX_SIZE];
  size_t n = strlen(stem);
  int error = 0;
  *name = 0;
  ckjit_build_id_hex(hex, id);
  if (!ckjit_entry_path(plain, dir, stem, n, NULL) || !ckjit_entry_path(keyed, dir, stem, n, hex))
    return ENAMETOOLONG;
  const char *path = plain;
  if (rename_new(file, plain) && !(may_replace(id, plain) && rename(file, plain) == 0)) {
    path = keyed;
    if (rename(file, keyed))
      error = errno;
  }
  snprintf(name, NAME_MAX + 1, "%s", path_base(path));
  return error;
}
