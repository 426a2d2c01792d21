/* launched.c - ccache or sccache in front of the wrapper.
 *
 * CMAKE_CXX_COMPILER_LAUNCHER=ccache makes a build call `ccache hipcc -c k.cpp`. ccache has the compiler
 * preprocess the source (-E). If it has seen the text before, it returns the object that it stored. For a
 * recorded unit that would be slow, because preprocessing takes seconds and recording takes none. It would
 * also be wrong: a stub object says where the source is and with which options it is compiled, which may
 * differ for the same text (another checkout, another build directory).
 *
 * So the answer to this -E is not the preprocessed unit but what its stub object is made from: the call and
 * the source. Another call gets another answer. ccache also records the names of headers, and assumes that
 * the text is unchanged while they are. A header that is not a regular file makes it not cache the call.
 */
#include "wrap.h"
#include "core/cc/deps.h"
#include "core/base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether our parent is a program that caches objects by the preprocessed text. */
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

/* The compile that C asks about: the same call with -c for -E. False if it is another question (-M, -dM). */
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

static void put_line(struct buf *out, const char *text) {
  buf_puts(out, "// ");
  argv_quote(out, text);
  buf_putc(out, '\n');
}

int wrap_answer(const struct call *c, const struct call *compile) {
  struct buf out = {0};
  buf_puts(
      &out,
      "# 1 \"/dev/null\"\n#error \"this is ckjit's answer to a launcher about a recorded unit, not the unit\"\n");
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
