/* embedded.h - the device's text of a lazy unit within its object, where ccache or sccache may give the object to a build that has not made the text
 * (docs/formats.md, "The lazy unit").
 *
 * It is a section that the linker leaves out (SHF_EXCLUDE): EMBEDDED_HEAD with the unit's key and the size, then the file of unittext.h. Of HIP
 * it has no names of kernels: these are known when the object is. `ld -r` puts the sections of several objects behind each other.
 *
 * Errors: false with *ERR, which names the file; free() it. Thread safety: no shared state.
 */
#ifndef CKJIT_EMBEDDED_H
#define CKJIT_EMBEDDED_H

#include "core/base/base.h"

#include <inttypes.h>

#define EMBEDDED_SECTION ".ckjit.text"
#define EMBEDDED_HEAD "%s %016" PRIx64 " "

/* Write to FILE the text of the unit with KEY that OBJECT, an object or an archive, has in it. True without a file if it has none. */
bool embedded_restore(const char *object, const char *key, const char *file, char **err);

#endif
