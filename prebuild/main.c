/* ckjit-prebuild - compile blobs before they are called.
 *
 * The first call of a kernel waits for its compile, up to minutes. If the kernels are known beforehand (a
 * deployment, an image, a benchmark), they can be compiled ahead of time into the cache of the library: all of
 * them, or those that an earlier run captured.
 *
 *     inputs.c             which blobs are meant
 *     select.c             those of a matrix of kernel variants
 *     shard.c              our part of them, if several machines share the work
 *     archs.c              for which architectures
 *     cache.c              what is in the cache already
 *     build.c, budget.c    compile the rest with ckjit-compile, as many at once as memory holds
 *     list.c, json.c       `list`, and as JSON; entrykernels.c: the kernels that were compiled; entryfile.c: a file of the cache
 *     kernels.c, symbol.c  which kernels a lazy unit has; what the functions of a kernel are called
 *     clean.c              `clean`: remove blobs from the cache
 *     status.c             `status`: what is being compiled now
 *     warm.c               `warm`: what calls waited for in the past
 *     tell/                `doctor`, `cache`, `verify`, `stats`: what is wrong with a machine, what is in a cache, what became of calls
 *     trace/               `trace view`: a summary of a trace as a page
 *     pack.c, unpack.c     `pack`, `unpack`: the cache as a file that travels
 *     generate.c           `matrix`: sources from a template
 *     export/              `export`: kernels as files that need no ckjit
 */
#include "archs.h"
#include "cache.h"
#include "commands.h"
#include "help.h"
#include "inputs.h"
#include "kernels.h"
#include "parameters.h"
#include "own_options.h"
#include "prebuild.h"
#include "shard.h"
#include "where.h"
#include "core/base/budget.h"
#include "core/base/env.h"
#include "core/base/ids.h"
#include "core/base/number.h"
#include "core/base/install.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/base/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command *find_command(const char *name) {
  const struct command *c = command_named(name);
  if (c)
    return c;
  char *meant = did_you_mean(name, command_names());
  die(EXIT_USAGE, "unknown command '%s': expected %s%s%s %s", name, one_of(command_names()), meant,
      *meant ? " See" : "; see", help_where(NULL));
}

static unsigned job_count(const char *option, const char *text) {
  unsigned n;
  char *err;
  if (!number_jobs(option, text, &n, &err))
    die(EXIT_USAGE, "%s", err);
  return n;
}

/* A compile needs more than a megabyte: whoever wrote "2" meant 2G. */
static uint64_t memory_size(const char *option, const char *text) {
  enum { LEAST = 1000 * 1000 };
  uint64_t n;
  char *err;
  if (!number_size(option, text, LEAST, &n, &err))
    die(EXIT_USAGE, "%s", err);
  return n;
}

/* options without a letter */
enum {
  OPTION_MATRIX = 1000,
  OPTION_NAME_FORMAT,
  OPTION_NAMES,
  OPTION_TEMPLATE,
  OPTION_OUTPUT_DIR,
  OPTION_JSON,
  OPTION_KERNELS,
  OPTION_FORMAT,
  OPTION_SYMBOL,
  OPTION_ADD_FLAGS,
  OPTION_CAPTURE,
  OPTION_WAIT,
  OPTION_REPAIR,
  OPTION_ZERO,
  OPTION_WRITE_BLOB_LIST,
  OPTION_STALLED,
};

/* An option given twice is an error: nothing would say which value belongs to what. */
static void set_once(const char **to, const char *option, const char *value) {
  if (*to)
    die(EXIT_USAGE, "%s: expected once, found '%s' and '%s'", option, *to, value);
  *to = value;
}

/* Called after all options are read, so that `ckjit-prebuild --help export` shows the page of export. */
static _Noreturn void help(const char *command, const char *of) {
  if (strcmp(command ? command : "", "help") == 0)
    command = of;
  if (!help_print(command))
    find_command(command);
  exit(streams_answered());
}

