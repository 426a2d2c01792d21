#include "options.h"
#include "number.h"
#include "path.h"
#include "streams.h"
#include "suggest.h"
#include "words.h"
#include "wrap.h"

#include <limits.h>

static const struct option_row common[] = {
    {"color", "WHEN", OPTION_COLOR, 0,
     "colour messages: never, always or auto (default: on a terminal, unless NO_COLOR is set)",
     .words = "never always auto"},
    {"help", NULL, OPTION_HELP, 0, "the options of this command", .letter = 'h'},
    {"version", .type = OPTION_VERSION},
};
enum { COMMON = sizeof common / sizeof *common, COLUMN = 24 };

/* A command line that is being read. */
struct line {
  const struct option_page *page;
  /* the rows of the page and the common ones */
  const struct option_row **rows;
  size_t n;
  /* the next word; the word before, and the letters in it that are not read yet, or NULL */
  char **at;
  const char *word, *letters;
  /* only operands follow */
  bool ended;
};

/* The next item of a command line: an operand, or an option. WORD is NULL at the end. */
struct item {
  const char *word, *value;
  /* NULL, with is_option: an unknown option */
  const struct option_row *row;
  /* the number of names that it may abbreviate; then row is one that takes a value, if there is
   * one */
  size_t fitting;
  bool is_option;
  /* 0: it is a name */
  char letter;
};

static struct line line_of(const struct option_page *page, char **argv) {
  struct line l = {.page = page, .at = *argv ? argv + 1 : argv};
  size_t n = 0;
  while (page->rows[n].name)
    n++;
  l.rows = xcalloc(n + COMMON, sizeof(*l.rows));
  while (l.n < n) {
    l.rows[l.n] = &page->rows[l.n];
    l.n++;
  }
  for (size_t i = 0; i < COMMON; i++)
    if (common[i].type != OPTION_VERSION || page->version)
      l.rows[l.n++] = &common[i];
  return l;
}

static bool is_listed(const struct option_page *page, const struct option_row *row) {
  return !row->commands || row->commands & page->commands;
}

/* The commands that have NAME; 0: all. */
static unsigned commands_of(const struct line *l, const char *name) {
  unsigned commands = 0;
  for (size_t i = 0; i < l->n; i++)
    if (strcmp(l->rows[i]->name, name) == 0)
      commands |= l->rows[i]->commands;
  return commands;
}

static bool is_foreign(const struct line *l, const struct option_row *row) {
  unsigned commands = commands_of(l, row->name);
  return commands && !(commands & l->page->commands);
}

/* Only the command's own options can be abbreviated: otherwise a new option of `pack` would make an
 * abbreviation of `build` ambiguous. Nor can --color, which is younger than abbreviations of
 * --cache-dir. */
static bool can_be_short(const struct line *l, const struct option_row *row) {
  return row->type != OPTION_AS_ABOVE && row->type != OPTION_COLOR && !is_foreign(l, row);
}

/* The row that N bytes of NAME name, or abbreviate. *FITTING: the number of names that it may
 * be. */
static const struct option_row *find(const struct line *l, const char *name, size_t n,
                                     size_t *fitting) {
  const struct option_row *found = NULL;
  *fitting = 0;
  for (size_t i = 0; i < l->n; i++) {
    const struct option_row *row = l->rows[i];
    if (strncmp(row->name, name, n) != 0)
      continue;
    if (!row->name[n]) {
      *fitting = 1;
      return row;
    }
    if (!can_be_short(l, row))
      continue;
    ++*fitting;
    if (!found || row->value)
      found = row;
  }
  return found;
}

static struct item next_letter(struct line *l) {
  struct item x = {.word = l->word, .is_option = true, .letter = *l->letters++};
  for (size_t i = 0; i < l->n && !x.row; i++)
    if (l->rows[i]->letter == x.letter && l->rows[i]->type != OPTION_AS_ABOVE)
      x.row = l->rows[i];
  x.fitting = x.row != NULL;
  if (x.row && x.row->value) {
    x.value = *l->letters ? l->letters : *l->at ? *l->at++ : NULL;
    l->letters = NULL;
  }
  return x;
}

