/* events.h - the events of a trace, as a file of CK_JIT_TRACE has them (docs/formats.md), and their totals.
 *
 * A trace is data from outside: it may be cut off, damaged, or something else altogether. Texts are UTF-8 and else
 * anything. Times are microseconds. Thread safety: a struct trace belongs to one thread.
 */
#ifndef CKJIT_PREBUILD_TRACE_EVENTS_H
#define CKJIT_PREBUILD_TRACE_EVENTS_H

#include "core/base/intern.h"

/* what ran in a thread of a process, or beside it, from START on */
struct span {
  uint64_t start, took;
  int64_t pid, tid;
  uint32_t process;                      /* in processes */
  uint32_t category, name, stem, status; /* in texts; 0: none */
  double processor;                      /* seconds of a compiler's processes */
  bool failed;                           /* exited with a failure status */
  bool inner;                            /* within a span of the same category on its track; by sums_make */
  bool missed; /* a first call that waited for a compile or for who compiles; by sums_make */
};

struct process {
  uint32_t name; /* in texts; 0: none */
  bool compiles; /* a compiler ran in it */
};

struct trace {
  struct intern texts; /* the first is "" */
  struct span *spans;
  size_t nspans;
  struct process *processes;
  size_t nprocesses;
  struct intern pids;              /* of the processes */
  uint64_t start, end;             /* of all spans */
  uint32_t seconds, host, command; /* of its beginning, seconds of the epoch; 0: the file has none */
  size_t damaged;                  /* lines that are no events */
  bool cut;                        /* the last line has no end */
};

/* Read FILE ("-": standard input) into T, which is {0}. False if it cannot be read, is no trace, or has no span. */
bool trace_read(struct trace *t, const char *file, char **err);
void trace_free(struct trace *t);

const char *trace_text(const struct trace *t, uint32_t text);
bool span_is(const struct trace *t, const struct span *s, const char *category);

/* all spans of one category that are within no other one of it: those would count twice */
struct sum_of {
  const char *category; /* T's, or static */
  size_t n, failed;
  uint64_t took, longest;
};

/* what is known of a kernel */
struct kernel {
  uint32_t stem;
  size_t calls, waited, failed, compiles, failed_compiles;
  uint64_t longest_call, compiled; /* compiled: by ckjit-compile */
  double processor;                /* seconds of the compiler's processes */
};

struct sums {
  size_t calls, found, failed; /* first calls; found: without a compile or a wait */
  uint64_t called, longest_call;
  size_t compiles;           /* of kernels, in which a compiler ran */
  uint64_t compiled, waits;  /* waits: for another thread or process */
  struct sum_of *categories; /* the longest first */
  size_t ncategories;
  struct kernel *kernels; /* the slowest first */
  size_t nkernels;
};

/* Sum T up in S, which is {0}; sorts T's spans by tracks. */
void sums_make(struct sums *s, struct trace *t);
void sums_free(struct sums *s);

#endif
