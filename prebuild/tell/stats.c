/* stats.c - `stats`: cache hit rate of first calls, time spent waiting, compile time and time
 * saved.
 *
 * The counts are those of core/cache/stats.h. Waiting is wall-clock time of calls; compile time and
 * saved time are CPU time, which the cache knows for each kernel and which does not depend on the
 * machine's load. */
#include "prebuild/help.h"
#include "entries.h"
#include "prebuild/cache.h"
#include "core/base/jsonread.h"
#include "core/base/human.h"
#include "core/base/vec.h"
#include "core/cache/stats.h"

#include <time.h>

/* What is counted after `ready`, or from a day on. */
struct after {
  bool known;
  uint64_t compiles;
  struct stats_ready ready; /* without --since */
  const char *since;
};

/* The columns of all tables. */
struct columns {
  uint64_t hits, misses, compiled, waits, failures, compiles, failed, timed;
  double waited, spent, saved; /* seconds */
};

static struct columns columns_of(const struct stats_sum *s) {
  return (struct columns){
      .hits = s->n[CKJIT_STAT_HIT],
      .misses = s->n[CKJIT_STAT_COMPILED] + s->n[CKJIT_STAT_WAITED] + s->n[CKJIT_STAT_FAILED],
      .compiled = s->n[CKJIT_STAT_COMPILED],
      .waits = s->n[CKJIT_STAT_WAITED],
      .failures = s->n[CKJIT_STAT_FAILED],
      .compiles = s->n[CKJIT_STAT_MADE],
      .failed = s->n[CKJIT_STAT_UNMADE],
      .timed = s->n[CKJIT_STAT_SAVED],
      .waited = (double)(s->ms[CKJIT_STAT_COMPILED] + s->ms[CKJIT_STAT_WAITED] +
                         s->ms[CKJIT_STAT_FAILED]) /
                1e3,
      .spent = (double)(s->ms[CKJIT_STAT_MADE] + s->ms[CKJIT_STAT_UNMADE]) / 1e3,
      .saved = (double)s->ms[CKJIT_STAT_SAVED] / 1e3,
  };
}

/* ---- rows ---- */

/* "2026-11-23". */
static void date_of(char text[16], uint32_t day) {
  time_t seconds = (time_t)day * CKJIT_STATS_DAY;
  struct tm tm;
  if (!gmtime_r(&seconds, &tm) || !strftime(text, 16, "%Y-%m-%d", &tm))
    strcpy(text, "?");
}

/* Totals per library over all days. */
static struct stats_rows libraries_of(const struct stats *s) {
  struct stats_rows all = {0};
  for (size_t i = 0; i < s->days.n; i++) {
    const struct stats_row *day = &s->days.list[i];
    size_t k = 0;
    while (k < all.n && strcmp(all.list[k].library, day->library) != 0)
      k++;
    if (k == all.n)
      vec_push(all.list, all.n, (struct stats_row){.library = day->library});
    stats_add(&all.list[k].sum, &day->sum);
  }
  return all;
}

/* Totals per day over all libraries; the newest first. */
static struct stats_rows days_of(const struct stats *s) {
  struct stats_rows all = {0};
  for (size_t i = s->days.n; i-- > 0;) {
    const struct stats_row *day = &s->days.list[i];
    if (!all.n || all.list[all.n - 1].day != day->day)
      vec_push(all.list, all.n, (struct stats_row){.day = day->day});
    stats_add(&all.list[all.n - 1].sum, &day->sum);
  }
  return all;
}

static struct stats_sum total_of(const struct stats *s) {
  struct stats_sum all = {0};
  for (size_t i = 0; i < s->days.n; i++)
    stats_add(&all, &s->days.list[i].sum);
  return all;
}

/* Sort by waiting time; then by compile time, and by calls. */
static int by_cost(const void *a, const void *b) {
  const struct stats_row *x = a, *y = b;
  struct columns c = columns_of(&x->sum), d = columns_of(&y->sum);
  if (c.waited != d.waited)
    return c.waited < d.waited ? 1 : -1;
  if (c.spent != d.spent)
    return c.spent < d.spent ? 1 : -1;
  if (c.hits != d.hits)
    return c.hits < d.hits ? 1 : -1;
  int order = strcmp(x->stem, y->stem);
  return order ? order : strcmp(x->library, y->library);
}

static const char *library_name(const struct stats_row *row) {
  return *row->library ? row->library : "not known";
}

