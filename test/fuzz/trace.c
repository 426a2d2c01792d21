/* trace.c - a file of CK_JIT_TRACE: any bytes. What is read is summed up. */
#include "fuzz.h"
#include "prebuild/trace/events.h"

static void check_spans(const struct trace *t) {
  for (size_t i = 0; i < t->nspans; i++) {
    const struct span *s = &t->spans[i];
    CHECK(s->start >= t->start && s->start + s->took <= t->end);
    CHECK(trace_text(t, s->name) && trace_text(t, s->category) && trace_text(t, s->stem) &&
          trace_text(t, s->status) && s->process < t->nprocesses);
  }
}

static void check_sums(struct trace *t) {
  struct sums s = {0};
  size_t spans = 0, outer = 0;
  sums_make(&s, t);
  for (size_t i = 0; i < t->nspans; i++)
    outer += !t->spans[i].inner;
  for (size_t i = 0; i < s.ncategories; i++) {
    CHECK(s.categories[i].failed <= s.categories[i].n && s.categories[i].longest <= s.categories[i].took);
    spans += s.categories[i].n;
  }
  CHECK(spans == outer && s.found + s.failed <= s.calls);
  sums_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct trace t = {0};
  char *err = NULL;
  bool read = trace_read(&t, fuzz_file(data, size), &err);
  CHECK(read == !err);
  if (read) {
    CHECK(t.nspans);
    check_spans(&t);
    check_sums(&t);
  }
  trace_free(&t);
  free(err);
  return 0;
}
