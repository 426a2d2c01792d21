/* trace.c - CK_JIT_TRACE in the wrapper: what a call of a build took, recorded or passed on.
 *
 * A call is a process of its own, so its line comes with the two that name the process, in one write. Who wants to know how
 * long the real program took has to be there when it ends: with the variable set, and only then, the program is a child
 * that is waited for, and its status or signal is handed on. */
#include "wrap.h"
#include "abi/ck_jit_trace.h"
#include "core/base/path.h"
#include "core/base/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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

/* Append MORE to ALL, one write for both; apart if that would be more than one may have. */
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
             *name = strcmp(category, "link") == 0 ? (c->cc.output ? path_base(c->cc.output) : "a.out")
                     : source                      ? path_base(source)
                                                   : c->name;
  const struct ckjit_trace_arg args[] = {{"source", source, source ? strlen(source) : 0},
                                         {"compiler", c->compiler, c->compiler ? strlen(c->compiler) : 0},
                                         {"status", status, strlen(status)}};
  if (!start)
    return;
  ckjit_event_name(&e, "process_name", getpid(), c->name);
  int error = append(&all, &e, false);
  ckjit_event_name(&e, "thread_name", getpid(), c->name);
  error = error ? error : append(&all, &e, false);
  ckjit_event_span(&e, category, name, strlen(name), getpid(), start, ckjit_microseconds(), args,
                   sizeof args / sizeof *args);
  error = error ? error : append(&all, &e, true);
  (void)error; /* nothing is said: builds take a word of a compiler for its refusal of an option */
}

/* A signal that somebody sent to the process that they know is the program's; that of a terminal it has had. */
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
