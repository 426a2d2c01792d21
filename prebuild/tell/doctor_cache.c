/* doctor_cache.c - the directories that ckjit writes to, or is said to read: may they be used, and is there room?
 *
 * Owner and mode are judged by the rules of the runtime (abi/ck_jit_cachedir.h). What the file system can do is tried:
 * a mount may be noexec by an option that no program sees, and NFS may have no locks. */
#include "abi/ck_jit_access.h"
#include "findings.h"
#include "prebuild/cache.h"
#include "core/base/env.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/cache/cachedir.h"
#include "abi/ck_jit_cachedir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

enum {
  LITTLE = 1000 * 1000 * 1000
}; /* bytes: a hundred large kernels of CK, and what a compile needs meanwhile */

/* Names by linux/magic.h and the sources of the others; static. NULL: another. */
static const char *type_of(const struct statfs *s) {
  static const struct {
    unsigned long magic;
    const char *name;
  } types[] = {
      {0xef53, "ext4"},        {0x58465342, "xfs"},    {0x9123683e, "btrfs"}, {0x01021994, "tmpfs"},
      {0x794c7630, "overlay"}, {0x6969, "nfs"},        {0x2fc12fc1, "zfs"},   {0x0bd00bd0, "lustre"},
      {0x47504653, "gpfs"},    {0x19830326, "beegfs"}, {0x00c36400, "ceph"},  {0x65735546, "fuse"},
      {0xff534d42, "cifs"},    {0xfe534d42, "smb2"},   {0x01021997, "9p"},    {0x6a656a63, "virtiofs"},
      {0x4d44, "vfat"},        {0x2011bab0, "exfat"},  {0xf2f52010, "f2fs"},  {0x73717368, "squashfs"}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if ((unsigned long)s->f_type == types[i].magic)
      return types[i].name;
  return NULL;
}

/* The nearest directory that exists, DIR or above it; free() it. */
static char *nearest(const char *dir) {
  char *at = xstrdup(dir);
  while (!file_exists(at) && strcmp(at, "/") != 0) {
    char *up = path_dir(at);
    free(at);
    at = up;
  }
  return at;
}

/* Room in DIR, an existing directory, and which file system that is. Told as NAME, if it is little. Returns words on it; free()
 * them. */
static char *look_at_room(struct findings *f, const char *name, const char *dir) {
  struct statfs s;
  if (statfs(dir, &s))
    return xstrdup("its file system cannot be asked");
  uint64_t room = (uint64_t)s.f_bavail * (uint64_t)s.f_bsize;
  char *size = human_size(room);
  const char *type = type_of(&s);
  char *words = type ? xasprintf("%s, %s free", type, size)
                     : xasprintf("file system %#lx, %s free", (unsigned long)s.f_type, size);
  if (room < LITTLE)
    found(f, FOUND_WARNING, name, xasprintf("%s: %s", dir, words),
          xstrdup("free space there, or name a directory on another disk: a compile that finds none fails"));
  if (s.f_files && s.f_ffree < 1000)
    found(f, FOUND_WARNING, name, xasprintf("%s: %llu inodes left", dir, (unsigned long long)s.f_ffree),
          xstrdup("remove files there: an entry needs one"));
  free(size);
  return words;
}

/* Try in DIR, which can be written to, what is done with files there: lock one, map code of one. True: both work. */
static bool try_files(struct findings *f, const char *name, const char *dir, bool for_code) {
  char *file =
      xasprintf("%s/doctor.tmp-XXXXXX", dir); /* one that is left is removed as all unfinished files are */
  int fd = mkostemp(file, O_CLOEXEC), error = fd < 0 ? errno : 0;
  bool locks = !error && flock(fd, LOCK_EX | LOCK_NB) == 0, maps = !error;
  if (!error && write(fd, "", 1) != 1)
    error = errno;
  void *code = maps && for_code ? mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) : NULL;
  maps = code != MAP_FAILED;
  if (code && maps)
    munmap(code, 1);
  if (fd >= 0) {
    unlink(file);
    close(fd);
  }
  free(file);
  if (error)
    found(f, FOUND_ERROR, name, xasprintf("%s: a file cannot be written there: %s", dir, strerror(error)),
          cachedir_advice(error));
  else if (!maps)
    found(f, FOUND_ERROR, name,
          xasprintf("%s: code cannot be mapped from a file there: it is mounted noexec", dir),
          xstrdup("set CK_JIT_CACHE_DIR to a directory of another file system, or mount it with exec"));
  else if (!locks)
    found(
        f, FOUND_WARNING, name, xasprintf("%s: files there cannot be locked (flock)", dir),
        xstrdup(
            "two processes may compile the same kernel at the same time; mount it with locks, or name another directory"));
  return !error && maps && locks;
}

