/* watch.h - the progress of the builds of `full`: for the line on a terminal, and for a trace.
 *
 * It uses only what the builds themselves report: the wrapper's records, and the "[12/120]" of
 * ninja in their output. It invents no total. Thread safety: main thread only. */
#ifndef CKJIT_BUILD_WATCH_H
#define CKJIT_BUILD_WATCH_H

#include "full.h"

/* one library's build */
struct watched {
  /* it is being built, and has not ended */
  bool builds;
  /* of ninja's steps; total is 0 until it has reported them */
  size_t done, total;
  bool links; /* its link has begun */
  /* time of the first report of ninja, or else of the wrapper; 0: none */
  uint64_t first;
  /* the beginning of the line of output that is being read */
  char head[24];
  size_t nhead;
  char *cwd; /* of calls of this build, which are in its copy of the checkout */
};

struct watch {
  struct watched of[APIS];
  char *records; /* the wrapper's file */
  long at;       /* how much of it was read */
  struct buf rest;
  /* units recorded, and compiled by a compiler */
  size_t recorded, compiled;
  bool draws;
};

void watch_start(struct watch *w, const struct full *f);
/* Add N bytes of the output of the build of API. */
void watch_output(struct watch *w, int api, const char *bytes, size_t n);
/* Read the new records, and draw the line. */
void watch_tick(struct watch *w);
/* The build of API has ended. */
void watch_ended(struct watch *w, int api);
/* Erase the line. */
void watch_end(void);

#endif
