/* ck_jit_flight.h - flights: one compile of a blob, or of a kernel, at a time.
 *
 * Of the threads that want the same blob one is the pilot and compiles it; the others wait, and
 * load its result or get its error. A thread that comes after a failure tries again. Between
 * processes, ckjit-compile waits.
 *
 * A flight lasts as long as ckjit-compile and needs nothing of the dynamic linker. A thread that
 * waits for it may hold the linker's lock: the constructor of a library may call a kernel. So each
 * thread loads the entry itself; for the linker that is one object. An unlinked file is in no cache
 * and belongs to the flight, which stays in the list until one thread has loaded the file, so that
 * a thread that comes meanwhile finds it.
 *
 * Thread-safe.
 */
#ifndef CK_JIT_FLIGHT_H
#define CK_JIT_FLIGHT_H

#include "ck_jit_wanted.h"

/* Look-ups after a compile that reported success: with a small CK_JIT_CACHE_MAX_SIZE and many
 * processes a new entry may be evicted at once. */
enum { CKJIT_ATTEMPTS = 8 };

/* Compile W, in this thread or by waiting for the pilot: as ckjit_compile. If there is an unlinked
 * file, W has it afterwards. */
CKJIT_LOCAL bool ckjit_fly(struct ckjit_wanted *w, struct ckjit_text *missing);
/* The unlinked file of BLOB was loaded, or cannot be: the flight need not keep it any longer. */
CKJIT_LOCAL void ckjit_arrive(uint32_t blob);
/* Whether BLOB or one of its kernels has a flight. */
CKJIT_LOCAL bool ckjit_is_flying(uint32_t blob);
/* Did this thread's compile of W begin before all other compiles that calls wait for? *OTHERS:
 * their number. */
CKJIT_LOCAL bool ckjit_is_oldest(const struct ckjit_wanted *w, unsigned *others);
/* In the child of a fork, with the mutex held: forget all flights. */
CKJIT_LOCAL void ckjit_flights_forget(void);

#endif
