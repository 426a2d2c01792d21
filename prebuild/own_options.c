/* own_options.c - the options that a command line of ckjit-prebuild may abbreviate: those of its command.
 *
 * There is one table of options for all commands. getopt_long takes an abbreviation that fits one row of it, so a
 * new option of `pack` would make ambiguous what was short for another of `build`. So the table that getopt is given
 * has the rows of the command alone, as its help page lists them, and those that are written out on the line: an
 * option of another command is then named by the check that knows why it does not fit.
 */
#include "own_options.h"
#include "help.h"
#include "core/base/base.h"

#include <stdlib.h>
#include <string.h>

/* Does the option WORD, which may be abbreviated and has no '=', take the next word as its value? */
static bool takes_next(const struct option *all, const char *word) {
  size_t n = strlen(word + 2);
  bool any = false;
  for (const struct option *o = all; o->name; o++) {
    if (strcmp(o->name, word + 2) == 0)
      return o->has_arg == required_argument;
    if (strncmp(o->name, word + 2, n) == 0)
      any |= o->has_arg == required_argument;
  }
  return any || strcmp(word, "--color") == 0;
}

/* The first word that is neither an option nor the value of one; NULL if there is none. */
static const char *command_word(int argc, char **argv, const struct option *all) {
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (word[0] != '-' || strcmp(word, "-") == 0)
      return word;
    if (strcmp(word, "--") == 0)
      return i + 1 < argc ? argv[i + 1] : NULL;
    bool is_name = str_starts(word, "--");
    i += is_name ? !strchr(word, '=') && takes_next(all, word)
                 : strcmp(word, "-j") == 0 || strcmp(word, "-o") == 0;
  }
  return NULL;
}

static bool is_written_out(int argc, char **argv, const char *name) {
  for (int i = 1; i < argc; i++) {
    size_t n = str_starts(argv[i], "--") ? strcspn(argv[i] + 2, "=") : 0;
    if (n && strlen(name) == n && memcmp(argv[i] + 2, name, n) == 0)
      return true;
  }
  return false;
}

struct option *own_options(int argc, char **argv, const struct option *all) {
  const char *command = command_word(argc, argv, all);
  size_t n = 0, kept = 0;
  while (all[n].name)
    n++;
  struct option *own = xcalloc(n + 1, sizeof *own);
  for (size_t i = 0; i < n; i++)
    if (help_lists_option(command, all[i].name) || is_written_out(argc, argv, all[i].name))
      own[kept++] = all[i];
  return own;
}
