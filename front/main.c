/* ckjit - the programs of ckjit under one name.
 *
 * It does nothing itself, but for help on a message (topic.h). A word is a row of the table below: a program, and the words in front of what follows on the
 * command line. The program is looked for beside this one, as programs of ckjit find each other (core/base/install.h),
 * and takes this process's place: its messages, help and exit status are its own. */
#include "topic.h"
#include "core/base/argv.h"
#include "core/base/install.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/base/suggest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct word {
  const char *name, *program;
  const char *command; /* of that program; NULL: the next word is */
  const char *summary;
};

static const struct word words[] = {
    {"build", "ckjit-build", NULL, "build full, quick, relink, home or explain: all of ckjit-build"},
    {"home", "ckjit-build", "home",
     "make a fake ROCm or CUDA home and print the variables that point a build at it"},
    {"run", "ckjit-build", "run",
     "run a build command against a fake home: its kernels are compiled when they are called"},
    {"explain", "ckjit-build", "explain", "say for each unit of a build why it is lazy or is not"},
    {"export-compile-commands", "ckjit-build", "export-compile-commands",
     "write compile_commands.json of what a build has compiled"},
    {"prebuild", "ckjit-prebuild", NULL,
     "prebuild list, build, clean, export, pack or another: all of ckjit-prebuild"},
    {"warm", "ckjit-prebuild", "warm", "compile in the background what calls waited for in the past"},
    {"cache", "ckjit-prebuild", "cache",
     "print where the cache is, what is in it, and what would leave it next"},
    {"verify", "ckjit-prebuild", "verify",
     "look whether every file of the cache is whole, and what its name says"},
    {"stats", "ckjit-prebuild", "stats",
     "print how often first calls found their kernel, what they waited for, and what that saved"},
    {"doctor", "ckjit-prebuild", "doctor",
     "say what is wrong with this machine, a line for each thing that ckjit uses"},
    {"trace", "ckjit-prebuild", "trace", "trace view: make a page that shows the trace of a job or a build"},
    {"status", "ckjit-prebuild", "status", "print what is being compiled into the cache at this moment"},
};
enum { NWORDS = sizeof words / sizeof *words };

static const char *const *names(void) {
  static const char *list[NWORDS + 1];
  for (size_t i = 0; i < NWORDS; i++)
    list[i] = words[i].name;
  return list;
}

static int help(void) {
  puts("usage: ckjit COMMAND [OPTION…] [ARGUMENT…]\n"
       "\n"
       "Libraries of GPU kernels that compile each kernel when it is first called.\n");
  for (size_t i = 0; i < NWORDS; i++)
    printf("  %-8s  %s\n", words[i].name, words[i].summary);
  puts(
      "\n"
      "  ckjit help COMMAND      the options of a command\n"
      "  ckjit help TOPIC        what to do about a message that ends with these words\n"
      "  ckjit help topics       the topics, one a line\n"
      "  ckjit help environment  the variables\n"
      "  ckjit --version\n"
      "\n"
      "Each is done by ckjit-build or ckjit-prebuild, whose messages and exit status are those of ckjit.\n"
      "Exit status: 0 done; 1 the input or the environment is bad, or a compile failed; 2 the command line is wrong.");
  return streams_answered();
}

static const struct word *find(const char *name) {
  for (size_t i = 0; i < NWORDS; i++)
    if (strcmp(words[i].name, name) == 0)
      return &words[i];
  char *meant = did_you_mean(name, names());
  die(EXIT_USAGE, "unknown command '%s': expected %s%s%s ckjit --help", name, one_of(names()), meant,
      *meant ? " See" : "; see");
}

/* Become W's program, with COLOR (may be NULL), W's command and the words at REST. */
static _Noreturn void become(const struct word *w, const char *color, char **rest) {
  char *program = install_program(w->program);
  struct argv args = {0};
  if (!program)
    die(EXIT_FAILED,
        "%s: there is no %s beside this program, in %s; run ckjit from where `make install` put it", w->name,
        w->program, path_self_dir());
  argv_add(&args, program);
  if (color)
    argv_add(&args, color);
  if (w->command)
    argv_add(&args, w->command);
  for (; *rest; rest++)
    argv_add(&args, *rest);
  execv(program, args.args);
  die(EXIT_FAILED, "%s: %s cannot be run: %s", w->name, program, strerror(errno));
}

static bool is_command(const char *name) {
  for (size_t i = 0; i < NWORDS; i++)
    if (strcmp(words[i].name, name) == 0)
      return true;
  return false;
}

/* Is the command NAME all of a program, which has commands of its own? */
static bool is_program(const char *name) {
  return is_command(name) && !find(name)->command;
}

static int help_topics(void) {
  struct argv all = {0};
  topic_names(&all);
  for (size_t i = 0; i < all.n; i++)
    puts(all.args[i]);
  argv_free(&all);
  return streams_answered();
}

/* The page of the command NAME, or what there is to say of the topic. OF: the command of build or prebuild whose page it is; NULL: all. */
static int help_of(const char *name, const char *of, const char *color) {
  char *ask[] = {(char *)(of ? of : "--help"), (char *)(of ? "--help" : NULL), NULL};
  struct argv all = {0};
  if (strcmp(name, "topics") == 0)
    return help_topics();
  if (!is_command(name) && topic_print(name))
    return streams_answered();
  if (is_command(name))
    become(find(name), color, ask);
  if (strcmp(name, "environment") == 0) {
    char *asked[] = {(char *)"help", (char *)name, NULL};
    become(find("prebuild"), color, asked);
  }
  argv_add_all(&all, (char *const *)names());
  argv_add(&all, "topics");
  argv_add(&all, "environment");
  topic_names(&all);
  char *meant = did_you_mean(name, (const char *const *)all.args);
  die(EXIT_USAGE,
      "unknown command or topic '%s': expected %s, environment, or the topic that a message ends with%s%s ckjit --help",
      name, one_of(names()), meant, *meant ? " See" : "; see");
}

int main(int argc, char **argv) {
  program_name = "ckjit";
  streams_open(true);
  const char *color = NULL;
  for (; argc > 1 && str_starts(argv[1], "--color=") && message_color(argv[1] + strlen("--color=")); argc--)
    color = *++argv;
  const char *word = argc > 1 ? argv[1] : NULL;
  if (!word)
    die(EXIT_USAGE, "expected a command: %s; see ckjit --help", one_of(names()));
  bool is_help = strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
  bool is_page = is_help && argc > 3 && is_program(argv[2]);
  int most = is_page ? 4 : is_help ? 3 : 2; /* words that mean something */
  if ((is_help || strcmp(word, "--version") == 0) && argc > most)
    die(EXIT_USAGE, "%s: unexpected argument '%s'; see ckjit --help", word, argv[most]);
  if (strcmp(word, "--version") == 0) {
    puts("ckjit " CKJIT_VERSION);
    return streams_answered();
  }
  if (is_help) {
    if (argc == 2)
      return help();
    return help_of(argv[2], is_page ? argv[3] : NULL, color);
  }
  if (*word == '-')
    die(EXIT_USAGE, "unknown option '%s': expected a command, %s, in front of its options; see ckjit --help",
        word, one_of(names()));
  become(find(word), color, argv + 2);
}
