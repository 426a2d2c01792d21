/* jobs.h - how many compilers may run at the same time (abi/ck_jit_jobs.h), and what memory has to
 * do with it.
 *
 * A program that starts compiles of kernels observes the memory that they take (budget.h). Others,
 * such as the link, do not: in a container with a memory limit they start no more compilers than
 * fit, each with CK_JIT_JOB_MEMORY. Thread safety: no shared state.
 */
#ifndef CKJIT_JOBS_H
#define CKJIT_JOBS_H

#include "base.h"
#include "abi/ck_jit_jobs.h"

/* clang's device code generation takes up to 2 GiB for a blob of CK tile. */
#define JOBS_MEMORY "2Gi"

/* The number that CK_JIT_JOBS or MAX_JOBS sets; 0: neither does. Ends the program with a message if
 * CK_JIT_JOBS is not a number. */
unsigned jobs_set(void);
/* As ckjit_jobs(); without a number that a variable sets, no more than the memory limits of the
 * control groups allow. */
unsigned jobs_unwatched(void);

#endif
