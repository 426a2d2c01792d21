/* fresh.c - see fresh.h.
 *
 * To forget a missing name, Linux needs an operation on it that goes to the server and says that it
 * exists: mkdir does, for NFS and FUSE, and changes nothing if the name exists. If it was removed
 * since the directory was read, the new directory is removed at once; one that a killed process
 * left is removed here, too. */
#include "fresh.h"
#include "core/base/path.h"
#include "abi/ck_jit_entry.h"
#include "abi/ck_jit_network.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* NAME is in the directory that is open at FD, but is it found? */
static bool forget_missing(int fd, const char *name) {
  struct stat st;
  if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
    if (S_ISDIR(st.st_mode))
      unlinkat(fd, name, AT_REMOVEDIR); /* of a killed process, or full */
    return !S_ISDIR(st.st_mode);
  }
  if (mkdirat(fd, name, 0700) == 0)
    unlinkat(fd, name, AT_REMOVEDIR);
  else if (errno == EEXIST)
    return fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
  return false;
}

/* One of the N NAMES in DIR was not found. True: it is there after all, and will be found. */
static bool fresh_look(const char *dir, const char *const *names, size_t n) {
  int saved = errno, fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool found = false;
  DIR *d = fd >= 0 && ckjit_on_network(fd) ? fdopendir(fd) : NULL;
  for (struct dirent *e; d && (e = readdir(d));)
    for (size_t i = 0; i < n; i++)
      found |= strcmp(e->d_name, names[i]) == 0 && forget_missing(fd, names[i]);
  if (d)
    closedir(d);
  else if (fd >= 0)
    close(fd);
  errno = saved;
  return found;
}

bool fresh_file(const char *path) {
  autofree char *dir = path_dir(path);
  const char *name = path_base(path);
  return fresh_look(dir, &name, 1);
}

bool fresh_entry(const char *dir, const char *stem, const uint8_t *id) {
  char plain[PATH_MAX], keyed[PATH_MAX], hex[CKJIT_BUILD_ID_HEX_SIZE];
  ckjit_build_id_hex(hex, id);
  if (!ckjit_entry_path(plain, dir, stem, strlen(stem), NULL) ||
      !ckjit_entry_path(keyed, dir, stem, strlen(stem), hex))
    return false;
  const char *const names[] = {path_base(plain), path_base(keyed)};
  return fresh_look(dir, names, 2);
}
