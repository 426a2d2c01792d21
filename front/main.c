/* ckjit - every command of ckjit under one name.
 *
 * Except for help on a message (topic.h) and the documents (page.h) it does nothing itself. A
 * command is a row of the table below and belongs to a program. That program is found beside this
 * one, as programs of ckjit find each other (core/base/install.h), and replaces this process under
 * the name ckjit. */
#include "page.h"
#include "topic.h"
#include "core/base/argv.h"
#include "core/base/env.h"
#include "core/base/ids.h"
#include "core/base/install.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/base/suggest.h"

#include <unistd.h>

struct word {
  const char *name;
  /* that has the command; NULL: this row is a heading */
  const char *program;
  /* of that program; NULL: the next word is its command */
  const char *command;
  const char *summary;
};

/* Grouped as `ckjit --help` prints them: a row without a program is a heading. */
static const struct word words[] = {
    {"Build", NULL, NULL, NULL},
    {"run", "ckjit-build", "run", "run a build command; the kernels that it builds are lazy"},
    {"home", "ckjit-build", "home",
     "make a fake ROCm or CUDA home and print the variables that point a build at it"},
    {"full", "ckjit-build", "full",
     "build aiter's libmha_fwd.so and libmha_bwd.so from a checkout"},
    {"quick", "ckjit-build", "quick", "relink the libraries of a full build with a new runtime"},
    {"relink", "ckjit-build", "relink",
     "relink the libraries of a build with other kernels compiled ahead of time"},
    {"bundle", "ckjit-build", "bundle", "let libraries carry what their kernels are compiled from"},
    {"explain", "ckjit-build", "explain",
     "explain why each source of a build is, or is not, compiled lazily"},
    {"export-compile-commands", "ckjit-build", "export-compile-commands",
     "write compile_commands.json of what a build has compiled"},
    {"Kernels", NULL, NULL, NULL},
    {"list", "ckjit-prebuild", "list", "list kernels, and which of them are compiled"},
    {"build", "ckjit-prebuild", "build", "compile kernels into the cache"},
    {"warm", "ckjit-prebuild", "warm", "recompile previously used kernels in the background"},
    {"ready", "ckjit-prebuild", "ready", "say whether a job will compile, before it starts"},
    {"pack", "ckjit-prebuild", "pack", "write compiled kernels to a file for other machines"},
    {"unpack", "ckjit-prebuild", "unpack", "add such a file to the cache"},
    {"export", "ckjit-prebuild", "export", "compile kernels into files that need no ckjit"},
    {"matrix", "ckjit-prebuild", "matrix",
     "print the combinations of a JSON matrix, or generate sources from them"},
    {"times", "ckjit-prebuild", "times", "print how long each compile took"},
    {"Cache and machine", NULL, NULL, NULL},
    {"cache", "ckjit-prebuild", "cache", "print where the cache is and what it holds"},
    {"verify", "ckjit-prebuild", "verify", "check the integrity of every cache file"},
    {"clean", "ckjit-prebuild", "clean", "remove kernels from the cache"},
    {"keygen", "ckjit-prebuild", "keygen", "make a pair of keys that sign entries"},
    {"sign", "ckjit-prebuild", "sign", "sign the entries of the cache"},
    {"status", "ckjit-prebuild", "status", "print what is being compiled now"},
    {"log", "ckjit-prebuild", "log", "print the history of compiles"},
    {"stats", "ckjit-prebuild", "stats",
     "print the cache hit rate, time spent waiting and time saved"},
    {"trace", "ckjit-prebuild", "trace",
     "trace view: make a web page that sums up the trace of a job or a build"},
    {"doctor", "ckjit-prebuild", "doctor", "check compilers, GPUs and cache, and say what to do"},
    {"report", "ckjit-prebuild", "report", "pack a failed compile for a bug report"},
    {"prebuild", "ckjit-prebuild", NULL, NULL}, /* the long name; not listed */
};
enum { NWORDS = sizeof words / sizeof *words };

static const char *const *names(void) {
  static const char *list[NWORDS + 1];
  size_t n = 0;
  for (size_t i = 0; i < NWORDS; i++)
    if (words[i].summary)
      list[n++] = words[i].name;
  return list;
}

static int help(void) {
  puts("usage: ckjit COMMAND [OPTION…] [ARGUMENT…]\n"
       "\n"
       "Build libraries of GPU kernels in minutes: each kernel is compiled when it is first "
       "called.");
  for (size_t i = 0; i < NWORDS; i++)
    if (words[i].summary)
      printf("  %-7s  %s\n", words[i].name, words[i].summary);
    else if (!words[i].program)
      printf("\n%s:\n", words[i].name);
  puts("\n"
       "  ckjit help COMMAND      the options of a command\n"
       "  ckjit help TOPIC        what to do about a message that ends with these words\n"
       "  ckjit help topics       the topics, one a line\n"
       "  ckjit help PAGE         a page of the documents, such as cuda or explain.md\n"
       "  ckjit help index        the documents, by purpose\n"
       "  ckjit help environment  the variables\n"
       "  ckjit version           the version\n"
       "\n"
       "Exit status: 0 done; 1 the input or the environment is bad, or a compile failed;\n"
       "2 the command line is wrong.");
  return streams_answered();
}

