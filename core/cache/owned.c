/* owned.c - see owned.h.
 *
 * The working directory of a compile must be removed when its process was killed, and must stay as
 * long as the process may continue: a stopped process (SIGSTOP) looks dead, has lost its lock, and
 * continues an hour later. Whether the lock is free does not answer this. So the name itself
 * identifies its maker, from the moment that the directory exists:
 *
 *     <prefix>-<machine>.<process space>.<pid>.<start time>-XXXXXX
 *
 *     machine          8 hexadecimal digits: one boot of one kernel (boot_id); zeros: unknown
 *     process space    8 more: the scope of process ids (PID and time namespace, host name)
 *     start time       of the process, field 22 of /proc/<pid>/stat: process ids are reused, this
 *                      pair is not
 *
 * A process that examines it may live elsewhere, and learns of the owner by
 *
 *     the same machine                flock on the directory, which the owner holds: if it does, it
 *                                     lives, whatever else is seen of it; if not, it has ended,
 *                                     unless locks of one mount are unknown to another
 *     the same process space          /proc, if it is that of the examiner's process space
 *     another machine, or no flock    its time stamp, which the owner changes every second
 *                                     (life.h): unchanged for an hour, by the clock of the file
 *                                     system itself
 *
 * Only the last can be wrong, for a machine that was suspended: then the compile fails because its
 * directory is missing, notices that it was given up, and starts over (compile/turn.c).
 */
#include "owned.h"
#include "life.h"
#include "sharedlocks.h"
#include "abi/ck_jit_trust.h"
#include "core/base/directory.h"
#include "core/base/path.h"

#include <blake2.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { SILENCE = 3600, ATTEMPTS = 16 };

struct owner {
  char machine[9], space[9]; /* "00000000": unknown */
  long pid;
  unsigned long long start;
};

/* ---- this process ---- */

/* When PID was started, in clock ticks. False: unknown, or the process has ended and was not waited
 * for. It reads the entry of the first thread: qemu-user, with which images for another machine are
 * built, invents a process's own /proc/PID/stat, with another time than all other processes read
 * there, so owned directories would look abandoned to them. */
static bool start_of(long pid, unsigned long long *start, bool *over) {
  autofree char *name = xasprintf("/proc/%ld/task/%ld/stat", pid, pid);
  char state = 0;
  size_t len;
  autofree char *text = file_read(name, &len);
  char *behind = text ? strrchr(text, ')') : NULL;
  bool known =
      behind &&
      sscanf(behind + 1,
             " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
             &state, start) == 2;
  *over = known && (state == 'Z' || state == 'X');
  return known;
}

static void digest(char hex[9], const char *text) {
  uint8_t bytes[4];
  blake2b(bytes, text, NULL, sizeof bytes, strlen(text), 0);
  snprintf(hex, 9, "%02x%02x%02x%02x", bytes[0], bytes[1], bytes[2], bytes[3]);
}

static void add_link(struct buf *b, const char *link) {
  char text[256];
  ssize_t n = readlink(link, text, sizeof text);
  buf_add(b, text, n > 0 ? (size_t)n : 0);
  buf_putc(b, '\n');
}

/* Does /proc use the process ids of this process? A PID namespace may see the /proc of the one
 * around it (unshare -p without --mount-proc, a container with /proc bound from outside), where
 * another process has this id. */
static bool proc_is_ours(void) {
  char text[32] = "";
  return readlink("/proc/self", text, sizeof text - 1) > 0 && strtol(text, NULL, 10) == getpid();
}

static const struct owner *ourselves(void) {
  static struct owner us;
  if (us.pid == getpid()) /* not that of the process that has forked this one */
    return &us;
  us = (struct owner){"00000000", "00000000", getpid(), 0};
  size_t len;
  bool over, known = proc_is_ours();
  autofree char *boot = file_read("/proc/sys/kernel/random/boot_id", &len);
  if (boot && len)
    digest(us.machine, boot);
  if (boot && len && known && start_of(us.pid, &us.start, &over)) {
    autofree_buf space = {0};
    struct utsname host;
    buf_puts(&space, boot);
    add_link(&space, "/proc/self/ns/pid");
    add_link(&space, "/proc/self/ns/time");
    buf_puts(&space, uname(&host) == 0 ? host.nodename : "");
    digest(us.space, space.data);
  }
  return &us;
}

char *owned_word(long pid) {
  const struct owner *us = ourselves();
  unsigned long long start;
  bool over;
  return us->start && start_of(pid, &start, &over) && !over
             ? xasprintf("%s-%ld-%llx", us->space, pid, start)
             : NULL;
}

/* ---- own directories ---- */

/* The directories that this process has made; the descriptors hold the locks, and show life. */
static struct {
  char *dir;
  int fd;
} * made;
static size_t nmade;
static pid_t made_by;

/* Lock DIR, just made. -1: it is gone, or another process has taken it for that of a dead one. */
static int hold(const char *dir) {
  struct stat ours, named;
  int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return -1;
  /* a file system without locks is fine */
  bool refused = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
  if (!refused && fstat(fd, &ours) == 0 && lstat(dir, &named) == 0 && ours.st_dev == named.st_dev &&
      ours.st_ino == named.st_ino)
    return fd;
  close(fd);
  errno = EAGAIN;
  return -1;
}

