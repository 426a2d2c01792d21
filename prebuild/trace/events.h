/* events.h - the events of a trace, as a file of CK_JIT_TRACE has them (docs/formats.md), laid out in lanes.
 *
 * A trace is data from outside: it may be cut off, damaged, or something else altogether. Texts are UTF-8 and else
 * anything. Times are microseconds. Thread safety: a struct trace belongs to one thread.
 */
#ifndef CKJIT_PREBUILD_TRACE_EVENTS_H
#define CKJIT_PREBUILD_TRACE_EVENTS_H

#include "core/base/intern.h"

/* what ran on a track of a process from START on */
struct span {
  uint64_t start, took;
  uint32_t category, name; /* in texts */
  uint32_t track;
  uint32_t args, nargs; /* pairs of texts, from here */
  uint32_t lane;        /* where it is drawn, from above; by lanes_lay */
  bool failed;          /* exited with a failure status */
  bool inner;           /* within a span of the same category on its track; by lanes_lay */
  bool missed;          /* a first call that waited for a compile or for who compiles; by lanes_lay */
};

/* a thread of a process, or what it runs beside itself */
struct track {
  int64_t pid, tid;
  uint32_t process;    /* in processes */
  uint32_t lane, deep; /* its first lane, and how many it needs */
  uint32_t name;       /* in texts; 0: none */
};

struct process {
  int64_t pid;
  uint32_t name; /* in texts; 0: none */
  uint64_t start, end;
  bool any;   /* it has a span */
  size_t row; /* in rows */
};

/* processes of one name, one after the other, that are drawn side by side */
struct row {
  uint32_t name, processes;
  int64_t pid; /* of the first */
  uint64_t end;
  uint32_t lane, lanes;
};

struct trace {
  struct intern texts; /* the first is "" */
  struct span *spans;
  size_t nspans;
  uint32_t *args;
  size_t nargs;
  struct track *tracks;
  size_t ntracks;
  struct process *processes;
  size_t nprocesses;
  struct row *rows;
  size_t nrows;
  struct intern track_keys, process_keys; /* "pid.tid" and "pid" */
  uint64_t start, end;                    /* of all spans */
  uint32_t seconds, host, command; /* of its beginning, seconds of the epoch; 0, "": the file has none */
  uint32_t lanes;
  size_t damaged; /* lines that are no events */
  bool cut;       /* the last line has no end */
};

/* Read FILE ("-": standard input) into T, which is {0}. False if it cannot be read, is no trace, or has no span. */
bool trace_read(struct trace *t, const char *file, char **err);
/* Give each span its lane, and say of each first call whether it waited. */
void lanes_lay(struct trace *t);
void trace_free(struct trace *t);

const char *trace_text(const struct trace *t, uint32_t text);
/* the value of KEY among the arguments of S; NULL if there is none */
const char *span_arg(const struct trace *t, const struct span *s, const char *key);
bool span_is(const struct trace *t, const struct span *s, const char *category);

#endif
