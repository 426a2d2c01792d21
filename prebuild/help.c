/* help.c - the help pages of ckjit-prebuild.
 *
 * Most options belong to several commands, but a user reads the page of one. So there is one table of options,
 * each row with the commands it applies to, and a page prints the rows of its command. An option that means
 * something else for another command has two rows.
 */
#include "prebuild.h"
#include "help.h"
#include "core/base/env.h"
#include "core/base/wrap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const command_names[] = {"list", "build", "clean", "times", "export", "matrix", NULL};

enum {
  LIST = 1,
  BUILD = 2,
  CLEAN = 4,
  TIMES = 8,
  EXPORT = 16,
  MATRIX = 32,
  ALL = 63,
  OF_BLOBS = ALL & ~MATRIX
};

/* in the order of command_names */
static const struct page {
  const char *summary, *usage, *text;
} pages[] = {
    {"print the stems of the blobs; for blobs that are given, whether each is known and cached",
     "ckjit-prebuild list [OPTION…] [BLOB…]",
     "Print the stems of all blobs of the manifest, one a line. With blobs or --all, print for each blob its stem, "
     "`known` or `unknown` to the manifest, and `cached` or `absent`, separated by tabs."},
    {"compile blobs into the cache", "ckjit-prebuild build [OPTION…] BLOB…",
     "Compile the blobs that are not in the cache. If a blob is unknown, nothing is compiled. A blob that fails does "
     "not stop the others."},
    {"remove blobs from the cache", "ckjit-prebuild clean [OPTION…] BLOB…",
     "Remove the blobs from the cache; with --all, everything that ckjit keeps there. Other files stay."},
    {"print how long the compiles of the blobs in the cache took", "ckjit-prebuild times [OPTION…] [BLOB…]",
     "Print for each blob that was compiled into the cache, or for the blobs given, its stem, a tab, and the processor "
     "seconds of its compile. This is a file for build --times."},
    {"compile blobs into files that need no ckjit",
     "ckjit-prebuild export --format FORMAT --output PATH [OPTION…] BLOB…",
     "Compile the blobs into files that need no ckjit, and print the names of the files. Either all of them are "
     "written or none. The cache is not used."},
    {"print the combinations of a JSON matrix, or generate sources from them",
     "ckjit-prebuild matrix FILE [--name-format FORMAT]\n"
     "       ckjit-prebuild matrix FILE --template FILE --output-dir DIR --name-format FORMAT\n"
     "       ckjit-prebuild matrix FILE --template FILE --output FILE",
     "Print the combinations of the matrix in FILE (- is standard input) as JSON, one a line. With --template, write a "
     "source for each: the template with the combination's values in place of @variable@."},
};

