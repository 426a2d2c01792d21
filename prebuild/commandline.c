/* commandline.c - the options of ckjit-prebuild, a row each, and its command line.
 *
 * Most options belong to several commands, but a user reads the page of one, and may abbreviate
 * those of one. An option with another meaning for another command has two rows. test/help-pages.sh
 * compares the manual with the pages.
 */
#include "commandline.h"
#include "commands.h"
#include "help.h"
#include "blobnames.h"
#include "where.h"
#include "core/base/env.h"
#include "core/base/install.h"
#include "core/base/jobs.h"
#include "core/base/number.h"
#include "core/base/options.h"
#include "core/base/streams.h"
#include "core/base/suggest.h"
#include "core/files/exportformat.h"

#include <unistd.h>

static void read_list(void *into, const char *option, const char *value) {
  blobnames_read_list(into, option, options_path(option, value));
}

static void add_blob(void *into, const char *option, const char *value) {
  struct request *r = into;
  argv_add(&r->names, options_path(option, value));
  argv_add(&r->where, "");
}

static void set_jobs(void *into, const char *option, const char *value) {
  struct request *r = into;
  char *err;
  if (!number_jobs(option, value, &r->jobs, &err))
    die(EXIT_USAGE, "%s", err);
  r->jobs_given = true;
}

/* A compile needs more than a megabyte: a user who wrote "2" meant 2G. */
static void set_job_memory(void *into, const char *option, const char *value) {
  enum { LEAST = 1000 * 1000 };
  struct request *r = into;
  char *err;
  if (!number_size(option, value, LEAST, &r->job_memory, &err))
    die(EXIT_USAGE, "%s", err);
}

static void add_symbol(void *into, const char *option, const char *value) {
  struct request *r = into;
  autofree char *old = NULL;
  if (!export_symbol_parse(value, &old))
    die(EXIT_USAGE,
        "%s '%s': expected NAME or OLD=NAME, NAME of letters, digits and _ . $, no digit first",
        option, value);
  argv_add(&r->symbols, value);
}

