/* lease.c - see lease.h.
 *
 * The leases of PATH are files PATH.1, PATH.2 and so on, its *generations*. Each is created
 * exclusively (O_EXCL), which network file systems do on the server. The holder is the process that
 * has created the last one. It has five lines of fixed length:
 *
 *     ckjit-lease 1        the format
 *     TOKEN                16 random hexadecimal digits: the holder's identity
 *     BEAT                 changes about once a second (life.h)
 *     held | next          next: generation N + 1 has taken its place
 *     PID SPACE            of the holder (owned.h)
 *
 * A process that waits opens the file again at each look, because network file systems promise no
 * more than that an open sees what was written before the last close or sync. If the content stays
 * the same until its patience ends, the process creates the next generation. Nobody ever removes or
 * replaces the file of another holder, so a process that judged and was then stopped for hours
 * cannot harm a successor: at most it finds the next generation taken.
 *
 * Contents are only compared for equality. So neither clocks nor cached attributes matter, and a
 * lease in a format of the future is one whose content does not change.
 */
#include "lease.h"
#include "life.h"
#include "owned.h"
#include "abi/ck_jit_clock.h"
#include "abi/ck_jit_file.h"
#include "abi/ck_jit_seal.h"
#include "core/base/path.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEAD "ckjit-lease 1\n"
enum { TOKEN_AT = 14, BEAT_AT = 31, STATE_AT = 48, WHO_AT = 53, SIZE = 73, MOST = 1000 };
#define HELD "held\n"
#define NEXT "next\n"
#define WHO "%10ld %8.8s\n"

/* ---- one file ---- */

static char *file_of(const char *path, unsigned generation) {
  return xasprintf("%s.%u", path, generation);
}

/* the content of a file; bytes that it does not have are 0 */
struct content {
  char text[SIZE];
};