static const struct option_help {
  unsigned commands;
  const char *option, *text;
} options[] = {
    {OF_BLOBS, "--blob-list FILE",
     "read blobs from FILE, one a line; # begins a comment, - is standard input; may be repeated"},
    {OF_BLOBS & ~CLEAN, "--all", "every blob of the manifest"},
    {CLEAN, "--all", "everything in the cache; needs no manifest"},
    {OF_BLOBS, "--matrix FILE", "the blobs that the combinations of a matrix select, by --name-format"},
    {OF_BLOBS, "--name-format FORMAT",
     "text with @variable@ of the matrix; the result is a pattern for stems, with * ? [ ] as in the shell"},
    {MATRIX, "--template FILE", "the template of a source, such as kernel.cu.in"},
    {MATRIX, "--output-dir DIR", "write one source for each combination there, named by --name-format"},
    {MATRIX, "--name-format FORMAT",
     "names of the sources, with @variable@ of the matrix: kernel_d@hdim@_@dtype@"},
    {MATRIX, "-o, --output FILE", "write all combinations to one file; - is standard output"},
    {EXPORT, "--format FORMAT",
     "so, obj: for the host, with device code in it\n"
     "code-object, bitcode, asm: for the device"},
    {EXPORT, "-o, --output PATH",
     "a file for all blobs; or a directory, or a name that ends with '/', for a file for each; - is standard output"},
    {EXPORT, "--symbol [OLD=]NAME",
     "rename the host function OLD to NAME, or for the device formats the kernel OLD. OLD is a mangled "
     "name; for a host function also a signature or the name of a template. May be repeated"},
    {LIST, "--names", "print only stems, even if blobs are given"},
    {LIST, "--json", "print one JSON object a line for each blob: names, source, architectures, state, size"},
    {OF_BLOBS, "--manifest FILE",
     "the manifest (default: $CK_JIT_MANIFEST, else ck_jit_manifest.json beside this program)"},
    {OF_BLOBS & ~EXPORT, "--cache-dir DIR",
     "the cache (default: $CK_JIT_CACHE_DIR, else the user's cache directory)"},
    {LIST | BUILD | EXPORT, "--root DIR",
     "directory of the blobs' sources (default: $CK_JIT_ROOT, else the manifest's root, else its directory)"},
    {LIST | BUILD, "--arch LIST",
     "offload architectures, separated by ';' (default: as the runtime chooses)"},
    {EXPORT, "--arch LIST",
     "offload architectures, separated by ';' (default: $CK_JIT_ARCH, else all that the library was "
     "built for)"},
    {BUILD | EXPORT, "-j, --jobs N",
     "at most N concurrent compilers (default: $CK_JIT_JOBS, else one per processor); fewer if memory is short"},
    {BUILD | EXPORT, "--job-memory SIZE",
     "memory that a compile is assumed to need until four have ended, such as 3G or 500M "
     "(default: $CK_JIT_JOB_MEMORY, else 2Gi); 0: ignore memory"},
    {LIST, "--shard I/N", "only shard I of N, counted from 0; auto, auto/N: from the scheduler's variables"},
    {BUILD, "--shard I/N",
     "only shard I of N, counted from 0; auto, auto/N: from the scheduler's variables "
     "(default: $CK_JIT_SHARD, else those variables if they are set)"},
    {LIST | BUILD, "--times FILE", "how long blobs take, STEM<TAB>SECONDS a line; the longest come first"},
    {BUILD | EXPORT, "--verbose", "print the output of each compile"},
    {ALL, "--color WHEN",
     "colour messages: never, always or auto (default: on a terminal, unless NO_COLOR is set)"},
};

#define A_BLOB "A BLOB is a stem, a base name, the path of a source, or a cached .so file."

enum { COLUMN = 24 };

static void print_option(const char *option, const char *text) {
  print_wrapped(stdout, (size_t)printf("  %-*s", COLUMN - 2, option), COLUMN, text);
}

static void print_page(int i) {
  printf("usage: %s\n\n", pages[i].usage);
  print_wrapped(stdout, 0, 0, pages[i].text);
  puts(1u << i != MATRIX ? A_BLOB "\n" : "");
  for (size_t k = 0; k < sizeof options / sizeof *options; k++)
    if (options[k].commands & 1u << i)
      print_option(options[k].option, options[k].text);
  puts("\nckjit-prebuild help environment lists the environment variables.");
}

static void print_overview(void) {
  puts("usage: ckjit-prebuild COMMAND [OPTION…] [BLOB…]\n"
       "\n"
       "Compile the kernels (blobs) of a library before they are called.\n");
  for (int i = 0; command_names[i]; i++)
    printf("  %-7s %s\n", command_names[i], pages[i].summary);
  puts(
      "\n"
      "A BLOB is a stem, a base name, the path of a source, or a cached .so file.\n"
      "\n"
      "  ckjit-prebuild help COMMAND      the options of a command\n"
      "  ckjit-prebuild help environment  the environment variables\n"
      "  ckjit-prebuild --version\n"
      "\n"
      "Exit status: 0 done; 1 the input or the environment is bad, or a compile failed; 2 the command line is wrong.");
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
  for (int i = 0; command_names[i]; i++)
    if (strcmp(command, command_names[i]) == 0) {
      print_page(i);
      return true;
    }
  return false;
}

char *help_where(const char *command) {
  for (int i = 0; command && command_names[i]; i++)
    if (strcmp(command, command_names[i]) == 0)
      return xasprintf("ckjit-prebuild %s --help", command);
  return xstrdup("ckjit-prebuild --help");
}
