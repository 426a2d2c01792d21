/* ck_jit_states.c - the result of the first call of each kernel, without calling it.
 *
 * A state is a promise: a cached kernel is loaded, and not compiled. That is known for the build id
 * that a first call looks for. It is not known for an entry of the same key with another second
 * half, which was made by another compiler, with other system headers or for other architectures
 * (compile/variant.c): a first call starts ckjit-compile to find out whether it would make the same
 * entry today. Doing so here would take a process and tens of milliseconds for each kernel. So such
 * a kernel has a separate state. Names of entries contain the build id, except for the plain name,
 * so one pass through the directory finds them for all requested kernels.
 */
#include "ck_jit_states.h"
#include "ck_jit_api.h"
#include "ck_jit_entry.h"
#include "ck_jit_flight.h"
#include "ck_jit_lookup.h"
#include "ck_jit_manifest.h"
#include "ck_jit_table.h"

#include <stdlib.h>

/* ---- by build id ---- */

/* Whether BLOB is compiled into the library (--aot-list). */
static bool ckjit_is_linked(uint32_t blob) {
  size_t low = 0, high = ckjit_facts.linked; /* the table is sorted */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ckjit_linked[middle] == blob)
      return true;
    if (ckjit_linked[middle] < blob)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

/* Whether the first call of W finds an entry without kernels, which are compiled when they are
 * launched. */
static bool ckjit_has_entry_apart(const struct ckjit_wanted *w) {
  if (!ckjit_per_kernel(w))
    return false;
  struct ckjit_wanted apart = *w; /* nothing in it is freed */
  ckjit_want_apart(&apart);
  return ckjit_has_readonly_entry(&apart) || ckjit_has_entry(&apart);
}

/* The state of W's blob, which is neither linked nor in the table. */
static enum ckjit_api_state ckjit_state_of(const struct ckjit_wanted *w) {
  if (ckjit_has_readonly_entry(w) ||
      (!w->unlinked && (ckjit_has_entry(w) || ckjit_has_entry_apart(w))))
    return CKJIT_API_CACHED;
  return ckjit_is_flying(w->blob) || (!w->unlinked && ckjit_is_locked(w)) ? CKJIT_API_COMPILING
                                                                          : CKJIT_API_ABSENT;
}

/* ---- entries of the same key ---- */

/* A blob without an entry, and where its state goes. */
struct ckjit_missing {
  uint32_t blob;
  uint8_t *state;
};

static int ckjit_by_key(const void *a, const void *b) {
  const struct ckjit_missing *x = a, *y = b;
  return memcmp(ckjit_blobs[x->blob].key, ckjit_blobs[y->blob].key, CKJIT_KEY_SIZE);
}

/* Whether NAME of the cache DIR, a name with build id ID, is a whole entry of BLOB with that id. */
static bool ckjit_is_entry_of(const char *dir, const char *name,
                              const uint8_t id[CKJIT_BUILD_ID_SIZE], uint32_t blob) {
  char path[PATH_MAX], hex[CKJIT_BUILD_ID_HEX_SIZE];
  const char *why;
  size_t n;
  const char *stem = ckjit_stem_of(blob, &n);
  ckjit_build_id_hex(hex, id);
  return ckjit_entry_path(path, dir, stem, n, hex) && strcmp(strrchr(path, '/') + 1, name) == 0 &&
         ckjit_entry_look(path, id, &why) == CKJIT_ENTRY_HIT;
}

/* NAME is in the cache DIR: set the states of those of the N blobs in LIST, sorted by key, that it
 * is an entry of. */
static void ckjit_look_at_name(const char *dir, const char *name, const struct ckjit_missing *list,
                               size_t n) {
  const size_t digits = CKJIT_BUILD_ID_HEX_SIZE - 1;
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  size_t len = strlen(name), low = 0, high = n;
  if (len < digits + 4 || strcmp(name + len - 3, ".so") != 0)
    return;
  memcpy(hex, name + len - 3 - digits, digits);
  hex[digits] = 0;
  if (!ckjit_build_id_parse(id, hex))
    return;
  while (low < high) { /* the first of that key: two stems may have one */
    size_t middle = low + (high - low) / 2;
    if (memcmp(ckjit_blobs[list[middle].blob].key, id, CKJIT_KEY_SIZE) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < n && memcmp(ckjit_blobs[list[low].blob].key, id, CKJIT_KEY_SIZE) == 0; low++)
    if (*list[low].state == CKJIT_API_ABSENT && ckjit_is_entry_of(dir, name, id, list[low].blob))
      *list[low].state = CKJIT_API_VARIANT;
}

/* Whether the entry with BLOB's plain name in the cache DIR has its key. */
static bool ckjit_has_plain(const char *dir, uint32_t blob) {
  char path[PATH_MAX];
  enum ckjit_kind kind;
  uint8_t have[CKJIT_BUILD_ID_SIZE];
  const char *why;
  size_t n;
  const char *stem = ckjit_stem_of(blob, &n);
  return ckjit_entry_path(path, dir, stem, n, NULL) &&
         ckjit_entry_open(path, have, &kind, &why) == CKJIT_ENTRY_OTHER &&
         memcmp(have, ckjit_blobs[blob].key, CKJIT_KEY_SIZE) == 0;
}

/* For those of N blobs that are absent in STATES: is there an entry of their key in the cache DIR?
 * Without memory they stay absent. */
static void ckjit_find_variants(const char *dir, const uint32_t *blobs, size_t n, uint8_t *states) {
  struct ckjit_missing *list = calloc(n + 1, sizeof *list);
  size_t missing = 0;
  for (size_t i = 0; list && i < n; i++) {
    if (states[i] == CKJIT_API_ABSENT && ckjit_has_plain(dir, blobs[i]))
      states[i] = CKJIT_API_VARIANT;
    if (states[i] == CKJIT_API_ABSENT)
      list[missing++] = (struct ckjit_missing){blobs[i], &states[i]};
  }
  if (missing)
    qsort(list, missing, sizeof *list, ckjit_by_key);
  DIR *d = missing ? opendir(dir) : NULL;
  for (struct dirent *e; d && (e = readdir(d));)
    ckjit_look_at_name(dir, e->d_name, list, missing);
  if (d)
    closedir(d);
  free(list);
}

bool ckjit_has_variant(const char *dir, uint32_t blob) {
  uint8_t state = CKJIT_API_ABSENT;
  ckjit_find_variants(dir, &blob, 1, &state);
  return state == CKJIT_API_VARIANT;
}

/* ---- both ---- */

bool ckjit_states(const uint32_t *blobs, size_t n, uint8_t *states, uint32_t *about,
                  struct ckjit_text *error) {
  struct ckjit_wanted w;
  bool asked = false, ok = true;
  for (size_t i = 0; i < n; i++) {
    states[i] = ckjit_is_linked(blobs[i])   ? CKJIT_API_LINKED
                : ckjit_is_loaded(blobs[i]) ? CKJIT_API_LOADED
                                            : CKJIT_API_ABSENT;
    if (states[i] != CKJIT_API_ABSENT || !ok)
      continue;
    if (!asked) {
      asked = true;
      *about = blobs[i];
      ok = ckjit_want_anyhow(&w, blobs[i], error);
    } else {
      ckjit_want_other(&w, blobs[i]);
    }
    if (ok)
      states[i] = (uint8_t)ckjit_state_of(&w);
  }
  if (asked && ok && !w.unlinked && w.cache.len)
    ckjit_find_variants(w.cache.data, blobs, n, states);
  if (asked)
    ckjit_wanted_free(&w);
  return ok;
}