static void parse(struct request *r, int argc, char **argv, const char **cache) {
  static const struct option options[] = {
      {"blob-list", required_argument, NULL, 'l'},
      {"capture", required_argument, NULL, OPTION_CAPTURE},
      {"all", no_argument, NULL, 'a'},
      {"manifest", required_argument, NULL, 'm'},
      {"cache-dir", required_argument, NULL, 'c'},
      {"root", required_argument, NULL, 'r'},
      {"arch", required_argument, NULL, 'A'},
      {"jobs", required_argument, NULL, 'j'},
      {"job-memory", required_argument, NULL, 'M'},
      {"verbose", no_argument, NULL, 'v'},
      {"help", no_argument, NULL, 'h'},
      {"version", no_argument, NULL, 'V'},
      {"shard", required_argument, NULL, 's'},
      {"times", required_argument, NULL, 't'},
      {"matrix", required_argument, NULL, OPTION_MATRIX},
      {"name-format", required_argument, NULL, OPTION_NAME_FORMAT},
      {"names", no_argument, NULL, OPTION_NAMES},
      {"template", required_argument, NULL, OPTION_TEMPLATE},
      {"output-dir", required_argument, NULL, OPTION_OUTPUT_DIR},
      {"json", no_argument, NULL, OPTION_JSON},
      {"kernels", no_argument, NULL, OPTION_KERNELS},
      {"format", required_argument, NULL, OPTION_FORMAT},
      {"output", required_argument, NULL, 'o'},
      {"symbol", required_argument, NULL, OPTION_SYMBOL},
      {"add-flags", required_argument, NULL, OPTION_ADD_FLAGS},
      {"wait", no_argument, NULL, OPTION_WAIT},
      {"repair", no_argument, NULL, OPTION_REPAIR},
      {"zero", no_argument, NULL, OPTION_ZERO},
      {"write-blob-list", required_argument, NULL, OPTION_WRITE_BLOB_LIST},
      {"stalled", no_argument, NULL, OPTION_STALLED},
      {0},
  };
  const char *jobs = env_get("CK_JIT_JOBS");
  r->jobs = jobs ? job_count("CK_JIT_JOBS", jobs) : 0;
  const char *memory = env_get("CK_JIT_JOB_MEMORY");
  r->job_memory = memory_size("CK_JIT_JOB_MEMORY", memory ? memory : BUDGET_JOB_MEMORY);
  r->verbose = env_flag("CK_JIT_VERBOSE");
  char *where = help_where(argc > 1 ? argv[1] : NULL);
  bool wants_help = false;
  struct option *own = own_options(argc, argv, options);
  for (int c; (c = options_next(argc, argv, "hj:o:", own, where)) != -1;) {
    switch (c) {
    case 'l':
      inputs_read_list(r, "--blob-list", options_path("--blob-list", optarg));
      break;
    case OPTION_CAPTURE:
      inputs_read_list(r, "--capture", options_path("--capture", optarg));
      break;
    case 'a':
      r->all = true;
      break;
    case 'm':
      r->manifest = options_path("--manifest", optarg);
      break;
    case 'c':
      *cache = options_path("--cache-dir", optarg);
      break;
    case 'r':
      r->root_given = options_path("--root", optarg);
      break;
    case 'A':
      r->arch = optarg;
      break;
    case 'j':
      r->jobs = job_count("--jobs", optarg);
      r->jobs_given = true;
      break;
    case 'M':
      r->job_memory = memory_size("--job-memory", optarg);
      break;
    case 's':
      r->shard_given = optarg;
      break;
    case 't':
      r->times = options_path("--times", optarg);
      break;
    case OPTION_JSON:
      r->json = true;
      break;
    case OPTION_KERNELS:
      r->list_kernels = true;
      break;
    case OPTION_FORMAT:
      r->format = optarg;
      break;
    case 'o':
      r->output = options_path("--output", optarg);
      break;
    case OPTION_SYMBOL:
      argv_add(&r->symbols, optarg);
      break;
    case OPTION_ADD_FLAGS:
      set_once(&r->add_flags, "--add-flags", optarg);
      break;
    case OPTION_WAIT:
      r->wait = true;
      break;
    case OPTION_REPAIR:
      r->repair = true;
      break;
    case OPTION_ZERO:
      r->zero = true;
      break;
    case OPTION_WRITE_BLOB_LIST:
      set_once(&r->blob_list_to, "--write-blob-list", options_path("--write-blob-list", optarg));
      break;
    case OPTION_STALLED:
      r->stalled = true;
      break;
    case 'v':
      r->verbose = true;
      break;
    case OPTION_MATRIX:
      set_once(&r->matrix, "--matrix", options_path("--matrix", optarg));
      break;
    case OPTION_NAME_FORMAT:
      set_once(&r->name_format, "--name-format", optarg);
      break;
    case OPTION_NAMES:
      r->names_only = true;
      break;
    case OPTION_TEMPLATE:
      set_once(&r->template_file, "--template", options_path("--template", optarg));
      break;
    case OPTION_OUTPUT_DIR:
      set_once(&r->output_dir, "--output-dir", options_path("--output-dir", optarg));
      break;
    case 'h':
      wants_help = true;
      break;
    case 'V':
      puts("ckjit-prebuild " CKJIT_VERSION);
      exit(streams_answered());
    }
  }
  free(where);
  free(own);
  r->command = argv[optind]; /* NULL if no word is left */
  if (wants_help || (r->command && strcmp(r->command, "help") == 0))
    help(r->command, optind + 1 < argc ? argv[optind + 1] : NULL);
  if (!r->command)
    die(EXIT_USAGE, "expected a command: %s; see %s", one_of(command_names()), help_where(NULL));
  optind++;
  bool is_warm = strcmp(r->command, "warm") == 0, has_blobs = help_lists_option(r->command, "blob-list");
  for (; optind < argc; optind++) {
    char *name = options_path(r->command, argv[optind]);
    if (is_warm || (has_blobs && where_is_library(name))) {
      argv_add(&r->libraries, name);
    } else {
      argv_add(&r->names, name);
      argv_add(&r->where, "");
    }
  }
}

