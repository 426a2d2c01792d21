#include "unitkernels.h"
#include "abi/ck_jit_unit.h"
#include "unittext.h"

#include "core/base/path.h"
#include "core/cache/artefact.h"

char *unit_stem(const char *source_stem, const char *key) {
  return xasprintf("%s-%.*s", source_stem, CKJIT_UNIT_DIGITS, key);
}

size_t unit_stem_source(const char *unit) {
  return ckjit_unit_source(unit, strlen(unit));
}

char *unitkernel_name(const char *unit, const char *mangled) {
  return artefact_stem(unit, strlen(unit), mangled);
}

bool unitkernel_parse(struct unitkernel *k, const char *name) {
  autofree char *text = xstrndup(name, strcspn(name, "\t"));
  const char *base = path_base(text);
  struct artefact_name a;
  if (!artefact_name_read(&a, base))
    artefact_stem_read(&a, base);
  if (a.has_symbol)
    *k = (struct unitkernel){.unit = xstrndup(base, a.stem), .id = a.symbol};
  return a.has_symbol;
}

const char *unitkernel_find(const struct argv *kernels, uint64_t id) {
  for (size_t i = 0; i < kernels->n; i++)
    if (artefact_symbol(kernels->args[i]) == id)
      return kernels->args[i];
  return NULL;
}

/* Does the unit with the file TEXT have the kernel ID, or if NAME is not NULL that kernel? */
static bool has_kernel(const char *text, uint64_t id, const char *name) {
  autofree_argv kernels = {0};
  autofree char *err = NULL;
  return unittext_kernels(text, &kernels, &err) &&
         (name ? argv_has(&kernels, name) : unitkernel_find(&kernels, id) != NULL);
}

static bool is_same_source(const char *unit, const char *old) {
  size_t n = unit_stem_source(unit);
  return n && n == unit_stem_source(old) && strncmp(unit, old, n) == 0;
}

/* Is NAME the stem of UNIT's source? A blob that a link made a unit had this name
 * (postbuild/instead.c). */
static bool is_source_stem(const char *unit, const char *name) {
  size_t n = unit_stem_source(unit);
  return n && strlen(name) == n && strncmp(unit, name, n) == 0;
}

bool unitkernel_means(const char *name, const char *unit, const char *text, bool old) {
  autofree char *plain = xstrndup(name, strcspn(name, "\t"));
  struct unitkernel k;
  bool means;
  if (unitkernel_parse(&k, plain)) {
    means = (strcmp(k.unit, unit) == 0 || (old && is_same_source(unit, k.unit))) &&
            has_kernel(text, k.id, NULL);
    free(k.unit);
  } else {
    means = strcmp(plain, unit) == 0 ||
            (old && (is_same_source(unit, plain) || is_source_stem(unit, plain))) ||
            has_kernel(text, 0, plain);
  }
  return means;
}
