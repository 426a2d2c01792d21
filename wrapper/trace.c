/* trace.c - CK_JIT_TRACE in the wrapper: the time of each call of a build, recorded or passed on.
 *
 * A call is a separate process, and a build has thousands. A trace with one track for each would be
 * unreadable, so a call is written as a span of a process that stands for all calls of its name
 * through this home, on a track that no other call had at that time (lane_take). Its line is
 * written together with the two that name these, in one write. The real program's time can only be
 * measured by a process that sees it end: with the variable set, and only then, the program is a
 * child that is waited for, and its status or signal is passed on. */
#include "wrap.h"
#include "abi/ck_jit_trace.h"
#include "core/base/path.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t start;
static pid_t child;

void wrap_trace_start(void) {
  start = ckjit_trace_start();
}

bool wrap_is_traced(void) {
  return start;
}

/* ---- lanes ---- */

/* A track of all calls of one name. The work directory has them in LANES, in order, for this
 * machine, whose clock they use. */
struct lane {
  char name[24];
  uint64_t end; /* The end of the last call on it. */
};

#define LANES ".trace-lanes"
/* Beyond this number a call is shown as a separate process, as it is if the file cannot be
 * opened. */
enum { LANES_MOST = 1024 };

static bool is_of(const struct lane *lane, const char *name) {
  return strncmp(lane->name, name, sizeof lane->name - 1) == 0;
}

/* A process that was stopped with the lock delays the others only as long as it does at the trace's
 * first line. */
static int open_locked(const char *file) {
  int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  for (int i = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB); i++) {
    if (i == CKJIT_TRACE_TRIES) {
      close(fd);
      return -1;
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
  }
  return fd;
}

/* The lane of a call of NAME that has ended: of those that were free when it began the one that
 * was free for the shortest time, or a new one. In the order in which calls end this takes the
 * fewest. */
static size_t lane_of(const struct lane *lanes, size_t n, const char *name) {
  uint64_t now = ckjit_microseconds(), latest = 0;
  size_t best = n;
  for (size_t i = 0; i < n; i++) {
    /* before the last start of this machine */
    uint64_t end = lanes[i].end > now ? 0 : lanes[i].end;
    if (is_of(&lanes[i], name) && end <= start && (best == n || end > latest)) {
      best = i;
      latest = end;
    }
  }
  return best;
}

/* Take a lane of the file FD for a call of NAME, which ended at END. */
static bool take(int fd, const char *name, uint64_t end, long *process, long *track) {
  static struct lane lanes[LANES_MOST];
  struct stat st;
  ssize_t got = pread(fd, lanes, sizeof lanes, 0);
  if (got < 0 || fstat(fd, &st))
    return false;
  size_t i = lane_of(lanes, (size_t)got / sizeof *lanes, name), first = 0;
  if (i == LANES_MOST)
    return false;
  snprintf(lanes[i].name, sizeof lanes->name, "%.*s", (int)sizeof lanes->name - 1, name);
  lanes[i].end = end;
  if (pwrite(fd, &lanes[i], sizeof *lanes, (off_t)(i * sizeof *lanes)) != sizeof *lanes)
    return false;
  while (!is_of(&lanes[first], name))
    first++;
  /* numbers that no process has, and that fit into 32 bits, as Perfetto wants them */
  long base = CKJIT_TRACE_CALLS + (long)(st.st_ino % (1 << 20)) * LANES_MOST;
  *process = base + (long)first;
  *track = base + (long)i;
  return true;
}

static void lane_take(const struct call *c, uint64_t end, long *process, long *track) {
  autofree char *file = path_join(c->work ? c->work : c->home->work, LANES);
  int fd = open_locked(file);
  if (fd < 0 || !take(fd, c->name, end, process, track))
    *process = *track = getpid();
  if (fd >= 0)
    close(fd);
}

/* ---- lines ---- */

/* Appends MORE to ALL, with one write for both; separately if one write may not be that long. */
static int append(struct ckjit_event *all, const struct ckjit_event *more, bool last) {
  int error = 0;
  if (all->len + more->len > sizeof all->line) {
    error = ckjit_trace_append(ckjit_trace_file(), all);
    all->len = 0;
  }
  memcpy(all->line + all->len, more->line, more->len);
  all->len += more->len;
  return last && !error ? ckjit_trace_append(ckjit_trace_file(), all) : error;
}

void wrap_trace(const struct call *c, const char *category, const char *status) {
  struct ckjit_event all = {.len = 0}, e;
  bool is_unit = strcmp(category, "other") != 0;
  const char *source = is_unit && c->cc.source ? c->cc.source->text : NULL,
             *name = strcmp(category, "link") == 0
                         ? (c->cc.output ? path_base(c->cc.output) : "a.out")
                     : source ? path_base(source)
                              : c->name;
  const struct ckjit_trace_arg args[] = {
      {"source", source, source ? strlen(source) : 0},
      {"compiler", c->compiler, c->compiler ? strlen(c->compiler) : 0},
      {"status", status, strlen(status)}};
  if (!start)
    return;
  long process, track;
  uint64_t end = ckjit_microseconds();
  lane_take(c, end, &process, &track);
  ckjit_event_name_of(&e, "process_name", process, process, c->name);
  int error = append(&all, &e, false);
  ckjit_event_name_of(&e, "thread_name", process, track, c->name);
  error = error ? error : append(&all, &e, false);
  ckjit_event_span_of(&e, category, name, strlen(name), process, track, start, end, args,
                      sizeof args / sizeof *args);
  error = error ? error : append(&all, &e, true);
  /* Nothing is printed: builds take any output of a compiler for its refusal of an option. */
  (void)error;
}

/* Passes on a signal that was sent to this process, which its sender takes for the program; the
 * program gets a terminal's signal itself. */
static void pass_on(int sig, siginfo_t *info, void *context) {
  (void)context;
  if (info->si_code <= 0)
    kill(child, sig);
}

static void wait_with_signals(int *status) {
  static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
  struct sigaction act = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO}, was;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
      sigaction(signals[i], &act, NULL);
  while (waitpid(child, status, 0) < 0 && errno == EINTR)
    ;
}

/* End as the program did: with its status, or by its signal, without a second core. */
static _Noreturn void end_as(int status) {
  if (!WIFSIGNALED(status))
    _exit(WEXITSTATUS(status));
  int sig = WTERMSIG(status);
  prctl(PR_SET_DUMPABLE, 0);
  signal(sig, SIG_DFL);
  raise(sig);
  _exit(128 + sig);
}

void wrap_run_traced(const struct call *c, const char *path, char **argv) {
  pid_t self = getpid();
  int status = 0;
  char text[32];
  child = fork();
  if (child < 0)
    return; /* then without its line */
  if (!child) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self)
      _exit(EXIT_FAILED);
    execv(path, argv);
    die(EXIT_FAILED, "%s: cannot be started: %s", path, strerror(errno));
  }
  wait_with_signals(&status);
  if (WIFSIGNALED(status))
    snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
  else
    snprintf(text, sizeof text, "%d", WEXITSTATUS(status));
  wrap_trace(c, c->what ? c->what : "other", text);
  end_as(status);
}
