/* holder.c - see holder.h.
 *
 * The file has one line:
 *
 *     PID SPACE HOST SECONDS.NANOSECONDS JOB-PID JOB-NAME
 *
 * SPACE is that of owned.h: a pid is meaningful only within one process space. The time is the one
 * that the file system gave the file when the lock was taken, not this machine's: the reader may be
 * another machine, and both know the clock of the file system. Names consist of printable ASCII
 * without blanks.
 */
#include "holder.h"
#include "owned.h"
#include "core/base/path.h"
#include "abi/ck_jit_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static long job;

void holder_works_for(long pid) {
  job = pid;
}

/* NAME of at most 63 characters, each blank or unprintable one a '?'; "?" for an empty one. */
static void plain(char out[HOLDER_NAME], const char *name) {
  size_t n = 0;
  for (; name[n] && n < HOLDER_NAME - 1; n++)
    out[n] = name[n] > ' ' && name[n] < 0x7f ? name[n] : '?';
  if (!n)
    out[n++] = '?';
  out[n] = 0;
}

/* The name of process PID, from the system; false: there is no such process. */
static bool name_of(char out[HOLDER_NAME], long pid) {
  autofree char *file = xasprintf("/proc/%ld/comm", pid);
  size_t len;
  char *text = pid > 0 ? file_read(file, &len) : NULL;
  if (text) {
    text[strcspn(text, "\n")] = 0;
    plain(out, text);
  }
  free(text);
  return text;
}

static void our_host(char out[HOLDER_NAME]) {
  struct utsname u;
  plain(out, uname(&u) == 0 ? u.nodename : "");
}

void holder_write(int fd) {
  struct stat st;
  char host[HOLDER_NAME], name[HOLDER_NAME] = "?", line[4 * HOLDER_NAME];
  if (ftruncate(fd, 0) || futimens(fd, NULL) || fstat(fd, &st))
    return;
  our_host(host);
  bool known = name_of(name, job);
  int n =
      snprintf(line, sizeof line, "%ld %s %s %lld.%09ld %ld %s\n", (long)getpid(), owned_space(),
               host, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, known ? job : 0, name);
  if (pwrite(fd, line, (size_t)n, 0) != n && ftruncate(fd, 0))
    return; /* half a line is useless */
}

bool holder_read(struct holder *h, const char *path) {
  char line[4 * HOLDER_NAME], space[9];
  long long seconds;
  int end = 0;
  autoclose fd = ckjit_open_cached(path, O_RDONLY, 0, UINT64_MAX, NULL);
  ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
  if (n <= 0)
    return false;
  line[n] = 0;
  memset(h, 0, sizeof *h); /* its padding too: two are compared as bytes */
  if (sscanf(line, "%ld %8[0-9a-f] %63[!-~] %lld.%9ld %ld %63[!-~]%n", &h->pid, space, h->host,
             &seconds, &h->since.tv_nsec, &h->job_pid, h->job_name, &end) != 7 ||
      line[end] != '\n' || h->pid <= 0)
    return false;
  h->since.tv_sec = (time_t)seconds;
  h->here = owned_is_our_space(space);
  return true;
}

double holder_seconds(const struct holder *h, const char *dir) {
  struct timespec now;
  if (!file_clock(dir, &now))
    return -1;
  double seconds = (double)(now.tv_sec - h->since.tv_sec) +
                   ((double)now.tv_nsec - (double)h->since.tv_nsec) / 1e9;
  return seconds > 0 ? seconds : 0;
}

/* ---- names for people ---- */

static void add(struct buf *out, const char *name, long pid, const struct holder *h) {
  char us[HOLDER_NAME];
  our_host(us);
  if (!h || h->here)
    buf_printf(out, "%s (pid %ld)", name, pid);
  else if (strcmp(h->host, us) == 0)
    buf_printf(out, "%s (pid %ld in another container)", name, pid);
  else
    buf_printf(out, "%s (pid %ld on %s)", name, pid, h->host);
}

void holder_add(struct buf *out, const char *program, const struct holder *h) {
  add(out, program, h->pid, h);
}

void holder_add_job(struct buf *out, const struct holder *h) {
  if (h->job_pid > 0)
    add(out, h->job_name, h->job_pid, h);
  else
    buf_puts(out, "an unknown process");
}

bool holder_add_process(struct buf *out, long pid) {
  char name[HOLDER_NAME];
  bool known = name_of(name, pid);
  if (known)
    add(out, name, pid, NULL);
  return known;
}