static struct item next_item(struct line *l) {
  if (l->letters && *l->letters)
    return next_letter(l);
  if (*l->at && !l->ended && strcmp(*l->at, "--") == 0) {
    l->at++;
    l->ended = true;
  }
  struct item x = {.word = *l->at};
  if (!x.word)
    return x;
  l->word = *l->at++;
  x.is_option = !l->ended && x.word[0] == '-' && x.word[1];
  if (!x.is_option) {
    l->ended |= l->page->stops;
    return x;
  }
  if (x.word[1] != '-') {
    l->letters = x.word + 1;
    return next_letter(l);
  }
  size_t n = strcspn(x.word + 2, "=");
  x.row = find(l, x.word + 2, n, &x.fitting);
  if (x.word[2 + n])
    x.value = x.word + 2 + n + 1;
  else if (x.row && x.row->value && *l->at)
    x.value = *l->at++;
  return x;
}

/* ---- errors ---- */

/* "--jobs" and so on; not freed, since the program ends. */
static const char *const *names_of_all(const struct line *l) {
  const char **names = xcalloc(l->n + 1, sizeof *names);
  for (size_t i = 0; i < l->n; i++)
    names[i] = xasprintf("--%s", l->rows[i]->name);
  return names;
}

/* "-manifest" may lack a dash, if there is an option --manifest. */
static _Noreturn void unknown(const struct line *l, const struct item *x) {
  bool lacks_dash = x->letter && x->word[1] == x->letter && x->word[2];
  char *name = xstrndup(x->word, strcspn(x->word, "=")),
       *meant = x->letter && !lacks_dash
                    ? xstrdup("")
                    : did_you_mean(lacks_dash ? xasprintf("-%s", x->word) : name, names_of_all(l));
  if (x->letter && !*meant)
    name = xasprintf("-%c", x->letter);
  die(EXIT_USAGE, "unknown option '%s'%s%s %s", lacks_dash && *meant ? x->word : name, meant,
      *meant ? " See" : "; see", l->page->where);
}

static _Noreturn void ambiguous(const struct line *l, const char *word) {
  struct buf list = {0};
  size_t n = strcspn(word + 2, "=");
  for (size_t i = 0; i < l->n; i++) {
    const struct option_row *row = l->rows[i];
    if (strncmp(row->name, word + 2, n) == 0 && can_be_short(l, row))
      buf_printf(&list, "%s--%s", list.len ? ", " : "", row->name);
  }
  die(EXIT_USAGE, "option '%s' is ambiguous: %s; see %s", word, list.data, l->page->where);
}

/* End the program if X is an unknown option, lacks its value, takes none, or belongs to another
 * command. */
static void check_item(const struct line *l, const struct item *x) {
  const struct option_row *row = x->row;
  const char *where = l->page->where;
  if (x->fitting > 1)
    ambiguous(l, x->word);
  if (!row)
    unknown(l, x);
  if (row->value && !x->value && x->letter)
    die(EXIT_USAGE, "option '-%c' needs a value; see %s", x->letter, where);
  if (row->value && !x->value)
    die(EXIT_USAGE, "option '--%s' needs a value; see %s", row->name, where);
  if (!row->value && x->value)
    die(EXIT_USAGE, "option '--%s' takes no value, found '%s'; see %s", row->name, x->word, where);
  if (row->strict && is_foreign(l, row)) {
    struct argv names = {0};
    struct buf list = {0};
    for (unsigned i = 0; l->page->names[i]; i++)
      if (commands_of(l, row->name) & 1u << i)
        argv_add(&names, l->page->names[i]);
    for (size_t i = 0; i < names.n; i++)
      buf_printf(&list, "%s%s", !i ? "" : i + 1 < names.n ? ", " : " and ", names.args[i]);
    die(EXIT_USAGE, "%s: --%s goes with %s", l->page->command, row->name, list.data);
  }
}

/* Is OPTION one of NAMES, which may be NULL? */
static bool is_among(const char *names, const struct option_row *option) {
  return names && words_have(names, option->name, strlen(option->name));
}

/* GIVEN: for each row, whether it was on the line. */
static void check_pairs(const struct line *l, const bool *given) {
  for (size_t i = 0; i < l->n; i++)
    for (size_t k = 0; k < l->n && given[i]; k++) {
      const struct option_row *row = l->rows[i], *other = l->rows[k];
      if (!given[k] && is_among(row->needs, other))
        die(EXIT_USAGE, "--%s goes with --%s; see %s", row->name, other->name, l->page->where);
      if (given[k] && is_among(row->excludes, other))
        die(EXIT_USAGE, "--%s cannot be combined with --%s; see %s", row->name, other->name,
            l->page->where);
    }
}

/* ---- values ---- */

