/* unitkernels.h - the users' name of a kernel of a lazy unit: UNIT.ID, the stem of the unit and 16
 * digits of the kernel's mangled name, like the name of the kernel's entry in a cache.
 *
 * The unit's stem has digits of its key, and differs after each change of the unit or of the
 * compiler. The id depends on the kernel only. So a list of kernels that was made for an earlier
 * build still identifies its kernels: those with that id, of the units whose source has that stem.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_UNITKERNELS_H
#define CKJIT_UNITKERNELS_H

#include "core/base/argv.h"

/* The stem of the unit of the source SOURCE_STEM, with KEY; free() it. */
char *unit_stem(const char *source_stem, const char *key);
/* The length of the source's stem in UNIT, the stem of a unit; 0: it is not one. */
size_t unit_stem_source(const char *unit);

/* The name of the kernel MANGLED of UNIT; free() it. */
char *unitkernel_name(const char *unit, const char *mangled);

/* The parts of NAME: UNIT.ID, perhaps followed by a tab and words, as in a list; or the name or
 * path of its entry in a cache. */
struct unitkernel {
  char *unit; /* free() it */
  uint64_t id;
};
/* False: NAME does not have that form. True does not mean that there is such a kernel. */
bool unitkernel_parse(struct unitkernel *k, const char *name);
/* Does NAME mean the unit UNIT, whose text is the file TEXT, or one of its kernels: by a name as
 * above, or by the kernel's mangled name? With OLD also by its name in an earlier build, or by the
 * stem of the unit's source, as if it was a blob there. */
bool unitkernel_means(const char *name, const char *unit, const char *text, bool old);
/* The one of KERNELS, mangled names, with ID; NULL if there is none. */
const char *unitkernel_find(const struct argv *kernels, uint64_t id);

#endif
