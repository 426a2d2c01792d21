/* ck_jit_unlinked.c - compiled blobs in files that have no name. */
#include "ck_jit_unlinked.h"
#include "ck_jit_entry.h"
#include "ck_jit_load.h"
#include "ck_jit_network.h"
#include "ck_jit_settings.h"
#include "ck_jit_spawn.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Constants of Linux that an older C library does not name. */
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#endif
enum {
  CKJIT_MFD_CLOEXEC = 1,
  CKJIT_MFD_ALLOW_SEALING = 2,
  /* never a program; but code can be mapped from it */
  CKJIT_MFD_NOEXEC_SEAL = 8,
  CKJIT_SEAL_ALL = 1 | 2 | 4 | 8,
};

/* FD, which is closed, as a descriptor that is neither a standard stream nor the one that
 * ckjit-compile gets; -1 on failure, or if no code can be mapped from it. */
static int ckjit_unlinked_usable(int fd) {
  int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, CKJIT_RESULT_FD + 1), e = errno;
  if (fd >= 0)
    close(fd);
  void *code = high < 0 ? MAP_FAILED : mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, high, 0);
  if (code != MAP_FAILED) {
    munmap(code, 1);
    return high;
  }
  e = high < 0 ? e : errno;
  if (high >= 0)
    close(high);
  errno = e;
  return -1;
}

static int ckjit_unlinked_in(const char *dir) {
  char name[PATH_MAX];
  int fd = ckjit_unlinked_usable(open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (fd >= 0 || snprintf(name, sizeof name, "%s/ckjit-XXXXXX", dir) >= (int)sizeof name)
    return fd;
  int named = mkostemp(name, O_CLOEXEC);
  if (named >= 0)
    unlink(name);
  return ckjit_unlinked_usable(named);
}

int ckjit_unlinked_open(const char *stem, size_t n, struct ckjit_text *error) {
  static const char *const dirs[] = {"/dev/shm", "/tmp", "/var/tmp"};
  const char *set = ckjit_env("TMPDIR");
  char name[200]; /* 249 at most; perf and /proc/PID/maps show it */
  snprintf(name, sizeof name, "ckjit:%.*s", (int)n, stem);
  const unsigned flags = CKJIT_MFD_CLOEXEC | CKJIT_MFD_ALLOW_SEALING;
  int fd =
      ckjit_unlinked_usable((int)syscall(SYS_memfd_create, name, flags | CKJIT_MFD_NOEXEC_SEAL));
  if (fd < 0) /* Linux before 6.3 has no such flag */
    fd = ckjit_unlinked_usable((int)syscall(SYS_memfd_create, name, flags));
  if (fd < 0 && set)
    fd = ckjit_unlinked_in(set);
  for (size_t i = 0; i < sizeof dirs / sizeof *dirs && fd < 0; i++)
    fd = ckjit_unlinked_in(dirs[i]);
  if (fd < 0)
    ckjit_addf(error,
               "there is no place for an unlinked file that code can be loaded from, "
               "neither in memory nor in TMPDIR, /dev/shm, /tmp or /var/tmp: %s [ckjit help "
               "no-unlinked-place]",
               strerror(errno));
  return fd;
}

bool ckjit_unlinked_is(int fd, const uint8_t want[CKJIT_BUILD_ID_SIZE]) {
  enum ckjit_kind kind;
  uint8_t have[CKJIT_BUILD_ID_SIZE];
  /* a file on a disk has no seals, but nobody else can open it */
  fcntl(fd, F_ADD_SEALS, CKJIT_SEAL_ALL);
  return !ckjit_entry_read(fd, have, &kind) && memcmp(have, want, sizeof have) == 0;
}

/* Read the SIZE bytes of FROM into TO, an empty file. 0 or an errno. */
static int ckjit_unlinked_fill(int to, int from, uint64_t size) {
  struct ckjit_shield shield;
  ckjit_shield_up(&shield);
  int error = ftruncate(to, (off_t)size) ? errno : 0;
  ckjit_shield_down(&shield, error);
  void *bytes =
      error ? MAP_FAILED
            : mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, to, 0);
  if (bytes == MAP_FAILED)
    return error ? error : errno;
  errno = ENODATA; /* it was truncated meanwhile */
  if (!ckjit_pread_all(from, bytes, (size_t)size, 0))
    error = errno;
  munmap(bytes, (size_t)size);
  return error;
}

int ckjit_unlinked_copy(int fd, uint64_t size, const char *stem, size_t n, struct ckjit_text *why) {
  int copy = ckjit_unlinked_open(stem, n, why), error = copy < 0 ? errno : 0;
  if (!error && (error = size ? ckjit_unlinked_fill(copy, fd, size) : ENODATA))
    close(copy);
  else if (!error)
    fcntl(copy, F_ADD_SEALS, CKJIT_SEAL_ALL);
  errno = error;
  return error ? -1 : copy;
}

int ckjit_unlinked_settle(int fd, uint64_t size, const char *path) {
  struct ckjit_text why = {0};
  size_t n;
  if (!ckjit_on_network(fd))
    return fd;
  const char *stem = ckjit_stem(path, &n);
  int copy = ckjit_unlinked_copy(fd, size, stem, n, &why), error = errno;
  ckjit_text_free(&why);
  close(fd);
  errno = error;
  return copy;
}

bool ckjit_unlinked_at(int fd) {
  struct stat st;
  return fstat(fd, &st) == 0 && st.st_nlink == 0;
}

void *ckjit_unlinked_load(int fd, const uint8_t want[CKJIT_BUILD_ID_SIZE],
                          struct ckjit_text *error) {
  char path[64];
  struct stat st;
  struct ckjit_text why = {0};
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  void *handle = fstat(fd, &st) == 0 ? ckjit_load(path, st.st_ino, want, &why) : NULL;
  if (!handle)
    ckjit_addf(
        error,
        "the compiled blob cannot be loaded from its unlinked file: %s [ckjit help not-loadable]",
        ckjit_reason(&why));
  ckjit_text_free(&why);
  return handle;
}
