/* ck_jit_flight.h - flights: one compile of a blob, or of a kernel, at a time.
 *
 * Of the threads that want the same blob one is the pilot and has it compiled; the others wait for it, and
 * load what it brings or get its error. A thread that comes after a failure tries anew. Between processes it
 * is ckjit-compile that waits.
 *
 * A flight is up for the time of ckjit-compile and needs nothing of the dynamic linker. A thread that waits
 * for it may hold the linker's lock: the constructor of a library may call a kernel. So each thread loads the
 * entry itself; for the linker that is one object. An unlinked file is in no cache and belongs to the flight,
 * which stays in the list until one thread has loaded the file, so that a thread that comes meanwhile finds
 * it.
 *
 * Thread-safe.
 */
#ifndef CK_JIT_FLIGHT_H
#define CK_JIT_FLIGHT_H

#include "ck_jit_wanted.h"

/* Look-ups after a compile that said it succeeded: a small CK_JIT_CACHE_MAX_SIZE and many processes take away
 * what was just made. */
enum { CKJIT_ATTEMPTS = 8 };

/* Have W compiled, by this thread or by the one that is at it: as ckjit_compile. W has the unlinked file
 * then, if there is one. */
CKJIT_LOCAL bool ckjit_fly(struct ckjit_wanted *w, struct ckjit_text *missing);
/* The unlinked file of BLOB was loaded, or cannot be: the flight needs not keep it any longer. */
CKJIT_LOCAL void ckjit_arrive(uint32_t blob);
/* whether a flight of BLOB or of one of its kernels is up */
CKJIT_LOCAL bool ckjit_is_flying(uint32_t blob);
/* Did this thread's compile of W begin before all other compiles that calls wait for? *OTHERS: their number. */
CKJIT_LOCAL bool ckjit_is_oldest(const struct ckjit_wanted *w, unsigned *others);
/* In the child of a fork, with the mutex held: there are none. */
CKJIT_LOCAL void ckjit_flights_forget(void);

#endif
