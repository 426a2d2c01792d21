/* ckjit-build - makes a fake ROCm or CUDA home, and drives a build of aiter's attention libraries
 * through one.
 *
 *     home    makes a fake home to point any build at
 *     full    builds aiter's libmha_fwd.so and libmha_bwd.so; the aiter checkout is not changed
 *     quick   relinks the libraries of a full build with a new runtime
 *     relink  relinks libraries with some kernels compiled ahead of time
 *     bundle  lets libraries carry what their kernels are compiled from
 *     explain says why each unit of a build is lazy or is not
 *     export-compile-commands   writes what a build has compiled for clangd (compile_commands.c)
 *
 * Each command is a file, <command>.c. */
#include "common.h"
#include "core/base/env.h"
#include "core/base/ids.h"
#include "core/base/install.h"
#include "core/base/options.h"
#include "core/base/suggest.h"
#include "core/base/streams.h"

struct command {
  const char *name;
  int (*run)(char **argv);
  const char *summary;
};
static const struct command commands[] = {
    {"home", build_home,
     "make a fake ROCm or CUDA home and print the variables that point a build at it"},
    {"run", build_run, "run a build command against a fake home"},
    {"full", build_full, "build libmha_fwd.so and libmha_bwd.so from an aiter checkout"},
    {"quick", build_quick, "relink the libraries of a full build with a new runtime"},
    {"relink", build_relink,
     "relink the libraries of a build with other kernels compiled ahead of time"},
    {"bundle", build_bundle, "let libraries carry what their kernels are compiled from"},
    {"explain", build_explain, "explain why each source of a build is, or is not, compiled lazily"},
    {"export-compile-commands", build_compile_commands,
     "write compile_commands.json of what a build has compiled"},
};
enum { NCOMMANDS = sizeof commands / sizeof *commands };

static const char *const *command_names(void) {
  static const char *names[NCOMMANDS + 1];
  for (size_t i = 0; i < NCOMMANDS; i++)
    names[i] = commands[i].name;
  return names;
}

static void help(void) {
  puts("usage: ckjit-build COMMAND [OPTION…]\n"
       "\n"
       "Build a library of GPU kernels in minutes: each kernel is compiled when it is first\n"
       "called.\n");
  for (size_t i = 0; i < NCOMMANDS; i++)
    printf("  %-7s  %s\n", commands[i].name, commands[i].summary);
  puts("\n"
       "  ckjit help COMMAND      the options of a command\n"
       "  ckjit help environment  the environment variables\n"
       "  ckjit-build --version\n"
       "\n"
       "Exit status: 0 done; 1 the input or the environment is bad, or a compile failed;\n"
       "2 the command line is wrong.");
}

/* Undocumented: the Makefile makes the ENVIRONMENT sections of the man pages with it. */
static int print_mdoc(const char *parts) {
  if (strcmp(parts, "build") == 0)
    env_mdoc(stdout, ENV_BUILD);
  else if (strcmp(parts, "runtime") == 0)
    env_mdoc(stdout, ENV_RUNTIME);
  else
    die(EXIT_USAGE, "--env-mdoc: expected build or runtime, found '%s'", parts);
  return EXIT_OK;
}

static int run_command(char **argv) {
  for (size_t i = 0; i < NCOMMANDS; i++)
    if (strcmp(argv[0], commands[i].name) == 0)
      return commands[i].run(argv);
  char *meant = did_you_mean(argv[0], command_names());
  die(EXIT_USAGE, "unknown command '%s': expected %s%s%s ckjit-build --help", argv[0],
      one_of(command_names()), meant, *meant ? " See" : "; see");
}

/* `ckjit help full` is `ckjit full --help`. */
static int print_help(const char *command) {
  if (!command) {
    help();
  } else if (strcmp(command, "environment") == 0) {
    puts("Environment variables:");
    env_help(stdout, ENV_BUILD);
  } else {
    char *words[] = {(char *)command, (char *)"--help", NULL};
    return run_command(words);
  }
  return streams_answered();
}

/* The completions of the last of ARGC words (core/base/options.h). */
static int complete(int argc, char **argv) {
  bool is_help = strcmp(argv[1], "help") == 0;
  if (argc > 2 && !is_help)
    return run_command(argv + 1);
  for (size_t i = 0; i < NCOMMANDS && argc <= 2 + is_help; i++)
    printf("%s\t%s\n", commands[i].name, commands[i].summary);
  if (argc == 2)
    puts(argv[1][0] == '-' ? "--help\n--version" : "help\tthe options of a command");
  else if (argc == 3)
    puts("environment\tthe environment variables");
  return streams_answered();
}

int main(int argc, char **argv) {
  program_name = install_called(argv[0], "ckjit-build");
  ids_settle();
  streams_open(true);
  /* It may precede the command as well as follow it. */
  while (argc > 1 && str_starts(argv[1], "--color=") &&
         message_color(argv[1] + strlen("--color="))) {
    argv++;
    argc--;
  }
  if (options_asked(&argc, &argv))
    return complete(argc, argv);
  const char *command = argc > 1 ? argv[1] : NULL;
  if (!command)
    die(EXIT_USAGE, "expected a command: %s; see ckjit-build --help", one_of(command_names()));
  if (strcmp(command, "help") == 0 || strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0)
    return print_help(argc > 2 ? argv[2] : NULL);
  if (strcmp(command, "--env-mdoc") == 0 && argc > 2)
    return print_mdoc(argv[2]);
  if (strcmp(command, "--version") == 0) {
    puts("ckjit-build " CKJIT_VERSION);
    return streams_answered();
  }
  if (*command == '-')
    die(EXIT_USAGE,
        "unknown option '%s': expected a command, %s, before its options; see ckjit-build --help",
        command, one_of(command_names()));
  env_check();
  return run_command(argv + 1);
}
