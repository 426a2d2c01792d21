/* commands.c - the commands of ckjit-prebuild, one row each: the function that runs it, and the
 * start of its help page.
 *
 * commandline.c finds a command here, prints its page and adds the options. The bit of a command in
 * the rows of options is its index in this table.
 */
#include "commands.h"

const struct command commands[] = {
    {"list", prebuild_list, "list kernels, and which of them are compiled",
     "ckjit list [OPTION…] [LIBRARY] [BLOB…]",
     "Print the stem of each blob of the library, one per line. With --all, or for the blobs "
     "named, print the stem, `known` or `unknown`, and `cached` or `absent`, separated by tabs."},
    {"build", prebuild_build, "compile blobs into the cache",
     "ckjit build [OPTION…] [LIBRARY] BLOB…",
     "Compile the blobs that the cache does not have. If a blob is unknown, nothing is compiled. "
     "If a blob fails, the others are still compiled."},
    {"clean", prebuild_clean, "remove blobs from the cache",
     "ckjit clean [OPTION…] [LIBRARY] BLOB…",
     "Remove the blobs from the cache. With --all, remove all blobs of LIBRARY, or without LIBRARY "
     "everything that ckjit keeps in the cache. Other files stay."},
    {"times", prebuild_times, "print how long each compile took",
     "ckjit times [OPTION…] [LIBRARY] [BLOB…]",
     "Print the stem of each blob that was compiled into the cache, or of the blobs named, a tab, "
     "and the CPU-seconds of its compile. The output is a file for build --times."},
    {"export", prebuild_export, "compile blobs into files that need no ckjit",
     "ckjit export --format FORMAT --output PATH [OPTION…] [LIBRARY] BLOB…",
     "Compile the blobs into files that need no ckjit, and print the names of the files. Either "
     "all files are written or none. The cache is not used."},
    {"matrix", prebuild_matrix,
     "print the combinations of a JSON matrix, or generate sources from them",
     "ckjit matrix FILE [--name-format FORMAT]\n"
     "       ckjit matrix FILE --template FILE --output-dir DIR --name-format FORMAT\n"
     "       ckjit matrix FILE --template FILE --output FILE",
     "Print the combinations of the matrix in FILE (- is standard input) as JSON, one per line. "
     "With --template, write "
     "a source for each: the template, with the combination's values in place of @variable@."},
    {"pack", prebuild_pack, "write compiled blobs to a file for other machines",
     "ckjit pack --output FILE [OPTION…] [LIBRARY] BLOB…",
     "Write the cache's entries of the blobs to FILE. A blob that the cache does not have is an "
     "error. With --all, write the entries that the cache has: those of LIBRARY or of a manifest "
     "that is named, or else all, which needs no manifest."},
    {"unpack", prebuild_unpack, "add the file of a pack to the cache",
     "ckjit unpack [OPTION…] FILE",
     "Verify FILE (- is standard input), which ckjit pack wrote, and add the entries that the "
     "cache does not have. If "
     "anything is wrong with it, nothing is added. Needs no manifest and no compiler."},
    {"status", prebuild_status, "print what is being compiled now", "ckjit status [OPTION…]",
     "Print a line for each compile that runs in the cache: the kernel, the seconds so far, the "
     "seconds that it took last time, the compiling process and the job that waits for it, "
     "separated by tabs, and whether its lease shows no sign of life. Needs no manifest."},
    {"warm", prebuild_warm, "recompile previously used kernels in the background",
     "ckjit warm [OPTION…] [LIBRARY…]",
     "Compile the kernels that calls of LIBRARY waited for, by the cache's record of use, or those "
     "of a capture or a list: after an upgrade, or before a job. The most expensive kernel comes "
     "first. One processor and the memory of one compile stay free for other work, and only one "
     "process does this for a cache at a time. Without LIBRARY, capture and list: the kernels of "
     "every library that the cache has a record of."},
    {"ready", prebuild_ready, "say whether a job will compile, before it starts",
     "ckjit ready [OPTION…] [LIBRARY…]",
     "Say whether the cache has the kernels that a job will call, and list those that it does not "
     "have: those of a capture or a list, else those that calls of LIBRARY waited for, by the "
     "cache's record of use. Nothing is compiled. The status is 0 if nothing will be compiled, 3 "
     "if something will, and 4 if that is not known."},
    {"cache", prebuild_cache, "print where the cache is and what it holds", "ckjit cache [OPTION…]",
     "Print the cache directory, its entries and bytes by library and by architecture, its limits, "
     "and the files that would be evicted next. The library of an entry is known if calls have "
     "waited for it, or from a manifest."},
    {"verify", prebuild_verify, "check the integrity of every cache file", "ckjit verify [OPTION…]",
     "Read every entry and fragment of the cache, and print those that are damaged, that other "
     "users could have written, or that do not match their key. The status is 1 if such a file "
     "stays. No call ever loads one."},
    {"stats", prebuild_stats, "print the cache hit rate, time spent waiting and time saved",
     "ckjit stats [OPTION…]",
     "Print the cache's counts by library, day and kernel: first calls that found their kernel "
     "(hits) or did not (misses), those that waited for the compile of another process (waits), "
     "and compiles; the time that calls waited, the CPU time of compiles, and the CPU time that "
     "hits saved. CK_JIT_STATS=0 turns counting off."},
    {"doctor", prebuild_doctor,
     "say what is wrong with this machine, a line for each thing that ckjit uses",
     "ckjit doctor [OPTION…]",
     "Look at programs, compilers, GPUs, the cache, memory, kernel and libc, and print a line for "
     "each: ok, warning or error, what is so, and what to do. Needs no compiler, no GPU, no "
     "manifest and no cache. The status is 1 if there is an error."},
    {"trace", prebuild_trace,
     "make a web page of a trace: totals, failures and the slowest kernels",
     "ckjit trace view [OPTION…] FILE",
     "Write an HTML page that sums up FILE, which CK_JIT_TRACE or `ckjit full --trace` has written "
     "(- is standard input): totals, failures and the slowest kernels. The page is one file and "
     "needs no network. FILE may still be written to, or cut off. Perfetto and Chrome show FILE as "
     "a timeline."},
    {"log", prebuild_log, "print the history of compiles", "ckjit log [OPTION…] [KERNEL…]",
     "Print a line for each compile that ended in the cache, or for those of KERNEL, the newest "
     "last, its fields separated by tabs: when, the kernel, its times, the compiler, and what the "
     "code takes of a GPU. Needs no manifest."},
    {"report", prebuild_report, "pack a failed compile for a bug report",
     "ckjit report [OPTION…] [KERNEL | LOG]",
     "Write the log, the command, the text, the versions and the settings of a failed compile to "
     "one file: of KERNEL, of the file LOG, or of the one that failed last in the cache. Print "
     "what is in it. Of the environment it has only the variables that ckjit and compilers read."},
    {"keygen", prebuild_keygen, "make a pair of keys that sign entries", "ckjit keygen FILE",
     "Write a secret key to FILE, and its public key to FILE.pub. A machine whose "
     "CK_JIT_TRUST_KEYS has the public key uses entries that the secret key has signed, wherever "
     "they come from."},
    {"sign", prebuild_sign, "sign the entries of the cache", "ckjit sign --key FILE [OPTION…]",
     "Sign every entry of the cache with the secret key in FILE. An entry has one signature, the "
     "last. Packs of the cache have signed entries then. Needs no manifest."},
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
