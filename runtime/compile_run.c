/* compile_run.c - run the compiler, and say what went wrong in a way that can be acted on.
 *
 * Its output goes to a file, not through a pipe: it may be 100 MB, and a daemon that the compiler leaves
 * behind (sccache's server on its first use) would keep a pipe open for ever. It runs in a process group of
 * its own, so that when we are told to stop, the whole tree of hipcc, clang and lld stops and nothing is left
 * half made.
 */
#include "compile.h"
#include "core/path.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
  LAST_LINES = 20,        /* of the compiler's output in a message */
  LAST_BYTES = 6 * 1024,  /* of them at most: one line of a template error can have 10 kB */
  COMMAND_MAX = 4 * 1024, /* of the command in a message; the log has all of it */
};

/* ---- the message ---- */

/* the command, its middle left out where it is long */
static void add_command(struct buf *out, const char *command) {
  size_t n = strlen(command);
  if (n <= COMMAND_MAX)
    buf_puts(out, command);
  else
    buf_printf(out, "%.*s […] %s", COMMAND_MAX * 3 / 4, command, command + n - COMMAND_MAX / 4);
}

/* the last lines of the file behind FROM, each indented */
static void add_last_lines(struct buf *out, const char *log, off_t from) {
  char text[LAST_BYTES + 1];
  int fd = open(log, O_RDONLY | O_CLOEXEC);
  struct stat st;
  if (fd < 0)
    return;
  off_t start = fstat(fd, &st) == 0 && st.st_size - from > LAST_BYTES ? st.st_size - LAST_BYTES : from;
  ssize_t n = pread(fd, text, LAST_BYTES, start);
  close(fd);
  while (n > 0 && text[n - 1] == '\n')
    n--;
  if (n <= 0) {
    buf_puts(out, "\nit printed nothing");
    return;
  }
  text[n] = 0;
  char *line = text + n;
  for (int lines = 0; line > text; line--)
    if (line[-1] == '\n' && ++lines == LAST_LINES)
      break;
  buf_puts(out, "\nits last lines:");
  while (line) {
    char *end = strchr(line, '\n');
    buf_printf(out, "\n  %.*s", end ? (int)(end - line) : (int)strlen(line), line);
    line = end ? end + 1 : NULL;
  }
}

static char *message(const struct compile_task *t, const char *command, const char *log, off_t from,
                     int status, int spawn_error) {
  struct buf b = {0};
  if (spawn_error)
    buf_printf(&b, "%s: the compiler %s cannot be run: %s", t->stem, t->compiler, strerror(spawn_error));
  else if (WIFSIGNALED(status))
    buf_printf(&b, "%s: the compiler was killed by signal %d (%s)%s", t->stem, WTERMSIG(status),
               strsignal(WTERMSIG(status)), WTERMSIG(status) == SIGKILL ? "; perhaps memory ran out" : "");
  else
    buf_printf(&b, "%s: the compiler failed with status %d", t->stem, WEXITSTATUS(status));
  buf_puts(&b, "\ncommand: ");
  add_command(&b, command);
  if (!spawn_error)
    add_last_lines(&b, log, from);
  return b.data;
}

/* ---- children, and being told to stop ---- */

static volatile sig_atomic_t stop_signal;         /* the signal that came, 0 for none */
static volatile pid_t children[COMPILE_CHILDREN]; /* process groups of running children, 0: free */
static const char *to_remove;                     /* when we are told to stop */

static void signal_children(int sig) {
  for (int i = 0; i < COMPILE_CHILDREN; i++)
    if (children[i] > 0)
      kill(-children[i], sig);
}

static void on_stop(int sig) {
  stop_signal = sig;
  signal_children(SIGTERM);
}

static void handle_stop(void (*handler)(int)) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  struct sigaction act = {.sa_handler = handler}, old;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup stays */
      sigaction(signals[i], &act, NULL);
}

void compile_stop_catch(const char *temporary) {
  to_remove = temporary;
  handle_stop(on_stop);
}

void compile_stop_check(void) {
  if (!stop_signal)
    return;
  signal_children(SIGTERM); /* it came between the start of a child and its entry in the list */
  for (int i = 0; i < COMPILE_CHILDREN; i++) {
    while (children[i] > 0 && waitpid(children[i], NULL, 0) < 0 && errno == EINTR)
      ;
    if (children[i] > 0)
      kill(-children[i], SIGKILL); /* what did not heed SIGTERM */
  }
  dir_remove(to_remove);
  handle_stop(SIG_DFL);
  raise(stop_signal);
}

void compile_stop_release(void) {
  compile_stop_check();
  handle_stop(SIG_DFL);
}

int compile_child_start(pid_t *pid, const struct argv *command, char *const *env, int log) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, log, 1);
  posix_spawn_file_actions_adddup2(&files, log, 2);
  posix_spawnattr_init(&attr);
  posix_spawnattr_setsigdefault(&attr, &all);
  posix_spawnattr_setsigmask(&attr, &none);
  posix_spawnattr_setpgroup(&attr, 0);
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  int slot = 0, error;
  while (slot < COMPILE_CHILDREN && children[slot])
    slot++;
  error = slot == COMPILE_CHILDREN ? EAGAIN
                                   : posix_spawn(pid, command->args[0], &files, &attr, command->args, env);
  posix_spawnattr_destroy(&attr);
  posix_spawn_file_actions_destroy(&files);
  if (!error)
    children[slot] = *pid;
  return error;
}

pid_t compile_child_wait(int *status) {
  for (;;) {
    compile_stop_check();
    pid_t pid = waitpid(-1, status, 0);
    if (pid < 0 && errno == EINTR)
      continue;
    compile_stop_check(); /* before it leaves the list: what it started may still run */
    for (int i = 0; i < COMPILE_CHILDREN; i++)
      if (pid > 0 && children[i] == pid)
        children[i] = 0;
    return pid;
  }
}

void compile_children_end(void) {
  signal_children(SIGKILL);
  int status;
  while (compile_child_wait(&status) > 0)
    ;
}

/* ---- the one command ---- */

char *compile_run(const struct compile_task *t, const struct argv *command, const char *log) {
  char *text = argv_join(command->args), *why = NULL;
  int fd = open(log, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0 || dprintf(fd, "%s\n", text) < 0) {
    why = xasprintf("%s: cannot write %s: %s", t->stem, log, strerror(errno));
  } else {
    off_t from = lseek(fd, 0, SEEK_END);
    pid_t pid;
    int status = 0, error = compile_child_start(&pid, command, environ, fd);
    while (!error && compile_child_wait(&status) != pid)
      ;
    if (error || status)
      why = message(t, text, log, from, status, error);
  }
  if (fd >= 0)
    close(fd);
  free(text);
  return why;
}
