/* variant.h - the build id of what is made by another compiler, or with other system headers, than
 * the library's.
 *
 * Such a result has the library's key and another second part (docs/glossary.md: variant): it is
 * found again under the same circumstances, and never taken for the library's own. Errors as in
 * task.h.
 */
#ifndef CKJIT_COMPILE_VARIANT_H
#define CKJIT_COMPILE_VARIANT_H

#include "task.h"

/* whether T's compiler is the one that IN names, by its path */
bool variant_is_own_compiler(const struct compile_task *t, const struct inputs *in);
/* Compare the files of the library's own compiler with what IN says of them; differences go to
 * T->variant. */
void variant_tools(struct compile_task *t, const struct inputs *in);
/* The digest of FILE, a program or library with symbolic links resolved, as it is now; of one that
 * IN lists without reading it again. */
void variant_digest(const struct compile_task *t, const struct inputs *in, const char *file,
                    char digest[DIGEST_HEX]);
/* Is a file with DIGEST one of IN's tools, or known to stand in the place of one (T->variant)? */
bool variant_knows_tool(const struct compile_task *t, const struct inputs *in, const char *digest);

/* Set T's build id from what is known. Called again after a wait: another process may have learnt
 * what T's compiler is. */
void variant_identify(struct compile_task *t);
/* The same for any file, which has its build id corrected if it has one. */
bool variant_made(struct compile_task *t, const char *file, char **err);
/* Write build id TO over FROM in the note of FILE. False: FILE has no such note, or cannot be
 * written (errno). */
bool variant_replace_id(const char *file, const uint8_t from[CKJIT_BUILD_ID_SIZE],
                        const uint8_t to[CKJIT_BUILD_ID_SIZE]);
/* Print the build id on standard output if it is not the one asked for. */
void variant_tell(const struct compile_task *t);

#endif
