/* trace.h - CK_JIT_TRACE in the programs; abi/ck_jit_trace.h describes the format.
 *
 * If the variable is unset, every function does nothing. A file that cannot be written is reported
 * once, and the work continues. Tracks are rows of the diagram: 0 is the process itself, the others
 * are the processes it runs in parallel. Thread safety: main thread only.
 */
#ifndef CKJIT_TRACE_H
#define CKJIT_TRACE_H

#include "base.h"

/* Is a trace being written? */
bool trace_wanted(void);
/* Microseconds of CLOCK_MONOTONIC. */
uint64_t trace_now(void);
/* Name this process and its track 0. Name each track once, before or after its spans. */
void trace_process(const char *name);
void trace_track(unsigned track, const char *name);
/* Record a span on TRACK from START to END, both from trace_now. CATEGORY is a word of
 * docs/trace.md. Pairs of a key and a text (NULL: omitted) follow, and NULL: trace_span("load",
 * "load", 0, a, b, "stem", stem, NULL). */
void trace_span(const char *category, const char *name, unsigned track, uint64_t start,
                uint64_t end, ...) __attribute__((sentinel));
/* Record an arrow from the span at START on TRACK to the ckjit-compile that it starts for build
 * id HEX; in that process, record the other end of the arrow. STARTER is the process that
 * started it. */
void trace_starts(unsigned track, uint64_t start, const char *hex);
void trace_started(uint64_t start, const char *hex, long starter);

#endif
