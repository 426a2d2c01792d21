#include "unitkernels.h"
#include "unittext.h"

#include "core/base/path.h"
#include "abi/ck_jit_abi.h"
#include "abi/ck_jit_build_id.h"

#include <stdlib.h>
#include <string.h>

enum { ID_DIGITS = 16 };

static const char digits[] = "0123456789abcdef";

char *unit_stem(const char *source_stem, const char *key) {
  return xasprintf("%s-%.*s", source_stem, UNIT_STEM_DIGITS, key);
}

size_t unit_stem_source(const char *unit) {
  size_t n = strlen(unit);
  const char *key = n > UNIT_STEM_DIGITS + 1 ? unit + n - UNIT_STEM_DIGITS : NULL;
  return key && key[-1] == '-' && strspn(key, digits) == UNIT_STEM_DIGITS ? n - UNIT_STEM_DIGITS - 1 : 0;
}

static uint64_t id_of(const char *mangled) {
  return ckjit_fnv1a(mangled, strlen(mangled));
}

char *unitkernel_name(const char *unit, const char *mangled) {
  return xasprintf("%s.%0*llx", unit, ID_DIGITS, (unsigned long long)id_of(mangled));
}

/* Cut the ending of an entry's file name off NAME: .so, and the build id of one that is called by it. */
static void cut_entry(char *name) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  if (!str_ends(name, ".so"))
    return;
  name[strlen(name) - 3] = 0;
  char *dot = strrchr(name, '.');
  if (dot && ckjit_build_id_parse(id, dot + 1))
    *dot = 0;
}

bool unitkernel_parse(struct unitkernel *k, const char *name) {
  char *text = xstrndup(name, strcspn(name, "\t"));
  char *base = xstrdup(path_base(text)), *dot;
  cut_entry(base);
  dot = strrchr(base, '.');
  bool good = dot && dot > base && strlen(dot + 1) == ID_DIGITS && strspn(dot + 1, digits) == ID_DIGITS;
  free(text);
  if (!good) {
    free(base);
    return false;
  }
  *dot = 0;
  *k = (struct unitkernel){.unit = base, .id = strtoull(dot + 1, NULL, 16)};
  return true;
}

const char *unitkernel_find(const struct argv *kernels, uint64_t id) {
  for (size_t i = 0; i < kernels->n; i++)
    if (id_of(kernels->args[i]) == id)
      return kernels->args[i];
  return NULL;
}

/* Has the unit with the file TEXT the kernel ID, or if NAME is not NULL that one? */
static bool has_kernel(const char *text, uint64_t id, const char *name) {
  struct argv kernels = {0};
  char *err = NULL;
  bool has = unittext_kernels(text, &kernels, &err) &&
             (name ? argv_has(&kernels, name) : unitkernel_find(&kernels, id) != NULL);
  free(err);
  argv_free(&kernels);
  return has;
}

static bool is_same_source(const char *unit, const char *old) {
  size_t n = unit_stem_source(unit);
  return n && n == unit_stem_source(old) && strncmp(unit, old, n) == 0;
}

/* Is NAME the stem of UNIT's source? So was a blob called of which a link has made the unit (postbuild/instead.c). */
static bool is_source_stem(const char *unit, const char *name) {
  size_t n = unit_stem_source(unit);
  return n && strlen(name) == n && strncmp(unit, name, n) == 0;
}

bool unitkernel_means(const char *name, const char *unit, const char *text, bool old) {
  char *plain = xstrndup(name, strcspn(name, "\t"));
  struct unitkernel k;
  bool means;
  if (unitkernel_parse(&k, plain)) {
    means =
        (strcmp(k.unit, unit) == 0 || (old && is_same_source(unit, k.unit))) && has_kernel(text, k.id, NULL);
    free(k.unit);
  } else {
    means = strcmp(plain, unit) == 0 ||
            (old && (is_same_source(unit, plain) || is_source_stem(unit, plain))) ||
            has_kernel(text, 0, plain);
  }
  free(plain);
  return means;
}
