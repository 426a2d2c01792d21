/* help.c - see help.h. */
#include "help.h"
#include "commands.h"

char *help_where(const char *command) {
  if (command_named(command))
    return xasprintf("%s %s --help", help_program(), command);
  return xasprintf("%s --help", program_name);
}
