/* commands.c - the commands of ckjit-prebuild, one row each: the function that runs it, and the start of its
 * help page.
 *
 * main.c finds a command here; help.c prints its page and adds the options. The bit of a command in the rows
 * of options is its index in this table. test/help-pages.sh compares the manual and the completions with the
 * pages.
 */
#include "commands.h"

#include <string.h>

const struct command commands[] = {
    {"list", prebuild_list,
     "print the stems of the blobs; for blobs that are given, whether each is known and cached",
     "ckjit list [OPTION…] [BLOB…]",
     "Print the stems of all blobs of the manifest, one a line. With blobs or --all, print for each blob its stem, "
     "`known` or `unknown` to the manifest, and `cached` or `absent`, separated by tabs."},
    {"build", prebuild_build, "compile blobs into the cache", "ckjit build [OPTION…] BLOB…",
     "Compile the blobs that are not in the cache. If a blob is unknown, nothing is compiled. A blob that fails does "
     "not stop the others."},
    {"clean", prebuild_clean, "remove blobs from the cache", "ckjit clean [OPTION…] BLOB…",
     "Remove the blobs from the cache; with --all, everything that ckjit keeps there. Other files stay."},
    {"times", prebuild_times, "print how long the compiles of the blobs in the cache took",
     "ckjit times [OPTION…] [BLOB…]",
     "Print for each blob that was compiled into the cache, or for the blobs given, its stem, a tab, and the processor "
     "seconds of its compile. This is a file for build --times."},
    {"export", prebuild_export, "compile blobs into files that need no ckjit",
     "ckjit export --format FORMAT --output PATH [OPTION…] BLOB…",
     "Compile the blobs into files that need no ckjit, and print the names of the files. Either all of them are "
     "written or none. The cache is not used."},
    {"matrix", prebuild_matrix, "print the combinations of a JSON matrix, or generate sources from them",
     "ckjit matrix FILE [--name-format FORMAT]\n"
     "       ckjit matrix FILE --template FILE --output-dir DIR --name-format FORMAT\n"
     "       ckjit matrix FILE --template FILE --output FILE",
     "Print the combinations of the matrix in FILE (- is standard input) as JSON, one a line. With --template, write a "
     "source for each: the template with the combination's values in place of @variable@."},
    {"pack", prebuild_pack, "write blobs of the cache to a file for other machines",
     "ckjit pack --output FILE [OPTION…] BLOB…",
     "Write the entries that the cache has of the blobs to FILE, with what each of them is. A blob that is named and has "
     "none is an error; with --all what is there is written. Needs the program zstd."},
    {"unpack", prebuild_unpack, "add a file of pack to the cache", "ckjit unpack [OPTION…] FILE",
     "Verify FILE (- is standard input), which pack has written, and add what the cache lacks. If anything in it is not as "
     "it should be, nothing is added. Needs no manifest and no compiler, but the program zstd."},
    {"status", prebuild_status, "print what is being compiled into the cache at this moment",
     "ckjit status [OPTION…]",
     "Print a line for each compile that anybody has going in the cache: the kernel, for how many seconds, how many it took "
     "last time, which process compiles it and for whom, separated by tabs. Needs no manifest."},
    {"warm", prebuild_warm, "compile in the background what calls waited for in the past",
     "ckjit warm [OPTION…] [LIBRARY…]",
     "Compile what calls of LIBRARY waited for, by the cache's record of use, or what a capture or a list has: after an upgrade, "
     "before a job. The most expensive comes first. One processor and the memory of one compile are left to others, and one process at "
     "a time does it for a cache. Without LIBRARY, capture and list: every library that the cache has a record of."},
    {"cache", prebuild_cache, "print where the cache is, what is in it, and what would leave it next",
     "ckjit cache [OPTION…]",
     "Print the cache directory, how many entries and bytes it has by library and by architecture, its limits, and what was used "
     "least recently and would be evicted next. Libraries are known of kernels that calls have waited for, or by a manifest."},
    {"verify", prebuild_verify, "look whether every file of the cache is whole, and what its name says",
     "ckjit verify [OPTION…]",
     "Read every entry and fragment of the cache, and print those that are damaged, that others could have written, or that are not "
     "what their key says. The status is 1 if there is one that stays. No call loads such a file, with or without this."},
    {"stats", prebuild_stats,
     "print how often first calls found their kernel, what they waited for, and what that saved",
     "ckjit stats [OPTION…]",
     "Print what was counted in the cache, by library, day and kernel: first calls that found their kernel (hits) and that did not "
     "(misses), those that waited for the compile of another process (waits), compiles; the time that calls waited, the processor time that "
     "compilers spent, and that the hits saved. CK_JIT_STATS=0 counts nothing."},
    {"doctor", prebuild_doctor, "say what is wrong with this machine, a line for each thing that ckjit uses",
     "ckjit doctor [OPTION…]",
     "Look at programs, compilers, GPUs, the cache, memory, kernel and libc, and print a line for each: ok, warning or error, "
     "what is so, and what to do. Needs no compiler, no GPU, no manifest and no cache. The status is 1 if there is an error."},
    {"trace", prebuild_trace, "make a page that shows a trace: first calls, compiles and waits on a timeline",
     "ckjit trace view [OPTION…] FILE",
     "Write an HTML page that shows FILE, which CK_JIT_TRACE or `ckjit full --trace` has written (- is standard input): a timeline "
     "to zoom into, totals, and tables. The page is one file and needs no network. FILE may still be written to, or cut off."},
};
const size_t ncommands = sizeof commands / sizeof *commands;

const struct command *command_named(const char *name) {
  for (size_t i = 0; name && i < ncommands; i++)
    if (strcmp(name, commands[i].name) == 0)
      return &commands[i];
  return NULL;
}

const char *const *command_names(void) {
  static const char *names[sizeof commands / sizeof *commands + 1];
  for (size_t i = 0; i < ncommands; i++)
    names[i] = commands[i].name;
  return names;
}
