/* view.c - `trace view FILE`: a summary, as an HTML page, of a file of CK_JIT_TRACE or of `ckjit
 * full --trace`.
 *
 * The page has no script and loads nothing. Every text of the trace is untrusted (names of kernels,
 * files and processes): html() escapes each. */
#include "events.h"
#include "prebuild/prebuild.h"
#include "abi/ck_jit_trace.h"
#include "core/base/human.h"
#include "core/base/path.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Rows of a table. */
enum { MOST_ROWS = 500 };

static const char HEAD[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<style>\n"
    "body { max-width: 1500px; margin: 24px auto; padding: 0 24px; font: 14px/1.45 system-ui, "
    "sans-serif; }\n"
    "h1, h2, td { overflow-wrap: anywhere; unicode-bidi: isolate; }\n"
    "table { border-collapse: collapse; }\n"
    "th, td { text-align: left; padding: 3px 12px; border-bottom: 1px solid #8884; vertical-align: "
    "top; }\n"
    ".n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }\n"
    ".bad { color: #d33; }\n"
    "</style>\n";

static void html(struct buf *out, const char *text) {
  static const char special[] = "&<>\"'";
  static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  for (; *text; text++) {
    const char *at = strchr(special, *text);
    if (at)
      buf_puts(out, names[at - special]);
    else if ((unsigned char)*text < 0x20 || *text == 0x7f) /* HTML forbids some of these */
      buf_puts(out, "\xef\xbf\xbd");
    else
      buf_putc(out, *text);
  }
}

/* "0.1 ms", "9.25 s", "41.2 s", "2 min 05 s", "3 h 20 min 05 s": to the second; free() it. */
static char *duration(uint64_t microseconds) {
  const uint64_t minute = 60, hour = 3600, whole = (microseconds + 500000) / 1000000;
  if (microseconds < 10000)
    return xasprintf("%.1f ms", (double)microseconds / 1e3);
  if (microseconds < 2 * minute * 1000000)
    return human_seconds((double)microseconds / 1e6);
  if (whole < hour)
    return xasprintf("%llu min %02llu s", (unsigned long long)(whole / minute),
                     (unsigned long long)(whole % minute));
  return xasprintf("%llu h %02llu min %02llu s", (unsigned long long)(whole / hour),
                   (unsigned long long)(whole % hour / minute),
                   (unsigned long long)(whole % minute));
}

/* ---- tables ---- */

/* HEADS: "Kernel|+Calls": + for numbers. */
static void begin_table(struct buf *out, const char *heading, const char *heads) {
  buf_printf(out, "<h2>%s</h2>\n<table>\n<tr>", heading);
  while (*heads) {
    size_t n = strcspn(heads, "|");
    bool number = *heads == '+';
    buf_printf(out, "<th scope=\"col\"%s>%.*s</th>", number ? " class=\"n\"" : "", (int)n - number,
               heads + number);
    heads += n + (heads[n] == '|');
  }
  buf_puts(out, "</tr>\n");
}

static void cell(struct buf *out, const char *class, const char *text) {
  buf_printf(out, "<td class=\"%s\">", class);
  html(out, text);
  buf_puts(out, "</td>");
}

/* 0 is left empty. */
static void cell_number(struct buf *out, const char *class, size_t n) {
  char number[32] = "";
  if (n)
    snprintf(number, sizeof number, "%zu", n);
  cell(out, class, number);
}

static void cell_time(struct buf *out, uint64_t took) {
  autofree char *text = took ? duration(took) : xstrdup("");
  cell(out, "n", text);
}

/* The category's spans, if there are any, as a row of the totals. */
static void put_category(struct buf *out, const struct sums *s, const char *category,
                         const char *what) {
  for (size_t i = 0; i < s->ncategories; i++)
    if (strcmp(s->categories[i].category, category) == 0) {
      autofree char *all = duration(s->categories[i].took),
                    *longest = duration(s->categories[i].longest);
      buf_printf(out, "<tr><td>%s</td><td>%zu</td><td>%s in all, the longest %s</td></tr>\n", what,
                 s->categories[i].n, all, longest);
    }
}

static void put_totals(struct buf *out, const struct trace *t, const struct sums *s) {
  autofree char *all = duration(t->end - t->start), *called = duration(s->called),
                *longest = duration(s->longest_call), *compiled = duration(s->compiled),
                *waits = duration(s->waits);
  begin_table(out, "Totals", "What|Value|");
  buf_printf(out, "<tr><td>In all</td><td>%s</td><td>%zu %s of %zu %s</td></tr>\n", all, t->nspans,
             noun(t->nspans, "span", "spans"), t->nprocesses,
             noun(t->nprocesses, "process", "processes"));
  if (s->calls) {
    size_t missed = s->calls - s->found;
    buf_printf(out, "<tr><td>First calls</td><td>%zu</td><td>%zu %s, %zu %s</td></tr>\n", s->calls,
               s->found, noun(s->found, "hit", "hits"), missed, noun(missed, "miss", "misses"));
    buf_printf(out, "<tr><td>Callers waited</td><td>%s</td><td>the longest call %s</td></tr>\n",
               called, longest);
  }
  if (s->compiles) {
    buf_printf(out, "<tr><td>Compiles</td><td>%zu</td><td>in which a compiler ran</td></tr>\n",
               s->compiles);
    buf_printf(out,
               "<tr><td>Compiling</td><td>%s</td><td>from start to end, all compiles</td></tr>\n",
               compiled);
  }
  if (s->waits)
    buf_printf(out,
               "<tr><td>Waited for others</td><td>%s</td><td>who compiled the same kernel or "
               "headers</td></tr>\n",
               waits);
  put_category(out, s, "record", "Units recorded");
  put_category(out, s, "host compile", "Host compiles");
  put_category(out, s, "link", "Links");
  if (s->failed)
    buf_printf(out, "<tr class=\"bad\"><td>Failed</td><td>%zu</td><td>first calls</td></tr>\n",
               s->failed);
  buf_puts(out, "</table>\n");
}

static void put_kernels(struct buf *out, const struct trace *t, const struct sums *s) {
  size_t n = s->nkernels < MOST_ROWS ? s->nkernels : MOST_ROWS;
  if (!n)
    return;
  autofree char *heading = n < s->nkernels
                               ? xasprintf("The %zu slowest of %zu kernels", n, s->nkernels)
                               : xstrdup("Kernels, the slowest first");
  begin_table(
      out, heading,
      "Kernel|+First calls|+Waited|+Longest call|+Compiles|+Compile|+Processor time|+Failed");
  for (const struct kernel *k = s->kernels; k < s->kernels + n; k++) {
    buf_puts(out, "<tr>");
    cell(out, "", trace_text(t, k->stem));
    cell_number(out, "n", k->calls);
    cell_number(out, "n", k->waited);
    cell_time(out, k->longest_call);
    cell_number(out, "n", k->compiles);
    cell_time(out, k->compiled);
    cell_time(out, k->processor > 0 && k->processor < 1e9 ? (uint64_t)(k->processor * 1e6) : 0);
    cell_number(out, "n bad", k->calls ? k->failed : k->failed_compiles);
    buf_puts(out, "</tr>\n");
  }
  buf_puts(out, "</table>\n");
}

static void put_categories(struct buf *out, const struct sums *s) {
  begin_table(out, "What took the time", "What|+Number|+In all|+Mean|+Longest|+Failed");
  for (const struct sum_of *c = s->categories; c < s->categories + s->ncategories; c++) {
    buf_puts(out, "<tr>");
    cell(out, "", c->category);
    cell_number(out, "n", c->n);
    cell_time(out, c->took);
    cell_time(out, c->took / c->n);
    cell_time(out, c->longest);
    cell_number(out, "n bad", c->failed);
    buf_puts(out, "</tr>\n");
  }
  buf_puts(out, "</table>\n");
}

static int by_time(const void *a, const void *b) {
  const struct span *x = *(const struct span *const *)a, *y = *(const struct span *const *)b;
  return x->took == y->took ? 0 : x->took < y->took ? 1 : -1;
}

static int by_start(const void *a, const void *b) {
  const struct span *x = *(const struct span *const *)a, *y = *(const struct span *const *)b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->took == y->took ? 0 : x->took < y->took ? 1 : -1;
}

/* The longest spans in order of time: those that FAILED, or all. */
static void put_spans(struct buf *out, const struct trace *t, bool failed) {
  autofree const struct span **list = xcalloc(t->nspans, sizeof *list);
  const char *what = failed ? "failed spans" : "spans";
  size_t all = 0;
  for (size_t i = 0; i < t->nspans; i++)
    if (t->spans[i].failed || !failed)
      list[all++] = &t->spans[i];
  size_t n = all < MOST_ROWS ? all : MOST_ROWS;
  autofree char *heading =
      n < all ? xasprintf("The %zu longest of %zu %s, in order of time", n, all, what)
              : xasprintf("All %s, in order of time", what);
  if (n) {
    qsort(list, all, sizeof *list, by_time);
    qsort(list, n, sizeof *list, by_start);
    begin_table(out, heading, "+From|+Took|What|Name|Process|Status");
  }
  for (size_t i = 0; i < n; i++) {
    const struct span *s = list[i];
    const char *name = trace_text(t, t->processes[s->process].name);
    autofree char *process =
        s->pid < CKJIT_TRACE_CALLS ? xasprintf("%s %lld", name, (long long)s->pid) : xstrdup(name);
    buf_printf(out, "<tr><td class=\"n\">%.3f s</td>", (double)(s->start - t->start) / 1e6);
    cell_time(out, s->took);
    cell(out, "", trace_text(t, s->category));
    cell(out, "", trace_text(t, s->name));
    cell(out, "", process);
    cell(out, s->failed ? "bad" : "", trace_text(t, s->status));
    buf_puts(out, "</tr>\n");
  }
  if (n)
    buf_puts(out, "</table>\n");
}

/* ---- the page ---- */

/* "trace.json: COMMAND"; long commands are cut. */
static char *title_of(const struct trace *t, const char *file) {
  enum { MOST = 100 };
  const char *command = trace_text(t, t->command);
  size_t n = strlen(command);
  if (n > MOST)
    for (n = MOST; n && (command[n] & 0xc0) == 0x80;) /* not within a character */
      n--;
  return xasprintf("%s%s%.*s%s", file, n ? ": " : "", (int)n, command, command[n] ? "…" : "");
}

/* The date, in UTC, and the host, if the trace has them. */
static void put_origin(struct buf *out, const struct trace *t) {
  const char *seconds = trace_text(t, t->seconds), *host = trace_text(t, t->host);
  char *end, date[64];
  time_t when = (time_t)strtoll(seconds, &end, 10);
  struct tm tm;
  if (*seconds && !*end && when > 0 && gmtime_r(&when, &tm) &&
      strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &tm))
    buf_printf(out, " · %s", date);
  buf_puts(out, *host ? " · " : "");
  html(out, host);
}

