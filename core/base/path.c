/* path.c - see path.h.
 *
 * Names are text: nothing here resolves a symbolic link (except path_self_dir), because the build's
 * own rules know files by the names it gave them. Whole files are read and written at once. A file
 * that others may be reading is written under a temporary name beside it and renamed; a file that
 * could not be written completely is removed (file_fill).
 */
#include "path.h"
#include "abi/ck_jit_access.h"
#include "abi/ck_jit_file.h"
#include "abi/ck_jit_make.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

char *path_join(const char *a, const char *b) {
  if (b[0] == '/' || !a[0])
    return xstrdup(b);
  return xasprintf(str_ends(a, "/") ? "%s%s" : "%s/%s", a, b);
}

char *path_abs_in(const char *cwd, const char *p) {
  autofree char *full = path_join(cwd, p);
  char *out = xmalloc(strlen(full) + 2), *w = out;
  for (const char *s = full; *s;) {
    while (*s == '/')
      s++;
    size_t n = strcspn(s, "/");
    if (n == 0)
      break;
    if (n == 2 && s[0] == '.' && s[1] == '.') {
      while (w > out && *--w != '/')
        ;
    } else if (!(n == 1 && s[0] == '.')) {
      *w++ = '/';
      memcpy(w, s, n);
      w += n;
    }
    s += n;
  }
  if (w == out)
    *w++ = '/';
  *w = 0;
  return out;
}

char *path_abs(const char *p) {
  if (p[0] == '/')
    return path_abs_in("/", p);
  autofree char *cwd = getcwd(NULL, 0);
  if (!cwd)
    die(EXIT_FAILED, "cannot tell the current directory: %s", strerror(errno));
  return path_abs_in(cwd, p);
}

char *path_dir(const char *p) {
  const char *slash = strrchr(p, '/');
  if (!slash)
    return xstrdup(".");
  if (slash == p)
    return xstrdup("/");
  return xstrndup(p, (size_t)(slash - p));
}

const char *path_base(const char *p) {
  const char *slash = strrchr(p, '/');
  return slash ? slash + 1 : p;
}

bool path_is_shared(const char *p) {
  const char *at = path_base(p);
  while ((at = strstr(at, ".so")) && at[3] && !(at[3] == '.' && isdigit((unsigned char)at[4])))
    at += 3;
  return at;
}

char *path_stem(const char *p) {
  const char *base = path_base(p), *dot = strrchr(base, '.');
  return dot && dot != base ? xstrndup(base, (size_t)(dot - base)) : xstrdup(base);
}

const char *path_below(const char *p, const char *dir) {
  size_t n = strlen(dir);
  while (n > 1 && dir[n - 1] == '/')
    n--;
  if (strncmp(p, dir, n) != 0)
    return NULL;
  if (n == 1 && dir[0] == '/')
    return p + 1;
  if (p[n] == 0)
    return p + n;
  return p[n] == '/' ? p + n + 1 : NULL;
}

bool path_within(const char *p, const char *dir) {
  return path_below(p, dir) != NULL;
}

bool file_is_program(const char *p) {
  struct stat st;
  return stat(p, &st) == 0 && S_ISREG(st.st_mode) && ckjit_may(p, X_OK);
}

const char *path_which_why(const char *name) {
  struct stat st;
  if (!*name)
    return "is an empty name";
  if (!strchr(name, '/'))
    return "is not on the PATH";
  if (stat(name, &st))
    return errno == EACCES ? "is in a directory that cannot be searched" : "is not there";
  return S_ISDIR(st.st_mode) ? "is a directory" : "is not executable";
}

char *path_which(const char *name) {
  const char *path = secure_getenv("PATH");
  return path_which_in(path ? path : "/usr/bin:/bin", name);
}

char *path_which_in(const char *path, const char *name) {
  if (strchr(name, '/'))
    return file_is_program(name) ? xstrdup(name) : NULL;
  for (const char *s = path; *name;) {
    size_t n = strcspn(s, ":");
    autofree char *dir = n ? xstrndup(s, n) : xstrdup(".");
    char *p = path_join(dir, name);
    if (file_is_program(p))
      return p;
    free(p);
    if (!s[n])
      break;
    s += n + 1;
  }
  return NULL;
}

