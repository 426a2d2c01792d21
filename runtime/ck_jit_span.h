/* ck_jit_span.h - CK_JIT_TRACE in the runtime: spans of time, in the format of ck_jit_trace.h.
 *
 * Each first call, look-up, wait, compile and load is an event. An event that cannot be written is
 * omitted, with one warning. Thread-safe.
 */
#ifndef CK_JIT_SPAN_H
#define CK_JIT_SPAN_H

#include "ck_jit_wanted.h"

/* The start time of an event; 0 if there is no trace. */
CKJIT_LOCAL uint64_t ckjit_span_start(void);

/* An event of W that began at START has ended. WHAT is its category and its name; a "first call" is
 * named after its blob. KEY and DETAIL (may be NULL) say how it ended. */
CKJIT_LOCAL void ckjit_span_end(const struct ckjit_wanted *w, const char *what, uint64_t start,
                                const char *key, const char *detail);
/* The same for a compile, which ended with ERROR or STATUS of ckjit_run. */
CKJIT_LOCAL void ckjit_span_end_compile(const struct ckjit_wanted *w, uint64_t start, int error,
                                        int status);

#endif