/* ---- compiles after ready ---- */

/* The day TEXT, such as "2026-11-23". */
static bool read_day(const char *text, uint32_t *day) {
  struct tm tm = {0};
  const char *end = strptime(text, "%Y-%m-%d", &tm);
  time_t seconds = end && !*end && strlen(text) == 10 ? timegm(&tm) : -1;
  *day = (uint32_t)(seconds / CKJIT_STATS_DAY);
  return seconds >= 0;
}

/* A job after `ready` compiles nothing, if `ready` was asked for all that it calls. So each compile
 * after that was missed by the capture or the record of use. */
static struct after count_after(const struct request *r, const struct stats *s) {
  struct after a = {.since = r->since};
  uint32_t day;
  if (r->since && !read_day(r->since, &day))
    die(EXIT_USAGE, "--since '%s': expected a day such as 2026-11-26", r->since);
  if (r->since) {
    a.known = true;
    a.compiles = stats_compiles(s, day);
  } else if (stats_get_ready(r->cache, &a.ready)) {
    uint64_t all = stats_compiles(s, 0);
    a.known = true;
    a.compiles = all > a.ready.compiles ? all - a.ready.compiles : 0;
  }
  return a;
}

/* "2026-11-23 10:15:02". */
static void time_of(char text[32], uint64_t seconds) {
  time_t then = (time_t)seconds;
  struct tm tm;
  if (!gmtime_r(&then, &tm) || !strftime(text, 32, "%Y-%m-%d %H:%M:%S", &tm))
    strcpy(text, "?");
}

/* ---- for people ---- */

static void print_after(const struct after *a) {
  char when[32];
  time_of(when, a->ready.time);
  if (a->known && a->since)
    printf("Compiles from %s on: %llu\n", a->since, (unsigned long long)a->compiles);
  else if (a->known)
    printf("Compiles after ready: %llu, since %s UTC\n", (unsigned long long)a->compiles, when);
}

static void print_row(const struct stats_sum *sum, const char *name) {
  struct columns c = columns_of(sum);
  autofree char *waited = human_seconds(c.waited), *spent = human_seconds(c.spent),
                *saved = human_seconds(c.saved);
  printf("  %9llu %9llu %9llu %9llu  %9s %9s %9s  %s\n", (unsigned long long)c.hits,
         (unsigned long long)c.misses, (unsigned long long)c.waits, (unsigned long long)c.compiles,
         waited, spent, saved, name);
}

static void print_head(const char *what) {
  printf("%s\n  %9s %9s %9s %9s  %9s %9s %9s\n", what, "hits", "misses", "waits", "compiles",
         "waited", "spent", "saved");
}

static void print_kernels(const struct stats *s, bool all) {
  enum { MOST = 10 };
  if (s->kernels.n)
    print_head("By kernel");
  for (size_t i = 0; i < s->kernels.n && (all || i < MOST); i++)
    print_row(&s->kernels.list[i].sum, s->kernels.list[i].stem);
  if (!all && s->kernels.n > MOST)
    printf("  and %zu %s more; --verbose prints all\n", s->kernels.n - MOST,
           noun(s->kernels.n - MOST, "kernel", "kernels"));
}

static void print_total(const struct stats *s, const char *dir) {
  struct stats_sum total = total_of(s);
  struct columns c = columns_of(&total);
  char since[16];
  date_of(since, s->days.n ? s->days.list[0].day : 0);
  printf("Counts of %s since %s\n", dir, since);
  if (c.hits + c.misses)
    printf("First calls: %llu, %.1f%% of them hits\n", (unsigned long long)(c.hits + c.misses),
           100.0 * (double)c.hits / (double)(c.hits + c.misses));
  if (c.hits > c.timed)
    printf("Time saved counts %llu %s; the compile time of the others is unknown\n",
           (unsigned long long)c.timed, noun(c.timed, "hit", "hits"));
  if (c.failures + c.failed)
    printf("Failed: %llu %s, %llu %s\n", (unsigned long long)c.failures,
           noun(c.failures, "call", "calls"), (unsigned long long)c.failed,
           noun(c.failed, "compile", "compiles"));
}

