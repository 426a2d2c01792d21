/* child.c - starts the processes of a compile, stops them on request, and enforces time limits.
 *
 * The three belong together because there is one place where a compile waits. child_wait() waits
 * for a child, and an interval timer interrupts it five times a second (without SA_RESTART). Each
 * time it checks whether a signal has asked us to stop and whether the time is up.
 *
 * Each child has its own process group. hipcc starts clang, and clang starts lld; all of them must
 * end together, so signals go to the group. The handler of a signal that asks us to stop passes
 * SIGTERM on at once and does nothing else; the rest happens outside of the handler, in
 * stop_check(). SIGTERM comes first because a compiler then removes its temporary files; SIGKILL
 * follows TERM_GRACE seconds later.
 *
 * A child reports whether it was started through a pipe that exec closes, so child_start() returns
 * the errno of exec.
 */
#include "child.h"
#include "trace.h"
#include "abi/ck_jit_clock.h"
#include "core/base/path.h"
#include "core/cache/life.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stop_signal;      /* the signal that came, 0 for none */
static volatile pid_t children[CHILDREN_MOST]; /* process groups of running children, 0: free */
static const char *to_remove;                  /* removed when a signal stops us */
static double deadline;                        /* seconds of CLOCK_MONOTONIC; 0: none */
static bool out_of_time;

enum { TERM_GRACE = 2 }; /* seconds between SIGTERM and SIGKILL */

static void signal_children(int sig) {
  for (int i = 0; i < CHILDREN_MOST; i++)
    if (children[i] > 0)
      kill(-children[i], sig);
}

static void on_stop(int sig) {
  stop_signal = sig;
  signal_children(SIGTERM);
}

static void on_tick(int sig) {
  (void)sig; /* its only purpose is to interrupt a system call */
}

void stop_handle(void (*handler)(int)) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  struct sigaction act = {.sa_handler = handler}, old;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup stays */
      sigaction(signals[i], &act, NULL);
}

void stop_catch(const char *temporary) {
  to_remove = temporary;
  stop_handle(on_stop);
}

/* Whether any of our children is still running; reaps those that have ended. */
static bool any_left(void) {
  bool left = false;
  for (int i = 0; i < CHILDREN_MOST; i++) {
    if (children[i] > 0 && waitpid(children[i], NULL, WNOHANG) != 0) {
      kill(-children[i], SIGKILL); /* what it left running */
      children[i] = 0;
    }
    left |= children[i] > 0;
  }
  return left;
}

/* SIGTERM first, for a compiler removes its temporary files then. */
static void stop_children(void) {
  signal_children(SIGTERM);
  for (double end = ckjit_seconds() + TERM_GRACE; any_left() && ckjit_seconds() < end;)
    nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
  signal_children(SIGKILL);
  while (any_left())
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
}

void stop_check(void) {
  if (!stop_signal)
    return;
  char status[32];
  snprintf(status, sizeof status, "signal %d", (int)stop_signal);
  compile_trace_end(status);
  stop_children(); /* also a child that was started after the signal had come */
  dir_remove(to_remove);
  stop_handle(SIG_DFL);
  raise(stop_signal);
}

void stop_release(void) {
  stop_check();
  stop_handle(SIG_DFL);
}

void ticks(bool on) {
  struct sigaction act = {.sa_handler = on_tick}; /* no SA_RESTART */
  struct itimerval every = {.it_interval.tv_usec = on ? 200 * 1000 : 0,
                            .it_value.tv_usec = on ? 200 * 1000 : 0};
  sigaction(SIGALRM, &act, NULL);
  setitimer(ITIMER_REAL, &every, NULL);
}

void deadline_set(double seconds) {
  out_of_time = false;
  deadline = seconds > 0 ? ckjit_seconds() + seconds : 0;
}

bool deadline_passed(void) {
  return out_of_time;
}

/* SIGTERM at the deadline, SIGKILL from TERM_GRACE after it on. */
static void check_deadline(void) {
  double late = deadline > 0 ? ckjit_seconds() - deadline : -1;
  if (late < 0)
    return;
  signal_children(out_of_time && late > TERM_GRACE ? SIGKILL : SIGTERM);
  out_of_time = true;
}

/* Turns the forked child into its command: everything between fork and exec. */
static _Noreturn void become(const struct child *c, char *const *env, int log, pid_t parent, int report) {
  sigset_t none;
  sigemptyset(&none);
  /* If we are killed, nobody else stops the compiler. This does not reach what hipcc itself has
   * started; that ends by itself. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  for (int sig = 1; sig < NSIG; sig++)
    signal(sig, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
  int null = open("/dev/null", O_RDONLY);
  if (getppid() == parent && null >= 0 && dup2(null, 0) >= 0 && dup2(log, 1) >= 0 && dup2(log, 2) >= 0) {
    if (c->prepare) {
      close(report); /* we have started */
      int status = c->prepare(c->data);
      if (status >= 0)
        _exit(status);
    }
    execve(c->command->args[0], c->command->args, env);
  }
  int error = errno;
  if (write(report, &error, sizeof error) < 0)
    _exit(126);
  _exit(127);
}

bool child_start(pid_t *pid, const struct argv *command, char *const *env, int log) {
  return child_prepare(pid, &(struct child){.command = command}, env, log);
}

bool child_prepare(pid_t *pid, const struct child *c, char *const *env, int log) {
  int slot = 0, report[2], error = 0;
  while (slot < CHILDREN_MOST && children[slot])
    slot++;
  if (slot == CHILDREN_MOST)
    errno = EAGAIN;
  if (slot == CHILDREN_MOST || pipe2(report, O_CLOEXEC))
    return false;
  pid_t self = getpid();
  *pid = fork();
  if (*pid == 0)
    become(c, env, log, self, report[1]);
  if (*pid < 0)
    error = errno;
  close(report[1]);
  ssize_t n = 0;
  while (*pid > 0 && (n = read(report[0], &error, sizeof error)) < 0 && errno == EINTR)
    ;
  close(report[0]);
  if (*pid > 0 && n > 0)
    waitpid(*pid, NULL, 0);
  else if (*pid > 0)
    children[slot] = *pid;
  errno = error;
  return !error;
}

pid_t child_wait(int *status) {
  pid_t pid;
  struct rusage used; /* by the child, and by the children that it waited for */
  ticks(true);
  for (;;) {
    stop_check();
    check_deadline();
    life_beat();
    pid = wait4(-1, status, 0, &used);
    if (pid >= 0 || errno != EINTR)
      break;
  }
  ticks(false);
  if (pid > 0)
    compile_step_used(&used);
  stop_check(); /* before it leaves the list: what it started may still run */
  for (int i = 0; i < CHILDREN_MOST; i++)
    if (pid > 0 && children[i] == pid) {
      if (out_of_time)
        kill(-pid, SIGKILL); /* clang, if hipcc has ended at SIGTERM */
      children[i] = 0;
    }
  return pid;
}

void children_end(void) {
  signal_children(SIGKILL);
  int status;
  while (child_wait(&status) > 0)
    ;
}
