/* unitkernels.h - what users call a kernel of a lazy unit: UNIT.ID, the stem of the unit and 16 digits of the kernel's mangled name, as
 * the entry of the kernel in a cache is called.
 *
 * The unit's stem has digits of its key, and is another after each change of the unit or of the compiler. The id is that of the kernel.
 * So a list of kernels that was made for an earlier build still says which ones it means: those with that id, of the units whose
 * source has that stem.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_UNITKERNELS_H
#define CKJIT_UNITKERNELS_H

#include "core/base/argv.h"

enum {
  UNIT_STEM_DIGITS = 12
}; /* of the key, behind the source's stem and a '-': units of many directories have one name */

/* The stem of the unit of the source SOURCE_STEM, with KEY; free() it. */
char *unit_stem(const char *source_stem, const char *key);
/* The length of the source's stem in UNIT, the stem of a unit; 0: it is none. */
size_t unit_stem_source(const char *unit);

/* The name of the kernel MANGLED of UNIT; free() it. */
char *unitkernel_name(const char *unit, const char *mangled);

/* NAME taken apart: UNIT.ID, perhaps with a tab and words behind it, as a list has them; or the name of its entry in a cache, a path too. */
struct unitkernel {
  char *unit; /* free() it */
  uint64_t id;
};
/* False: NAME is not of that form, which says nothing of whether there is such a kernel. */
bool unitkernel_parse(struct unitkernel *k, const char *name);
/* Does NAME mean the unit UNIT, whose text is the file TEXT, or one of its kernels: by a name of above, or the kernel's mangled name? With
 * OLD also as it was called in an earlier build, or by the stem of the unit's source, as it was if it was a blob there. */
bool unitkernel_means(const char *name, const char *unit, const char *text, bool old);
/* The one of KERNELS, mangled names, with ID; NULL if there is none. */
const char *unitkernel_find(const struct argv *kernels, uint64_t id);

#endif
