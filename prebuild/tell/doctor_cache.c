/* doctor_cache.c - the directories that ckjit reads and writes: may it use them, and do they have
 * free space?
 *
 * Owner and mode are judged by the runtime's rules (abi/ck_jit_cachedir.h). The abilities of the
 * file system are tried: a mount may be noexec in ways that no program can query, and NFS may have
 * no locks. */
#include "abi/ck_jit_access.h"
#include "findings.h"
#include "prebuild/cache.h"
#include "core/base/env.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/cache/cachedir.h"
#include "core/cache/lease.h"
#include "core/cache/sharedlocks.h"
#include "core/cache/signature.h"
#include "core/cache/times.h"
#include "abi/ck_jit_cachedir.h"
#include "abi/ck_jit_network.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

enum {
  LITTLE = 1000 * 1000 * 1000
}; /* bytes: a hundred large kernels of CK, and the temporary files of a compile */

/* The file system's name, by linux/magic.h and the sources of the others; static. NULL: an unlisted
 * one. */
static const char *type_of(const struct statfs *s) {
  static const struct {
    unsigned long magic;
    const char *name;
  } types[] = {{0xef53, "ext4"},         {0x58465342, "xfs"},     {0x9123683e, "btrfs"},
               {0x01021994, "tmpfs"},    {0x794c7630, "overlay"}, {0x6969, "nfs"},
               {0x2fc12fc1, "zfs"},      {0x0bd00bd0, "lustre"},  {0x47504653, "gpfs"},
               {0x19830326, "beegfs"},   {0x00c36400, "ceph"},    {0x65735546, "fuse"},
               {0xff534d42, "cifs"},     {0xfe534d42, "smb2"},    {0x01021997, "9p"},
               {0x6a656a63, "virtiofs"}, {0x4d44, "vfat"},        {0x2011bab0, "exfat"},
               {0xf2f52010, "f2fs"},     {0x73717368, "squashfs"}};
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

/* Report as NAME if DIR, an existing directory, has little space. Returns its file system and free
 * space in words; free() them. */
static char *look_at_room(struct findings *f, const char *name, const char *dir) {
  struct statfs s;
  if (statfs(dir, &s))
    return xstrdup("unknown file system");
  uint64_t room = (uint64_t)s.f_bavail * (uint64_t)s.f_bsize;
  autofree char *size = human_size(room);
  const char *type = type_of(&s);
  char *words = type ? xasprintf("%s, %s free", type, size)
                     : xasprintf("file system %#lx, %s free", (unsigned long)s.f_type, size);
  if (room < LITTLE)
    found(f, FOUND_WARNING, name,
          "free some space, or name a directory on another disk: compiles fail on a full disk",
          "%s: %s", dir, words);
  if (s.f_files && s.f_ffree < 1000)
    found(f, FOUND_WARNING, name, "remove files there: each entry needs an inode",
          "%s: %llu %s left", dir, (unsigned long long)s.f_ffree,
          noun(s.f_ffree, "inode", "inodes"));
  return words;
}

/* Report how machines that share DIR, open at FD, exclude each other, if its file system is one of
 * a network. LOCKS: flock works. */
static bool try_lease(struct findings *f, const char *name, const char *dir, int fd, bool locks) {
  if (!locks || !locks_are_shared(fd)) {
    int error = lease_try(dir);
    if (error)
      found(f, FOUND_WARNING, name,
            "mount it with locks, or name another directory: each machine may now compile the same "
            "kernel",
            "%s: machines cannot exclude each other there: exclusive creation %s%s", dir,
            error < 0 ? "creates a file twice" : "fails: ", error < 0 ? "" : strerror(error));
    else
      found_ok(f, "leases",
               "%s: leases keep machines from compiling the same kernel, because "
               "locks there are not shared",
               dir);
    return !error;
  }
  if (ckjit_on_network(fd))
    found_ok(f, "leases", "%s: not needed, the server has locks", dir);
  return true;
}

/* Try in DIR, which is writable, to lock a file and, FOR_CODE, to map code from one. True if both
 * work. */
static bool try_files(struct findings *f, const char *name, const char *dir, bool for_code) {
  autofree char *file =
      xasprintf("%s/doctor.tmp-XXXXXX", dir); /* `ckjit clean` removes remains of it */
  int fd = mkostemp(file, O_CLOEXEC), error = fd < 0 ? errno : 0;
  bool locks = !error && flock(fd, LOCK_EX | LOCK_NB) == 0, maps = !error;
  if (!error && write(fd, "", 1) != 1)
    error = errno;
  void *code = maps && for_code ? mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) : NULL;
  maps = code != MAP_FAILED;
  if (code && maps)
    munmap(code, 1);
  if (!error && maps && for_code)
    locks = try_lease(f, name, dir, fd, locks) && locks;
  if (fd >= 0) {
    unlink(file);
    close(fd);
  }
  if (error)
    found(f, FOUND_ERROR, name, cachedir_advice(error), "%s: cannot write a file there: %s", dir,
          strerror(error));
  else if (!maps)
    found(f, FOUND_ERROR, name,
          "set CK_JIT_CACHE_DIR to a directory of another file system, or mount it with exec",
          "%s: cannot map code from a file there: it is mounted noexec", dir);
  else if (!locks && !for_code)
    found(f, FOUND_WARNING, name,
          "mount it with locks, or name another directory: two processes may now compile "
          "the same kernel at the same time",
          "%s: cannot lock files there (flock)", dir);
  return !error && maps && locks;
}

