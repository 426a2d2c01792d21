#include "image.h"
#include "base.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x4000U
#endif

/* A change on a writable file system sets ctime to now. */
static bool may_be_of_image(const char *file, const struct stat *st) {
  struct statvfs fs;
  if (st->st_mtim.tv_sec != st->st_ctim.tv_sec || st->st_mtim.tv_nsec != st->st_ctim.tv_nsec)
    return false;
  return st->st_ctim.tv_nsec == 0 || (statvfs(file, &fs) == 0 && fs.f_flag & ST_RDONLY);
}

static const char *boot(void) {
  static char id[37]; /* with its NUL */
  autoclose fd = *id ? -1 : open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && read(fd, id, sizeof id - 1) != sizeof id - 1)
    *id = 0;
  return id;
}

/* A text that no other process has. */
static const char *process(void) {
  static char mark[48];
  struct timespec now;
  if (!*mark) {
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(mark, sizeof mark, "%ld.%lld.%09ld", (long)getpid(), (long long)now.tv_sec,
             now.tv_nsec);
  }
  return mark;
}

void image_mark(char mark[IMAGE_SIZE], const char *file, const struct stat *st) {
  struct statx x;
  *mark = 0;
  if (!may_be_of_image(file, st))
    return;
  bool numbered = statx(AT_FDCWD, file, 0, STATX_MNT_ID_UNIQUE, &x) == 0 &&
                  (x.stx_mask & STATX_MNT_ID_UNIQUE) && *boot();
  if (numbered)
    snprintf(mark, IMAGE_SIZE, "image %s %llu", boot(), (unsigned long long)x.stx_mnt_id);
  else
    snprintf(mark, IMAGE_SIZE, "image %s", process());
}
