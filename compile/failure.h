/* failure.h - whose a failure is: the key's, so that everybody gets it, or of the one compile that met it.
 *
 * Who waits for a compile that fails is told its failure instead of compiling again (turn.c). That is right if the
 * compiler refuses the text, which is the same for all who have the key. It is wrong if a file of the tree that was
 * compiled was edited meanwhile, a process was killed, the disk was full, or the time was up: then it is told to those alone
 * whose compile would be of the same origin.
 *
 * What is not known to be a refusal counts as circumstances: that costs one more compile.
 */
#ifndef CKJIT_COMPILE_FAILURE_H
#define CKJIT_COMPILE_FAILURE_H

#include "core/cache/key.h"
#include "task.h"

/* Record whether the last failure is attributable to the key (rather than to circumstances). */
void failure_note(bool of_key);
bool failure_is_of_key(void);

/* Has a compiler that ended with STATUS, as of wait, refused its text? Its output is in LOG from FROM on. */
bool failure_is_refusal(int status, const char *log, off_t from);

/* What besides the key a compile of T depends on: the machine, the user, the files by name, the time limit. */
void failure_origin(char origin[DIGEST_HEX], const struct compile_task *t);

#endif