char *path_self_dir(void) {
  char buf[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", buf, sizeof buf - 1);
  if (n < 0)
    die(EXIT_FAILED, "cannot read /proc/self/exe: %s", strerror(errno));
  buf[n] = 0;
  return path_dir(buf);
}

bool file_exists(const char *p) {
  struct stat st;
  return stat(p, &st) == 0;
}

bool file_is_dir(const char *p) {
  struct stat st;
  return stat(p, &st) == 0 && S_ISDIR(st.st_mode);
}

bool file_changed_since(const char *p, struct timespec when) {
  struct stat st;
  return stat(p, &st) == 0 &&
         (st.st_ctim.tv_sec > when.tv_sec ||
          (st.st_ctim.tv_sec == when.tv_sec && st.st_ctim.tv_nsec > when.tv_nsec));
}

bool file_is_regular(const char *p) {
  struct stat st;
  return stat(p, &st) == 0 && S_ISREG(st.st_mode);
}

/* The purpose of a directory. */
enum use { USE_PLAIN, USE_WORK, USE_OWN };

static bool make_one(const char *p, enum use use) {
  if (!ckjit_make_dir(p, use != USE_PLAIN))
    return false;
  if (use != USE_WORK)
    return true;
  mode_t mask = umask(0);
  umask(mask);
  return chmod(p, 0755 & ~mask) == 0 && ckjit_make_usable(p);
}

static bool make_dir(const char *p, enum use use) {
  if (make_one(p, use))
    return true;
  if (errno == EEXIST) {
    if (use != USE_PLAIN)
      ckjit_make_enterable(p);
    if (file_is_dir(p))
      return true;
    errno = ENOTDIR;
    return false;
  }
  if (errno != ENOENT)
    return false;
  autofree char *up = path_dir(p);
  bool made = strcmp(up, p) != 0 && make_dir(up, use);
  return made && (make_one(p, use) || errno == EEXIST);
}

bool dir_make(const char *p) {
  return make_dir(p, USE_PLAIN);
}

bool dir_make_work(const char *p) {
  return make_dir(p, USE_WORK);
}

bool dir_make_own(const char *p) {
  return make_dir(p, USE_OWN);
}

bool dir_make_temporary(char *template) {
  return mkdtemp(template) && ckjit_make_usable(template);
}

bool dir_remove(const char *p) {
  if (unlink(p) == 0 || errno == ENOENT)
    return true;
  if (errno != EISDIR && errno != EPERM)
    return false;
  DIR *d = opendir(p);
  if (!d)
    return false;
  int error = 0;
  for (struct dirent *e; (e = readdir(d));) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    autofree char *child = path_join(p, e->d_name);
    if (!dir_remove(child) && !error)
      error = errno;
  }
  closedir(d);
  if (error)
    errno = error;
  return !error && rmdir(p) == 0;
}

enum { TEXT_MOST = 256 << 20 };
#define FILE_MOST ((uint64_t)16 << 30)

/* The rest of OPENED, which is closed; at most MOST bytes. */
static char *read_open(int opened, uint64_t most, size_t *len) {
  autoclose fd = opened;
  struct stat st;
  struct buf b = {0};
  int e = fd < 0 ? errno : 0;
  /* The size is only a hint: /proc files and pipes report none. One byte more finds the end in the
   * same read. */
  size_t hint = !e && fstat(fd, &st) == 0 && st.st_size > 0 ? (size_t)st.st_size + 1 : 4096;
  for (ssize_t n = 1; !e && n; hint = 4096) {
    char *room = buf_room(&b, hint);
    n = read(fd, room, b.cap - b.len - 1);
    if (n < 0 && errno != EINTR)
      e = errno;
    b.len += n > 0 ? (size_t)n : 0;
    if (b.len > most)
      e = EFBIG;
  }
  if (e) {
    buf_free(&b);
    errno = e;
    return NULL;
  }
  b.data[b.len] = 0;
  *len = b.len;
  return b.data;
}

char *file_read(const char *p, size_t *len) {
  return read_open(ckjit_open_named(p, O_RDONLY, 0, FILE_MOST, NULL), FILE_MOST, len);
}

char *file_read_text(const char *p, size_t *len) {
  return read_open(ckjit_open_named(p, O_RDONLY, 0, TEXT_MOST, NULL), TEXT_MOST, len);
}

char *file_read_cached(const char *p, uint64_t most, size_t *len) {
  return read_open(ckjit_open_cached(p, O_RDONLY, 0, most, NULL), most, len);
}

char *file_read_any(const char *p, size_t *len) {
  return read_open(open(p, O_RDONLY | O_CLOEXEC), FILE_MOST, len);
}

const char *file_map(const char *p, size_t *len) {
  struct stat st;
  autoclose fd = ckjit_open_named(p, O_RDONLY, 0, FILE_MOST, &st);
  if (fd < 0)
    return NULL;
  *len = (size_t)st.st_size;
  void *map = mmap(NULL, *len, PROT_READ, MAP_PRIVATE, fd, 0);
  return map == MAP_FAILED ? NULL : map;
}

static bool write_all(int fd, const char *bytes, size_t n) {
  while (n) {
    ssize_t w = write(fd, bytes, n);
    if (w < 0 && errno == EINTR)
      continue;
    if (w < 0)
      return false;
    bytes += w;
    n -= (size_t)w;
  }
  return true;
}

bool file_write_at(int fd, const void *bytes, size_t n, off_t at) {
  for (const char *p = bytes; n;) {
    ssize_t w = pwrite(fd, p, n, at);
    if (w < 0 && errno == EINTR)
      continue;
    if (w <= 0)
      return false;
    p += w;
    n -= (size_t)w;
    at += w;
  }
  return true;
}

