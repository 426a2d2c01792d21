/* list.c - `list`: the kernels, and which of them the cache has.
 *
 * Without options it prints bare stems for the next program in a pipe; with blobs named, their
 * state too. For a kernel of a lazy unit it prints the name (core/files/unitkernels.h), a tab, and
 * the C++ name: a line that --blob-list accepts. The kernels of a late unit are known from its
 * entries; in place of a name they have the unit's stem.
 */
#include "archs.h"
#include "build.h"
#include "cache.h"
#include "json.h"
#include "lazykernels.h"
#include "prebuild.h"
#include "functionnames.h"
#include "core/base/path.h"
#include "core/base/streams.h"
#include "core/files/unitkernels.h"

static const char *state_of(bool there) {
  return there ? "cached" : "absent";
}

/* Print a line for KERNEL of UNIT, with its state if WITH_STATE. */
static void print_kernel(const struct request *r, const struct manifest_blob *unit,
                         const char *kernel, bool with_state) {
  autofree char *name = unitkernel_name(unit->stem, kernel), *signature = symbol_signature(kernel);
  if (with_state)
    printf("%s\tknown\t%s\t%s\n", name, state_of(kernels_is_cached(r, unit, kernel)), signature);
  else
    printf("%s\t%s\n", name, signature);
}

/* Print a line for each kernel of BLOB, a late unit, that its entries show; false: none. A list
 * names the unit, because it is wanted as a whole. */
static bool print_late(struct request *r, const struct manifest_blob *blob, bool with_state) {
  struct argv kernels = {0};
  if (!r->archs)
    archs_choose_any(r);
  kernels_of_blob(&kernels, r, blob);
  argv_unique(&kernels);
  for (size_t i = 0; i < kernels.n; i++) {
    char *signature = symbol_signature(kernels.args[i]);
    printf("%s\t%s%s\n", blob->stem, with_state ? "known\tcached\t" : "", signature);
    free(signature);
  }
  bool any = kernels.n;
  argv_free(&kernels);
  return any;
}

/* Print the lines of BLOB: its own, or those of its kernels, if they are requested. */
static void print_blob(struct request *r, const struct manifest_blob *blob, bool with_state) {
  const struct argv *kernels = kernels_wanted(r, blob);
  if (!kernels && r->list_kernels && blob->unit)
    kernels = kernels_of_unit(r, blob);
  for (size_t i = 0; kernels && i < kernels->n; i++)
    print_kernel(r, blob, kernels->args[i], with_state);
  if ((kernels && kernels->n) ||
      (!kernels && r->list_kernels && blob->late && print_late(r, blob, with_state)))
    return;
  if (with_state)
    printf("%s\tknown\t%s\n", blob->stem, state_of(cache_has_all(r, blob)));
  else
    puts(blob->stem);
}

static bool list_unknown(const struct request *r) {
  bool any = false;
  for (size_t i = 0; i < r->names.n; i++) {
    if (!r->unknown[i])
      continue;
    if (r->json)
      json_list_unknown(r->names.args[i]);
    else
      printf("%s\tunknown\tabsent\n", r->names.args[i]);
    any = true;
  }
  return any;
}

static int list(struct request *r) {
  bool given = r->all || r->names.n;
  bool chosen = r->shards || r->times; /* the blobs that build would compile, in its order */
  if (!r->json && (chosen || (r->matrix ? r->names_only || !given : r->names_only && given))) {
    for (size_t i = 0; i < r->nblobs; i++)
      print_blob(r, r->blobs[i], false);
    return EXIT_OK;
  }
  if (!given && !r->json) {
    for (size_t i = 0; !r->lists && i < r->m->nblobs; i++)
      print_blob(r, &r->m->blobs[i], false);
    return EXIT_OK;
  }
  archs_choose(r);
  const char *why = file_exists(r->cache) ? ckjit_cache_check(r->cache) : NULL;
  if (why)
    warn("the cache directory %s %s: nothing is loaded from it [ckjit help cache-not-trusted]",
         r->cache, why);
  build_find_variants(r);
  if (r->json)
    json_list_blobs(r, r->blobs, r->nblobs);
  for (size_t i = 0; !r->json && i < r->nblobs; i++)
    print_blob(r, r->blobs[i], true);
  return list_unknown(r) ? EXIT_FAILED : EXIT_OK;
}

int prebuild_list(struct request *r) {
  int status = list(r);
  streams_answered(); /* a list that a full disk has cut would look complete */
  return status;
}