static void print_for_people(const struct stats *s, const struct after *after, const char *dir,
                             bool verbose) {
  struct stats_rows libraries = libraries_of(s), days = days_of(s);
  char date[16];
  if (!s->days.n) {
    printf("%s has no counts yet\n", dir);
    return;
  }
  print_total(s, dir);
  print_after(after);
  print_head("By library");
  for (size_t i = 0; i < libraries.n; i++)
    print_row(&libraries.list[i].sum, library_name(&libraries.list[i]));
  print_head("By day, in UTC");
  for (size_t i = 0; i < days.n; i++) {
    date_of(date, days.list[i].day);
    print_row(&days.list[i].sum, date);
  }
  print_kernels(s, verbose);
}

/* ---- for programs ---- */

static json_t *row_as_json(const struct stats_sum *sum) {
  struct columns c = columns_of(sum);
  return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:I}", "hits", (json_int_t)c.hits,
                   "misses", (json_int_t)c.misses, "waits", (json_int_t)c.waits, "failures",
                   (json_int_t)c.failures, "compiles", (json_int_t)c.compiles, "failed_compiles",
                   (json_int_t)c.failed, "waited_seconds", c.waited, "spent_seconds", c.spent,
                   "saved_seconds", c.saved, "hits_of_known_time", (json_int_t)c.timed);
}

static json_t *name_as_json(const char *name) {
  return *name ? json_printable(name) : json_null();
}

static json_t *after_as_json(const struct after *a) {
  return a->known ? json_integer((json_int_t)a->compiles) : json_null();
}

static void print_json(const struct stats *s, const struct after *after, const char *dir) {
  struct stats_rows by_library = libraries_of(s), by_day = days_of(s);
  struct stats_sum total = total_of(s);
  json_t *libraries = json_array(), *kernels = json_array(), *days = json_array();
  char date[16];
  for (size_t i = 0; i < by_library.n; i++) {
    json_t *row = row_as_json(&by_library.list[i].sum);
    json_object_set_new(row, "library", name_as_json(by_library.list[i].library));
    json_array_append_new(libraries, row);
  }
  for (size_t i = 0; i < s->kernels.n; i++) {
    json_t *row = row_as_json(&s->kernels.list[i].sum);
    json_object_set_new(row, "stem", json_printable(s->kernels.list[i].stem));
    json_object_set_new(row, "library", name_as_json(s->kernels.list[i].library));
    json_array_append_new(kernels, row);
  }
  for (size_t i = 0; i < by_day.n; i++) {
    json_t *row = row_as_json(&by_day.list[i].sum);
    date_of(date, by_day.list[i].day);
    json_object_set_new(row, "day", json_string(date));
    json_array_append_new(days, row);
  }
  date_of(date, s->days.n ? s->days.list[0].day : 0);
  entries_print_json(
      json_pack("{s:i, s:o, s:o, s:b, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "ckjit", 1, "cache",
                json_printable(dir), "since", s->days.n ? json_string(date) : json_null(), "full",
                s->bytes > CKJIT_STATS_FULL, "bad_lines", (json_int_t)s->bad, "ready",
                after->ready.time ? json_integer((json_int_t)after->ready.time) : json_null(),
                "compiles_after_ready", after_as_json(after), "total", row_as_json(&total),
                "libraries", libraries, "days", days, "kernels", kernels));
}

/* ---- for scrapers ---- */

/* A label's value. OpenMetrics is UTF-8. */
static void put_label(struct buf *out, const char *name, const char *value) {
  json_t *text = json_printable(value);
  buf_printf(out, "%s=\"", name);
  for (const char *at = json_string_value(text); *at; at++)
    if (*at == '\n')
      buf_puts(out, "\\n");
    else if (*at == '"' || *at == '\\')
      buf_printf(out, "\\%c", *at);
    else
      buf_putc(out, *at);
  buf_putc(out, '"');
  json_decref(text);
}

/* The counters of a library. RESULT: the value of that label; NULL: it has none. */
static const struct metric {
  const char *name, *unit, *help;
  struct {
    const char *result;
    size_t at; /* of its double or uint64_t in struct columns */
  } values[4];
} metrics[] = {
    {"ckjit_first_calls",
     NULL,
     "First calls of kernels, by whether the cache had the kernel.",
     {{"hit", offsetof(struct columns, hits)},
      {"compiled", offsetof(struct columns, compiled)},
      {"waited", offsetof(struct columns, waits)},
      {"failed", offsetof(struct columns, failures)}}},
    {"ckjit_compiles",
     NULL,
     "Compiles, by whether they made an entry.",
     {{"made", offsetof(struct columns, compiles)}, {"failed", offsetof(struct columns, failed)}}},
    {"ckjit_waited_seconds",
     "seconds",
     "Wall time that first calls waited.",
     {{NULL, offsetof(struct columns, waited)}}},
    {"ckjit_compile_cpu_seconds",
     "seconds",
     "CPU time of compiles.",
     {{NULL, offsetof(struct columns, spent)}}},
    {"ckjit_saved_cpu_seconds",
     "seconds",
     "CPU time of the compiles that hits saved.",
     {{NULL, offsetof(struct columns, saved)}}},
};