static bool same(const struct content *a, const struct content *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

static bool is_at(const struct content *c, int at, const char *text) {
  return memcmp(c->text + at, text, strlen(text)) == 0;
}

/* Open FILE, so that what others wrote is seen, and read it into C. -1 with errno. */
static int read_file(const char *file, int how, struct content *c) {
  int fd = ckjit_open_cached(file, how, 0, UINT64_MAX, NULL), error = 0;
  memset(c, 0, sizeof *c);
  ssize_t n;
  while (fd >= 0 && (n = pread(fd, c->text, sizeof c->text, 0)) < 0 && !error)
    error = errno == EINTR ? 0 : errno;
  if (error) {
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

/* Write N bytes of TEXT through to the server. */
static bool write_through(int fd, const char *text, size_t n, off_t at) {
  return pwrite(fd, text, n, at) == (ssize_t)n && fdatasync(fd) == 0;
}

/* Create L's file exclusively. False with errno; EEXIST: it exists. */
static bool create(struct lease *l) {
  uint64_t token;
  char text[SIZE + 32];
  if (getrandom(&token, sizeof token, GRND_NONBLOCK) != sizeof token)
    token = (uint64_t)(ckjit_seconds() * 1e9) ^ (uint64_t)getpid() << 40;
  snprintf(l->token, sizeof l->token, "%016llx", (unsigned long long)token);
  snprintf(text, sizeof text, HEAD "%s\n%016x\n" HELD WHO, l->token, 0, (long)getpid(),
           owned_space());
  do
    l->fd = open(l->file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  while (l->fd < 0 && errno == EINTR);
  if (l->fd < 0)
    return false;
  struct content c;
  int again = -1, error = 0;
  if (fchmod(l->fd, 0600) || !write_through(l->fd, text, SIZE, 0))
    error = errno;
  else if ((again = read_file(l->file, O_RDONLY, &c)) >= 0 && !is_at(&c, TOKEN_AT, l->token))
    error = EEXIST; /* the server does not create exclusively, and another process was later */
  if (again >= 0)
    close(again);
  if (error) {
    if (error != EEXIST)
      unlink(l->file);
    close(l->fd);
    l->fd = -1;
    errno = error;
  }
  return !error;
}

/* ---- taking over ---- */

/* Has the holder that C names certainly ended? It was in this process space, where its id has the
 * same meaning. */
static bool is_dead(const struct content *c) {
  char text[SIZE + 1], space[9];
  long pid;
  memcpy(text, c->text, SIZE);
  text[SIZE] = 0;
  return is_at(c, 0, HEAD) && sscanf(text + WHO_AT, "%10ld %8[0-9a-f]", &pid, space) == 2 &&
         pid > 0 && owned_is_our_space(space) && kill((pid_t)pid, 0) && errno == ESRCH;
}

/* Write into FILE, whose holder was judged silent when it was JUDGED, that the next generation has
 * taken its place. 0, or EAGAIN: its holder lives after all, or it is another's file; another
 * errno: it is none that can be read and written, and never will be (a directory, a damaged disk).
 */
static int supersede(const char *file, const struct content *judged) {
  struct content c;
  int fd = read_file(file, O_RDWR, &c), error = fd < 0 ? errno : same(&c, judged) ? 0 : EAGAIN;
  errno = EIO; /* it was written in part */
  if (!error && !write_through(fd, NEXT, strlen(NEXT), STATE_AT))
    error = errno;
  if (fd >= 0)
    close(fd);
  fd = error ? -1 : read_file(file, O_RDONLY, &c);
  if (!error && fd < 0)
    error = errno;
  if (!error && (!is_at(&c, STATE_AT, NEXT) || memcmp(c.text, judged->text, BEAT_AT) != 0))
    error = EAGAIN;
  if (fd >= 0)
    close(fd);
  return error == ENOENT || error == ESTALE ? EAGAIN : error;
}

/* what a process has seen of one generation */
struct watch {
  struct content content;
  double last, silent; /* the last look, 0: none; seconds without a change */
};

enum seen { SEEN_HELD, SEEN_GONE, SEEN_NEXT, SEEN_SILENT };

/* Time in which this process was stopped itself does not count. */
static enum seen look(const char *file, struct watch *w, double patience) {
  const double longest = 1;
  struct content c;
  double now = ckjit_seconds();
  int fd = read_file(file, O_RDONLY, &c);
  if (fd < 0 && (errno == ENOENT || errno == ESTALE))
    return SEEN_GONE;
  if (fd < 0)
    c = w->content; /* it cannot be read now: its holder is not seen to live */
  else
    close(fd);
  if (is_at(&c, STATE_AT, NEXT))
    return SEEN_NEXT;
  if (w->last == 0 || !same(&c, &w->content))
    *w = (struct watch){.content = c};
  else
    w->silent += now - w->last < longest ? now - w->last : longest;
  w->last = now;
  return is_dead(&c) || (patience > 0 && w->silent > patience) ? SEEN_SILENT : SEEN_HELD;
}

/* Pause before look number N: 10 ms at first, 0.25 s later, so that a thousand machines that wait
 * for one kernel cost the server four thousand small reads a second. Process ids spread them. */
static void pause_before(unsigned n, const struct lock_wait *how) {
  long ms = n < 10 ? 10 + 5L * (long)n * n : 250;
  ms = ms > 250 ? 250 : ms;
  ms -= ms * (getpid() % 16) / 64;
  nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
  if (how->look)
    how->look();
  life_beat();
}

/* Wait until FILE, which exists, is held no more. */
static enum seen watch_file(const char *file, struct watch *w, const struct lock_wait *how) {
  enum seen seen;
  *w = (struct watch){0};
  for (unsigned n = 0; (seen = look(file, w, how->patience)) == SEEN_HELD; n++)
    pause_before(n, how);
  return seen;
}

/* Create L's file, which is generation GENERATION. JUDGED is the content of the one before it if
 * that is silent, NULL if there is none or it says `next`. False with errno; EEXIST. */
static bool begin(struct lease *l, const char *path, unsigned generation,
                  const struct content *judged) {
  free(l->file);
  l->file = file_of(path, generation);
  if (!create(l))
    return false;
  autofree char *before = judged ? file_of(path, generation - 1) : NULL;
  int error = before ? supersede(before, judged) : 0;
  if (!error)
    return true;
  unlink(l->file); /* created in error, and nobody was sent to it */
  close(l->fd);
  l->fd = -1;
  errno = error;
  return false;
}

enum { LATE_SECONDS = 2 }; /* how long a directory may be seen too late */

/* Take it. LOCK_FAILED with errno: there can be none. */
static enum lock_state take(struct lease *l, const char *path, const struct lock_wait *how,
                            bool *waited) {
  struct watch w;
  unsigned generation = 1, gone = 0;
  /* since when creating fails in another way; since when a file exists, and is not there */
  double trouble = 0, unseen = 0;
  bool judged = false;
  while (generation < MOST) {
    if (begin(l, path, generation, judged ? &w.content : NULL))
      return LOCK_OURS;
    judged = false;
    int error = errno;
    if (error == EAGAIN) {
      generation = 1;
      pause_before(gone++, how);
      continue;
    }
    if (error != EEXIST) {
      trouble = trouble ? trouble : ckjit_seconds();
      errno = error;
      if ((error != ENOENT && error != ESTALE) || ckjit_seconds() - trouble > LATE_SECONDS)
        return LOCK_FAILED;
      pause_before(2, how);
      continue;
    }
    *waited = true;
    if (how->at_once)
      return LOCK_HELD;
    enum seen seen = watch_file(l->file, &w, how);
    judged = seen == SEEN_SILENT;
    unseen = w.last != 0 ? 0 : unseen ? unseen : ckjit_seconds();
    generation += seen != SEEN_GONE;
    if (seen != SEEN_GONE)
      continue;
    if (how->over && how->over(how->data))
      return LOCK_NONE;
    if (how->patience > 0 && unseen && ckjit_seconds() - unseen > how->patience) {
      errno = ESTALE;
      return LOCK_FAILED;
    }
    pause_before(gone++, how); /* it may have gone, and this machine not know so yet */
  }
  errno = EMLINK;
  return LOCK_FAILED;
}

enum lock_state lease_take(struct lease *l, const char *path, const struct lock_wait *how,
                           bool *waited, bool *warned) {
  *l = (struct lease){.fd = -1};
  *warned = false;
  enum lock_state state = take(l, path, how, waited);
  if (state == LOCK_OURS) {
    life_begin_at(l->fd, BEAT_AT);
    return state;
  }
  if (state == LOCK_FAILED) {
    warn("%s: no lease can be made there (%s): another machine may compile the same", path,
         strerror(errno));
    *warned = true;
    state = LOCK_NONE;
  }
  free(l->file);
  l->file = NULL;
  return state;
}

bool lease_is_current(const struct lease *l) {
  struct content c;
  int fd = read_file(l->file, O_RDONLY, &c);
  if (fd < 0)
    return errno != ENOENT && errno != ESTALE;
  close(fd);
  return is_at(&c, TOKEN_AT, l->token) && !is_at(&c, STATE_AT, NEXT);
}

void lease_release(struct lease *l) {
  if (l->fd < 0)
    return;
  life_end(l->fd);
  if (lease_is_current(l))
    unlink(l->file);
  close(l->fd);
  free(l->file);
  *l = (struct lease){.fd = -1};
}

/* ---- seen from outside ---- */

/* one of them */
struct view {
  unsigned generation;
  struct watch watch;
  struct content first;
  bool decided;
};

/* Decide by one look at the lease of W, if that is enough. */
static void view_once(struct lease_watch *w, struct view *v, double seconds) {
  char who[SIZE + 32];
  autofree char *file = file_of(w->path, v->generation);
  enum seen seen = look(file, &v->watch, seconds);
  for (; seen == SEEN_NEXT && v->generation < MOST; seen = look(file, &v->watch, seconds)) {
    free(file);
    file = file_of(w->path, ++v->generation);
    v->watch = (struct watch){0};
  }
  bool before = *v->first.text;
  if (!before)
    v->first = v->watch.content;
  snprintf(who, sizeof who, WHO, w->pid, w->space);
  v->decided = true;
  if (seen == SEEN_GONE)
    w->life = v->generation > 1 ? LEASE_OTHERS : LEASE_NONE;
  else if (w->pid && !is_at(&v->watch.content, WHO_AT, who))
    w->life = LEASE_OTHERS;
  else if (seen == SEEN_HELD && before && !same(&v->first, &v->watch.content))
    w->life = LEASE_LIVES;
  else {
    w->life = LEASE_SILENT;
    v->decided = seen == SEEN_SILENT;
  }
}

void lease_watch(struct lease_watch *list, size_t n, double seconds) {
  autofree struct view *views = xcalloc(n + 1, sizeof *views);
  for (size_t i = 0; i < n; i++)
    views[i].generation = 1;
  for (size_t left = n; left;) {
    left = 0;
    for (size_t i = 0; i < n; i++) {
      if (!views[i].decided)
        view_once(&list[i], &views[i], seconds);
      left += !views[i].decided;
    }
    nanosleep(&(struct timespec){.tv_nsec = left ? 50000000 : 0}, NULL);
  }
}

void lease_list(const char *locks, struct argv *paths) {
  DIR *d = opendir(locks);
  for (struct dirent *e; d && (e = readdir(d));) {
    size_t n = strlen(e->d_name);
    if (n > 2 && strcmp(e->d_name + n - 2, ".1") == 0)
      argv_add_own(paths, xasprintf("%s/%.*s", locks, (int)n - 2, e->d_name));
  }
  if (d)
    closedir(d);
}

/* ---- remains ---- */

enum { SILENCE = 3600 }; /* seconds */

/* Remove the generations of PATH, from the last to the first, if none has changed for an hour by
 * the file system's clock. */
static void sweep(const char *path, const struct timespec *now) {
  struct stat st;
  unsigned n = 0;
  autofree char *file = NULL;
  bool old = true;
  do {
    free(file);
    file = file_of(path, ++n);
  } while (n < MOST && lstat(file, &st) == 0 && (old &= now->tv_sec - st.st_mtime > SILENCE));
  for (; old && n; n--) {
    free(file);
    file = file_of(path, n);
    unlink(file);
  }
}

void lease_sweep(const char *locks) {
  struct timespec now;
  autofree_argv paths = {0};
  lease_list(locks, &paths);
  if (paths.n && file_clock(locks, &now))
    for (size_t i = 0; i < paths.n; i++)
      sweep(paths.args[i], &now);
}

int lease_try(const char *dir) {
  autofree char *path = xasprintf("%s/doctor.tmp-%ld", dir, (long)getpid());
  struct lease first = {.fd = -1, .file = file_of(path, 1)},
               second = {.fd = -1, .file = xstrdup(first.file)};
  int error = create(&first) ? 0 : errno;
  if (!error)
    error = create(&second) ? -1 : errno == EEXIST ? 0 : errno;
  unlink(first.file);
  if (first.fd >= 0)
    close(first.fd);
  if (second.fd >= 0)
    close(second.fd);
  free(first.file);
  free(second.file);
  return error;
}