static void put_page(struct buf *out, struct trace *t, const char *file) {
  struct sums s = {0};
  autofree char *title = title_of(t, file);
  sums_make(&s, t);
  buf_puts(out, HEAD);
  buf_puts(out, "<title>");
  html(out, title);
  buf_puts(out, "</title>\n</head>\n<body>\n<h1>");
  html(out, title);
  buf_printf(out, "</h1>\n<p class=\"sub\">%s",
             s.calls ? "First calls, compiles and waits" : "Build steps and compiles");
  put_origin(out, t);
  buf_puts(out, "</p>\n<p>For a timeline, open the trace itself in ui.perfetto.dev or "
                "chrome://tracing.</p>\n");
  if (t->cut)
    buf_puts(out, "<p class=\"note\">The last line of the file is cut off and left out.</p>\n");
  if (t->damaged)
    buf_printf(
        out,
        "<p class=\"note\">Lines of the file that are no events, and were left out: %zu.</p>\n",
        t->damaged);
  put_totals(out, t, &s);
  put_spans(out, t, true);
  put_kernels(out, t, &s);
  put_categories(out, &s);
  put_spans(out, t, false);
  buf_puts(out, "<p>ckjit " CKJIT_VERSION "</p>\n</body>\n</html>\n");
}

/* ---- the command ---- */

