/* launched.c - ccache or sccache in front of the wrapper, which asks what a unit is made of.
 *
 * CMAKE_CXX_COMPILER_LAUNCHER=ccache makes a build call `ccache hipcc -c k.cpp`. ccache has the compiler
 * preprocess the source (-E), and where it has met the text before, it gives the object of then. For a unit
 * that is recorded that is slow, the preprocessing takes seconds and the recording none; and it is wrong: a
 * stub object says where the source lies and with which options it is compiled, which may be different for
 * the same text (another checkout, another build directory).
 *
 * So the answer to this -E is not the text of the unit, but that which its stub object is made of: the call,
 * and the source. Whoever gets it under another call gets another answer. ccache looks at names of headers as
 * well, and trusts that where these are unchanged the text is, too; one that is no regular file makes it
 * leave the call alone.
 */
#include "wrap.h"
#include "core/cc/deps.h"
#include "core/base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether the program that has started us is one that keeps objects by the text that they are made of. */
static bool is_launched(void) {
  char file[64], program[4096];
  snprintf(file, sizeof file, "/proc/%ld/exe", (long)getppid());
  ssize_t n = readlink(file, program, sizeof program - 1);
  if (n < 0)
    return false;
  program[n] = 0;
  const char *base = path_base(program);
  return str_starts(base, "ccache") || str_starts(base, "sccache");
}

/* The call of which A is the question: the same with -c for -E. False where it is another question (-M, -dM).
 */
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
  ccargs_scan(&compile->cc, wrap_dialect(c), compile->args.args);
  return asked == 1;
}

bool wrap_is_question(const struct call *c, struct call *compile) {
  return c->cc.mode == CC_PREPROCESS && is_launched() && compile_of(compile, c);
}

static void put_line(struct buf *out, const char *text) {
  buf_puts(out, "// ");
  argv_quote(out, text);
  buf_putc(out, '\n');
}

int wrap_answer(const struct call *c, const struct call *compile) {
  struct buf out = {0};
  buf_puts(
      &out,
      "# 1 \"/dev/null\"\n#error \"this is what ckjit tells a launcher of a recorded unit, not the unit\"\n");
  put_line(&out, c->compiler);
  put_line(&out, c->name);
  put_line(&out, c->cwd);
  put_line(&out, c->home->dir);
  for (size_t i = 0; i < compile->args.n; i++)
    if (!c->cc.output || strcmp(compile->args.args[i], c->cc.output) != 0) /* a temporary file of ccache's */
      put_line(&out, compile->args.args[i]);
  buf_add(&out, compile->text ? compile->text : "", compile->len);
  char *cache = path_join(c->work, DEPS_CACHE);
  if (compile->cc.deps.wanted &&
      !deps_write(&compile->cc, compile->text ? compile->text : "", compile->len, cache))
    die(EXIT_FAILED, "%s: cannot write the depfile of %s: %s", ccargs_depfile(&compile->cc),
        compile->cc.source->text, strerror(errno));
  bool to_stdout = !c->cc.output || strcmp(c->cc.output, "-") == 0;
  bool written = to_stdout ? fwrite(out.data, 1, out.len, stdout) == out.len && fflush(stdout) == 0
                           : file_overwrite(c->cc.output, out.data, out.len, 0666);
  if (!written)
    die(EXIT_FAILED, "%s: cannot write: %s", to_stdout ? "standard output" : c->cc.output, strerror(errno));
  return EXIT_OK;
}
