/* number.h - numbers written by users in variables and options. The same text means the same number
 * everywhere, and invalid text gets the same message everywhere.
 *
 * NAME is the variable or option, for the message. TEXT is its value, not NULL. Thread-safe.
 */
#ifndef CKJIT_NUMBER_H
#define CKJIT_NUMBER_H

#include "base.h"

/* A whole number from LEAST to MOST. */
bool number_read(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t *n,
                 char **err);
/* The number of parallel compilers: from 1 to CKJIT_JOBS_MOST. */
bool number_jobs(const char *name, const char *text, unsigned *n, char **err);
/* A size in bytes: a whole number, optionally with k, M, G or T (powers of 1000) or Ki, Mi, Gi or
 * Ti (powers of 1024) after it. 0, or at least LEAST. */
bool number_size(const char *name, const char *text, uint64_t least, uint64_t *bytes, char **err);
/* Seconds, at most 10^9, with or without a fraction. */
bool number_seconds(const char *name, const char *text, double *seconds, char **err);

#endif
