/* sums.c - the totals of a trace.
 *
 * A first call looks into the cache, and if it finds nothing it looks again after the compile: so
 * hits and misses are counted by calls, not by looks. ckjit-compile may find under the lock that
 * another process has compiled; it counts as a compile only if a compiler ran. A compile has two
 * spans, one by ckjit-compile and one by its caller, which waits for it: they are two categories
 * here. */
#include "events.h"
#include "core/base/vec.h"

static int by_time(const void *a, const void *b) {
  const struct sum_of *x = a, *y = b;
  return x->took == y->took ? 0 : x->took < y->took ? 1 : -1;
}

static uint64_t slowness(const struct kernel *k) {
  return k->longest_call > k->compiled ? k->longest_call : k->compiled;
}

static int by_slowness(const void *a, const void *b) {
  uint64_t x = slowness(a), y = slowness(b);
  return x == y ? 0 : x < y ? 1 : -1;
}

static void add(struct sum_of *sum, const struct span *span) {
  sum->n++;
  sum->failed += span->failed;
  sum->took += span->took;
  sum->longest = span->took > sum->longest ? span->took : sum->longest;
}

/* A forged trace may nest deeper, which would take quadratic time. */
enum { DEEP_MOST = 64 };

static int by_track(const void *a, const void *b) {
  const struct span *x = a, *y = b;
  if (x->pid != y->pid)
    return x->pid < y->pid ? -1 : 1;
  if (x->tid != y->tid)
    return x->tid < y->tid ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->took == y->took ? 0 : x->took > y->took ? -1 : 1;
}

/* Mark inner spans, and first calls that waited. */
static void nest(struct trace *t) {
  struct span *open[DEEP_MOST];
  size_t depth = 0;
  qsort(t->spans, t->nspans, sizeof *t->spans, by_track);
  for (struct span *s = t->spans; s < t->spans + t->nspans; s++) {
    if (s > t->spans && (s[-1].pid != s->pid || s[-1].tid != s->tid))
      depth = 0;
    while (depth && open[depth - 1]->start + open[depth - 1]->took <= s->start)
      depth--;
    bool waits = span_is(t, s, "compile") || span_is(t, s, "wait");
    for (size_t k = 0; k < depth; k++) {
      open[k]->missed |= waits && span_is(t, open[k], "first call");
      s->inner |= open[k]->category == s->category;
    }
    open[depth] = s;
    depth += depth + 1 < DEEP_MOST;
  }
}

static void add_call(struct sums *s, struct kernel *k, const struct span *span) {
  s->calls++;
  s->failed += span->failed;
  s->found += !span->missed && !span->failed;
  s->called += span->took;
  s->longest_call = span->took > s->longest_call ? span->took : s->longest_call;
  k->calls++;
  k->waited += span->missed;
  k->failed += span->failed;
  k->longest_call = span->took > k->longest_call ? span->took : k->longest_call;
}

/* Is SPAN a compile by ckjit-compile itself? Its name is the stem. */
static bool is_compile(const struct trace *t, const struct span *span) {
  return span_is(t, span, "compile") && span->stem && span->name == span->stem;
}

static void add_category(struct sums *s, struct intern *categories, const struct trace *t,
                         const struct span *span) {
  const char *category = trace_text(t, span->category);
  if (span->inner)
    return;
  if (span_is(t, span, "compile") && !is_compile(t, span))
    category = "call of ckjit-compile";
  size_t at = intern(categories, category);
  if (at == s->ncategories)
    vec_push(s->categories, s->ncategories, (struct sum_of){.category = category});
  add(&s->categories[at], span);
}

void sums_make(struct sums *s, struct trace *t) {
  autofree_intern categories = {0}, stems = {0};
  nest(t);
  for (size_t i = 0; i < t->nspans; i++) {
    const struct span *span = &t->spans[i];
    add_category(s, &categories, t, span);
    if (span_is(t, span, "wait"))
      s->waits += span->took;
    if (!span->stem)
      continue;
    size_t at = intern(&stems, trace_text(t, span->stem));
    if (at == s->nkernels)
      vec_push(s->kernels, s->nkernels, (struct kernel){.stem = span->stem});
    struct kernel *k = &s->kernels[at];
    if (span_is(t, span, "first call"))
      add_call(s, k, span);
    k->processor += span->processor;
    if (is_compile(t, span) && t->processes[span->process].compiles) {
      s->compiles++;
      s->compiled += span->took;
      k->compiles++;
      k->compiled += span->took;
      k->failed_compiles += span->failed;
    }
  }
  if (s->ncategories)
    qsort(s->categories, s->ncategories, sizeof *s->categories, by_time);
  if (s->nkernels)
    qsort(s->kernels, s->nkernels, sizeof *s->kernels, by_slowness);
}

void sums_free(struct sums *s) {
  free(s->categories);
  free(s->kernels);
}
