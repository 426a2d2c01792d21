/* entrycode.c - see entrycode.h. Nothing of this is recorded when a kernel is compiled: the entry
 * has it, also in a pack and in a read-only cache. */
#include "entrycode.h"
#include "cache.h"
#include "entryfile.h"
#include "packfile.h"
#include "core/base/argv.h"
#include "core/files/unitkernels.h"

struct reading {
  struct resources_list *all;
  char **compiler;
};

static void read_code(const struct entry_code *code, void *reading) {
  struct reading *r = reading;
  if (!code->bytes)
    return;
  resources_read(r->all, code->arch, code->bytes, code->size);
  if (r->compiler && !*r->compiler)
    *r->compiler = resources_compiler(code->bytes, code->size);
}

void entrycode_read(struct resources_list *all, char **compiler, const char *file) {
  struct entry_file f;
  struct reading reading = {all, compiler};
  if (compiler)
    *compiler = NULL;
  if (!entry_open(&f, file))
    return;
  entry_codes(&f, read_code, &reading);
  entry_close(&f);
}

/* The entry of KERNEL ("*": of all) alone. */
static void read_alone(struct resources_list *all, const struct request *r,
                       const struct manifest_blob *blob, const char *archs, const char *kernel) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  char path[PATH_MAX];
  autofree char *stem = unitkernel_name(blob->stem, kernel);
  if (pack_build_id(id, blob->key, archs, CKJIT_KIND_KERNEL, stem) &&
      cache_find_stem(r, stem, id, path))
    entrycode_read(all, NULL, path);
}

void entrycode_of_blob(struct resources_list *all, const struct request *r,
                       const struct manifest_blob *blob, const struct argv *kernels) {
  const struct argv *lists = &r->archs[blob->group];
  for (size_t i = 0; i < lists->n; i++) {
    uint8_t id[CKJIT_BUILD_ID_SIZE];
    char path[PATH_MAX];
    bool apart = blob->unit || cache_key_apart(r, blob, lists->args[i], id);
    cache_build_id(blob, lists->args[i], id);
    if (cache_find_id(r, blob, id, path))
      entrycode_read(all, NULL, path);
    for (size_t k = 0; apart && k < kernels->n; k++)
      read_alone(all, r, blob, lists->args[i], kernels->args[k]);
    if (apart && !blob->unit)
      read_alone(all, r, blob, lists->args[i], CKJIT_UNIT_WHOLE);
  }
}

json_t *entrycode_json(const struct resources_list *all, const char *kernel) {
  json_t *list = json_array();
  autofree_argv archs = {0}; /* an entry of all kernels and one of a single may both exist */
  for (size_t i = 0; i < all->n; i++) {
    const struct resources *k = &all->list[i];
    if (strcmp(k->kernel, kernel) != 0 || argv_has(&archs, k->arch))
      continue;
    argv_add(&archs, k->arch);
    json_t *row = json_pack("{s:s}", "arch", k->arch);
    for (enum resource of = 0; row && of < RESOURCES; of++)
      json_object_set_new(row, resource_name(of),
                          k->of[of] == RESOURCE_UNKNOWN ? json_null() : json_integer(k->of[of]));
    json_array_append_new(list, row);
  }
  return list;
}