static void check_words(const struct request *r) {
  const char *what = r->names.n ? r->names.args[0] : NULL;
  if (!what || strcmp(what, "view") != 0)
    die(EXIT_USAGE, "trace: expected view FILE%s%s%s; see ckjit trace --help",
        what ? ", found '" : "", what ? what : "", what ? "'" : "");
  if (r->names.n < 2 || !*r->names.args[1])
    die(EXIT_USAGE, "trace view: expected FILE, a trace; see ckjit trace --help");
  if (r->names.n > 2)
    die(EXIT_USAGE, "trace view: unexpected argument '%s'; see ckjit trace --help",
        r->names.args[2]);
}

/* FILE.html, without the .json of FILE. */
static char *output_of(const char *file) {
  size_t n = strlen(file);
  if (str_ends(file, ".json"))
    n -= strlen(".json");
  return xasprintf("%.*s.html", (int)n, file);
}

static void check_output(const char *output, const char *input) {
  struct stat a, b;
  if (stat(output, &a))
    return;
  if (S_ISDIR(a.st_mode))
    die(EXIT_FAILED, "--output %s: it is a directory; expected a file, such as trace.html", output);
  if (stat(input, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
    die(EXIT_USAGE, "--output %s: is the trace; expected another file", output);
}

static void write_page(const char *output, const struct buf *page) {
  if (strcmp(output, "-") == 0) {
    if (fwrite(page->data, 1, page->len, stdout) < page->len || fflush(stdout))
      die(EXIT_FAILED, "standard output cannot be written: %s", strerror(errno));
    return;
  }
  if (!file_put(output, page->data, page->len, 0666))
    die(EXIT_FAILED, "--output %s: cannot be written: %s", output, strerror(errno));
  if (!file_is_special(output)) /* otherwise /dev/stdout would contain the name, too */
    puts(output);
}

int prebuild_trace(struct request *r) {
  check_words(r);
  const char *file = r->names.args[1];
  bool is_stdin = strcmp(file, "-") == 0;
  autofree char *own = r->output ? NULL : is_stdin ? xstrdup("-") : output_of(file);
  char *err;
  const char *output = r->output ? r->output : own;
  struct trace t = {0};
  autofree_buf page = {0};
  if (strcmp(output, "-") == 0 && isatty(STDOUT_FILENO))
    die(EXIT_USAGE, "trace view: standard output is a terminal; say --output FILE, or name a pipe");
  if (strcmp(output, "-") != 0)
    check_output(output, file);
  if (!trace_read(&t, file, &err))
    die(EXIT_FAILED, "%s", err);
  put_page(&page, &t, is_stdin ? "trace" : path_base(file));
  write_page(output, &page);
  if (t.damaged)
    warn("%s: lines that are no events, and are left out: %zu", file, t.damaged);
  return EXIT_OK;
}
