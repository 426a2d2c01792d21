/* ck_jit_say.c - what the runtime prints on standard error. */
#include "ck_jit_say.h"
#include "ck_jit_settings.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* On a terminal that knows colours, unless the user wants none: no-color.org, anything but empty. */
static bool ckjit_in_colour(void) {
  const char *term = ckjit_env("TERM");
  return term && strcmp(term, "dumb") != 0 && !ckjit_env("NO_COLOR") && isatty(STDERR_FILENO);
}

static struct iovec ckjit_part(const char *text, size_t n) {
  return (struct iovec){(char *)text, n};
}

/* As ckjit's programs print them (core/base/message.c), which is as clang does: of a message of several lines
 * the first is bold. */
void ckjit_say(enum ckjit_severity severity, const char *text, size_t n) {
  const char *word = "", *bold = "", *plain = "";
  bool colour = severity != CKJIT_PROGRESS && ckjit_in_colour();
  if (severity == CKJIT_WARNING)
    word = colour ? "\033[0;1;35mwarning: \033[0m" : "warning: ";
  else if (severity == CKJIT_ERROR)
    word = colour ? "\033[0;1;31merror: \033[0m" : "error: ";
  if (colour) {
    bold = "\033[1m";
    plain = "\033[0m";
  }
  const char *newline = memchr(text, '\n', n);
  size_t first = newline ? (size_t)(newline - text) : n;
  const struct iovec parts[] = {
      ckjit_part("ckjit: ", 7), ckjit_part(word, strlen(word)),   ckjit_part(bold, strlen(bold)),
      ckjit_part(text, first),  ckjit_part(plain, strlen(plain)), ckjit_part(text + first, n - first),
      ckjit_part("\n", 1)};
  if (writev(STDERR_FILENO, parts, sizeof parts / sizeof *parts) < 0)
    return; /* a closed standard error is no reason to fail */
}

void ckjit_warn_once(int *said, const char *fmt, ...) {
  struct ckjit_text line = {0};
  va_list ap;
  if (__atomic_exchange_n(said, 1, __ATOMIC_RELAXED))
    return;
  va_start(ap, fmt);
  ckjit_vaddf(&line, fmt, ap);
  va_end(ap);
  if (ckjit_whole(&line))
    ckjit_say(CKJIT_WARNING, line.data, line.len);
  ckjit_text_free(&line);
}
