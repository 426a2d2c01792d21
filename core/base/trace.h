/* trace.h - CK_JIT_TRACE in the programs; abi/ck_jit_trace.h has the format.
 *
 * With the variable unset every function does nothing. A file that cannot be written is said once, and the
 * work goes on. Tracks are lines of the picture: 0 is the process itself, others are what it runs at the same
 * time. Thread safety: for the main thread.
 */
#ifndef CKJIT_TRACE_H
#define CKJIT_TRACE_H

#include "base.h"

/* whether there is a trace */
bool trace_wanted(void);
/* microseconds of CLOCK_MONOTONIC */
uint64_t trace_now(void);
/* Name this process and its track 0; each track is to be named once, before or after what is on it. */
void trace_process(const char *name);
void trace_track(unsigned track, const char *name);
/* What ran on TRACK from START to END, both of trace_now. CATEGORY is a word of docs/trace.md. Behind it
 * pairs of a key and a text (NULL: it is left out), then NULL: trace_span("load", "load", 0, a, b, "stem",
 * stem, NULL). */
void trace_span(const char *category, const char *name, unsigned track, uint64_t start, uint64_t end, ...)
    __attribute__((sentinel));
/* An arrow from the span at START on TRACK to the one of the ckjit-compile that it starts for build id HEX;
 * and its other end there, STARTER being the process that has started it. */
void trace_starts(unsigned track, uint64_t start, const char *hex);
void trace_started(uint64_t start, const char *hex, long starter);

#endif
