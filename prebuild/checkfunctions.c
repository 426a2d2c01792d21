/* checkfunctions.c - see checkfunctions.h. */
#include "checkfunctions.h"

#include "cache.h"
#include "functionnames.h"

#include "core/base/elf.h"
#include "core/base/human.h"
#include "core/base/intern.h"
#include "core/base/path.h"
#include "core/files/outcome.h"

/* Find BLOB's entry for ARCHS: with all kernels, or without. */
static bool find_entry(const struct request *r, const struct manifest_blob *blob, const char *archs,
                       char path[PATH_MAX]) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  if (cache_key_apart(r, blob, archs, id) && cache_find_id(r, blob, id, path))
    return true;
  cache_build_id(blob, archs, id);
  return cache_find_id(r, blob, id, path);
}

/* The object that needs SYMBOL, by the file that the link wrote; NULL: unknown. Borrowed. */
static const char *needed_by(const struct outcomes *o, const char *symbol) {
  size_t len = strlen(symbol);
  for (size_t i = 0; i < o->n; i++)
    for (size_t k = 0; k < o->all[i].needs.n; k++)
      if (strncmp(o->all[i].needs.args[k], symbol, len) == 0 && o->all[i].needs.args[k][len] == ' ')
        return o->all[i].needs.args[k] + len + 1;
  return NULL;
}

/* Does BLOB's entry for ARCHS define all functions? Complain about each that it does not. Returns
 * their number; *CHECKED counts all. */
static size_t check_entry(const struct request *r, const struct outcomes *o,
                          const struct manifest_blob *blob, const char *archs, size_t *checked) {
  char path[PATH_MAX];
  autofree_intern defined = {0};
  struct elf_symbols all;
  struct elf_symbol s;
  size_t missing = 0;
  bool there = find_entry(r, blob, archs, path);
  if (there) {
    elf_symbols_open(&all, path, SHT_DYNSYM);
    while (elf_symbols_next(&all, &s))
      if (s.section != SHN_UNDEF)
        intern(&defined, s.name);
    elf_symbols_close(&all);
  }
  for (size_t i = 0; i < blob->symbols.n; i++) {
    const char *symbol = blob->symbols.args[i], *by = needed_by(o, symbol);
    *checked += there;
    if (intern_find(&defined, symbol) != SIZE_MAX)
      continue;
    missing++;
    autofree char *signature = symbol_signature(symbol);
    complain("%s (%s): %s %s; %s%s", symbol, signature, blob->source,
             there ? "does not define it" : "does not compile", by ? by : "the library",
             " needs it");
  }
  return missing;
}

size_t check_functions(const struct request *r) {
  struct outcomes o = {0};
  autofree char *dir = path_dir(r->m->file), *file = path_join(dir, OUTCOME_FILE), *err = NULL;
  size_t missing = 0, checked = 0;
  outcomes_read(file, &o, &err); /* an installed library has no such file */
  for (size_t i = 0; i < r->nblobs; i++) {
    const struct argv *lists = &r->archs[r->blobs[i]->group];
    for (size_t k = 0; k < lists->n && !r->blobs[i]->unit; k++)
      missing += check_entry(r, &o, r->blobs[i], lists->args[k], &checked);
  }
  printf("%zu %s checked, %zu missing\n", checked, noun(checked, "function", "functions"), missing);
  return missing;
}