/* Can a directory be created in DIR? 0 or an errno. It has to be tried: /proc says that root may
 * write there. */
static int try_directory(const char *dir) {
  autofree char *made = xasprintf("%s/doctor.tmp-XXXXXX", dir);
  return !mkdtemp(made) || rmdir(made) ? errno : 0;
}

/* DIR does not exist: can it be created? */
static void look_at_missing(struct findings *f, const char *dir, const char *how) {
  autofree char *up = nearest(dir);
  int error = file_is_dir(up) ? try_directory(up) : ENOTDIR;
  autofree char *room = error ? NULL : look_at_room(f, "cache", up);
  if (error)
    found(f, FOUND_ERROR, "cache", cachedir_advice(error),
          "%s (%s): does not exist and cannot be created in %s: %s", dir, how, up, strerror(error));
  else
    found_ok(f, "cache", "%s (%s): will be created in %s: %s", dir, how, up, room);
}

/* The longest compile that the cache DIR, NAME, has had. */
static void look_at_times(struct findings *f, const char *name, const char *dir) {
  struct times times = {0};
  const struct times_row *most = NULL;
  autofree char *file = path_join(dir, TIMES_FILE);
  char *err;
  if (file_exists(file))
    times_read(&times, file, TIMES_LAST, &err); /* a cache's damaged lines are skipped */
  for (size_t i = 0; i < times.n; i++)
    if (!most || times.rows[i].ms > most->ms)
      most = &times.rows[i];
  if (most)
    found_ok(f, name, "%zu %s; the longest took %.1f CPU-seconds: %s", times.n,
             noun(times.n, "kernel was compiled", "kernels were compiled"), (double)most->ms / 1e3,
             most->stem);
}

static void look_at_cache(struct findings *f, const char *dir, const char *how) {
  struct stat st;
  const char *why = ckjit_cache_check(dir);
  char *err = NULL;
  if (why && lstat(dir, &st) && errno == ENOENT) {
    look_at_missing(f, dir, how);
  } else if (why) {
    found(f, FOUND_ERROR, "cache",
          "until then every first call fails, for ckjit neither reads nor writes this cache",
          "%s (%s): %s", dir, how, why);
  } else if (!cachedir_writable(dir, &err)) {
    found(f, FOUND_ERROR, "cache", "until then no kernel can be compiled", "%s", err);
  } else {
    autofree char *room = look_at_room(f, "cache", dir);
    if (try_files(f, "cache", dir, true))
      found_ok(f, "cache",
               "%s (%s): private, writable; %s; file locks and executable mappings work", dir, how,
               room);
    look_at_times(f, "cache", dir);
  }
}

