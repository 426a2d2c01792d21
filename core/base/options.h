/* options.h - the command line of a program as one table. The parser, the --help page and the words
 * that shells complete are made from its rows.
 *
 *     ckjit-prebuild: error: unknown option '--cash-dir'; did you mean '--cache-dir'? See ckjit
 *     build --help
 *
 * Options may follow operands and may be abbreviated, as with getopt_long(3). Every program also
 * has --color, --help and -h, which are in no table. Errors: a wrong command line ends the program
 * with EXIT_USAGE. For the main thread.
 */
#ifndef CKJIT_OPTIONS_H
#define CKJIT_OPTIONS_H

#include "argv.h"

enum option_type {
  /* for help only, in pages of other commands: an earlier row of this name has the rest */
  OPTION_AS_ABOVE,
  OPTION_FLAG,
  OPTION_TEXT,
  /* a text that is not empty: an unset shell variable gives an empty one, which would mean the
   * current directory */
  OPTION_PATH,
  /* the same, made absolute; the program frees it */
  OPTION_ABSOLUTE,
  /* words for a compiler, quoted as in a response file */
  OPTION_WORDS,
  /* `least` hexadecimal digits */
  OPTION_HEX,
  /* one of `words` */
  OPTION_CHOICE,
  /* from `least` to INT_MAX */
  OPTION_NUMBER,
  /* may be repeated */
  OPTION_LIST,
  /* `call` gets the value; may be repeated */
  OPTION_CALL,
  OPTION_COLOR,
  OPTION_HELP,
  OPTION_VERSION,
};

/* A row's type and destination: where the value goes in the struct that options_read() fills. */
#define OPTION_INTO(option_type, member_type, s, member)                                           \
  .type = option_type,                                                                             \
  .at = offsetof(s, member) + 0 * sizeof(&((s *)NULL)->member == (member_type *)NULL)
#define FLAG_INTO(s, member) OPTION_INTO(OPTION_FLAG, bool, s, member)
#define TEXT_INTO(s, member) OPTION_INTO(OPTION_TEXT, const char *, s, member)
#define PATH_INTO(s, member) OPTION_INTO(OPTION_PATH, const char *, s, member)
#define ABSOLUTE_INTO(s, member) OPTION_INTO(OPTION_ABSOLUTE, char *, s, member)
#define WORDS_INTO(s, member) OPTION_INTO(OPTION_WORDS, const char *, s, member)
#define HEX_INTO(s, member) OPTION_INTO(OPTION_HEX, const char *, s, member)
#define CHOICE_INTO(s, member) OPTION_INTO(OPTION_CHOICE, const char *, s, member)
#define NUMBER_INTO(s, member) OPTION_INTO(OPTION_NUMBER, int, s, member)
#define LIST_INTO(s, member) OPTION_INTO(OPTION_LIST, struct argv, s, member)

struct option_row {
  /* without its dashes; NULL ends the table */
  const char *name;
  /* the name of its value in help; NULL: it takes none. Shells complete DIR, FILE and PATH as
   * such. */
  const char *value;
  enum option_type type;
  size_t at;
  /* NULL: the page does not list it */
  const char *help;
  char letter;
  /* giving it twice is an error */
  bool once;
  int least;
  void (*call)(void *into, const char *option, const char *value);
  /* the values that shells offer, separated by spaces */
  const char *words;
  /* the options that it requires, and those that it excludes; separated by spaces */
  const char *needs, *excludes;
  /* the commands that have it, as bits of option_page.names; 0: all */
  unsigned commands;
  /* with other commands it is an error; otherwise they ignore it */
  bool strict;
};

struct option_page {
  /* the command that prints this page, for messages */
  const char *where;
  /* NULL: `end` prints the whole page */
  const char *usage, *text;
  const struct option_row *rows;
  /* prints the end of the page; may be NULL */
  void (*end)(void);
  /* the program's name, if it has --version */
  const char *version;
  /* of a program with one table for all its commands: their names, and this page's bit, which is
   * named `command` */
  const char *const *names;
  const char *command;
  unsigned commands;
  /* options end at the first operand, which begins another program's command line */
  bool stops;
  /* The completions of operands, separated by spaces; the last one repeats: a word, or :files,
   * :directories, :libraries or :command. NULL: none. */
  const char *operands;
  /* prints more words; may be NULL */
  void (*complete)(void *into);
};

/* Does a shell ask, with PROGRAM --complete WORD…, for the completions of the last WORD? Then ARGC
 * and ARGV become those without --complete, and options_read() answers: one word a line, followed
 * by a tab and its description; or one of the names that begin with a colon. */
bool options_asked(int *argc, char ***argv);

/* Store the options of ARGV, whose first word is the program's or the command's name, in the
 * struct INTO. Returns the operands, which are moved to the front of ARGV; a NULL ends them.
 * --help and --version end the program. --color applies to all messages, wherever it is on the
 * line. */
char **options_read(const struct option_page *page, void *into, char **argv);
/* The first operand in ARGV, or NULL. */
const char *options_operand(const struct option_page *page, char **argv);
/* Print the page on standard output. */
void options_help(const struct option_page *page);

/* VALUE, a file or directory given with OPTION, unless it is empty. */
char *options_path(const char *option, const char *value);

#endif
