/* unitcall.h - a call of ckjit-unit by a link or a first call, and what the object that it makes
 * says of itself. In a build the wrapper becomes ckjit-unit, with its own record of the call.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_UNITCALL_H
#define CKJIT_UNITCALL_H

#include "record.h"

/* Append the command of PROGRAM, ckjit-unit, with OPTIONS and the work directory WORK, for the host
 * source that CALL says, whatever its kind: stem, source, output, cwd, compiler and its kind, args.
 * GIVEN: the words of the command for ckjit-unit, after the compiler. */
void unitcall_words(struct argv *words, const char *program, const struct argv *options,
                    const char *work, const struct record *call, const struct argv *given);

/* The record of the unit with KEY (NULL: the first record) in the object or archive FILE, for
 * record_free() and free(); NULL: it has none. */
struct record *unitcall_record(const char *file, const char *key);

#endif
