/* warm.c - `warm`: recompiles the kernels that a library's calls waited for in the past, before
 * they are called again.
 *
 * After an upgrade of library, compiler or ckjit all keys are new. A job then compiles ahead by
 * itself, beside its first compile (compile/ahead.c); this command does it by hand or in a start-up
 * script, before the job has begun. The blobs are taken from the cache's record of use
 * (core/cache/used.c), by names, or from a capture or a list. From there on it is `build`
 * (build.c), with the manners of compiles ahead of calls: the most expensive first (shard.c, by
 * --times, the cache's own times, and the sizes of sources), one processor and the memory of one
 * compile left to others, and one process at a time for a cache. Each of a
 * hundred ranks may run it in its script. For a CUDA blob the record has kernels: then its entry
 * without kernels is made, and those kernels.
 *
 * Kernels of a record that the manifest lacks are of another version of the library, and are
 * skipped: a record is not a list that a user has typed.
 */
#include "cache.h"
#include "lazykernels.h"
#include "shard.h"
#include "core/base/env.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/base/jobs.h"
#include "core/base/suggest.h"
#include "core/cache/used.h"

/* ---- the blobs ---- */

static _Noreturn void die_unknown(const struct request *r, const char *library) {
  struct argv known = {0};
  argv_add_all(&known, r->m->libraries.args);
  used_libraries(r->cache, &known);
  if (!known.n)
    die(EXIT_FAILED, "warm: unknown library '%s': neither %s nor the cache %s names a library",
        library, r->m->file, r->cache);
  argv_unique(&known);
  const char *const *names = (const char *const *)known.args;
  die(EXIT_FAILED,
      "warm: unknown library '%s': expected %s, which %s names or the cache %s has a record of%s",
      library, one_of(names), r->m->file, r->cache, did_you_mean(library, names));
}

/* The lines of the records: parallel arrays (core/cache/used.h). */
struct recorded {
  struct argv stems, kernels;
};

/* Append the record of LIBRARY, which was NAMED by the user. */
static void read_record(const struct request *r, const char *library, bool named,
                        struct recorded *all) {
  autofree char *file = used_file(r->cache, library);
  size_t before = all->stems.n;
  if (file && used_lines(r->cache, library, &all->stems, &all->kernels)) {
    if (all->stems.n == before)
      warn("%s: it records no use; the next call that waits for a compile adds one", file);
  } else if (file && file_exists(file)) {
    die(EXIT_FAILED,
        "%s: cannot be read; expected a record of use, a regular file of this user; remove it",
        file);
  } else if (!named || argv_has(&r->m->libraries, library)) {
    note("no call of %s has waited for a compile into %s yet", library, r->cache);
  } else {
    die_unknown(r, library);
  }
}

/* Add the blobs of ALL, the newest last, to those of the lists. Of a CUDA blob that no list names,
 * and of a lazy unit, also one of an earlier build, the recorded kernels are wanted. */
static void add_recorded(struct request *r, const struct recorded *all) {
  const char *set = env_get("CK_JIT_PER_KERNEL");
  bool apart = !set || ckjit_is_on(set);
  autofree bool *listed = xcalloc(r->m->nblobs + 1, sizeof *listed),
                *wanted = xcalloc(r->m->nblobs + 1, sizeof *wanted);
  size_t others = 0;
  for (size_t i = 0; i < r->nblobs; i++)
    listed[r->blobs[i] - r->m->blobs] = !kernels_wanted(r, r->blobs[i]);
  if (!r->kernels)
    r->kernels = xcalloc(r->m->nblobs + 1, sizeof *r->kernels);
  for (size_t i = all->stems.n; i-- > 0;) {
    const char *stem = all->stems.args[i], *kernel = all->kernels.args[i];
    const struct manifest_blob *blob = manifest_find(r->m, stem);
    size_t at = blob ? (size_t)(blob - r->m->blobs) : 0;
    if (!blob || blob->unit) {
      others += !kernels_take_recorded(r, stem, kernel, listed);
    } else if (!blob->linked && !listed[at]) {
      if (!wanted[at])
        r->blobs[r->nblobs++] = blob;
      wanted[at] = true;
      if (*kernel && apart)
        argv_add_once(&r->kernels[at], xstrdup(kernel));
    }
  }
  if (others)
    note("skipped %zu of %zu recorded %s: %s does not have %s", others, all->stems.n,
         noun(all->stems.n, "kernel", "kernels"), r->m->file, noun(others, "it", "them"));
}

void warm_choose(struct request *r) {
  struct recorded lines = {0};
  autofree_argv all = {0};
  const struct argv *libraries = &r->libraries;
  if (file_exists(r->cache))
    cache_open(r);
  if (!r->libraries.n && !r->lists) {
    used_libraries(r->cache, &all);
    if (!all.n)
      argv_add_all(&all, r->m->libraries.args); /* each is reported to have none */
    libraries = &all;
  }
  for (size_t i = 0; i < libraries->n; i++)
    read_record(r, path_base(libraries->args[i]), libraries != &all, &lines);
  add_recorded(r, &lines);
  argv_free(&lines.stems);
  argv_free(&lines.kernels);
}

/* ---- the command ---- */

/* One processor is left to the calls; a waiting caller gets one in any case. */
static unsigned jobs_of(const struct request *r) {
  if (r->jobs_given)
    return r->jobs;
  unsigned n = (r->jobs ? r->jobs : ckjit_jobs()) - 1;
  return n || !r->wait ? n : 1;
}

int prebuild_warm(struct request *r) {
  const char *set = env_get("CK_JIT_WARM");
  if (set && !ckjit_is_on(set)) {
    note("CK_JIT_WARM=%s: nothing is compiled ahead of calls", set);
    return EXIT_OK;
  }
  warm_choose(r);
  if (!r->nblobs)
    return EXIT_OK; /* it was reported */
  shard_blobs(r);
  r->beside = true;
  r->jobs = jobs_of(r);
  return prebuild_build(r);
}
