/* cause.c - the lines of a failed build's output that say why it failed.
 *
 * aiter's build ends with a Python traceback. Before that is ninja's output, and somewhere before
 * that the compiler's or the link step's. It took a user half an hour to find a full disk in it. So
 * the lines that name a cause are extracted:
 *
 *     ckjit-link: error: …          a message of ckjit
 *     FAILED: x.o                   ninja's; make's "make: *** […] Error 1"
 *     x.cu:3:1: error: …            a compiler's or linker's, "fatal error: " too
 *     … No space left on device     from any program
 *
 * A message that is repeated for each of a thousand sources is shown a few times only.
 */
#include "cause.h"
#include "core/base/argv.h"
#include "core/base/human.h"

enum {
  LINES_MAX = 20,
  /* bytes of a line; ninja repeats commands of many kilobytes */
  WIDTH_MAX = 400,
};

/* LINE of N bytes without colours, which a build on a terminal may have enabled; free() it. */
static char *plain(const char *line, size_t n) {
  struct buf b = {0};
  buf_add(&b, "", 0);
  for (size_t i = 0; i < n; i++) {
    if (line[i] == '\033' && i + 1 < n && line[i + 1] == '[') {
      i += 2;
      while (i < n && ((line[i] >= '0' && line[i] <= '9') || line[i] == ';'))
        i++;
    } else if (line[i] != '\r') {
      buf_putc(&b, line[i]);
    }
  }
  return b.data;
}

static bool is_cause(const char *line) {
  static const char *const within[] = {"No space left on device", "Disk quota exceeded",
                                       "Cannot allocate memory", "Permission denied",
                                       "Read-only file system"};
  const char *error = strstr(line, "error: ");
  if (str_starts(line, "FAILED: ") || (str_starts(line, "make") && strstr(line, "] Error ")))
    return true;
  /* "x.cu:3:1: error: ", "clang: error: ", "c++: fatal error: "; not "RuntimeError: ", with which
   * the traceback ends. */
  if (error && (error == line || error[-1] == ' '))
    return true;
  for (size_t i = 0; i < sizeof within / sizeof *within; i++)
    if (strstr(line, within[i]))
      return true;
  return false;
}

bool cause_lines(struct buf *out, const char *text, size_t n) {
  autofree_argv said = {0};
  size_t more = 0;
  for (const char *end = text + n, *line = text; line < end;) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    size_t len = (size_t)((newline ? newline : end) - line);
    autofree char *words = plain(line, len);
    line += len + 1;
    if (is_cause(words) && !argv_has(&said, words)) {
      if (said.n == LINES_MAX)
        more++;
      else
        argv_add(&said, words);
    }
  }
  for (size_t i = 0; i < said.n; i++) {
    bool longer = strlen(said.args[i]) > WIDTH_MAX;
    buf_printf(out, "%.*s%s\n", WIDTH_MAX, said.args[i], longer ? "…" : "");
  }
  if (more)
    buf_printf(out, "(%zu more %s)\n", more, noun(more, "line like this", "lines like these"));
  return said.n > 0;
}
