/* number.h - the numbers that a user writes in variables and options. The same text means the same number,
 * and what is none has the same message, wherever it stands.
 *
 * NAME is the variable or the option, for the message. TEXT is what stands there; it is not NULL.
 * Thread-safe.
 */
#ifndef CKJIT_NUMBER_H
#define CKJIT_NUMBER_H

#include "base.h"

/* A whole number from LEAST to MOST. */
bool number_read(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t *n, char **err);
/* How many compilers run at a time: from 1 to 65535. */
bool number_jobs(const char *name, const char *text, unsigned *n, char **err);
/* A size in bytes: a whole number, with k, M, G or T after it (powers of 1000) or Ki, Mi, Gi or Ti (of
 * 1024). 0, or at least LEAST. */
bool number_size(const char *name, const char *text, uint64_t least, uint64_t *bytes, char **err);
/* Seconds, at most 10^9, with or without a fraction. */
bool number_seconds(const char *name, const char *text, double *seconds, char **err);

#endif