char *options_path(const char *option, const char *value) {
  if (!*value)
    die(EXIT_USAGE, "%s: expected a name, found an empty word (an unset shell variable?)", option);
  return (char *)value;
}

static const char *choose(const char *option, const char *words, const char *value) {
  autofree_argv all = {0};
  argv_split(&all, words, strlen(words));
  const char *const *names = (const char *const *)all.args;
  if (!argv_has(&all, value))
    die(EXIT_USAGE, "%s '%s': expected %s%s", option, value, one_of(names),
        did_you_mean(value, names));
  return value;
}

static const char *split(const char *option, const char *value) {
  autofree_argv words = {0};
  if (!argv_split(&words, value, strlen(value)))
    die(EXIT_USAGE, "%s '%s': a quote is not closed", option, value);
  return value;
}

static const char *hexadecimal(const char *option, const char *value, int digits) {
  if (strlen(value) != (size_t)digits || strspn(value, "0123456789abcdef") != (size_t)digits)
    die(EXIT_USAGE, "%s '%s': expected %d hexadecimal digits", option, value, digits);
  return value;
}

static int number(const char *option, const char *value, int least) {
  uint64_t n;
  char *err;
  if (!number_read(option, value, (uint64_t)least, INT_MAX, &n, &err))
    die(EXIT_USAGE, "%s", err);
  return (int)n;
}

static void store(const struct line *l, const struct option_row *row, void *into,
                  const char *value) {
  autofree char *option = xasprintf("--%s", row->name);
  void *to = (char *)into + row->at;
  const char **text = to;
  switch (row->type) {
  case OPTION_FLAG:
    *(bool *)to = true;
    break;
  case OPTION_TEXT:
    *text = value;
    break;
  case OPTION_PATH:
    *text = options_path(option, value);
    break;
  case OPTION_ABSOLUTE:
    free(*(char **)to);
    *(char **)to = path_abs(options_path(option, value));
    break;
  case OPTION_WORDS:
    *text = split(option, value);
    break;
  case OPTION_HEX:
    *text = hexadecimal(option, value, row->least);
    break;
  case OPTION_CHOICE:
    *text = choose(option, row->words, value);
    break;
  case OPTION_NUMBER:
    *(int *)to = number(option, value, row->least);
    break;
  case OPTION_LIST:
    argv_add(to, value);
    break;
  case OPTION_CALL:
    row->call(into, option, value);
    break;
  case OPTION_COLOR:
    if (!message_color(value))
      die(EXIT_USAGE, "--color: expected never, always or auto, found '%s'; see %s", value,
          l->page->where);
    break;
  case OPTION_HELP:
    options_help(l->page);
    exit(streams_answered());
  case OPTION_VERSION:
    printf("%s " CKJIT_VERSION "\n", l->page->version);
    exit(streams_answered());
  case OPTION_AS_ABOVE:
    break;
  }
}

/* ---- completion ---- */

static bool completing;

bool options_asked(int *argc, char ***argv) {
  completing = *argc > 2 && strcmp((*argv)[1], "--complete") == 0;
  if (completing) {
    (*argv)[1] = (*argv)[0];
    --*argc;
    ++*argv;
  }
  return completing;
}

/* The completions of WORD after PREFIX, as the value of ROW or of the command's row of that
 * name. */
static void complete_value(const struct line *l, const struct option_row *row, const char *prefix,
                           const char *word) {
  for (size_t i = 0; i < l->n; i++)
    if (strcmp(l->rows[i]->name, row->name) == 0 && is_listed(l->page, l->rows[i]))
      row = l->rows[i];
  bool is_dir = strcmp(row->value, "DIR") == 0,
       is_file = strcmp(row->value, "FILE") == 0 || strcmp(row->value, "PATH") == 0;
  autofree_argv words = {0};
  if (row->words)
    argv_split(&words, row->words, strlen(row->words));
  for (size_t i = 0; i < words.n; i++)
    printf("%s%s\n", prefix, words.args[i]);
  if (is_dir || is_file || (row->words && strchr(word, '/')))
    puts(is_dir ? ":directories" : ":files");
}

static void cut_at(char *text, const char *mark) {
  char *at = strstr(text, mark);
  if (at)
    *at = '\0';
}

