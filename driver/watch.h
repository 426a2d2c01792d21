/* watch.h - how far the builds of `full` are: for the line on a terminal, and for a trace.
 *
 * What is known is what the builds say of themselves: the wrapper's records, and the "[12/120]" of ninja in their output. No total is
 * made up. Thread safety: main thread only. */
#ifndef CKJIT_BUILD_WATCH_H
#define CKJIT_BUILD_WATCH_H

#include "full.h"

/* one library's build */
struct watched {
  bool builds;        /* it is built, and has not ended */
  size_t done, total; /* of ninja's steps; total is 0 as long as it has said nothing */
  bool links;         /* its link has begun */
  uint64_t first;     /* when ninja, or else the wrapper, was first heard of; 0: not yet */
  char head[24];      /* the beginning of the line of output that is being read */
  size_t nhead;
  char *cwd; /* of calls of this build: they are in its copy of the checkout */
};

struct watch {
  struct watched of[APIS];
  char *records; /* the wrapper's file */
  long at;       /* what of it was read */
  struct buf rest;
  size_t recorded, compiled; /* units recorded, and handed to a compiler */
  bool draws;
};

void watch_start(struct watch *w, const struct full *f);
/* N bytes of the output of the build of API */
void watch_output(struct watch *w, int api, const char *bytes, size_t n);
/* Read what was recorded since, and draw the line. */
void watch_tick(struct watch *w);
/* The build of API has ended. */
void watch_ended(struct watch *w, int api);
/* Erase the line. */
void watch_end(struct watch *w);

#endif