/* Runs however a process ends by itself: out of memory, a message of die(). */
static void remove_all(void) {
  static bool begun; /* removing needs memory itself */
  if (begun || ourselves()->pid != made_by)
    return;
  begun = true;
  while (nmade)
    owned_remove(made[nmade - 1].dir);
}

char *owned_make(const char *prefix) {
  const struct owner *us = ourselves();
  if (made_by != us->pid) {
    if (!made_by)
      atexit(remove_all);
    made_by = us->pid;
    nmade = 0; /* those of the process that has forked this one */
  }
  for (int i = 0; i < ATTEMPTS; i++) {
    char *dir =
        xasprintf("%s-%s.%s.%ld.%llu-XXXXXX", prefix, us->machine, us->space, us->pid, us->start);
    int fd = dir_make_temporary(dir) ? hold(dir) : -1;
    if (fd >= 0) {
      life_begin(fd);
      made = xrealloc(made, (nmade + 1) * sizeof *made);
      made[nmade].dir = xstrdup(dir);
      made[nmade++].fd = fd;
      return dir;
    }
    int error = errno;
    rmdir(dir);
    free(dir);
    errno = error;
    if (error != EAGAIN && error != ENOENT)
      break;
  }
  return NULL;
}

bool owned_remove(const char *dir) {
  bool removed = dir_remove(dir);
  int error = errno;
  for (size_t i = 0; i < nmade; i++)
    if (strcmp(made[i].dir, dir) == 0) {
      life_end(made[i].fd);
      close(made[i].fd);
      free(made[i].dir);
      made[i] = made[--nmade];
      break;
    }
  errno = error;
  return removed;
}

/* ---- directories of others ---- */

static bool parse(struct owner *o, const char *name) {
  const char *random = strrchr(name, '-'), *at = random;
  if (!at || strlen(random + 1) != 6)
    return false;
  while (at > name && at[-1] != '-')
    at--;
  int end = 0;
  return sscanf(at, "%8[0-9a-f].%8[0-9a-f].%ld.%llu%n", o->machine, o->space, &o->pid, &o->start,
                &end) == 4 &&
         at + end == random && strlen(o->machine) == 8 && strlen(o->space) == 8 && o->pid > 0;
}

static bool is_same(const char *ours, const char *theirs) {
  return strcmp(ours, theirs) == 0 && strcmp(ours, "00000000") != 0;
}

const char *owned_space(void) {
  return ourselves()->space;
}

bool owned_is_our_space(const char *space) {
  return is_same(ourselves()->space, space);
}

/* Has the owner, in this process space, ended? */
static bool is_gone(const struct owner *o) {
  unsigned long long start;
  bool over;
  if (kill((pid_t)o->pid, 0) && errno == ESRCH)
    return true;
  return start_of(o->pid, &start, &over) && (over || start != o->start);
}

/* Has FD, a directory in DIR, had the same time stamp for an hour? */
static bool is_silent(const char *dir, int fd) {
  struct timespec now;
  struct stat st;
  return fstat(fd, &st) == 0 && file_clock(dir, &now) && now.tv_sec - st.st_mtim.tv_sec > SILENCE;
}

/* Does the directory NAME in DIR have no owner any more? GONE: /proc says so; MACHINE: the owner
 * was on this machine, perhaps in a container with a separate mount, whose locks are not ours. */
static bool is_left(const char *dir, const char *name, bool gone, bool machine) {
  autofree char *whole = path_join(dir, name);
  autoclose fd = open(whole, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return false;
  bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0, held = !locked && errno == EWOULDBLOCK;
  return !held && (gone || (machine && locked && locks_are_shared(fd)) || is_silent(dir, fd));
}

enum owned owned_look(const char *dir, const char *name) {
  struct owner o;
  struct stat st;
  if (!parse(&o, name))
    return OWNED_NOT;
  autofree char *whole = path_join(dir, name);
  bool ours = lstat(whole, &st) == 0 && S_ISDIR(st.st_mode) && ckjit_is_own(&st);
  const struct owner *us = ourselves();
  if (!ours)
    return OWNED_LIVES;
  bool here = is_same(us->space, o.space), gone = here && is_gone(&o);
  if (here && !gone)
    return OWNED_LIVES;
  return is_left(dir, name, gone, is_same(us->machine, o.machine)) ? OWNED_GONE : OWNED_LIVES;
}

bool owned_process(const char *name, long *pid, char space[9]) {
  struct owner o;
  if (!parse(&o, name))
    return false;
  *pid = o.pid;
  memcpy(space, o.space, sizeof o.space);
  return true;
}

void owned_sweep(const char *dir, const char *prefix) {
  autoclose_dir *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));) {
    if (!str_starts(e->d_name, prefix) || owned_look(dir, e->d_name) != OWNED_GONE)
      continue;
    autofree char *left = path_join(dir, e->d_name);
    dir_remove(left);
  }
}
