/* sums.h - the totals of a trace. Times are microseconds. */
#ifndef CKJIT_PREBUILD_TRACE_SUMS_H
#define CKJIT_PREBUILD_TRACE_SUMS_H

#include "events.h"

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
  uint64_t longest_call, called; /* called: of all first calls */
  uint64_t compiled;             /* by ckjit-compile */
  double processor;              /* seconds of the compiler's processes */
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

/* Sum T up in S, which is {0}. */
void sums_make(struct sums *s, const struct trace *t);
void sums_release(struct sums *s);

#endif