/* NULL: there is no such command. */
static const struct word *look_up(const char *name) {
  for (size_t i = 0; i < NWORDS; i++)
    if (words[i].program && strcmp(words[i].name, name) == 0)
      return &words[i];
  return NULL;
}

static const struct word *find(const char *name) {
  const struct word *w = look_up(name);
  if (w)
    return w;
  char *meant = did_you_mean(name, names());
  die(EXIT_USAGE, "unknown command '%s': expected %s%s%s ckjit --help", name, one_of(names()),
      meant, *meant ? " See" : "; see");
}

/* argv[0], if its base name is ckjit: the program receives it, to repeat the command in a
 * message. */
static const char *typed = "ckjit";

/* Become W's program, with COLOR (may be NULL), W's command and the words at REST. */
static _Noreturn void become(const struct word *w, const char *color, char **rest) {
  char *program = install_program(w->program);
  struct argv args = {0};
  if (!program)
    die(EXIT_FAILED,
        "%s: there is no %s beside this program, in %s; run ckjit from where `make install` put it",
        w->name, w->program, path_self_dir());
  argv_add(&args, typed);
  if (color)
    argv_add(&args, color);
  if (w->command)
    argv_add(&args, w->command);
  for (; *rest; rest++)
    argv_add(&args, *rest);
  execv(program, args.args);
  die(EXIT_FAILED, "%s: %s cannot be run: %s", w->name, program, strerror(errno));
}

/* How many of WORDS, 0 or 1, are a long name without its prefix: `ckjit build full` is `ckjit
 * full`, and `ckjit prebuild list` is `ckjit list`. */
static int long_name(char *const *words_given) {
  const struct word *w = words_given[0] && words_given[1] ? look_up(words_given[1]) : NULL;
  autofree char *program = xasprintf("ckjit-%s", words_given[0] ? words_given[0] : "");
  return w && strcmp(program, w->program) == 0;
}

static int help_topics(void) {
  autofree_argv all = {0};
  topic_names(&all);
  for (size_t i = 0; i < all.n; i++)
    puts(all.args[i]);
  return streams_answered();
}

/* Print the page of the command NAME, or the text of the topic. */
static int help_of(const char *name, const char *color) {
  char *ask[] = {(char *)"--help", NULL};
  struct argv all = {0};
  if (strcmp(name, "topics") == 0)
    return help_topics();
  if (look_up(name))
    become(look_up(name), color, ask);
  if (topic_print(name))
    return streams_answered();
  if (strcmp(name, "environment") == 0) {
    env_help(stdout, ENV_ALL);
    return streams_answered();
  }
  if (page_print(name))
    return streams_answered();
  argv_add_all(&all, (char *const *)names());
  argv_add_words(&all, "topics", "environment", NULL);
  topic_names(&all);
  page_names(&all);
  char *meant = did_you_mean(name, (const char *const *)all.args);
  die(EXIT_USAGE,
      "unknown command or topic '%s': expected %s, environment, the topic that a message ends "
      "with, or a page of the documents%s%s ckjit --help",
      name, one_of(names()), meant, *meant ? " See" : "; see");
}

/* The completions of the last of ARGC words (core/base/options.h): a name of this program, or
 * the answer of the command's program. */
static int complete(int argc, char **argv) {
  bool is_help = strcmp(argv[1], "help") == 0;
  int skip = 1 + long_name(argv + 1);
  if (argc > 2 && !is_help)
    become(find(argv[skip]), "--complete", argv + skip + 1);
  for (size_t i = 0; i < NWORDS && argc <= 2 + is_help; i++)
    if (words[i].summary)
      printf("%s\t%s\n", words[i].name, words[i].summary);
  if (argc == 2)
    puts(argv[1][0] == '-' ? "--help\n--version" : "help\tthe options of a command");
  if (argc != 3)
    return streams_answered();
  puts("topics\nenvironment");
  return help_topics();
}

int main(int argc, char **argv) {
  program_name = "ckjit";
  if (argv[0] && strcmp(path_base(argv[0]), "ckjit") == 0)
    typed = argv[0];
  ids_settle();
  streams_open(true);
  const char *color = NULL;
  for (; argc > 1 && str_starts(argv[1], "--color=") && message_color(argv[1] + strlen("--color="));
       argc--)
    color = *++argv;
  if (options_asked(&argc, &argv))
    return complete(argc, argv);
  const char *word = argc > 1 ? argv[1] : NULL;
  if (!word) {
    help();
    return EXIT_USAGE;
  }
  bool is_help =
      strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
  bool is_version = strcmp(word, "version") == 0 || strcmp(word, "--version") == 0;
  int skip = 1 + long_name(argv + (is_help ? 2 : 1));
  int most = is_help ? 2 + skip : 2; /* meaningful words */
  if ((is_help || is_version) && argc > most)
    die(EXIT_USAGE, "%s: unexpected argument '%s'; see ckjit --help", word, argv[most]);
  if (is_version) {
    puts("ckjit " CKJIT_VERSION);
    return streams_answered();
  }
  if (is_help)
    return argc == 2 ? help() : help_of(argv[1 + skip], color);
  if (*word == '-')
    die(EXIT_USAGE,
        "unknown option '%s': expected a command before its options: %s; see ckjit --help", word,
        one_of(names()));
  become(find(argv[skip]), color, argv + skip + 1);
}
