/* trace.c - CK_JIT_TRACE in the wrapper: the time of each call of a build, recorded or passed on.
 *
 * A call is a separate process, and a build has thousands. A trace with one track for each would be
 * unreadable, so a call is written as a span of a process that stands for all calls of its name
 * through this home, on a track that no other call had at that time. The trace itself says which
 * these are. The real program's time can only be measured by a process that sees it end: with the
 * variable set, and only then, the program is a child that is waited for, and its status or signal
 * is passed on. */
#include "wrap.h"
#include "abi/ck_jit_abi.h"
#include "abi/ck_jit_trace.h"
#include "core/base/path.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t start;
static off_t size_at_start; /* of the trace: calls that end after START come after it */
static pid_t child;

void wrap_trace_start(void) {
  struct stat st;
  start = ckjit_trace_start();
  size_at_start = start && stat(ckjit_trace_file(), &st) == 0 ? st.st_size : 0;
}

bool wrap_is_traced(void) {
  return start;
}

/* ---- lanes ---- */

/* A lane is a track of all calls of one name. Beyond this number a call is shown as a separate
 * process, as it is if the trace cannot be locked. */
enum { LANES_MOST = 1024 };

/* How much is read before what was written during the call: lanes that became free lately. */
enum { LANES_BEFORE = 64 << 10 };

/* The trace from FROM on; free() it. NULL: it cannot be read. */
static char *read_from(int fd, off_t from) {
  struct stat st;
  if (fstat(fd, &st))
    return NULL;
  from = from > 0 && from < st.st_size ? from : 0;
  char *text = xmalloc((size_t)(st.st_size - from) + 1);
  ssize_t n = pread(fd, text, (size_t)(st.st_size - from), from);
  text[n > 0 ? n : 0] = 0;
  return text;
}

/* The ends of the last calls on the lanes of PROCESS, by the lines of TEXT. Returns the number of
 * lanes. */
static size_t read_lanes(char *text, long process, uint64_t ends[LANES_MOST]) {
  autofree char *key = xasprintf(",\"pid\":%ld,\"tid\":", process);
  uint64_t now = ckjit_microseconds();
  size_t n = 0;
  for (char *line; (line = strsep(&text, "\n"));) {
    unsigned long long track, ts, dur;
    const char *at = strstr(line, key);
    if (!at || sscanf(at + strlen(key), "%llu,\"ts\":%llu,\"dur\":%llu", &track, &ts, &dur) != 3)
      continue;
    size_t lane = (size_t)track - (size_t)process;
    if (lane >= LANES_MOST || ts + dur > now) /* before the last start of this machine */
      continue;
    n = lane < n ? n : lane + 1;
    ends[lane] = ts + dur > ends[lane] ? ts + dur : ends[lane];
  }
  return n;
}

/* The lane of a call of PROCESS that has ended: of those that were free when it began the one that
 * was free for the shortest time, or a new one. In the order in which calls end this takes the
 * fewest. LANES_MOST: there is none. */
static size_t lane_of(int fd, long process) {
  static uint64_t ends[LANES_MOST];
  autofree char *text = read_from(fd, size_at_start - LANES_BEFORE);
  size_t n = text ? read_lanes(text, process, ends) : LANES_MOST, best = n;
  for (size_t i = 0; text && i < n; i++)
    if (ends[i] <= start && (best == n || ends[i] > ends[best]))
      best = i;
  return best;
}

/* A number that no process has: of all calls of C's name. It and those of the lanes fit into 32
 * bits, as Perfetto wants them. */
static long process_of(const struct call *c) {
  autofree char *name = path_join(c->work ? c->work : c->home->work, c->name);
  return CKJIT_TRACE_CALLS + (long)(ckjit_fnv1a(name, strlen(name)) % (1 << 19)) * LANES_MOST;
}

/* ---- lines ---- */

void wrap_trace(const struct call *c, const char *category, const char *status) {
  struct ckjit_event e[3];
  struct stat st;
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
  uint64_t end = ckjit_microseconds();
  int fd = ckjit_open_named(ckjit_trace_file(), O_RDWR | O_APPEND | O_CREAT, 0666, UINT64_MAX, &st);
  /* Nothing is printed: builds take any output of a compiler for its refusal of an option. */
  int error = fd < 0 ? errno : st.st_size ? 0 : ckjit_trace_begin(fd);
  long process = process_of(c);
  size_t lane = error || ckjit_trace_lock(fd) ? LANES_MOST : lane_of(fd, process);
  if (lane == LANES_MOST) {
    process = getpid();
    lane = 0;
  }
  long track = process + (long)lane;
  ckjit_event_name_of(&e[0], "process_name", process, process, c->name);
  ckjit_event_name_of(&e[1], "thread_name", process, track, c->name);
  ckjit_event_span_of(&e[2], category, name, strlen(name), process, track, start, end, args,
                      sizeof args / sizeof *args);
  for (size_t i = 0; i < 3 && !error; i++)
    error = ckjit_append_file(fd, st.st_size, e[i].line, e[i].len);
  if (fd >= 0)
    close(fd);
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
