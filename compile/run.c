/* run.c - runs the compiler, and reports errors so that the user can act on them.
 *
 * The compiler's output goes to a file, not through a pipe: it may be 100 MB, and a daemon that the
 * compiler leaves behind (sccache's server on its first use) would keep a pipe open for ever.
 */
#include "run.h"
#include "carried.h"
#include "child.h"
#include "cuid.h"
#include "environment.h"
#include "failure.h"
#include "known.h"
#include "log.h"
#include "seen.h"
#include "trace.h"
#include "abi/ck_jit_start.h"
#include "core/base/path.h"
#include "core/base/trace.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMAND_MAX = 4 * 1024 }; /* of the command in a message; the log has all of it */

/* ---- the message ---- */

/* the command, without its middle if it is long */
static void add_command(struct buf *out, const char *command) {
  size_t n = strlen(command);
  if (n <= COMMAND_MAX)
    buf_puts(out, command);
  else
    buf_printf(out, "%.*s […] %s", COMMAND_MAX * 3 / 4, command, command + n - COMMAND_MAX / 4);
}

static void add_start_error(struct buf *b, const struct compile_task *t, int error) {
  char why[256];
  ckjit_start_why(why, sizeof why, error);
  buf_printf(b, "%s: the compiler %s cannot be run: %s", t->stem, t->compiler, why);
}

/* COMMAND as a user can repeat it; free() it. Its output goes to the current directory: the one
 * that it is written to is removed. *GONE, which may be NULL: it reads other files from there. */
static char *repeatable(const struct compile_task *t, const struct argv *command, bool *gone) {
  autofree_argv words = {0};
  bool reads = false;
  for (size_t i = 0; i < command->n; i++) {
    const char *word = command->args[i], *file = str_starts(word, "-o/") ? word + strlen("-o") : word;
    bool output = i && (file != word || strcmp(command->args[i - 1], "-o") == 0);
    bool within = t->temporary && strstr(word, t->temporary);
    if (output && within)
      argv_addf(&words, "%.*s%s", (int)(file - word), word, path_base(file));
    else
      argv_add(&words, word);
    reads |= within && !output;
  }
  if (gone)
    *gone = reads;
  return argv_join(words.args);
}

/* Does the log say that the compiler does not know an architecture, in the words of clang or of
 * nvcc? */
static bool is_of_arch(const char *log) {
  size_t len;
  autofree char *text = file_read(log, &len);
  return text && (strstr(text, "target ID") || strstr(text, "gpu architecture"));
}

/* Which architectures the compiler knows, if it does not know one of T's. */
static void add_known(struct buf *b, const struct compile_task *t, const char *log) {
  const char *at = t->archs, *word;
  bool told = !is_of_arch(log);
  for (size_t n; !told && (word = ckjit_arch_next(&at, &n));) {
    autofree char *arch = xstrndup(word, n), *dir = path_dir(log), *known = known_tell(t, dir, arch);
    if ((told = *known))
      buf_printf(b, "\nnote: the compiler cannot compile for %s%s", arch, known);
  }
}

/* Compilers say of few descriptors what comes to them. */
static void add_few_files(struct buf *b) {
  const rlim_t few = 64;
  struct rlimit most;
  if (getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur < few)
    buf_printf(b, "\nnote: a process may have %llu open files here; raise the limit: ulimit -n",
               (unsigned long long)most.rlim_cur);
}

/* REFUSED: the compiler found an error in the source, for which no variable is to blame. */
static char *message(const struct compile_task *t, const struct argv *command, const char *log, off_t from,
                     int status, int spawn_error, bool refused) {
  bool gone;
  autofree char *text = repeatable(t, command, &gone);
  struct buf b = {0};
  if (deadline_passed())
    buf_printf(
        &b,
        "%s: the compiler %s was killed after %g s; raise CK_JIT_COMPILE_TIMEOUT, in seconds, or set it to 0 [ckjit help compile-timeout]",
        t->stem, t->compiler, t->timeout);
  else if (spawn_error)
    add_start_error(&b, t, spawn_error);
  else if (WIFSIGNALED(status))
    buf_printf(&b, "%s: the compiler was killed by signal %d (%s)%s", t->stem, WTERMSIG(status),
               strsignal(WTERMSIG(status)),
               WTERMSIG(status) == SIGKILL ? "; perhaps memory ran out [ckjit help out-of-memory]" : "");
  else
    buf_printf(&b, "%s: the compiler failed with status %d [ckjit help compiler-failed]", t->stem,
               WEXITSTATUS(status));
  buf_puts(&b, gone ? "\ncommand (it reads temporary files, which are removed): " : "\ncommand: ");
  add_command(&b, text);
  if (!spawn_error)
    log_last_lines(&b, log, from);
  add_few_files(&b);
  if (refused)
    add_known(&b, t, log);
  if (!refused)
    environment_tell(t, &b);
  carried_tell_missing(t, &b);
  return b.data;
}

/* ---- the one command ---- */

/* The words that COMMAND is run with; those in messages are without what makes it talkative. */
static void add_words(struct argv *words, const struct compile_task *t, const struct argv *command) {
  argv_add(words, command->args[0]);
  if (t->seen && t->seen->says)
    argv_add(words, "-v");
  argv_add_all(words, command->args + 1);
}

/* Run COMMAND of T with its output in LOG. 0 or an errno; *STATUS as of wait. */
static int run(const struct compile_task *t, const struct argv *command, int log, int *status) {
  pid_t pid;
  if (deadline_passed()) /* the passes may have taken all of the time */
    return 0;
  autofree_argv env = {0};
  argv_add_all(&env, compile_environment(t));
  if (t->seen && t->seen->wanted)
    seen_variables(t, &env, t->temporary);
  cuid_add_variable(&env, t, command);
  autofree_argv words = {0};
  add_words(&words, t, command);
  uint64_t start = trace_now();
  bool started = child_start(&pid, &words, env.args, log);
  int error = errno;
  if (!started)
    return error;
  compile_step_began(pid, start);
  while (child_wait(status) != pid)
    ;
  compile_step_ended(pid, "plain command", command->args[0], *status, COMPILE_STEP_COUNTS);
  return 0;
}

bool run_command(const struct compile_task *t, const struct argv *command, const char *log, char **err) {
  autofree char *text = repeatable(t, command, NULL);
  autoclose fd = open(log, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
  bool done = fd >= 0 && dprintf(fd, "%s\n", text) >= 0;
  if (!done) {
    task_fail(t, err, "cannot write %s: %s; the compiler was not run", log, strerror(errno));
  } else {
    off_t from = lseek(fd, 0, SEEK_END);
    int status = 0, error = run(t, command, fd, &status);
    seen_take_answer(t, fd, from);
    done = !error && !status && !deadline_passed();
    bool refused = !error && !deadline_passed() && failure_is_refusal(status, log, from);
    failure_note(refused);
    if (!done)
      *err = message(t, command, log, from, status, error, refused);
  }
  return done;
}

void say_command(const struct compile_task *t, const struct argv *command) {
  if (!t->verbose)
    return;
  autofree char *text = repeatable(t, command, NULL);
  note("%s: %s", t->stem, text);
}
