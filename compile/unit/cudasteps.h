/* cudasteps.h - nvcc's steps for the device's side of a lazy unit, with the unit's texts in place of what they would preprocess.
 *
 * Errors as in compile/task.h.
 */
#ifndef CKJIT_COMPILE_UNIT_CUDASTEPS_H
#define CKJIT_COMPILE_UNIT_CUDASTEPS_H

#include "compile/cuda/cuda.h"
#include "compile/turn.h"

/* Fill in C for T: nvcc's steps, environment, log, and those of the steps that there is one of. The texts are written where cicc reads them, and
 * the name of what is internal to the unit. C->t and C->temporary are set. cudasteps_free in either case. */
bool cudasteps_open(struct cuda *c, char **err);
void cudasteps_free(struct cuda *c);

/* The file that nvcc has of the fat binary is C's source; have the binary itself, in the file
 * FATBIN, of C's step. */
void cudasteps_ask_for_binary(struct cuda *c, const char *fatbin);

/* The file of F, which T needs: that in the cache, or made by MAKE in TEMPORARY. free() it; NULL:
 * *ERR. */
char *cudasteps_entry(const struct compile_task *f, const char *temporary, make_fn *make, char **err);

/* Say that an attempt to make it has failed: WHY, and what the steps said. Returns false. */
bool cudasteps_fail(const struct cuda *c, const char *why, char **err);

#endif
