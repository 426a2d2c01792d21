/* lazykernels.c - see lazykernels.h. */
#include "lazykernels.h"
#include "cache.h"
#include "entryfile.h"
#include "entrykernels.h"
#include "core/base/path.h"
#include "core/cache/artefact.h"
#include "core/files/unitkernels.h"
#include "core/files/unittext.h"
#include "abi/ck_jit_code.h"

/* ---- the names of a unit's kernels ---- */

struct unit_names {
  bool read;
  struct argv names;
};

const struct argv *kernels_of_unit(struct request *r, const struct manifest_blob *unit) {
  if (!r->unit_names)
    r->unit_names = xcalloc(r->m->nblobs + 1, sizeof *r->unit_names);
  struct unit_names *u = &r->unit_names[unit - r->m->blobs];
  if (!u->read && unit->unit) {
    autofree char *file = manifest_expand(unit->source, r->root);
    char *err;
    if (!unittext_kernels(file, &u->names, &err))
      warn("%s: cannot read which kernels it has: %s", unit->stem, err);
  }
  u->read = true;
  return &u->names;
}

bool kernels_of_blob(struct argv *names, const struct request *r,
                     const struct manifest_blob *blob) {
  const struct argv *lists = &r->archs[blob->group];
  bool told = false;
  for (size_t i = 0; i < lists->n; i++) {
    uint8_t id[CKJIT_BUILD_ID_SIZE];
    char entry[PATH_MAX];
    cache_build_id(blob, lists->args[i], id);
    bool there =
        cache_find_id(r, blob, id, entry) ||
        (cache_key_apart(r, blob, lists->args[i], id) && cache_find_id(r, blob, id, entry));
    told |= there && entry_kernels(names, entry);
  }
  return told;
}

/* ---- the wanted kernels ---- */

static void add_blob(struct request *r, const struct manifest_blob *blob) {
  for (size_t i = 0; i < r->nblobs; i++)
    if (r->blobs[i] == blob)
      return;
  r->blobs[r->nblobs++] = blob;
}

void kernels_take_whole(struct request *r, const struct manifest_blob *blob, bool *whole) {
  size_t at = (size_t)(blob - r->m->blobs);
  if (whole[at])
    return;
  whole[at] = true;
  if (r->kernels && r->kernels[at].n)
    argv_free(&r->kernels[at]); /* it is among the blobs */
  else
    r->blobs[r->nblobs++] = blob;
}

static void take_kernel(struct request *r, const struct manifest_blob *unit, const char *kernel,
                        const bool *whole) {
  if (whole[unit - r->m->blobs])
    return;
  if (!r->kernels)
    r->kernels = xcalloc(r->m->nblobs + 1, sizeof *r->kernels);
  add_blob(r, unit);
  argv_add_once(&r->kernels[unit - r->m->blobs], xstrdup(kernel));
}

const struct argv *kernels_wanted(const struct request *r, const struct manifest_blob *blob) {
  const struct argv *kernels = r->kernels ? &r->kernels[blob - r->m->blobs] : NULL;
  return kernels && kernels->n ? kernels : NULL;
}

/* ---- the kernels of a name ---- */

/* Want the kernel ID of UNIT. If the names of its kernels are unknown, want the whole unit. */
static bool take_id(struct request *r, const struct manifest_blob *unit, uint64_t id, bool *whole) {
  const struct argv *names = kernels_of_unit(r, unit);
  const char *kernel = unitkernel_find(names, id);
  if (kernel)
    take_kernel(r, unit, kernel, whole);
  else if (!names->n)
    kernels_take_whole(r, unit, whole);
  return kernel || !names->n;
}

/* Is UNIT of a source with the stem of OLD, the stem of a unit of another build? */
static bool is_of_source(const struct manifest_blob *unit, const char *old) {
  size_t n = unit_stem_source(old);
  return unit->unit && n && n == unit_stem_source(unit->stem) && strncmp(unit->stem, old, n) == 0;
}

/* UNIT.ID: of that unit, or of those of the same source. */
static bool take_named(struct request *r, const struct unitkernel *k, bool *whole) {
  const struct manifest_blob *unit = manifest_find(r->m, k->unit);
  bool any = false;
  if (unit)
    return unit->unit && take_id(r, unit, k->id, whole);
  for (size_t i = 0; i < r->m->nblobs; i++)
    any |= is_of_source(&r->m->blobs[i], k->unit) &&
           unitkernel_find(kernels_of_unit(r, &r->m->blobs[i]), k->id) &&
           take_id(r, &r->m->blobs[i], k->id, whole);
  return any;
}

