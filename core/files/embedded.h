/* embedded.h - the device's text of a lazy unit within its object, which ccache or sccache may give
 * to a build that has not made the text (docs/formats.md, "The lazy unit").
 *
 * It is a section that the linker leaves out (SHF_EXCLUDE): EMBEDDED_HEAD with the unit's key and
 * the size, then the file of unittext.h. For HIP it has no names of kernels, which are known only
 * in the finished object. `ld -r` concatenates the sections of several objects.
 *
 * Errors: false with *ERR, which names the file; free() it. Thread safety: no shared state.
 */
#ifndef CKJIT_EMBEDDED_H
#define CKJIT_EMBEDDED_H

#include "core/base/base.h"

#include <inttypes.h>

#define EMBEDDED_SECTION ".ckjit.text"
#define EMBEDDED_HEAD "%s %016" PRIx64 " "

/* Write the embedded text of the unit with KEY in OBJECT, an object or an archive, to FILE. True
 * without a file if OBJECT has none. */
bool embedded_restore(const char *object, const char *key, const char *file, char **err);

#endif