static void look_at_readonly(struct findings *f) {
  const char *dir = env_get("CK_JIT_CACHE_READONLY_DIR"),
             *why = dir ? ckjit_readonly_check(dir) : NULL, *named = env_get("CK_JIT_TRUST_KEYS");
  struct signature_keys keys;
  char *err;
  if (!signature_trusted(&keys, &err))
    found(f, FOUND_WARNING, "keys",
          "correct it: until then no signed entry is used from where others can write", "%s", err);
  else if (named)
    found_ok(f, "keys", "CK_JIT_TRUST_KEYS: %s: %zu %s", named, keys.n,
             noun(keys.n, "key", "keys"));
  bool is_signed = why && keys.n && file_is_dir(dir);
  if (is_signed)
    found_ok(f, "read-only", "%s: it %s; only entries that one of the keys has signed are used",
             dir, why);
  signature_keys_free(&keys);
  if (is_signed)
    return;
  if (why)
    found(f, FOUND_WARNING, "read-only",
          "correct it: until then ckjit ignores this cache and compiles its kernels again",
          "CK_JIT_CACHE_READONLY_DIR: %s %s", dir, why);
  else if (dir && !ckjit_may(dir, R_OK | X_OK))
    found(f, FOUND_WARNING, "read-only",
          "make it readable: until then its kernels are compiled again",
          "CK_JIT_CACHE_READONLY_DIR: cannot read %s: %s", dir, strerror(errno));
  else if (dir)
    found_ok(f, "read-only", "%s: readable; nobody but its owner, root or you, can write there",
             dir);
  if (dir && !why)
    look_at_times(f, "read-only", dir);
}

/* The variables that decide whether anything is cached. */
static void look_at_settings(struct findings *f) {
  struct cachedir_limits limits;
  char *err = NULL;
  const char *miss = env_get("CK_JIT_ON_MISS");
  if (!cachedir_limits(&limits, &err))
    found(f, FOUND_ERROR, "limit", "correct it: every compile fails with this value", "%s", err);
  else if (limits.bytes || limits.files)
    found_ok(f, "limit", "CK_JIT_CACHE_MAX_SIZE=%s, CK_JIT_CACHE_MAX_FILES=%s",
             limits.bytes ? env_get("CK_JIT_CACHE_MAX_SIZE") : "",
             limits.files ? env_get("CK_JIT_CACHE_MAX_FILES") : "");
  if (env_flag("CK_JIT_DISABLE_FILE_CACHING"))
    found(f, FOUND_WARNING, "setting",
          "unset it: with it every process compiles every kernel it calls",
          "CK_JIT_DISABLE_FILE_CACHING is set");
  if (miss && strcmp(miss, "error") == 0)
    found_ok(f, "setting",
             "CK_JIT_ON_MISS=error: a call of a kernel that no cache has fails at once");
}

/* Compilers write their temporary files there. */
static void look_at_temporary(struct findings *f) {
  const char *set = secure_getenv("TMPDIR"), *dir = set && *set ? set : "/tmp";
  if (!file_is_dir(dir) || faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS)) {
    found(f, FOUND_ERROR, "temporary", "set TMPDIR to a writable directory: compilers need one",
          "cannot write to %s: %s", dir, file_is_dir(dir) ? strerror(errno) : "not a directory");
    return;
  }
  autofree char *room = look_at_room(f, "temporary", dir);
  if (try_files(f, "temporary", dir, false))
    found_ok(f, "temporary", "%s: %s", dir, room);
}

void doctor_cache(struct findings *f, const char *given) {
  const char *set = env_get("CK_JIT_CACHE_DIR"), *named = given ? given : set;
  autofree char *dir = named ? path_abs(named) : cache_default();
  if (dir)
    look_at_cache(f, dir, given ? "--cache-dir" : set ? "CK_JIT_CACHE_DIR" : "the default");
  else
    found(f, FOUND_ERROR, "cache", "set CK_JIT_CACHE_DIR",
          "no cache directory: CK_JIT_CACHE_DIR, XDG_CACHE_HOME and HOME are unset, and "
          "the user database has no home directory");
  look_at_readonly(f);
  look_at_settings(f);
  look_at_temporary(f);
}
