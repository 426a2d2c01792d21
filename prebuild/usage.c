/* usage.c - see help.h: the names of help pages, for messages. */
#include "help.h"
#include "core/base/install.h"

const char *help_program(void) {
  static const char *program;
  autofree char *front =
      program || strcmp(program_name, "ckjit") == 0 ? NULL : install_program("ckjit");
  if (!program)
    program = front ? "ckjit" : program_name;
  return program;
}

void die_usage(const struct request *r, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  char *what = xvasprintf(fmt, args);
  va_end(args);
  die(EXIT_USAGE, "%s: %s; see %s %s --help", r->command, what, help_program(), r->command);
}
