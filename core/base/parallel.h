/* parallel.h - one function for many items, by several threads.
 *
 * For functions that wait for a disk, or read 200,000 files. The function must only touch its own
 * item. pool.h starts processes. Thread safety: for one thread of the program; the function is
 * called by several at once.
 */
#ifndef CKJIT_PARALLEL_H
#define CKJIT_PARALLEL_H

#include <stddef.h>

/* Call EACH(DATA, I) once for each I below N, in any order, and return when all are done. */
void parallel_each(size_t n, void (*each)(void *data, size_t i), void *data);

#endif