/* Want the kernels called NAME, without a unit, in all units. */
static bool take_anywhere(struct request *r, const char *name, bool *whole) {
  uint64_t id = 0;
  bool is_id = artefact_symbol_read(name, &id), any = false;
  for (size_t i = 0; i < r->m->nblobs; i++) {
    const struct manifest_blob *unit = &r->m->blobs[i];
    if (!unit->unit)
      continue;
    const struct argv *names = kernels_of_unit(r, unit);
    const char *kernel = is_id ? unitkernel_find(names, id) : argv_has(names, name) ? name : NULL;
    if (kernel)
      take_kernel(r, unit, kernel, whole);
    any |= kernel != NULL;
  }
  return any;
}

/* Want a unit by its name in an earlier build. */
static bool take_old_unit(struct request *r, const char *name, bool *whole) {
  bool any = false;
  for (size_t i = 0; i < r->m->nblobs; i++)
    if (is_of_source(&r->m->blobs[i], path_base(name))) {
      kernels_take_whole(r, &r->m->blobs[i], whole);
      any = true;
    }
  return any;
}

/* Want NAME of UNIT, the name of a kernel in a record, with the tags that it was asked for with. */
static bool take_recorded(struct request *r, const struct manifest_blob *unit, const char *name,
                          bool *whole) {
  const struct argv *names = kernels_of_unit(r, unit);
  if (!names->n || strcmp(name, CKJIT_UNIT_WHOLE) == 0) {
    kernels_take_whole(r, unit, whole);
    return true;
  }
  autofree char *kernel = xstrndup(name, strcspn(name, CKJIT_CHOICE));
  bool has = argv_has(names, kernel);
  if (has)
    take_kernel(r, unit, name, whole);
  return has;
}

bool kernels_take_recorded(struct request *r, const char *stem, const char *kernel, bool *whole) {
  const struct manifest_blob *unit = manifest_find(r->m, stem);
  bool any = false;
  if (!*kernel || unit)
    return *kernel && take_recorded(r, unit, kernel, whole);
  for (size_t i = 0; unit_stem_source(stem) && i < r->m->nblobs; i++)
    any |= is_of_source(&r->m->blobs[i], stem) && take_recorded(r, &r->m->blobs[i], kernel, whole);
  return any;
}

const struct manifest_blob *kernels_find_whole(const struct request *r, const char *name) {
  const struct manifest_blob *blob = manifest_find_any(r->m, name);
  struct unitkernel k;
  if (!blob || !blob->unit || !unitkernel_parse(&k, name))
    return blob;
  free(k.unit);
  return NULL;
}

bool kernels_take(struct request *r, const char *name, bool *whole) {
  struct unitkernel k;
  if (unitkernel_parse(&k, name)) {
    bool taken = take_named(r, &k, whole);
    free(k.unit);
    if (taken)
      return true;
  }
  return !kernels_find_whole(r, name) &&
         (take_old_unit(r, name, whole) || take_anywhere(r, name, whole));
}

/* ---- kernels that share variables ---- */

/* Does the entry in FILE show that its kernel cannot be compiled alone (compile/codeentry.h)? */
static bool is_empty(const char *file) {
  struct entry_file f;
  struct elf_section s;
  if (!entry_open(&f, file))
    return false;
  bool empty =
      (entry_section(&f, CKJIT_CODE_HIP, &s) || entry_section(&f, CKJIT_CODE_CUDA, &s)) && !s.size;
  entry_close(&f);
  return empty;
}

bool kernels_is_cached(const struct request *r, const struct manifest_blob *unit,
                       const char *kernel) {
  const struct argv *lists = &r->archs[unit->group];
  char path[PATH_MAX];
  for (size_t i = 0; i < lists->n; i++)
    if (!cache_has(r, unit, lists->args[i]) &&
        !(cache_find_kernel(r, unit, lists->args[i], kernel, path) && !is_empty(path)))
      return false;
  return true;
}

static bool shares(const struct request *r, const struct manifest_blob *unit) {
  const struct argv *kernels = kernels_wanted(r, unit), *lists = &r->archs[unit->group];
  char path[PATH_MAX];
  for (size_t i = 0; kernels && i < kernels->n; i++)
    for (size_t k = 0; k < lists->n; k++)
      if (!cache_has(r, unit, lists->args[k]) &&
          cache_find_kernel(r, unit, lists->args[k], kernels->args[i], path) && is_empty(path))
        return true;
  return false;
}

size_t kernels_widen(struct request *r) {
  size_t n = 0;
  for (size_t i = 0; i < r->nblobs; i++)
    if (r->blobs[i]->unit && shares(r, r->blobs[i])) {
      argv_free(&r->kernels[r->blobs[i] - r->m->blobs]);
      r->blobs[n++] = r->blobs[i];
    }
  if (n)
    r->nblobs = n;
  return n;
}