static void complete_option(const struct line *l, const bool *given) {
  for (size_t i = 0; i < l->n; i++) {
    const struct option_row *row = l->rows[i];
    bool repeats = row->type == OPTION_LIST || row->type == OPTION_CALL;
    if (!row->help || !is_listed(l->page, row) || (given[i] && !repeats))
      continue;
    autofree char *about = xstrndup(row->help, strcspn(row->help, "\n"));
    cut_at(about, " (");
    cut_at(about, "; ");
    printf("--%s\t%s\n", row->name, about);
  }
}

static void complete_operand(const struct line *l, void *into, size_t before) {
  autofree_argv kinds = {0};
  if (l->page->operands)
    argv_split(&kinds, l->page->operands, strlen(l->page->operands));
  if (kinds.n)
    printf("%s\t%zu\n", kinds.args[before < kinds.n ? before : kinds.n - 1], before + 1);
  if (l->page->complete)
    l->page->complete(into);
}

/* Print the completions of WORD, which follows X and BEFORE operands. */
static _Noreturn void complete(const struct line *l, void *into, const struct item *x,
                               const bool *given, const char *word, size_t before) {
  size_t n = strcspn(word, "="), fitting;
  const struct option_row *row =
      !l->ended && word[n] && str_starts(word, "--") ? find(l, word + 2, n - 2, &fitting) : NULL;
  if (x->row && x->row->value && !x->value) {
    complete_value(l, x->row, "", word);
  } else if (row && row->value) {
    autofree char *prefix = xstrndup(word, n + 1);
    complete_value(l, row, prefix, word);
  } else if (!l->ended && word[0] == '-') {
    complete_option(l, given);
  } else {
    complete_operand(l, into, before);
  }
  exit(streams_answered());
}

/* ---- */

static void look_for_color(const struct option_page *page, char **argv) {
  struct line l = line_of(page, argv);
  for (struct item x = next_item(&l); x.word; x = next_item(&l))
    if (x.row && x.row->type == OPTION_COLOR && x.value)
      message_color(x.value);
  free(l.rows);
}

const char *options_operand(const struct option_page *page, char **argv) {
  struct line l = line_of(page, argv);
  struct item x = next_item(&l);
  while (x.word && x.is_option)
    x = next_item(&l);
  free(l.rows);
  return x.word;
}

char **options_read(const struct option_page *page, void *into, char **argv) {
  char **operand = argv + 1, *unfinished = NULL;
  if (completing) {
    size_t last = 0;
    while (argv[last + 1])
      last++;
    unfinished = argv[last];
    argv[last] = NULL;
  }
  look_for_color(page, argv);
  struct line l = line_of(page, argv);
  autofree bool *given = xcalloc(l.n, sizeof *given);
  struct item x = next_item(&l);
  for (; x.word; x = next_item(&l)) {
    if (!x.is_option) {
      *operand++ = (char *)x.word;
      continue;
    }
    if (completing && (!x.row || x.row->type >= OPTION_HELP || (x.row->value && !x.value)))
      break;
    check_item(&l, &x);
    for (size_t i = 0; i < l.n; i++) {
      if (l.rows[i] == x.row && given[i] && x.row->once)
        die(EXIT_USAGE, "--%s: expected once, found '%s' and '%s'", x.row->name,
            *(const char **)((char *)into + x.row->at), x.value);
      given[i] |= strcmp(l.rows[i]->name, x.row->name) == 0;
    }
    store(&l, x.row, into, x.value);
  }
  if (unfinished)
    complete(&l, into, &x, given, unfinished, (size_t)(operand - argv) - 1);
  *operand = NULL;
  check_pairs(&l, given);
  free(l.rows);
  return argv + 1;
}

static void print_rows(const struct option_page *page) {
  printf("usage: %s\n\n", page->usage);
  print_wrapped(stdout, 0, 0, page->text);
  puts("");
  struct line l = line_of(page, (char *[]){NULL});
  for (size_t i = 0; i < l.n; i++) {
    const struct option_row *row = l.rows[i];
    if (!row->help || !is_listed(page, row) || row->type == OPTION_HELP)
      continue;
    char letter[] = {'-', row->letter, ',', ' ', '\0'};
    autofree char *head = xasprintf("%s--%s%s%s", row->letter ? letter : "", row->name,
                                    row->value ? " " : "", row->value ? row->value : "");
    print_wrapped(stdout, (size_t)printf("  %-*s ", COLUMN - 3, head), COLUMN, row->help);
  }
  puts(page->version ? "  --help, --version" : "  --help");
  free(l.rows);
}

void options_help(const struct option_page *page) {
  if (page->usage)
    print_rows(page);
  if (page->end)
    page->end();
}