bool file_fill(int fd, const char *p, const void *bytes, size_t n) {
  int error = write_all(fd, bytes, n) ? 0 : errno;
  if (close(fd) && !error)
    error = errno; /* NFS reports a failed write here */
  struct stat st;
  if (error && lstat(p, &st) == 0 && S_ISREG(st.st_mode))
    unlink(p);
  if (error)
    errno = error;
  return !error;
}

bool file_append(const char *p, const void *bytes, size_t n) {
  int fd = open(p, O_WRONLY | O_APPEND | O_CLOEXEC);
  return fd >= 0 && file_fill(fd, p, bytes, n);
}

char *path_beside(const char *p, const char *suffix) {
  size_t dir = (size_t)(path_base(p) - p), n = strlen(p) - dir, most = NAME_MAX - strlen(suffix);
  return xasprintf("%.*s%s", (int)(dir + (n < most ? n : most)), p, suffix);
}

char *file_make_beside(const char *p, bool (*make)(const char *name, void *data), void *data) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  enum { ATTEMPTS = 100 };
  for (int i = 0; i < ATTEMPTS; i++) {
    uint64_t random;
    char word[] = ".tmp-XXXXXX";
    if (getentropy(&random, sizeof random))
      random =
          ((uint64_t)getpid() << 32) ^ (uint64_t)clock() ^ (uint64_t)i << 16 ^ (uintptr_t)&random;
    for (char *at = strchr(word, 'X'); *at; at++, random /= sizeof letters - 1)
      *at = letters[random % (sizeof letters - 1)];
    char *name = path_beside(p, word);
    if (make(name, data))
      return name;
    int error = errno;
    free(name);
    errno = error;
    if (error != EEXIST)
      return NULL;
  }
  errno = EEXIST;
  return NULL;
}

struct opening {
  mode_t mode;
  int fd;
};

static bool open_new(const char *name, void *data) {
  struct opening *o = data;
  o->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, o->mode);
  return o->fd >= 0;
}

/* Open a new file beside P, whose name is *TMP; free() it. */
static int open_beside(const char *p, mode_t mode, char **tmp) {
  struct opening o = {.mode = mode, .fd = -1};
  *tmp = file_make_beside(p, open_new, &o);
  return o.fd;
}

bool file_write(const char *p, const void *bytes, size_t n, mode_t mode) {
  autofree char *tmp = NULL;
  int fd = open_beside(p, mode, &tmp);
  bool done = fd >= 0 && file_fill(fd, tmp, bytes, n) && rename(tmp, p) == 0;
  int e = errno;
  if (fd >= 0 && !done)
    unlink(tmp);
  errno = e;
  return done;
}

bool file_is_unfinished(const char *name) {
  const char *tmp = NULL;
  for (const char *at = name; (at = strstr(at, ".tmp")); at++)
    tmp = at;
  if (!tmp || tmp == name)
    return false;
  tmp += strlen(".tmp");
  size_t digits = strspn(tmp, "0123456789");
  return (*tmp == '-' && strlen(tmp) == 7 &&
          strspn(tmp + 1, "abcdefghijklmnopqrstuvwxyz0123456789") == 6) ||
         (digits && !tmp[digits]);
}

bool file_clock(const char *dir, struct timespec *now) {
  struct stat st;
  autoclose fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) { /* NFS */
    autofree char *name = path_join(dir, ".clock"), *tmp = NULL;
    fd = open_beside(name, 0600, &tmp);
    if (fd >= 0)
      unlink(tmp);
  }
  bool known = fd >= 0 && futimens(fd, NULL) == 0 && fstat(fd, &st) == 0;
  if (known)
    *now = st.st_mtim;
  return known;
}

bool file_overwrite(const char *p, const void *bytes, size_t n, mode_t mode) {
  int fd = open(p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  return fd >= 0 && file_fill(fd, p, bytes, n);
}

bool file_is_special(const char *p) {
  struct stat st;
  return stat(p, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Write with MAKE, which is file_write() or file_update(). */
static bool put(const char *p, const void *bytes, size_t n, mode_t mode,
                bool (*make)(const char *p, const void *bytes, size_t n, mode_t mode)) {
  if (file_is_special(p))
    return file_overwrite(p, bytes, n, mode);
  autofree char *target = realpath(p, NULL);
  bool done = make(target ? target : p, bytes, n, mode);
  int e = errno;
  errno = e;
  return done;
}

bool file_put(const char *p, const void *bytes, size_t n, mode_t mode) {
  return put(p, bytes, n, mode, file_write);
}

bool file_put_update(const char *p, const void *bytes, size_t n, mode_t mode) {
  return put(p, bytes, n, mode, file_update);
}

bool file_update(const char *p, const void *bytes, size_t n, mode_t mode) {
  size_t have;
  autofree char *old = file_read(p, &have);
  bool same = old && have == n && memcmp(old, bytes, n) == 0;
  return same || file_write(p, bytes, n, mode);
}

bool file_copy(const char *from, const char *to) {
  struct stat st;
  if (stat(from, &st))
    return false;
  size_t n;
  autofree char *bytes = file_read(from, &n);
  return bytes && file_write(to, bytes, n, st.st_mode & 0777);
}
