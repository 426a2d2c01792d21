#include "options.h"
#include "base.h"
#include "suggest.h"

#include <stdlib.h>
#include <string.h>

/* what getopt is called with */
static char *all_letters;
static const struct option *all_options;

/* A leading ':' makes getopt distinguish a missing value from an unknown option; a '+' goes before it. */
static void set_up(const char *letters, const struct option *table) {
  bool plus = letters[0] == '+';
  all_letters = xasprintf("%s:%s", plus ? "+" : "", letters + plus);
  all_options = table;
}

/* POSIXLY_CORRECT, which a user may have set for other programs, would end the options at the command's word: getopt reads it when it begins.
 * The programs that we start see it as it was. */
static int ask_getopt(int argc, char **argv) {
  const char *set = getenv("POSIXLY_CORRECT");
  char *kept = set ? xstrdup(set) : NULL;
  unsetenv("POSIXLY_CORRECT");
  int c = getopt_long(argc, argv, all_letters, all_options, NULL);
  if (kept)
    setenv("POSIXLY_CORRECT", kept, 1);
  free(kept);
  return c;
}

/* --color is not in the tables, because `--c` was an abbreviation of --cache-dir before --color existed, and
 * must remain one. COLOR: its value, or NULL for any other option. */
static int next(int argc, char **argv, const char **color) {
  int c = ask_getopt(argc, argv);
  *color = NULL;
  if (c != '?' || optopt)
    return c;
  const char *word = argv[optind - 1];
  if (str_starts(word, "--color="))
    *color = word + strlen("--color=");
  else if (strcmp(word, "--color") == 0)
    *color = optind < argc ? argv[optind++] : "";
  return c;
}

/* Look for --color before anything else: it applies to every message, also to those about earlier options.
 * Works on a copy, since getopt permutes the words. */
static void look_for_color(int argc, char **argv) {
  char **copy = xcalloc((size_t)argc + 1, sizeof *copy);
  memcpy(copy, argv, (size_t)argc * sizeof *copy);
  const char *color;
  while (next(argc, copy, &color) != -1)
    if (color)
      message_color(color);
  free(copy);
  optind = 0; /* restart getopt */
}

static const struct option *option_of(int value) {
  for (const struct option *o = all_options; o->name; o++)
    if (o->val == value)
      return o;
  return NULL;
}

/* "--jobs" and so on; not freed, since the program ends */
static const char *const *names_of_all(void) {
  size_t n = 0;
  while (all_options[n].name)
    n++;
  const char **names = xcalloc(n + 2, sizeof *names);
  for (size_t i = 0; i < n; i++)
    names[i] = xasprintf("--%s", all_options[i].name);
  names[n] = "--color";
  return names;
}

static _Noreturn void unknown(const char *word, const char *help) {
  char *name = xstrndup(word, strcspn(word, "=")), *meant = did_you_mean(name, names_of_all());
  die(EXIT_USAGE, "unknown option '%s'%s%s %s", name, meant, *meant ? " See" : "; see", help);
}

/* the options that WORD, such as "--out", may abbreviate */
static size_t completions(const char *word, struct buf *list) {
  size_t n = strcspn(word + 2, "="), found = 0;
  for (const struct option *o = all_options; o->name; o++)
    if (strncmp(o->name, word + 2, n) == 0)
      buf_printf(list, "%s--%s", found++ ? ", " : "", o->name);
  return found;
}

static _Noreturn void wrong_name(const char *word, const char *help) {
  struct buf list = {0};
  if (completions(word, &list) > 1)
    die(EXIT_USAGE, "option '%s' is ambiguous: %s; see %s", word, list.data, help);
  unknown(word, help);
}

/* WORD: the word with the letter. "-manifest" may lack a dash, if there is an option --manifest. */
static _Noreturn void wrong_letter(const char *word, const char *help) {
  if (word && word[0] == '-' && word[1] == optopt && word[2]) {
    char *dashed = xasprintf("-%s", word);
    if (suggest(dashed, names_of_all())) {
      char *meant = did_you_mean(dashed, names_of_all());
      die(EXIT_USAGE, "unknown option '%s'%s See %s", word, meant, help);
    }
  }
  die(EXIT_USAGE, "unknown option '-%c'; see %s", optopt, help);
}

static _Noreturn void complain_of(int c, int argc, char **argv, const char *help) {
  const struct option *o = optopt ? option_of(optopt) : NULL;
  const char *word = argv[optind - 1];
  bool is_name = strncmp(word, "--", 2) == 0;
  if (c == ':' && o && is_name)
    die(EXIT_USAGE, "option '--%s' needs a value; see %s", o->name, help);
  if (c == ':')
    die(EXIT_USAGE, "option '-%c' needs a value; see %s", optopt, help);
  if (o && o->has_arg == no_argument && is_name)
    die(EXIT_USAGE, "option '--%s' takes no value, found '%s'; see %s", o->name, word, help);
  if (optopt)
    wrong_letter(optind < argc ? argv[optind] : NULL, help);
  wrong_name(word, help);
}

int options_next(int argc, char **argv, const char *letters, const struct option *table, const char *help) {
  opterr = 0;
  if (!all_options) {
    set_up(letters, table);
    look_for_color(argc, argv);
  }
  for (;;) {
    const char *color;
    int c = next(argc, argv, &color);
    if (color && !message_color(color))
      die(EXIT_USAGE, "--color: expected never, always or auto, found '%s'; see %s", color, help);
    if (!color && (c == '?' || c == ':'))
      complain_of(c, argc, argv, help);
    if (!color)
      return c;
  }
}

char *options_path(const char *option, char *value) {
  if (!*value)
    die(EXIT_USAGE, "%s: expected a name, found an empty word (an unset shell variable?)", option);
  return value;
}
