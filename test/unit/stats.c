/* stats.c - the counts of a cache: lines, what is none, sums of sums, whose a compile is, and what hits have saved. */
// tier: check
#include "core/cache/stats.h"
#include "core/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int bad;
static char dir[] = "/tmp/ckjit-stats-XXXXXX";

static void put(const char *name, const char *text, size_t n) {
  char *file = path_join(dir, name);
  if (!file_write(file, text, n, 0600)) {
    perror(file);
    exit(1);
  }
  free(file);
}

/* S as lines: stem or day, library, count/milliseconds of each kind */
static void describe(struct buf *out, const struct stats *s) {
  const struct stats_rows *both[] = {&s->kernels, &s->days};
  for (size_t b = 0; b < 2; b++)
    for (size_t i = 0; i < both[b]->n; i++) {
      const struct stats_row *row = &both[b]->list[i];
      if (b)
        buf_printf(out, "%u %s", row->day, row->library);
      else
        buf_printf(out, "%s %s", row->stem, row->library);
      for (size_t k = 0; k < CKJIT_STATS_KINDS; k++)
        buf_printf(out, " %llu/%llu", (unsigned long long)row->sum.n[k], (unsigned long long)row->sum.ms[k]);
      buf_putc(out, '\n');
    }
  buf_printf(out, "%zu bad", s->bad);
}

static void check(const char *what, const char *want) {
  struct stats s;
  struct buf have = {0};
  char *err;
  if (!stats_read(&s, dir, &err)) {
    buf_puts(&have, err);
    free(err);
  } else {
    describe(&have, &s);
  }
  if (strcmp(have.data, want) != 0) {
    fprintf(stderr, "%s: expected\n%s\nfound\n%s\n", what, want, have.data);
    bad = 1;
  }
  stats_free(&s);
  buf_free(&have);
}

#define LINES(text) put(CKJIT_STATS, text, sizeof(text) - 1)