/* DIR is not there: can it be made? */
static void look_at_missing(struct findings *f, const char *dir, const char *how) {
  char *up = nearest(dir), *room = look_at_room(f, "cache", up);
  if (faccessat(AT_FDCWD, up, W_OK | X_OK, AT_EACCESS))
    found(f, FOUND_ERROR, "cache",
          xasprintf("%s (%s): is not there, and cannot be made in %s: %s", dir, how, up, strerror(errno)),
          cachedir_advice(errno));
  else
    found_ok(f, "cache", "%s (%s): not there yet, can be made in %s: %s", dir, how, up, room);
  free(room);
  free(up);
}

static void look_at_cache(struct findings *f, const char *dir, const char *how) {
  struct stat st;
  const char *why = ckjit_cache_check(dir);
  char *err = NULL;
  if (why && lstat(dir, &st) && errno == ENOENT) {
    look_at_missing(f, dir, how);
  } else if (why) {
    found(f, FOUND_ERROR, "cache", xasprintf("%s (%s): %s", dir, how, why),
          xstrdup("as it is, no first call works: nothing is loaded from it or written to it"));
  } else if (!cachedir_writable(dir, &err)) {
    found(f, FOUND_ERROR, "cache", err, xstrdup("no kernel can be compiled"));
  } else {
    char *room = look_at_room(f, "cache", dir);
    if (try_files(f, "cache", dir, true))
      found_ok(f, "cache", "%s (%s): yours alone, can be written to; %s; locks and code work there", dir, how,
               room);
    free(room);
  }
}

static void look_at_readonly(struct findings *f) {
  const char *dir = env_get("CK_JIT_CACHE_READONLY_DIR"), *why = dir ? ckjit_readonly_check(dir) : NULL;
  if (why)
    found(f, FOUND_WARNING, "read-only", xasprintf("CK_JIT_CACHE_READONLY_DIR: %s %s", dir, why),
          xstrdup("it is not used: its kernels are compiled again"));
  else if (dir && !ckjit_may(dir, R_OK | X_OK))
    found(f, FOUND_WARNING, "read-only",
          xasprintf("CK_JIT_CACHE_READONLY_DIR: %s cannot be read: %s", dir, strerror(errno)),
          xstrdup("let it be read: its kernels are compiled again"));
  else if (dir)
    found_ok(f, "read-only", "%s: root's or yours, and writable by nobody else", dir);
}

/* What is set of variables that decide whether anything is kept. */
static void look_at_settings(struct findings *f) {
  struct cachedir_limits limits;
  char *err = NULL;
  const char *miss = env_get("CK_JIT_ON_MISS");
  if (!cachedir_limits(&limits, &err))
    found(f, FOUND_ERROR, "limit", err, xstrdup("no compile works with such a value"));
  else if (limits.bytes || limits.files)
    found_ok(f, "limit", "CK_JIT_CACHE_MAX_SIZE=%s, CK_JIT_CACHE_MAX_FILES=%s",
             limits.bytes ? env_get("CK_JIT_CACHE_MAX_SIZE") : "",
             limits.files ? env_get("CK_JIT_CACHE_MAX_FILES") : "");
  if (env_flag("CK_JIT_DISABLE_FILE_CACHING"))
    found(f, FOUND_WARNING, "setting", xstrdup("CK_JIT_DISABLE_FILE_CACHING is set"),
          xstrdup("unset it unless every process shall compile every kernel"));
  if (miss && strcmp(miss, "error") == 0)
    found_ok(f, "setting",
             "CK_JIT_ON_MISS=error: a kernel that no cache has is not compiled, its call fails");
}

/* Compilers write their own files there. */
static void look_at_temporary(struct findings *f) {
  const char *set = secure_getenv("TMPDIR"), *dir = set && *set ? set : "/tmp";
  if (!file_is_dir(dir) || faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS)) {
    found(f, FOUND_ERROR, "temporary",
          xasprintf("%s cannot be written to: %s", dir,
                    file_is_dir(dir) ? strerror(errno) : "it is no directory"),
          xstrdup("set TMPDIR to a directory that can: compilers need one"));
    return;
  }
  char *room = look_at_room(f, "temporary", dir);
  if (try_files(f, "temporary", dir, false))
    found_ok(f, "temporary", "%s: %s", dir, room);
  free(room);
}

void doctor_cache(struct findings *f, const char *given) {
  const char *set = env_get("CK_JIT_CACHE_DIR"), *named = given ? given : set;
  char *dir = named ? path_abs(named) : cache_default();
  if (dir)
    look_at_cache(f, dir, given ? "--cache-dir" : set ? "CK_JIT_CACHE_DIR" : "the default");
  else
    found(
        f, FOUND_ERROR, "cache",
        xstrdup(
            "there is none: CK_JIT_CACHE_DIR, XDG_CACHE_HOME and HOME are not set, and the user database has no home"),
        xstrdup("set CK_JIT_CACHE_DIR"));
  look_at_readonly(f);
  look_at_settings(f);
  look_at_temporary(f);
  free(dir);
}