#define INTO(kind, member) kind##_INTO(struct request, member)
static const struct option_row rows[] = {
    {"wait", NULL, INTO(FLAG, wait),
     "return when all kernels are compiled (default: at once, and compile in the background)",
     .commands = WARM, .strict = true},
    {"blob", "NAME", OPTION_CALL, 0,
     "a blob, as BLOB, even if it is the name of a file; may be repeated",
     .commands = OF_BLOBS | WARM, .call = add_blob},
    {"blob-list", "FILE", OPTION_CALL, 0,
     "read blobs from FILE, one per line; # begins a comment, - is standard input; may be repeated",
     .commands = OF_BLOBS | OF_RECORD, .call = read_list},
    {"capture", "FILE", OPTION_CALL, 0,
     "read kernels from a file that CK_JIT_CAPTURE wrote; otherwise as --blob-list",
     .commands = PACK | OF_RECORD, .call = read_list},
    {"all", NULL, INTO(FLAG, all), "all blobs of the library",
     .commands = (OF_BLOBS & ~CLEAN & ~PACK) | READY},
    {"check", NULL, INTO(FLAG, check),
     "compile no kernels where these are compiled apart, and check that each blob defines its "
     "functions; without BLOB all blobs",
     .commands = BUILD, .strict = true},
    {"all", NULL, OPTION_AS_ABOVE, 0, "all blobs that the cache has; needs no manifest",
     .commands = PACK},
    {"all", NULL, OPTION_AS_ABOVE, 0,
     "all blobs of LIBRARY, or without LIBRARY everything in the cache; needs no manifest",
     .commands = CLEAN},
    {"stalled", NULL, INTO(FLAG, stalled),
     "only the leftovers of killed compiles: directories, locks, partial files; needs no manifest. "
     "Every compile that ends removes them too",
     .commands = CLEAN, .strict = true},
    {"matrix", "FILE", INTO(PATH, matrix),
     "the blobs that the combinations of a matrix select by --name-format", .commands = OF_BLOBS,
     .once = true},
    {"name-format", "FORMAT", INTO(TEXT, name_format),
     "text with @variable@ of the matrix; the result is a pattern for stems, with * ? [ ] as in "
     "the shell",
     .commands = OF_BLOBS, .once = true},
    {"template", "FILE", INTO(PATH, template_file),
     "the template of a source, such as kernel.cu.in", .commands = MATRIX, .once = true,
     .strict = true},
    {"append", "TEXT", INTO(TEXT, append),
     "text at the end of the template, with @variable@ of the matrix", .commands = MATRIX,
     .once = true, .strict = true, .needs = "template"},
    {"output-dir", "DIR", INTO(PATH, output_dir),
     "write one source for each combination there, named by --name-format", .commands = MATRIX,
     .once = true, .strict = true},
    {"name-format", "FORMAT", OPTION_AS_ABOVE, 0,
     "names of the sources, with @variable@ of the matrix, such as kernel_d@hdim@_@dtype@",
     .commands = MATRIX},
    {"output", "FILE", INTO(PATH, output),
     "write all combinations to one file; - is standard output", .commands = MATRIX, .letter = 'o',
     .strict = true},
    {"format", "FORMAT", INTO(TEXT, format),
     "so, obj: for the host, with device code in it\n"
     "code-object, bitcode, asm: for the device",
     .commands = EXPORT, .strict = true, .words = "so obj code-object bitcode asm"},
    {"output", "PATH", OPTION_AS_ABOVE, 0,
     "a file for all blobs; or a directory, or a name that ends with '/', for one file each; - is "
     "standard output",
     .commands = EXPORT, .letter = 'o'},
    {"symbol", "[OLD=]NAME", OPTION_CALL, 0,
     "rename the host function OLD to NAME, or for the device formats the kernel OLD. OLD is a "
     "mangled "
     "name; for a host function also a signature or the name of a template. May be repeated",
     .commands = EXPORT, .call = add_symbol, .strict = true},
    {"add-flags", "FLAGS", INTO(WORDS, add_flags),
     "flags to add after the blob's own, such as '-DTILE=64 -O2'", .commands = EXPORT, .once = true,
     .strict = true},
    {"host-target", "TARGET", INTO(TEXT, host_target),
     "so, obj: the host to compile for (default: the one that the library was built for)",
     .commands = EXPORT, .once = true, .strict = true},
    {"names", NULL, INTO(FLAG, names_only), "print only stems, even if blobs are given",
     .commands = LIST},
    {"json", NULL, INTO(FLAG, json),
     "print one JSON object, for a bug report; it has no secrets, but file names",
     .commands = DOCTOR, .strict = true},
    {"kernels", NULL, INTO(FLAG, list_kernels),
     "in place of a lazy ordinary unit print its kernels, each with its C++ name",
     .commands = LIST},
    {"format", "FORMAT", OPTION_AS_ABOVE, 0,
     "human (the default), or blob-list: the stems of its blobs, one per line, for build "
     "--blob-list",
     .commands = CACHE, .words = "human blob-list"},
    {"write-blob-list", "FILE", INTO(PATH, blob_list_to),
     "write that list to FILE; - is standard output, on which nothing else is printed then",
     .commands = CACHE, .once = true, .strict = true},
    {"current", NULL, INTO(FLAG, current),
     "only entries of the library's present build, for any architecture and by any compiler",
     .commands = CACHE, .strict = true},
    {"verbose", NULL, INTO(FLAG, verbose), "print each entry, the least recently used first",
     .commands = CACHE},
    {"repair", NULL, INTO(FLAG, repair),
     "remove damaged files that are ckjit's own; files of others and of running compiles stay",
     .commands = VERIFY, .strict = true},
    {"verbose", NULL, OPTION_AS_ABOVE, 0,
     "print every kernel (default: the ten that calls waited longest for)", .commands = STATS},
    {"zero", NULL, INTO(FLAG, zero), "set all counts to zero; jobs may be running",
     .commands = STATS, .strict = true},
    {"metrics", NULL, INTO(FLAG, metrics),
     "print the counts as OpenMetrics text, for Prometheus and the like", .commands = STATS,
     .strict = true},
    {"since", "DAY", INTO(TEXT, since),
     "count compiles from DAY on, such as 2026-11-26 (UTC), in place of those after `ready`",
     .commands = STATS, .once = true, .strict = true},
    {"json", NULL, OPTION_AS_ABOVE, 0, "print one JSON object, with bytes and seconds as they are",
     .commands = CACHE | VERIFY | STATS | READY},
    {"json", NULL, OPTION_AS_ABOVE, 0, "print one JSON object per line for each compile",
     .commands = LOG},
    {"json", NULL, OPTION_AS_ABOVE, 0,
     "print one JSON object per line for each blob: names, source, architectures, state, size",
     .commands = LIST},
    {"manifest", "FILE", INTO(PATH, manifest), "the manifest of the library (default: see below)",
     .commands = OF_LIBRARY},
    {"manifest", "FILE", OPTION_AS_ABOVE, 0,
     "the manifest of a library (default: $CK_JIT_MANIFEST, the one in $CK_JIT_ROOT, or beside "
     "this program)",
     .commands = DOCTOR},
    {"output", "FILE", OPTION_AS_ABOVE, 0, "the file to write; - is standard output",
     .commands = PACK, .letter = 'o'},
    {"output", "FILE", OPTION_AS_ABOVE, 0,
     "the file to write (default: ckjit-report-KERNEL.tar.zst); - is standard output",
     .commands = REPORT, .letter = 'o'},
    {"output", "FILE", OPTION_AS_ABOVE, 0,
     "the page (default: FILE with .html in place of .json); - is standard output",
     .commands = TRACE, .letter = 'o'},
    {"cache-dir", "DIR", INTO(PATH, cache_given),
     "the cache (default: $CK_JIT_CACHE_DIR, else the user's cache directory)",
     .commands = (OF_BLOBS & ~EXPORT) | UNPACK | STATUS | OF_RECORD | CACHE | VERIFY | STATS |
                 DOCTOR | LOG | REPORT | SIGN},
    {"upload", NULL, INTO(FLAG, upload), "store the signed entries in $CK_JIT_REMOTE_STORAGE, too",
     .commands = SIGN, .strict = true},
    {"key", "FILE", INTO(PATH, key), "the secret key, of `ckjit keygen`", .commands = SIGN,
     .once = true, .strict = true},
    {"root", "DIR", INTO(PATH, root_given),
     "directory of the blobs' sources (default: $CK_JIT_ROOT, else the manifest's root, else its "
     "directory)",
     .commands = LIST | BUILD | EXPORT | OF_RECORD | DOCTOR | REPORT},
    {"arch", "LIST", INTO(TEXT, arch),
     "offload architectures of one machine, separated by ';' (default: $CK_JIT_ARCH, else this "
     "machine's GPUs; if the "
     "library was built for none of these, each architecture that it was built for, separately)",
     .commands = LIST | BUILD | OF_RECORD, .words = "gfx90a gfx942 gfx950 sm_80 sm_90 sm_100"},
    {"arch", "LIST", OPTION_AS_ABOVE, 0,
     "only entries for these offload architectures, separated by ';' (default: all)",
     .commands = PACK, .words = "gfx90a gfx942 gfx950 sm_80 sm_90 sm_100"},
    {"arch", "LIST", OPTION_AS_ABOVE, 0,
     "refuse a pack that has an entry for other offload architectures than these, separated by ';'",
     .commands = UNPACK, .words = "gfx90a gfx942 gfx950 sm_80 sm_90 sm_100"},
    {"arch", "LIST", OPTION_AS_ABOVE, 0,
     "offload architectures, separated by ';' (default: $CK_JIT_ARCH, else all that the library "
     "was built for)",
     .commands = EXPORT, .words = "gfx90a gfx942 gfx950 sm_80 sm_90 sm_100"},
    {"jobs", "N", OPTION_CALL, 0,
     "at most N concurrent compilers (default: $CK_JIT_JOBS, else $MAX_JOBS, else one per "
     "processor); fewer if memory is short",
     .commands = BUILD | EXPORT, .letter = 'j', .call = set_jobs},
    {"jobs", "N", OPTION_AS_ABOVE, 0,
     "at most N concurrent compilers (default: one less than $CK_JIT_JOBS, else than $MAX_JOBS, "
     "else than there are processors)",
     .commands = WARM, .letter = 'j'},
    {"job-memory", "SIZE", OPTION_CALL, 0,
     "memory that a compile is assumed to need, such as 3G or 500M, until four compiles have ended "
     "(default: $CK_JIT_JOB_MEMORY, else 2Gi); 0: ignore memory",
     .commands = BUILD | EXPORT | WARM, .call = set_job_memory},
    {"shard", "I/N", INTO(TEXT, shard_given),
     "only shard I of N, counted from 0; auto, auto/N: from the scheduler's variables",
     .commands = LIST, .strict = true, .words = "auto"},
    {"shard", "I/N", OPTION_AS_ABOVE, 0,
     "only shard I of N, counted from 0; auto, auto/N: from the scheduler's variables "
     "(default: $CK_JIT_SHARD, else those variables if they are set)",
     .commands = BUILD, .words = "auto"},
    {"times", "FILE", INTO(PATH, times),
     "how long blobs take, STEM<TAB>SECONDS per line; the longest come first",
     .commands = LIST | BUILD | WARM, .strict = true},
    {"verbose", NULL, OPTION_AS_ABOVE, 0, "print the output of each compile",
     .commands = BUILD | EXPORT},
    {"verbose", NULL, OPTION_AS_ABOVE, 0, "with --wait: print the output of each compile",
     .commands = WARM},
    {0},
};