int main(void) {
  if (!mkdtemp(dir))
    return 1;
  check("no file", "0 bad");
  put(".times", "a\t2.5\nb\t0.1\n", 12);

  LINES("1\t100\tl\ta\thit\t2\t0\n1\t101\tl\ta\thit\t1\t0\n1\t101\tl\tc\thit\t1\t0\n");
  check("hits", "a l 3/0 0/0 0/0 0/0 0/0 0/0 3/7500\n"
                "c l 1/0 0/0 0/0 0/0 0/0 0/0 0/0\n"
                "100 l 2/0 0/0 0/0 0/0 0/0 0/0 2/5000\n"
                "101 l 2/0 0/0 0/0 0/0 0/0 0/0 1/2500\n"
                "0 bad");
  LINES(
      "1\t5\t\ta\tmade\t1\t7\n1\t5\tl\ta\tcompiled\t1\t9\n1\t5\t\tb\tunmade\t1\t3\n1\t5\tl\ta\twaited\t1\t4\n1\t5\tl\ta\tfailed\t1\t2\n");
  check("whose a compile is", "a l 0/0 1/9 1/4 1/2 1/7 0/0 0/0\n"
                              "b  0/0 0/0 0/0 0/0 0/0 1/3 0/0\n"
                              "5  0/0 0/0 0/0 0/0 0/0 1/3 0/0\n"
                              "5 l 0/0 1/9 1/4 1/2 1/7 0/0 0/0\n"
                              "0 bad");
  LINES("1\t5\tm\ta\thit\t1\t0\n1\t5\tl\ta\thit\t1\t0\n");
  check("two libraries", "a l 1/0 0/0 0/0 0/0 0/0 0/0 1/2500\na m 1/0 0/0 0/0 0/0 0/0 0/0 1/2500\n"
                         "5 l 1/0 0/0 0/0 0/0 0/0 0/0 1/2500\n5 m 1/0 0/0 0/0 0/0 0/0 0/0 1/2500\n0 bad");
  /* sums: what they saved they say themselves */
  LINES(
      "1\t\tl\ta\thit\t9\t0\n1\t\tl\ta\tsaved\t8\t80\n1\t5\tl\t\thit\t9\t0\n1\t5\tl\t\tsaved\t8\t80\n1\t5\tl\ta\thit\t1\t0\n");
  check("sums", "a l 10/0 0/0 0/0 0/0 0/0 0/0 9/2580\n5 l 10/0 0/0 0/0 0/0 0/0 0/0 9/2580\n0 bad");

  /* what is no line */
  static const char *const none[] = {"",
                                     "x",
                                     "1\t5\tl\ta\thit\t1",
                                     "1\t5\tl\ta\thit\t1\t0\t",
                                     "1\t5\tl\ta\thit\t1\t0\t1\t5\tl\ta\thit\t1\t0",
                                     "2\t5\tl\ta\thit\t1\t0",
                                     "01\t5\tl\ta\tHit\t1\t0",
                                     "1\t5\tl\ta\t\t1\t0",
                                     "1\t\tl\t\thit\t1\t0",
                                     "1\t-5\tl\ta\thit\t1\t0",
                                     "1\t4294967296\tl\ta\thit\t1\t0",
                                     "1\t5\tl\ta\thit\t\t0",
                                     "1\t5\tl\ta\thit\t1\t",
                                     "1\t5\tl\ta\thit\t1000000000001\t0",
                                     "1\t5\tl\ta\thit\t1\t99999999999999999999"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    struct buf text = {0};
    buf_printf(&text, "%s\n1\t5\tl\tc\thit\t1\t0\n", none[i]);
    put(CKJIT_STATS, text.data, text.len);
    check(none[i], "c l 1/0 0/0 0/0 0/0 0/0 0/0 0/0\n5 l 1/0 0/0 0/0 0/0 0/0 0/0 0/0\n1 bad");
    buf_free(&text);
  }
  LINES("1\t5\tl\tc\0\thit\t1\t0\n1\t5\tl\tc\thit\t1\t0");
  check("a NUL; no newline", "2 bad");

  /* a compile is recorded, unless its name is none for a line */
  char *err;
  char *there = path_join(dir, CKJIT_STATS);
  if (!stats_zero(dir, &err) || access(there, F_OK) == 0)
    bad = fprintf(stderr, "the file is there\n");
  free(there);
  stats_record(dir, NULL, "tab\tin it", true, 1);
  stats_record(dir, "new\nline", "c", true, 1);
  stats_record(dir, NULL, "", true, 1);
  check("names", "0 bad");
  setenv("CK_JIT_STATS", "0", 1);
  stats_record(dir, "l", "c", true, 1);
  check("CK_JIT_STATS=0", "0 bad");
  unsetenv("CK_JIT_STATS");

  /* sums of many lines are what the lines are; the newest lines stay */
  struct buf many = {0}, before = {0}, after = {0};
  struct stats s;
  for (unsigned i = 0; many.len <= CKJIT_STATS_LARGE; i++)
    buf_printf(&many, "1\t%u\t%s\t%c%u\t%s\t1\t%u\n", i % 7, i % 5 ? "l" : "", 'a' + i % 3, i % 11,
               i % 2 ? "hit" : "made", i % 2 ? 0 : i % 100);
  buf_puts(&many, "1\t3\tl\ta\thit\t1\t0\nhalf a li");
  put(CKJIT_STATS, many.data, many.len);
  stats_read(&s, dir, &err);
  s.bad = 0;
  describe(&before, &s);
  char *locks = path_join(dir, ".locks"), *file = path_join(dir, CKJIT_STATS),
       *times = path_join(dir, ".times");
  dir_make(locks);
  stats_shorten(dir, s.bytes);
  stats_free(&s);
  stats_read(&s, dir, &err);
  if (s.bytes > 10000 || s.bad != 1)
    bad = fprintf(stderr, "sums: %llu bytes, %zu bad\n", (unsigned long long)s.bytes, s.bad);
  s.bad = 0;
  describe(&after, &s);
  stats_free(&s);
  if (strcmp(before.data, after.data) != 0)
    bad = fprintf(stderr, "sums: expected\n%s\nfound\n%s\n", before.data, after.data);
  buf_free(&many);
  buf_free(&before);
  buf_free(&after);
  unlink(file);
  unlink(times);
  free(file);
  free(times);
  free(locks);
  dir_remove(dir);
  return bad != 0;
}