static void require_keys(const struct request *r) {
  if (r->m->unkeyed)
    die(EXIT_FAILED,
        "%s: expected the ck_jit_manifest.json of a linked library, found the records of a "
        "build, whose blobs have no keys yet; link the library and name its manifest",
        r->m->file);
}

/* Options for selection and for generation cannot be combined. */
static void check_matrix_options(const struct request *r) {
  if (!r->matrix != !r->name_format)
    die(EXIT_USAGE,
        r->matrix ? "%s: --matrix FILE needs --name-format FORMAT, such as 'kernel_d@hdim@_*', to find "
                    "the blobs of a combination"
                  : "%s: --name-format FORMAT needs --matrix FILE",
        r->command);
  if (r->template_file || r->output_dir)
    die(EXIT_USAGE, "%s: %s is for the command matrix", r->command,
        r->template_file ? "--template" : "--output-dir");
}

static void check_warm_options(const struct request *r, bool is_warm) {
  if (r->wait && !is_warm)
    die(EXIT_USAGE, "%s: --wait goes with warm", r->command);
  if (is_warm && (r->all || r->matrix))
    die(EXIT_USAGE, "warm: expected libraries, --capture FILE or --blob-list FILE; for %s see %s",
        r->all ? "--all" : "--matrix", help_where("build"));
}

static void check_tell_options(const struct request *r) {
  if (r->json && !help_lists_option(r->command, "json"))
    die(EXIT_USAGE, "%s: --json goes with list, cache, verify, stats and doctor", r->command);
  if (r->repair && strcmp(r->command, "verify") != 0)
    die(EXIT_USAGE, "%s: --repair goes with verify", r->command);
  if (r->zero && strcmp(r->command, "stats") != 0)
    die(EXIT_USAGE, "%s: --zero goes with stats", r->command);
  if (r->blob_list_to && strcmp(r->command, "cache") != 0)
    die(EXIT_USAGE, "%s: --write-blob-list goes with cache", r->command);
}

static void check_stalled(const struct request *r, bool is_clean) {
  if (r->stalled && !is_clean)
    die(EXIT_USAGE, "%s: --stalled goes with clean", r->command);
  if (r->stalled && (r->all || r->lists || r->names.n || r->matrix || r->libraries.n))
    die(EXIT_USAGE, "clean: --stalled removes no blobs; expected it without blobs, lists and --all");
}