static void put_head(struct buf *out, const char *name, const char *type, const char *unit,
                     const char *help) {
  buf_printf(out, "# TYPE %s %s\n", name, type);
  if (unit)
    buf_printf(out, "# UNIT %s %s\n", name, unit);
  buf_printf(out, "# HELP %s %s\n", name, help);
}

static void put_metric(struct buf *out, const struct metric *m, const struct stats_rows *rows) {
  put_head(out, m->name, "counter", m->unit, m->help);
  for (size_t i = 0; i < rows->n; i++) {
    struct columns c = columns_of(&rows->list[i].sum);
    for (size_t k = 0; k < 4 && (!k || m->values[k].result); k++) {
      const char *at = (const char *)&c + m->values[k].at;
      buf_printf(out, "%s_total{", m->name);
      put_label(out, "library", rows->list[i].library);
      if (m->values[k].result)
        buf_printf(out, ",result=\"%s\"", m->values[k].result);
      if (m->unit)
        buf_printf(out, "} %.3f\n", *(const double *)(const void *)at);
      else
        buf_printf(out, "} %llu\n", (unsigned long long)*(const uint64_t *)(const void *)at);
    }
  }
}

/* OpenMetrics 1.0 (docs/formats.md). */
static void print_metrics(const struct stats *s, const struct after *after) {
  struct stats_rows libraries = libraries_of(s);
  autofree_buf out = {0};
  for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
    put_metric(&out, &metrics[i], &libraries);
  if (after->known) {
    put_head(&out, "ckjit_compiles_after_ready", "gauge", NULL,
             after->since ? "Compiles from the day of --since on."
                          : "Compiles since ckjit ready last found nothing missing.");
    buf_printf(&out, "ckjit_compiles_after_ready %llu\n", (unsigned long long)after->compiles);
  }
  if (after->ready.time) {
    put_head(&out, "ckjit_ready_timestamp_seconds", "gauge", "seconds",
             "When ckjit ready last found nothing missing.");
    buf_printf(&out, "ckjit_ready_timestamp_seconds %llu\n", (unsigned long long)after->ready.time);
  }
  buf_puts(&out, "# EOF\n");
  fwrite(out.data, 1, out.len, stdout);
}

/* ---- the command ---- */

static void zero(const struct request *r) {
  char *err;
  if (r->json || r->metrics || r->since)
    die(EXIT_USAGE, "stats: %s and --zero exclude each other",
        r->json      ? "--json"
        : r->metrics ? "--metrics"
                     : "--since");
  if (!cache_open(r))
    return;
  if (!stats_zero(r->cache, &err))
    die(EXIT_FAILED, "stats: %s", err);
  printf("all counts of %s are now zero\n", r->cache);
  entries_flush();
}

int prebuild_stats(struct request *r) {
  struct stats s = {0};
  char *err;
  if (r->names.n)
    die_usage(r, "unexpected argument '%s'", r->names.args[0]);
  if (r->json && r->metrics)
    die(EXIT_USAGE, "stats: --json and --metrics exclude each other");
  if (r->zero) {
    zero(r);
    return EXIT_OK;
  }
  if (cache_open(r)) {
    if (!stats_read(&s, r->cache, &err))
      die(EXIT_FAILED, "stats: %s", err);
    stats_shorten(r->cache, s.bytes);
  }
  if (s.kernels.n)
    qsort(s.kernels.list, s.kernels.n, sizeof *s.kernels.list, by_cost);
  if (s.bytes > CKJIT_STATS_FULL)
    note("the file of counts was full, so some calls were not counted");
  struct after after = count_after(r, &s);
  if (r->metrics)
    print_metrics(&s, &after);
  else if (r->json)
    print_json(&s, &after, r->cache);
  else
    print_for_people(&s, &after, r->cache, r->verbose);
  entries_flush();
  return EXIT_OK;
}
