/* sums.c - the totals of a trace.
 *
 * A first call looks into the cache, and if it finds nothing it looks again after the compile: so hits and misses are
 * counted by calls, not by looks. ckjit-compile may find under the lock that another process has compiled; only if a
 * compiler ran is it counted as a compile. A compile has two spans, one by ckjit-compile and one by its caller, which
 * waits for it: they are two categories here. */
#include "sums.h"
#include "core/base/vec.h"

#include <stdlib.h>
#include <string.h>

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

static struct kernel *kernel_of(struct sums *s, struct intern *stems, const struct trace *t,
                                const char *stem) {
  size_t i = intern(stems, stem);
  if (i == s->nkernels)
    vec_push(s->kernels, s->nkernels, (struct kernel){.stem = (uint32_t)intern_find(&t->texts, stem)});
  return &s->kernels[i];
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
  k->called += span->took;
  k->longest_call = span->took > k->longest_call ? span->took : k->longest_call;
}

/* Is SPAN a compile by ckjit-compile itself? Its name is the stem. */
static bool is_compile(const struct trace *t, const struct span *span) {
  const char *stem = span_arg(t, span, "stem");
  return span_is(t, span, "compile") && stem && strcmp(trace_text(t, span->name), stem) == 0;
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

void sums_make(struct sums *s, const struct trace *t) {
  struct intern categories = {0}, stems = {0};
  bool *compiles = xcalloc(t->nprocesses + 1, sizeof *compiles); /* a compiler ran */
  for (size_t i = 0; i < t->nspans; i++)
    compiles[t->tracks[t->spans[i].track].process] |= span_is(t, &t->spans[i], "step");
  for (size_t i = 0; i < t->nspans; i++) {
    const struct span *span = &t->spans[i];
    const char *stem = span_arg(t, span, "stem"), *processor = span_arg(t, span, "processor_seconds");
    add_category(s, &categories, t, span);
    if (span_is(t, span, "wait"))
      s->waits += span->took;
    if (!stem)
      continue;
    struct kernel *k = kernel_of(s, &stems, t, stem);
    if (span_is(t, span, "first call"))
      add_call(s, k, span);
    if (processor)
      k->processor += strtod(processor, NULL);
    if (is_compile(t, span) && compiles[t->tracks[span->track].process]) {
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
  intern_free(&categories);
  intern_free(&stems);
  free(compiles);
}

void sums_release(struct sums *s) {
  free(s->categories);
  free(s->kernels);
}
