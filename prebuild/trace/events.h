/* events.h - the events of a trace, as in a file of CK_JIT_TRACE (docs/formats.md), and their
 * totals.
 *
 * A trace is untrusted data: it may be cut off, damaged, or something else altogether. Texts are
 * UTF-8 and otherwise arbitrary. Times are microseconds. Thread safety: a struct trace belongs to
 * one thread.
 */
#ifndef CKJIT_PREBUILD_TRACE_EVENTS_H
#define CKJIT_PREBUILD_TRACE_EVENTS_H

#include "core/base/intern.h"

/* A span of a thread of a process, or beside it, from START on. */
struct span {
  uint64_t start, took;
  int64_t pid, tid;
  uint32_t process;                      /* in processes */
  uint32_t category, name, stem, status; /* in texts; 0: none */
  double processor;                      /* CPU-seconds of a compiler */
  bool failed;                           /* exited with a failure status */
  /* within a span of the same category on its track; by sums_make */
  bool inner;
  /* a first call that waited for a compile or for another process that compiles; by sums_make */
  bool missed;
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
  struct intern pids;  /* of the processes */
  uint64_t start, end; /* of all spans */
  /* of its beginning, seconds of the epoch; 0: the file has none */
  uint32_t seconds, host, command;
  size_t damaged; /* lines that are not events */
  bool cut;       /* the last line has no end */
};

/* Read FILE ("-": standard input) into T, which is {0}. False if it cannot be read, is not a trace,
 * or has no span. */
bool trace_read(struct trace *t, const char *file, char **err);
void trace_free(struct trace *t);

const char *trace_text(const struct trace *t, uint32_t text);
bool span_is(const struct trace *t, const struct span *s, const char *category);

/* All spans of one category that are not within another of it, which would count twice. */
struct sum_of {
  const char *category; /* T's, or static */
  size_t n, failed;
  uint64_t took, longest;
};

/* The totals of a kernel. */
struct kernel {
  uint32_t stem;
  size_t calls, waited, failed, compiles, failed_compiles;
  uint64_t longest_call, compiled; /* compiled: by ckjit-compile */
  double processor;                /* CPU-seconds of the compiler */
};

struct sums {
  /* first calls; found: without a compile or a wait */
  size_t calls, found, failed;
  uint64_t called, longest_call;
  /* of kernels, in which a compiler ran */
  size_t compiles;
  uint64_t compiled, waits;  /* waits: for another thread or process */
  struct sum_of *categories; /* the longest first */
  size_t ncategories;
  struct kernel *kernels; /* the slowest first */
  size_t nkernels;
};

/* Compute the totals of T in S, which is {0}; sorts T's spans by tracks. */
void sums_make(struct sums *s, struct trace *t);
void sums_free(struct sums *s);

#endif
