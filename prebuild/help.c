/* help.c - the help pages of ckjit-prebuild.
 *
 * Most options belong to several commands, but a user reads the page of one. So there is one table of options,
 * each row with the commands it applies to, and a page prints the rows of its command. An option that means
 * something else for another command has two rows.
 */
#include "help.h"
#include "commands.h"
#include "where.h"
#include "core/base/env.h"
#include "core/base/wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_help {
  unsigned commands;
  const char *option, *text;
} options[] = {
    {WARM, "--wait",
     "return when all kernels are compiled (default: at once, and compile in the background)"},
    {OF_BLOBS | WARM, "--blob-list FILE",
     "read blobs from FILE, one per line; # begins a comment, - is standard input; may be repeated"},
    {PACK | WARM, "--capture FILE",
     "read kernels from a file that CK_JIT_CAPTURE wrote; otherwise as --blob-list"},
    {OF_BLOBS & ~CLEAN & ~PACK, "--all", "all blobs of the library"},
    {PACK, "--all", "all blobs that the cache has; needs no manifest"},
    {CLEAN, "--all", "all blobs of LIBRARY, or without LIBRARY everything in the cache; needs no manifest"},
    {CLEAN, "--stalled",
     "only the leftovers of killed compiles: directories, locks, partial files; needs no manifest. Every compile that "
     "ends removes them too"},
    {OF_BLOBS, "--matrix FILE", "the blobs that the combinations of a matrix select by --name-format"},
    {OF_BLOBS, "--name-format FORMAT",
     "text with @variable@ of the matrix; the result is a pattern for stems, with * ? [ ] as in the shell"},
    {MATRIX, "--template FILE", "the template of a source, such as kernel.cu.in"},
    {MATRIX, "--output-dir DIR", "write one source for each combination there, named by --name-format"},
    {MATRIX, "--name-format FORMAT",
     "names of the sources, with @variable@ of the matrix, such as kernel_d@hdim@_@dtype@"},
    {MATRIX, "-o, --output FILE", "write all combinations to one file; - is standard output"},
    {EXPORT, "--format FORMAT",
     "so, obj: for the host, with device code in it\n"
     "code-object, bitcode, asm: for the device"},
    {EXPORT, "-o, --output PATH",
     "a file for all blobs; or a directory, or a name that ends with '/', for one file each; - is standard output"},
    {EXPORT, "--symbol [OLD=]NAME",
     "rename the host function OLD to NAME, or for the device formats the kernel OLD. OLD is a mangled "
     "name; for a host function also a signature or the name of a template. May be repeated"},
    {EXPORT, "--add-flags FLAGS", "flags to add after the blob's own, such as '-DTILE=64 -O2'"},
    {LIST, "--names", "print only stems, even if blobs are given"},
    {DOCTOR, "--json", "print one JSON object, for a bug report; it has no secrets, but file names"},
    {LIST, "--kernels", "in place of a lazy ordinary unit print its kernels, each with its C++ name"},
    {CACHE, "--format FORMAT",
     "human (the default), or blob-list: the stems of its blobs, one per line, for build --blob-list"},
    {CACHE, "--write-blob-list FILE",
     "write that list to FILE; - is standard output, on which nothing else is printed then"},
    {CACHE, "--verbose", "print each entry, the least recently used first"},
    {VERIFY, "--repair",
     "remove damaged files that are ckjit's own; files of others and of running compiles stay"},
    {STATS, "--verbose", "print every kernel (default: the ten that calls waited longest for)"},
    {STATS, "--zero", "set all counts to zero; jobs may be running"},
    {CACHE | VERIFY | STATS, "--json", "print one JSON object, with bytes and seconds as they are"},
    {LIST, "--json",
     "print one JSON object per line for each blob: names, source, architectures, state, size"},
    {OF_LIBRARY, "--manifest FILE", "the manifest of the library (default: see below)"},
    {DOCTOR, "--manifest FILE",
     "the manifest of a library (default: $CK_JIT_MANIFEST, the one in $CK_JIT_ROOT, or beside this program)"},
    {PACK, "-o, --output FILE", "the file to write; - is standard output"},
    {TRACE, "-o, --output FILE",
     "the page (default: FILE with .html in place of .json); - is standard output"},
    {(OF_BLOBS & ~EXPORT) | UNPACK | STATUS | WARM | CACHE | VERIFY | STATS | DOCTOR, "--cache-dir DIR",
     "the cache (default: $CK_JIT_CACHE_DIR, else the user's cache directory)"},
    {LIST | BUILD | EXPORT | WARM | DOCTOR, "--root DIR",
     "directory of the blobs' sources (default: $CK_JIT_ROOT, else the manifest's root, else its directory)"},
    {LIST | BUILD | WARM, "--arch LIST",
     "offload architectures of one machine, separated by ';' (default: $CK_JIT_ARCH, else this machine's GPUs; if the "
     "library was built for none of these, each architecture that it was built for, separately)"},
    {PACK, "--arch LIST", "only entries for these offload architectures, separated by ';' (default: all)"},
    {UNPACK, "--arch LIST",
     "refuse a pack that has an entry for other offload architectures than these, separated by ';'"},
    {EXPORT, "--arch LIST",
     "offload architectures, separated by ';' (default: $CK_JIT_ARCH, else all that the library was "
     "built for)"},
    {BUILD | EXPORT, "-j, --jobs N",
     "at most N concurrent compilers (default: $CK_JIT_JOBS, else one per processor); fewer if memory is short"},
    {WARM, "-j, --jobs N",
     "at most N concurrent compilers (default: one less than $CK_JIT_JOBS, or than there are processors)"},
    {BUILD | EXPORT | WARM, "--job-memory SIZE",
     "memory that a compile is assumed to need, such as 3G or 500M, until four compiles have ended "
     "(default: $CK_JIT_JOB_MEMORY, else 2Gi); 0: ignore memory"},
    {LIST, "--shard I/N", "only shard I of N, counted from 0; auto, auto/N: from the scheduler's variables"},
    {BUILD, "--shard I/N",
     "only shard I of N, counted from 0; auto, auto/N: from the scheduler's variables "
     "(default: $CK_JIT_SHARD, else those variables if they are set)"},
    {LIST | BUILD, "--times FILE", "how long blobs take, STEM<TAB>SECONDS per line; the longest come first"},
    {BUILD | EXPORT, "--verbose", "print the output of each compile"},
    {WARM, "--verbose", "with --wait: print the output of each compile"},
    {ALL, "--color WHEN",
     "colour messages: never, always or auto (default: on a terminal, unless NO_COLOR is set)"},
};