static void request_free(struct request *r) {
  archs_free(r);
  kernels_free(r);
  parameters_forget(r);
  manifest_free(r->m);
  argv_free(&r->names);
  argv_free(&r->where);
  argv_free(&r->libraries);
  argv_free(&r->typed);
  argv_free(&r->symbols);
  free(r->blobs);
  free(r->ms);
  free(r->shard_said);
  free(r->unknown);
  free(r->root);
  free(r->cache);
}

/* Is RUN about the kernels of one library? `clean --all`, `pack --all` and `times` are about the cache, for
 * whose contents nobody may have a manifest any more; `pack --all` only if no library is named. */
static bool takes_library(const struct request *r, int (*run)(struct request *)) {
  bool has_blobs = r->lists || r->names.n || r->matrix;
  if (run == prebuild_clean)
    return r->libraries.n || (!r->all && !r->stalled);
  if (run == prebuild_times)
    return r->all || has_blobs;
  char *named = run == prebuild_pack && !has_blobs ? where_manifest(r, WHERE_NAMED) : NULL;
  bool takes = run != prebuild_pack || has_blobs || named || r->libraries.n;
  free(named);
  return takes;
}

/* The request was wrong, which has been reported. */
static _Noreturn void die_idle(const struct request *r) {
  note("%s: nothing was done", r->command);
  exit(EXIT_FAILED);
}

int main(int argc, char **argv) {
  program_name = install_called(argv[0], "ckjit-prebuild");
  ids_settle();
  streams_open(true);
  struct request r = {0};
  const char *cache = NULL;
  argv_add_all(&r.typed, argv);
  parse(&r, argc, argv, &cache);
  int (*run)(struct request *) = find_command(r.command)->run;
  env_check();
  bool is_list = run == prebuild_list, is_clean = run == prebuild_clean, is_times = run == prebuild_times,
       is_warm = run == prebuild_warm;
  check_warm_options(&r, is_warm);
  check_tell_options(&r);
  if (run == prebuild_matrix) { /* it needs no manifest and no cache */
    int status = prebuild_matrix(&r);
    request_free(&r);
    return status;
  }
  if (run == prebuild_trace) { /* nor does it */
    int status = prebuild_trace(&r);
    request_free(&r);
    return status;
  }
  r.cache_given = cache;
  if (run == prebuild_doctor) { /* what is not there it tells */
    int status = prebuild_doctor(&r);
    request_free(&r);
    return status;
  }
  if (run == prebuild_unpack || run == prebuild_status || run == prebuild_cache || run == prebuild_verify ||
      run == prebuild_stats) { /* no manifest: the machine may have no more than the cache */
    archs_check_option(&r);
    cache_choose(&r, cache);
    int status = run(&r);
    request_free(&r);
    return status;
  }
  check_matrix_options(&r);
  if (run == prebuild_pack && !r.output)
    die_usage(&r, "expected --output FILE");
  shard_options(&r);
  check_stalled(&r, is_clean);
  if (!is_list && !is_times && !is_warm && !r.stalled && !r.all && !r.lists && !r.names.n && !r.matrix)
    die_usage(&r, "expected blobs, --blob-list FILE or --all, or --matrix FILE");
  export_check_options(&r);
  archs_check_option(&r);
  if (is_list && r.json && !r.names.n && !r.lists && !r.matrix)
    r.all = true;
  cache_choose(&r, cache);
  if (takes_library(&r, run))
    where_load(&r);
  if (r.m && !is_list && !is_clean && !is_times)
    require_keys(&r);
  if (r.m && !inputs_resolve(&r) && (!is_list || r.matrix || r.names_only || r.shards || r.times))
    die_idle(&r);
  if (is_clean && r.m)
    r.all = false; /* all of the library, not of the cache */
  if (r.shards || r.times)
    shard_blobs(&r);
  if (is_clean || is_times)
    cache_expect(&r);
  int status = run(&r);
  request_free(&r);
  return status;
}
