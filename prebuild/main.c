/* ckjit-prebuild - compiles blobs before they are called.
 *
 * The first call of a kernel waits for its compile, up to minutes. If the kernels are known
 * beforehand (a deployment, an image, a benchmark), they can be compiled ahead of time into the
 * cache of the library: all of them, or those that an earlier run captured.
 *
 *     commandline.c        the options of all commands, and their help pages
 *     blobnames.c          the blobs that the names mean
 *     select.c             those of a matrix of kernel variants
 *     shard.c              this task's part of them, if several machines share the work
 *     archs.c              the architectures
 *     cache.c              the content of the cache
 *     build.c, budget.c    compile the rest with ckjit-compile, as many at once as memory holds
 *     list.c, json.c       `list`, also as JSON; entrykernels.c: the compiled kernels;
 *                          entryfile.c: a file of the cache
 *     lazykernels.c        the kernels of a lazy unit
 *     functionnames.c      the names of a kernel's functions
 *     clean.c              `clean`: removes blobs from the cache
 *     status.c             `status`: the compiles that are running
 *     history.c            `log`: those that have ended; entrycode.c: what their code contains
 *     bugreport.c          `report`: a failed compile, for a bug report
 *     warm.c, ready.c      `warm`: the kernels that calls waited for in the past; `ready`: whether
 *                          the cache has them
 *     tell/                `doctor`, `cache`, `verify`, `stats`: a machine's problems, the content
 *                          of a cache, the results of calls
 *     trace/               `trace view`: a summary of a trace as a page
 *     pack.c, unpack.c     `pack`, `unpack`: the cache as a file that travels; tarfile.c writes it
 *     sign.c               `keygen`, `sign`: signatures of entries
 *     generate.c           `matrix`: sources from a template
 *     export/              `export`: kernels as files that do not need ckjit
 */
#include "archs.h"
#include "cache.h"
#include "commandline.h"
#include "commands.h"
#include "help.h"
#include "blobnames.h"
#include "lazykernels.h"
#include "parameters.h"
#include "prebuild.h"
#include "shard.h"
#include "where.h"
#include "core/base/env.h"
#include "core/base/ids.h"
#include "core/base/install.h"
#include "core/base/streams.h"

static void require_keys(const struct request *r) {
  if (r->m->unkeyed)
    die(EXIT_FAILED,
        "%s: expected the ck_jit_manifest.json of a linked library, found the records of a "
        "build, whose blobs have no keys yet; link the library and name its manifest",
        r->m->file);
}

/* Options for selection; `matrix` has a name format without a matrix among its options. */
static void check_matrix_options(const struct request *r) {
  if (!r->matrix != !r->name_format)
    die(EXIT_USAGE,
        r->matrix
            ? "%s: --matrix FILE needs --name-format FORMAT, such as 'kernel_d@hdim@_*', to find "
              "the blobs of a combination"
            : "%s: --name-format FORMAT needs --matrix FILE",
        r->command);
}

/* Is RUN about the kernels of one library? `clean --all`, `pack --all` and `times` are about the
 * cache, for whose contents there may be no manifest any more; `pack --all` only if no library is
 * named. */
static bool takes_library(const struct request *r, int (*run)(struct request *)) {
  bool has_blobs = r->lists || r->names.n || r->matrix;
  if (run == prebuild_clean)
    return r->libraries.n || (!r->all && !r->stalled);
  if (run == prebuild_times)
    return r->all || has_blobs;
  autofree char *named = run == prebuild_pack && !has_blobs ? where_manifest(r, WHERE_NAMED) : NULL;
  return run != prebuild_pack || has_blobs || named || r->libraries.n;
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
  argv_add_all(&r.typed, argv);
  int (*run)(struct request *) = commandline_read(&r, argc, argv)->run;
  env_check();
  bool is_list = run == prebuild_list, is_clean = run == prebuild_clean,
       is_times = run == prebuild_times, is_warm = run == prebuild_warm;
  if (is_warm && (r.all || r.matrix))
    die(EXIT_USAGE, "warm: expected libraries, --capture FILE or --blob-list FILE; for %s see %s",
        r.all ? "--all" : "--matrix", help_where("build"));
  /* These need no manifest: the machine may have only the cache, or not even that. */
  bool needs_cache = run == prebuild_unpack || run == prebuild_status || run == prebuild_cache ||
                     run == prebuild_verify || run == prebuild_stats || run == prebuild_ready ||
                     run == prebuild_log || run == prebuild_report || run == prebuild_sign;
  if (needs_cache) {
    archs_check_option(&r);
    cache_choose(&r, r.cache_given);
  }
  if (needs_cache || run == prebuild_matrix || run == prebuild_trace || run == prebuild_doctor ||
      run == prebuild_keygen)
    return run(&r);
  check_matrix_options(&r);
  if (run == prebuild_pack && !r.output)
    die_usage(&r, "expected --output FILE");
  shard_options(&r);
  if (r.check && !r.lists && !r.names.n && !r.matrix)
    r.all = true;
  if (r.stalled && (r.all || r.lists || r.names.n || r.matrix || r.libraries.n))
    die(EXIT_USAGE,
        "clean: --stalled removes no blobs; expected it without blobs, lists and --all");
  if (!is_list && !is_times && !is_warm && !r.stalled && !r.all && !r.lists && !r.names.n &&
      !r.matrix)
    die_usage(&r, "expected blobs, --blob-list FILE or --all, or --matrix FILE");
  if (run == prebuild_export)
    export_check_options(&r);
  archs_check_option(&r);
  if (is_list && r.json && !r.names.n && !r.lists && !r.matrix)
    r.all = true;
  cache_choose(&r, r.cache_given);
  if (takes_library(&r, run))
    where_load(&r);
  if (r.m && !is_list && !is_clean && !is_times)
    require_keys(&r);
  if (r.m && !blobnames_resolve(&r) &&
      (!is_list || r.matrix || r.names_only || r.shards || r.times))
    die_idle(&r);
  if (is_clean && r.m)
    r.all = false; /* all of the library, not of the cache */
  if (run == prebuild_build || (!is_warm && (r.shards || r.times)))
    shard_blobs(&r);
  if (is_clean || is_times)
    cache_expect(&r);
  return run(&r);
}