#define A_BLOB "A BLOB is a stem, a base name, the path of a source, or a cached .so file."
#define A_LIBRARY "LIBRARY is the file of a library that ckjit linked."

static void end_of_page(void) {
  printf("\n%s help environment lists the environment variables.\n", help_program());
}

static void end_with_manifest(void) {
  where_help();
  end_of_page();
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
       "Exit status: 0 done; 1 bad input or environment, or a failed compile; 2 wrong command "
       "line.");
}

/* For a shell: the stems of the manifest that is named, or of the library that ckjit finds. */
static void print_stems(void *into) {
  const struct request *r = into;
  char *program = install_program("ckjit-prebuild");
  fflush(stdout);
  if (program)
    execl(program, "ckjit-prebuild", "list", r->manifest ? "--manifest" : NULL, r->manifest, NULL);
}

/* The page of C; without one, of all commands. */
static struct option_page page_of(const struct command *c) {
  unsigned bit = c ? 1u << (c - commands) : ALL;
  struct option_page page = {.where = help_where(c ? c->name : NULL),
                             .rows = rows,
                             .version = "ckjit-prebuild",
                             .names = command_names(),
                             .commands = bit,
                             .end = print_overview};
  if (c) {
    page.command = c->name;
    page.usage = c->usage;
    page.text = bit & OF_BLOBS ? xasprintf("%s\n" A_LIBRARY " " A_BLOB, c->text) : xstrdup(c->text);
    page.end = bit & OF_LIBRARY ? end_with_manifest : end_of_page;
    page.operands = bit & (OF_BLOBS | OF_RECORD)                ? ":libraries"
                    : bit & (MATRIX | UNPACK | REPORT | KEYGEN) ? ":files"
                    : bit & TRACE                               ? "trace view :files"
                                                                : NULL;
    page.complete = bit & OF_BLOBS ? print_stems : NULL;
  }
  return page;
}

