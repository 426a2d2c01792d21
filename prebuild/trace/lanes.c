/* lanes.c - where each span is drawn.
 *
 * A track of a process needs as many lanes as its spans are nested. The tracks of a process are drawn below one another,
 * and processes of one name that follow each other in one row: a build starts thousands of compilers, two or
 * two hundred at a time, and it is these that the eye looks for, not the thousands. */
#include "events.h"
#include "core/base/vec.h"

#include <stdlib.h>
#include <string.h>

/* More is no picture, and would cost the square of it: what a trace that somebody made up may have. */
enum { DEEP_MOST = 64, ROWS_MOST = 2000 };

/* for the comparison of qsort, which has no argument */
static const struct trace *sorted;

static int by_track(const void *a, const void *b) {
  const struct span *x = a, *y = b;
  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->took == y->took ? 0 : x->took > y->took ? -1 : 1;
}

static int by_place(const void *a, const void *b) {
  const struct track *x = &sorted->tracks[*(const uint32_t *)a], *y = &sorted->tracks[*(const uint32_t *)b];
  if (x->process != y->process)
    return x->process < y->process ? -1 : 1;
  return x->tid == y->tid ? 0 : x->tid < y->tid ? -1 : 1;
}

static int by_start(const void *a, const void *b) {
  const struct process *x = &sorted->processes[*(const uint32_t *)a],
                       *y = &sorted->processes[*(const uint32_t *)b];
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->pid == y->pid ? 0 : x->pid < y->pid ? -1 : 1;
}

static uint32_t *numbers(size_t n) {
  uint32_t *list = xcalloc(n + 1, sizeof *list);
  for (size_t i = 0; i < n; i++)
    list[i] = (uint32_t)i;
  return list;
}

/* Set the lane of each span to its depth on its track; mark inner spans, and first calls that waited. */
static void nest(struct trace *t) {
  struct {
    uint64_t end;
    size_t span;
  } open[DEEP_MOST];
  size_t depth = 0;
  qsort(t->spans, t->nspans, sizeof *t->spans, by_track);
  for (size_t i = 0; i < t->nspans; i++) {
    struct span *s = &t->spans[i];
    struct track *track = &t->tracks[s->track];
    if (i && t->spans[i - 1].track != s->track)
      depth = 0;
    while (depth && open[depth - 1].end <= s->start)
      depth--;
    if (span_is(t, s, "compile") || span_is(t, s, "wait"))
      for (size_t k = 0; k < depth; k++)
        t->spans[open[k].span].missed |= span_is(t, &t->spans[open[k].span], "first call");
    for (size_t k = 0; k < depth && !s->inner; k++)
      s->inner = t->spans[open[k].span].category == s->category;
    s->lane = (uint32_t)depth;
    track->deep = depth + 1 > track->deep ? (uint32_t)depth + 1 : track->deep;
    open[depth].end = s->start + s->took;
    open[depth].span = i;
    depth += depth + 1 < DEEP_MOST;
  }
}

/* The row of a process: the first of its name that is free by then. */
static size_t row_of(struct trace *t, const struct process *p) {
  size_t i = 0;
  while (i < t->nrows && (t->rows[i].name != p->name || t->rows[i].end > p->start))
    i++;
  if (i == ROWS_MOST)
    i--;
  else if (i == t->nrows)
    vec_push(t->rows, t->nrows, (struct row){.name = p->name, .pid = p->pid});
  t->rows[i].end = p->end;
  t->rows[i].processes++;
  return i;
}

/* Rows of one name below one another, in the order in which the names come first. */
static void stack_rows(struct trace *t) {
  for (size_t i = 0; i < t->nrows; i++) {
    bool again = false;
    for (size_t k = 0; k < i && !again; k++)
      again = t->rows[k].name == t->rows[i].name;
    for (size_t k = i; k < t->nrows && !again; k++)
      if (t->rows[k].name == t->rows[i].name) {
        t->rows[k].lane = t->lanes;
        t->lanes += t->rows[k].lanes;
      }
  }
}

void lanes_lay(struct trace *t) {
  nest(t);
  sorted = t;
  uint32_t *processes = numbers(t->nprocesses), *tracks = numbers(t->ntracks);
  qsort(processes, t->nprocesses, sizeof *processes, by_start);
  for (size_t i = 0; i < t->nprocesses; i++) {
    struct process *p = &t->processes[processes[i]];
    if (p->any)
      p->row = row_of(t, p);
  }
  qsort(tracks, t->ntracks, sizeof *tracks, by_place);
  uint32_t lane = 0;
  for (size_t i = 0; i < t->ntracks; i++) {
    struct track *track = &t->tracks[tracks[i]];
    if (!track->deep)
      continue;
    if (!i || t->tracks[tracks[i - 1]].process != track->process)
      lane = 0;
    track->lane = lane;
    lane += track->deep;
    struct row *row = &t->rows[t->processes[track->process].row];
    row->lanes = lane > row->lanes ? lane : row->lanes;
  }
  stack_rows(t);
  for (size_t i = 0; i < t->nspans; i++) {
    const struct track *track = &t->tracks[t->spans[i].track];
    t->spans[i].lane += track->lane + t->rows[t->processes[track->process].row].lane;
  }
  free(processes);
  free(tracks);
}
