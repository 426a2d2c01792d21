/* common.c - see common.h: functions that the commands share. */
#include "common.h"
#include "abi/ck_jit_access.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/statusline.h"
#include "core/base/trace.h"

#include <getopt.h>
#include <unistd.h>

void usage_error(const char *command, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  char *text = xvasprintf(fmt, ap);
  va_end(ap);
  bool asks = str_ends(text, "?");
  die(EXIT_USAGE, "%s: %s%s ckjit %s --help", command, text, asks ? " See" : "; see", command);
}

void no_arguments(const char *command, char **operands, const char *option) {
  if (*operands && option)
    usage_error(command, "unexpected argument '%s'; did you mean '%s %s'?", *operands, option,
                *operands);
  if (*operands)
    usage_error(command, "unexpected argument '%s'", *operands);
}

void require_writable_dir(const char *dest, const char *what) {
  if (file_exists(dest) && !file_is_dir(dest))
    die(EXIT_FAILED, "%s %s: is not a directory; name one, there or to be made", what, dest);
  if (!dir_make(dest))
    die(EXIT_FAILED, "%s %s: cannot make this directory: %s", what, dest, strerror(errno));
  if (!ckjit_may(dest, W_OK | X_OK))
    die(EXIT_FAILED, "%s %s: cannot write there: %s", what, dest, strerror(errno));
}

void step_begin(bool silent, const char *what) {
  if (silent || env_flag("CK_JIT_QUIET") || !status_line_wanted())
    return;
  pool_before_signal = status_line_clear;
  status_line_start();
  status_line_busy(what);
}

/* Print the first word of a line: bold, or green if all went well. */
static void print_word(const char *word) {
  bool colored = message_output_is_colored(), ends = strcmp(word, "done") == 0;
  status_line_clear();
  printf("%s%-8s%s ",
         !colored ? ""
         : ends   ? "\033[1;32m"
                  : COLOR_BOLD,
         word, colored ? COLOR_RESET : "");
}

static void print_step(const char *step, double started, const char *fmt, va_list ap) {
  print_word(step);
  printf("%7.1f s%s", ckjit_seconds() - started, *fmt ? "  " : "");
  vprintf(fmt, ap);
  putchar('\n');
  fflush(stdout);
}

void step_says(const char *word, const char *fmt, ...) {
  va_list ap;
  print_word(word);
  va_start(ap, fmt);
  vprintf(fmt, ap);
  va_end(ap);
  putchar('\n');
  fflush(stdout);
}

void step_print(const char *step, double started, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  print_step(step, started, fmt, ap);
  va_end(ap);
}

void step_trace(const char *step, unsigned track, uint64_t start, uint64_t end,
                const char *status) {
  /* The whole run is not a step: its time would count twice. */
  const char *category = strcmp(step, "total") == 0 ? "build" : "build step";
  trace_span(category, step, track, start, end, "status", status, NULL);
}

void step_done(const char *step, double started, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  print_step(step, started, fmt, ap);
  va_end(ap);
  step_trace(step, 0, (uint64_t)(started * 1e6), trace_now(), "0");
}
