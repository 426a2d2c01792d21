/* failure.h - classifies a failure: it belongs to the key, so that everybody gets it, or only to
 * the one compile that met it.
 *
 * Processes that wait for a compile that fails get its failure instead of compiling again (turn.c).
 * That is right if the compiler refuses the text, which is the same for every process with this
 * key. It is wrong if a file of the compiled tree was edited meanwhile, a process was killed, the
 * disk was full, or the time was up: then only those processes get the failure whose compile would
 * have the same origin.
 *
 * A failure that is not known to be a refusal counts as one of circumstances: that costs one more
 * compile.
 */
#ifndef CKJIT_COMPILE_FAILURE_H
#define CKJIT_COMPILE_FAILURE_H

#include "core/cache/key.h"
#include "task.h"

/* Record whether the last failure is attributable to the key (rather than to circumstances). */
void failure_note(bool of_key);
bool failure_is_of_key(void);

/* Has a compiler that ended with STATUS, as of wait, refused its text? Its output is in LOG from
 * FROM on. */
bool failure_is_refusal(int status, const char *log, off_t from);

/* Computes what a compile of T depends on besides the key: the machine, the user, the files by
 * name, the time limit. */
void failure_origin(char origin[DIGEST_HEX], const struct compile_task *t);

#endif
