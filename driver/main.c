/* ckjit-build - makes a fake ROCm or CUDA home, and drives a build of aiter's attention libraries through
 * one.
 *
 *     home    makes a fake home to point any build at
 *     full    builds aiter's libmha_fwd.so and libmha_bwd.so; the aiter checkout is not changed
 *     quick   relinks the libraries of a full build with a new runtime
 *     relink  relinks libraries with some kernels compiled ahead of time
 *     explain says why each unit of a build is lazy or is not
 *     export-compile-commands   writes what a build has compiled for clangd (compile_commands.c)
 *
 * Each command is a file, <command>.c. */
#include "build.h"
#include "core/base/env.h"
#include "core/base/ids.h"
#include "core/base/install.h"
#include "core/base/suggest.h"
#include "core/base/streams.h"

#include <stdio.h>
#include <string.h>

static const char *const command_names[] = {
    "home", "run", "full", "quick", "relink", "explain", "export-compile-commands", NULL};

/* in their order */
static const struct {
  int (*run)(int argc, char **argv);
  const char *summary;
} commands[] = {
    {build_home, "make a fake ROCm or CUDA home and print the variables that point a build at it"},
    {build_run, "run a build command against a fake home"},
    {build_full, "build libmha_fwd.so and libmha_bwd.so from an aiter checkout"},
    {build_quick, "relink the libraries of a full build with a new runtime"},
    {build_relink, "relink the libraries of a build with other kernels compiled ahead of time"},
    {build_explain, "explain why each source of a build is, or is not, compiled lazily"},
    {build_compile_commands, "write compile_commands.json of what a build has compiled"},
};
enum { NCOMMANDS = sizeof commands / sizeof *commands };

static void help(void) {
  puts("usage: ckjit-build COMMAND [OPTION…]\n"
       "\n"
       "Build a library of GPU kernels in minutes: each kernel is compiled when it is first\n"
       "called.\n");
  for (int i = 0; i < NCOMMANDS; i++)
    printf("  %-7s  %s\n", command_names[i], commands[i].summary);
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

static int run_command(int argc, char **argv) {
  for (int i = 0; i < NCOMMANDS; i++)
    if (strcmp(argv[0], command_names[i]) == 0)
      return commands[i].run(argc, argv);
  char *meant = did_you_mean(argv[0], command_names);
  die(EXIT_USAGE, "unknown command '%s': expected %s%s%s ckjit-build --help", argv[0], one_of(command_names),
      meant, *meant ? " See" : "; see");
}

/* `ckjit help full` is `ckjit full --help` */
static int print_help(const char *command) {
  if (!command) {
    help();
  } else if (strcmp(command, "environment") == 0) {
    puts("Environment variables:");
    env_help(stdout, ENV_BUILD);
  } else {
    char *words[] = {(char *)command, (char *)"--help", NULL};
    return run_command(2, words);
  }
  return streams_answered();
}

int main(int argc, char **argv) {
  program_name = install_called(argv[0], "ckjit-build");
  ids_settle();
  streams_open(true);
  /* before the command as well as after it */
  while (argc > 1 && str_starts(argv[1], "--color=") && message_color(argv[1] + strlen("--color="))) {
    argv++;
    argc--;
  }
  const char *command = argc > 1 ? argv[1] : NULL;
  if (!command)
    die(EXIT_USAGE, "expected a command: %s; see ckjit-build --help", one_of(command_names));
  if (strcmp(command, "help") == 0 || strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0)
    return print_help(argc > 2 ? argv[2] : NULL);
  if (strcmp(command, "--env-mdoc") == 0 && argc > 2)
    return print_mdoc(argv[2]);
  if (strcmp(command, "--version") == 0) {
    puts("ckjit-build " CKJIT_VERSION);
    return streams_answered();
  }
  if (*command == '-')
    die(EXIT_USAGE, "unknown option '%s': expected a command, %s, before its options; see ckjit-build --help",
        command, one_of(command_names));
  env_check();
  return run_command(argc - 1, argv + 1);
}
