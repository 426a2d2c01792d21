/* keeper.c - the process that tidies up if the working process is killed, or ends without tidying
 * up.
 *
 * SIGKILL cannot be caught. So the working process is the child of one that only waits. If the
 * child is killed, the keeper ends the compilers that are still running, removes the temporary
 * directory and ends by the same signal; the kernel releases the lock. If the keeper is killed, the
 * child gets a signal (PR_SET_PDEATHSIG) and stops as on SIGTERM. If both are killed at once, the
 * compiler is killed too (child.c), and the next compile in this cache removes the directory
 * (core/cache/cachedir.c).
 *
 * A daemon that the compiler has started (sccache's server) has a separate session and is left
 * alone.
 */
#include "keeper.h"
#include "child.h"
#include "core/base/path.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The name to remove, visible to both processes. The child may be killed at any instruction, and
 * half a name may name a directory that holds the user's files. So a name is written into a slot
 * that is not in force, and declared only afterwards. */
struct note {
  char names[2][PATH_MAX];
  int in_force; /* 1 + index; 0: none */
};
static struct note *shared;
static volatile pid_t worker;
static pid_t started_in; /* the process group that we were started in, that of the host program */

static void forward(int sig) {
  if (worker > 0)
    kill(worker, sig);
}

/* Kill the children of this process that are of its session, each with its group. Returns how many
 * there were. As a subreaper this process is the parent of all orphans below it. */
static int kill_orphans(void) {
  autofree char *name = xasprintf("/proc/self/task/%ld/children", (long)getpid());
  size_t len;
  autofree char *text = file_read(name, &len);
  int found = 0;
  for (char *at = text, *end; at && *at; at = end) {
    pid_t pid = (pid_t)strtol(at, &end, 10);
    if (end == at)
      break;
    if (pid <= 0 || getsid(pid) != getsid(0))
      continue;
    pid_t group = getpgid(pid);
    kill(group > 0 && group != getpgrp() && group != started_in ? -group : pid, SIGKILL);
    found++;
  }
  return found;
}

static void kill_all_orphans(void) {
  for (int i = 0; i < 1000 && kill_orphans(); i++) {
    while (waitpid(-1, NULL, WNOHANG) > 0)
      ;
    nanosleep(&(struct timespec){.tv_nsec = 2 * 1000 * 1000}, NULL);
  }
}

static void tidy_up(void) {
  int in_force = __atomic_load_n(&shared->in_force, __ATOMIC_ACQUIRE);
  if (in_force)
    dir_remove(shared->names[in_force - 1]);
}

static _Noreturn void keep(void) {
  int status;
  pid_t pid;
  while ((pid = waitpid(worker, &status, 0)) < 0 && errno == EINTR)
    ;
  if (pid < 0) { /* the worker ends as well: its parent is gone */
    complain("process %ld, the compiling one, cannot be waited for: %s", (long)worker, strerror(errno));
    _exit(EXIT_FAILED);
  }
  worker = 0;
  if (WIFEXITED(status)) {
    tidy_up(); /* it may have had no memory for it */
    _exit(WEXITSTATUS(status));
  }
  kill_all_orphans();
  tidy_up();
  stop_handle(SIG_DFL);
  raise(WTERMSIG(status));
  _exit(128 + WTERMSIG(status));
}

static int needed = -1; /* a byte, or the end of a pipe: that it is, or that it is not */

void keeper_needed(void) {
  if (needed >= 0 && write(needed, "", 1) == 1)
    close(needed);
  needed = -1;
}

/* Wait for that byte at END. */
static bool is_needed(int end) {
  char byte;
  ssize_t n;
  while ((n = read(end, &byte, 1)) < 0 && errno == EINTR)
    ;
  close(end);
  return n == 1;
}

void keeper_start(bool for_parent, void (*meanwhile)(const void *data), const void *data, bool if_needed) {
  int ends[2] = {-1, -1};
  pid_t self = getpid();
  started_in = getpgrp();
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    shared = NULL;
    return; /* the work can be done without a keeper */
  }
  if (meanwhile && if_needed && pipe2(ends, O_CLOEXEC))
    meanwhile = NULL;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t pid = fork();
  if (pid > 0) {
    worker = pid;
    stop_handle(forward);
    if (for_parent) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      setpgid(0, 0);
    }
    if (ends[1] >= 0)
      close(ends[1]);
    if (meanwhile && (ends[0] < 0 || is_needed(ends[0])))
      meanwhile(data);
    keep();
  }
  if (pid == 0) {
    if (ends[0] >= 0)
      close(ends[0]);
    needed = ends[1];
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != self)
      raise(SIGTERM);
  }
}

void keeper_removes(const char *path) {
  if (!shared)
    return;
  int next = __atomic_load_n(&shared->in_force, __ATOMIC_RELAXED) == 1 ? 2 : 1;
  size_t n = strlen(path);
  bool some = n && n < PATH_MAX;
  if (some)
    memcpy(shared->names[next - 1], path, n + 1);
  __atomic_store_n(&shared->in_force, some ? next : 0, __ATOMIC_RELEASE);
}