#define A_BLOB "A BLOB is a stem, a base name, the path of a source, or a cached .so file."
#define A_LIBRARY "LIBRARY is the file of a library that ckjit linked."

enum { COLUMN = 24 };

static void print_option(const char *option, const char *text) {
  print_wrapped(stdout, (size_t)printf("  %-*s ", COLUMN - 3, option), COLUMN, text);
}

static void print_page(const struct command *c) {
  unsigned bit = 1u << (c - commands);
  printf("usage: %s\n\n", c->usage);
  print_wrapped(stdout, 0, 0, c->text);
  if (bit & OF_BLOBS)
    print_wrapped(stdout, 0, 0, A_LIBRARY " " A_BLOB);
  puts("");
  for (size_t k = 0; k < sizeof options / sizeof *options; k++)
    if (options[k].commands & bit)
      print_option(options[k].option, options[k].text);
  if (bit & OF_LIBRARY)
    where_help();
  printf("\n%s help environment lists the environment variables.\n", help_program());
}

static void print_overview(void) {
  puts("usage: ckjit-prebuild COMMAND [OPTION…] [ARGUMENT…]\n"
       "\n"
       "The commands of ckjit that concern kernels and caches; `ckjit COMMAND` runs the same.\n");
  for (size_t i = 0; i < ncommands; i++)
    printf("  %-7s %s\n", commands[i].name, commands[i].summary);
  puts("\n"
       "  ckjit-prebuild help COMMAND      the options of a command\n"
       "  ckjit-prebuild help environment  the environment variables\n"
       "  ckjit-prebuild --version         the version\n"
       "\n"
       "Exit status: 0 done; 1 the input or the environment is bad, or a compile failed;\n"
       "2 the command line is wrong.");
}

bool help_print(const char *command) {
  if (!command) {
    print_overview();
    return true;
  }
  if (strcmp(command, "environment") == 0) {
    puts("Environment variables:");
    env_help(stdout, ENV_RUNTIME);
    return true;
  }
  const struct command *c = command_named(command);
  if (c)
    print_page(c);
  return c != NULL;
}

char *help_where(const char *command) {
  if (command_named(command))
    return xasprintf("%s %s --help", help_program(), command);
  return xasprintf("%s --help", program_name);
}

bool help_lists_option(const char *command, const char *name) {
  const struct command *c = command_named(command);
  bool listed = !c || strcmp(name, "help") == 0 || strcmp(name, "version") == 0;
  for (size_t i = 0; i < sizeof options / sizeof *options && !listed; i++) {
    const char *dashes = strstr(options[i].option, "--");
    size_t n = strlen(name);
    listed = options[i].commands & 1u << (c - commands) && dashes && strncmp(dashes + 2, name, n) == 0 &&
             (dashes[2 + n] == ' ' || !dashes[2 + n]);
  }
  return listed;
}
