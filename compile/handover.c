/* handover.c - a compile whose first result is enough for whoever waits for it, and which goes on: see handover.h.
 *
 * A call waits for the end of the process that its library has started, and of its output. With the host's side of a blob
 * (hostonly/entry.h) the call has what it needs, and the code object is still being compiled. That must not go on in a child of the job, which may wait for
 * any child. So the first process forks, and waits at a pipe; the second does all, below it the keeper and the worker. A byte in the pipe:
 * the first process ends, and the second is nobody's child any more. The pipe's end without one: both of them have ended, and the
 * first ends as its child did.
 *
 * If the first process is killed, or the job, the compile goes on, as any other: it is of use to all that share the cache.
 */
#include "handover.h"
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/base.h"

static int told = -1; /* where the byte is written */
static volatile pid_t second;

static void forward(int sig) {
  if (second > 0)
    kill(second, sig);
}

static _Noreturn void wait_for_it(int fd) {
  char byte;
  int status;
  ssize_t n;
  pid_t pid;
  while ((n = read(fd, &byte, 1)) < 0 && errno == EINTR)
    ;
  if (n == 1)
    _exit(EXIT_OK);
  while ((pid = waitpid(second, &status, 0)) < 0 && errno == EINTR)
    ;
  second = 0;
  if (pid < 0)
    _exit(EXIT_FAILED);
  if (WIFEXITED(status))
    _exit(WEXITSTATUS(status));
  stop_handle(SIG_DFL);
  raise(WTERMSIG(status));
  _exit(128 + WTERMSIG(status));
}

void handover_start(void) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return;
  pid_t pid = fork();
  if (pid > 0) {
    second = pid;
    close(ends[1]);
    stop_handle(forward);
    wait_for_it(ends[0]);
  }
  close(ends[0]);
  told = ends[1];
  if (pid < 0) {
    close(told);
    told = -1;
  }
}

void handover_silence(void) {
  int null = told >= 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
  if (null < 0)
    return;
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  close(null);
}

void handover_now(void) {
  handover_silence();
  if (told >= 0 && write(told, "", 1) == 1)
    close(told);
  told = -1;
}