static const struct command *find_command(const char *name) {
  const struct command *c = command_named(name);
  if (c)
    return c;
  char *meant = did_you_mean(name, command_names());
  die(EXIT_USAGE, "unknown command '%s': expected %s%s%s %s", name, one_of(command_names()), meant,
      *meant ? " See" : "; see", help_where(NULL));
}

static _Noreturn void help(const char *of) {
  if (of && strcmp(of, "environment") == 0) {
    puts("Environment variables:");
    env_help(stdout, ENV_RUNTIME);
  } else {
    struct option_page page = page_of(of ? find_command(of) : NULL);
    options_help(&page);
  }
  exit(streams_answered());
}

static _Noreturn void complete_command(int argc, const char *word) {
  for (size_t i = 0; i < ncommands; i++)
    printf("%s\t%s\n", commands[i].name, commands[i].summary);
  puts(argc == 3        ? "environment\tthe environment variables"
       : word[0] == '-' ? "--help\n--version"
                        : "help\tthe options of a command");
  exit(streams_answered());
}

const struct command *commandline_read(struct request *r, int argc, char **argv) {
  const char *memory = env_get("CK_JIT_JOB_MEMORY");
  r->jobs = jobs_set();
  set_job_memory(r, "CK_JIT_JOB_MEMORY", memory ? memory : JOBS_MEMORY);
  r->verbose = env_flag("CK_JIT_VERBOSE");
  if (options_asked(&argc, &argv) && (argc == 2 || (argc == 3 && strcmp(argv[1], "help") == 0)))
    complete_command(argc, argv[1]);
  /* >static: the texts of both live as long as the program */
  static struct option_page all, page;
  all = page = page_of(NULL);
  const char *word = options_operand(&all, argv);
  bool is_help = word && strcmp(word, "help") == 0;
  const struct command *c = word && !is_help ? find_command(word) : NULL;
  if (c)
    page = page_of(c);
  char **operands = options_read(&page, r, argv);
  if (is_help)
    help(operands[1]);
  if (!c)
    die(EXIT_USAGE, "expected a command: %s; see %s", one_of(command_names()), help_where(NULL));
  r->command = c->name;
  bool has_blobs = page.commands & OF_BLOBS;
  for (operands++; *operands; operands++) {
    char *name = options_path(r->command, *operands);
    if (page.commands & OF_RECORD || (has_blobs && where_is_library(name))) {
      argv_add(&r->libraries, name);
    } else {
      add_blob(r, r->command, name);
    }
  }
  return c;
}
