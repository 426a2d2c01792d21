/* launched.c - ccache or sccache in front of the wrapper.
 *
 * CMAKE_CXX_COMPILER_LAUNCHER=ccache makes a build call `ccache hipcc -c k.cpp`. ccache has the
 * compiler preprocess the source (-E). If it has seen the text before, it returns the object that
 * it stored. For a recorded unit that would be slow, because preprocessing takes seconds and
 * recording takes none. It would also be wrong: a stub object says where the source is and with
 * which options it is compiled, which may differ for the same text (another checkout, another build
 * directory).
 *
 * So the answer to this -E is not the preprocessed unit but the contents of its stub object: the
 * call and the source. Another call gets another answer. ccache also records the names of headers,
 * and assumes that the text is unchanged while they are. A header that is not a regular file makes
 * it not cache the call.
 *
 * For a lazy ordinary unit the answer is the real compiler's, because the unit's text decides about
 * its kernels; the call follows it, because the object's record contains the call. The object
 * contains the unit's text (core/files/embedded.h), so a build that gets it from the cache needs no
 * file of the build that made it.
 */
#include "wrap.h"
#include "core/base/path.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

bool wrap_is_launched(void) {
  char file[64], program[4096];
  snprintf(file, sizeof file, "/proc/%ld/exe", (long)getppid());
  ssize_t n = readlink(file, program, sizeof program - 1);
  if (n < 0)
    return false;
  program[n] = 0;
  const char *base = path_base(program);
  return str_starts(base, "ccache") || str_starts(base, "sccache");
}

/* The compile that C asks about: the same call with -c for -E. False if it is another question (-M,
 * -dM). */
static bool compile_of(struct call *compile, const struct call *c) {
  *compile = *c;
  compile->args = (struct argv){0};
  size_t asked = 0;
  for (size_t i = 0; i < c->args.n; i++) {
    const char *word = c->args.args[i];
    if (strcmp(word, "-M") == 0 || strcmp(word, "-MM") == 0 || str_starts(word, "-d"))
      return false;
    asked += strcmp(word, "-E") == 0;
    argv_add(&compile->args, strcmp(word, "-E") == 0 ? "-c" : word);
  }
  ccargs_scan(&compile->cc, c->kind->dialect, compile->args.args);
  return asked == 1;
}

bool wrap_is_question(const struct call *c, struct call *compile) {
  return c->cc.mode == CC_PREPROCESS && wrap_is_launched() && compile_of(compile, c);
}

static bool is_for_stdout(const struct call *c) {
  return !c->cc.output || strcmp(c->cc.output, "-") == 0;
}

static void put_line(struct buf *out, const char *text) {
  buf_puts(out, "// ");
  argv_quote(out, text);
  buf_putc(out, '\n');
}

/* Appends the call C; COMPILE is the same call with -c. */
static void put_call(struct buf *out, const struct call *c, const struct call *compile) {
  put_line(out, c->compiler);
  put_line(out, c->name);
  put_line(out, c->cwd);
  put_line(out, c->home->dir);
  /* a temporary file of ccache's */
  for (size_t i = 0; i < compile->args.n; i++)
    if (!c->cc.output || strcmp(compile->args.args[i], c->cc.output) != 0)
      put_line(out, compile->args.args[i]);
}

int wrap_answer(const struct call *c, const struct call *compile) {
  struct buf out = {0};
  buf_puts(&out, "# 1 \"/dev/null\"\n#error \"this is ckjit's answer to a launcher about a "
                 "recorded unit, not the unit\"\n");
  put_call(&out, c, compile);
  buf_add(&out, compile->text ? compile->text : "", compile->len);
  if (compile->cc.deps.wanted && !wrap_write_depfile(compile))
    die(EXIT_FAILED, "%s: cannot write the depfile of %s: %s", ccargs_depfile(&compile->cc),
        compile->cc.source->text, strerror(errno));
  bool to_stdout = is_for_stdout(c);
  bool written = to_stdout ? fwrite(out.data, 1, out.len, stdout) == out.len && fflush(stdout) == 0
                           : file_overwrite(c->cc.output, out.data, out.len, 0666);
  if (!written)
    die(EXIT_FAILED, "%s: cannot write: %s", to_stdout ? "standard output" : c->cc.output,
        strerror(errno));
  return EXIT_OK;
}

/* The real compiler's own answer. Exit status. */
static int ask_compiler(const struct call *c) {
  int status;
  pid_t pid = fork();
  if (pid == 0)
    wrap_exec_compiler(c);
  if (pid < 0)
    die(EXIT_FAILED, "%s: cannot be started: %s", c->compiler, strerror(errno));
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      die(EXIT_FAILED, "%s: cannot be waited for: %s", c->compiler, strerror(errno));
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

int wrap_answer_unit(const struct call *c, const struct call *compile) {
  struct buf out = {0};
  int status = ask_compiler(c);
  if (status)
    return status;
  /* A file that is not a regular one keeps ccache from relying on the names of headers alone:
   * CK_JIT_UNITS may have changed. */
  buf_puts(&out, "\n# 1 \"/dev/null\"\n// a lazy unit of ckjit " CKJIT_VERSION "\n");
  put_call(&out, c, compile);
  FILE *to = is_for_stdout(c) ? stdout : fopen(c->cc.output, "ae");
  if (!to || fwrite(out.data, 1, out.len, to) != out.len || fflush(to))
    die(EXIT_FAILED, "%s: cannot write: %s", to == stdout ? "standard output" : c->cc.output,
        strerror(errno));
  return EXIT_OK;
}
