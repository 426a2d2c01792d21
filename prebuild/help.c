#include "help.h"
#include "commands.h"
#include "core/base/install.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *help_program(void) {
  static const char *program;
  char *front = program || strcmp(program_name, "ckjit") == 0 ? NULL : install_program("ckjit");
  if (!program)
    program = front ? "ckjit" : program_name;
  free(front);
  return program;
}

char *help_where(const char *command) {
  if (command_named(command))
    return xasprintf("%s %s --help", help_program(), command);
  return xasprintf("%s --help", program_name);
}

void die_usage(const struct request *r, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  char *what = xvasprintf(fmt, args);
  va_end(args);
  die(EXIT_USAGE, "%s: %s; see %s", r->command, what, help_where(r->command));
}
