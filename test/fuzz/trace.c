/* trace.c - a file of CK_JIT_TRACE: any bytes. What is read is laid out in lanes, summed up and written as a page, and no two
 * spans are in one place unless there are more of them than a picture has lanes. */
#include "fuzz.h"
#include "prebuild/trace/page.h"
#include "prebuild/trace/sums.h"

/* prebuild/trace/lanes.c: as many spans of a track as it draws below one another, and as many rows */
enum { DEEP_MOST = 64, ROWS_MOST = 2000 };

static bool overlap(const struct span *a, const struct span *b) {
  return a->start < b->start + b->took && b->start < a->start + a->took;
}

static void check_spans(const struct trace *t) {
  for (size_t i = 0; i < t->nspans; i++) {
    const struct span *s = &t->spans[i];
    CHECK(s->track < t->ntracks && s->lane < t->lanes && s->args + 2 * (size_t)s->nargs <= t->nargs);
    CHECK(s->start >= t->start && s->start + s->took <= t->end);
    CHECK(trace_text(t, s->name) && trace_text(t, s->category) &&
          t->tracks[s->track].process < t->nprocesses);
    for (size_t k = 0; k < i && i < 200; k++)
      CHECK(t->spans[k].lane != s->lane || !overlap(&t->spans[k], s) || t->nrows == ROWS_MOST ||
            t->tracks[s->track].deep == DEEP_MOST);
  }
}

static void check_sums(const struct trace *t) {
  struct sums s = {0};
  size_t spans = 0, outer = 0;
  for (size_t i = 0; i < t->nspans; i++)
    outer += !t->spans[i].inner;
  sums_make(&s, t);
  for (size_t i = 0; i < s.ncategories; i++) {
    CHECK(s.categories[i].failed <= s.categories[i].n && s.categories[i].longest <= s.categories[i].took);
    spans += s.categories[i].n;
  }
  CHECK(spans == outer && s.found + s.failed <= s.calls);
  sums_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct trace t = {0};
  struct buf page = {0};
  char *err = NULL;
  bool read = trace_read(&t, fuzz_file(data, size), &err);
  CHECK(read == !err);
  if (read) {
    CHECK(t.nspans);
    lanes_lay(&t);
    check_spans(&t);
    check_sums(&t);
    page_write(&page, &t, "trace");
    CHECK(page.len && strstr(page.data, "</html>"));
  }
  trace_free(&t);
  buf_free(&page);
  free(err);
  return 0;
}
