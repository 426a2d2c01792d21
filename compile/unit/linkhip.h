/* linkhip.h - the bitcode of a HIP unit whose device code is linked (-fgpu-rdc), and the link of
 * such parts: HIP's side of part.h and linked.h.
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_UNIT_LINKHIP_H
#define CKJIT_COMPILE_UNIT_LINKHIP_H

#include "compile/task.h"

/* The text of T, a unit of HIP, for ARCH, *LEN bytes: for gfx90a:sramecc+:xnack- also one for
 * gfx90a:xnack-, or for gfx90a. free() it; NULL: *ERR. */
char *unit_text_read(const struct compile_task *t, const char *arch, size_t *len, char **err);

/* Compile the text of the part T, of one architecture, to BITCODE. */
bool hippart_compile(const struct compile_task *t, const char *temporary, const char *bitcode, char **err);

/* Link FILES, bitcode, for ARCH into CODE, a code object, as the compiler of T does for a link with
 * WORDS. KERNEL: the one that stays in it; NULL: all do. */
bool hiplink_code(const struct compile_task *t, const char *temporary, const char *words, const char *arch,
                  const struct argv *files, const char *kernel, const char *code, char **err);

#endif
