/* page.c - a trace as one HTML page: page.html, with page.css, page.js and what the trace has in their places.
 *
 * Every text of the trace is somebody else's: names of kernels, files and processes. In HTML it is escaped (html()), in the
 * JSON of the script (json()) no byte is left that could end the script. What is not in the table here is not in the page.
 * The tables are there without a script; the timeline is drawn by page.js from the JSON. */
#include "page.h"
#include "sums.h"
#include "abi/ck_jit_trace.h"
#include "core/base/human.h"
#include "core/base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__asm__(".pushsection .rodata\n"
        "trace_page_html: .incbin \"prebuild/trace/page.html\"\n"
        ".byte 0\n"
        "trace_page_css: .incbin \"prebuild/trace/page.css\"\n"
        ".byte 0\n"
        "trace_page_js: .incbin \"prebuild/trace/page.js\"\n"
        ".byte 0\n"
        ".globl trace_page_html, trace_page_css, trace_page_js\n"
        ".hidden trace_page_html, trace_page_css, trace_page_js\n"
        ".popsection\n");
extern const char trace_page_html[], trace_page_css[], trace_page_js[];

enum {
  MOST_BARS = 50000,  /* what a browser draws without a wait */
  MOST_KERNELS = 500, /* rows of a table */
  MOST_SPANS = 500,
};

struct page {
  const struct trace *t;
  const char *title;
  struct sums sums;
  uint64_t least; /* shorter spans are left out of the timeline */
  size_t bars;
};

/* ---- texts ---- */

static void html(struct buf *out, const char *text) {
  for (; *text; text++) {
    switch (*text) {
    case '&':
      buf_puts(out, "&amp;");
      break;
    case '<':
      buf_puts(out, "&lt;");
      break;
    case '>':
      buf_puts(out, "&gt;");
      break;
    case '"':
      buf_puts(out, "&quot;");
      break;
    case '\'':
      buf_puts(out, "&#39;");
      break;
    default:
      if ((unsigned char)*text < 0x20 || *text == 0x7f) /* no character of HTML */
        buf_puts(out, "\xef\xbf\xbd");
      else
        buf_putc(out, *text);
    }
  }
}

/* TEXT as a JSON string within a <script>: nothing of it ends the element or, as JavaScript once had it, a line. */
static void json(struct buf *out, const char *text) {
  buf_putc(out, '"');
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c < 0x20 || c == 0x7f || strchr("\"\\<>&'", c)) {
      buf_printf(out, "\\u%04x", c);
    } else if (c == 0xe2 && (unsigned char)text[1] == 0x80 && ((unsigned char)text[2] | 1) == 0xa9) {
      buf_puts(out, (unsigned char)text[2] == 0xa8 ? "\\u2028" : "\\u2029");
      text += 2;
    } else {
      buf_putc(out, (char)c);
    }
  }
  buf_putc(out, '"');
}

/* "0.1 ms", "9.25 s", "41.2 s", "2 min 05 s", "3 h 20 min 05 s": to the second, as page.js has it */
static void seconds(struct buf *out, uint64_t microseconds) {
  const uint64_t minute = 60, hour = 3600, whole = (microseconds + 500000) / 1000000;
  if (microseconds < 10000) {
    buf_printf(out, "%.1f ms", (double)microseconds / 1e3);
  } else if (microseconds < 2 * minute * 1000000) {
    char *text = human_seconds((double)microseconds / 1e6);
    buf_puts(out, text);
    free(text);
  } else if (whole < hour) {
    buf_printf(out, "%llu min %02llu s", (unsigned long long)(whole / minute),
               (unsigned long long)(whole % minute));
  } else {
    buf_printf(out, "%llu h %02llu min %02llu s", (unsigned long long)(whole / hour),
               (unsigned long long)(whole % hour / minute), (unsigned long long)(whole % minute));
  }
}

/* ---- totals ---- */

static void card(struct buf *out, bool bad, const char *what, const char *value, char *more) {
  buf_printf(out, "<div class=\"card%s\"><span>%s</span><b>%s</b><small>%s</small></div>\n",
             bad ? " bad" : "", what, value, more);
  free(more);
}

static void card_time(struct buf *out, const char *what, uint64_t took, char *more) {
  struct buf value = {0};
  seconds(&value, took);
  card(out, false, what, value.data, more);
  buf_free(&value);
}

/* of a build */
static void put_category_card(struct buf *out, const struct page *p, const char *category, const char *what) {
  for (size_t i = 0; i < p->sums.ncategories; i++) {
    const struct sum_of *c = &p->sums.categories[i];
    struct buf more = {0};
    char number[32];
    if (strcmp(c->category, category) != 0)
      continue;
    seconds(&more, c->took);
    buf_printf(&more, " in all, the longest ");
    seconds(&more, c->longest);
    snprintf(number, sizeof number, "%zu", c->n);
    card(out, false, what, number, more.data);
  }
}

static void put_cards(struct buf *out, const struct page *p) {
  const struct sums *s = &p->sums;
  struct buf longest = {0};
  char number[32];
  card_time(out, "In all", p->t->end - p->t->start,
            xasprintf("%zu %s of %zu %s", p->t->nspans, noun(p->t->nspans, "span", "spans"), p->t->nprocesses,
                      noun(p->t->nprocesses, "process", "processes")));
  if (s->calls) {
    seconds(&longest, s->longest_call);
    size_t missed = s->calls - s->found;
    snprintf(number, sizeof number, "%zu", s->calls);
    card(out, false, "First calls", number,
         xasprintf("%zu %s, %zu %s", s->found, noun(s->found, "hit", "hits"), missed,
                   noun(missed, "miss", "misses")));
    card_time(out, "Callers waited", s->called, xasprintf("the longest call %s", longest.data));
    buf_free(&longest);
  }
  if (s->compiles) {
    snprintf(number, sizeof number, "%zu", s->compiles);
    card(out, false, "Compiles", number, xstrdup("in which a compiler ran"));
    card_time(out, "Compiling", s->compiled, xstrdup("from start to end, all compiles"));
  }
  if (s->waits)
    card_time(out, "Waited for others", s->waits, xstrdup("who compiled the same kernel or headers"));
  put_category_card(out, p, "record", "Units recorded");
  put_category_card(out, p, "host compile", "Host compiles");
  put_category_card(out, p, "link", "Links");
  if (s->failed) {
    snprintf(number, sizeof number, "%zu", s->failed);
    card(out, true, "Failed", number, xstrdup("first calls"));
  }
}

static void put_notes(struct buf *out, const struct page *p) {
  if (p->t->cut)
    buf_puts(out, "<p class=\"note\">The last line of the file is cut off and left out.</p>\n");
  if (p->t->damaged)
    buf_printf(out, "<p class=\"note\">Lines of the file that are no events, and were left out: %zu.</p>\n",
               p->t->damaged);
  if (p->bars < p->t->nspans) {
    buf_printf(out, "<p class=\"note\">The timeline has the %zu longest of %zu spans, those from ", p->bars,
               p->t->nspans);
    seconds(out, p->least);
    buf_puts(out, " on; the totals have all.</p>\n");
  }
}

/* ---- tables ---- */

static void cell_time(struct buf *out, uint64_t took) {
  buf_puts(out, "<td class=\"n\">");
  if (took)
    seconds(out, took);
  buf_puts(out, "</td>");
}

static void cell_number(struct buf *out, size_t n, const char *class) {
  buf_printf(out, "<td class=\"n%s\">", n ? class : "");
  if (n)
    buf_printf(out, "%zu", n);
  buf_puts(out, "</td>");
}

static void begin_table(struct buf *out, const char *heading, const char *heads) {
  buf_printf(
      out,
      "<section class=\"table\"><h2>%s</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table>\n<thead><tr>",
      heading, heading);
  while (*heads) { /* "kernel|+calls": + for numbers */
    size_t n = strcspn(heads, "|");
    bool number = *heads == '+';
    buf_printf(out, "<th scope=\"col\"%s>%.*s</th>", number ? " class=\"n\"" : "", (int)n - number,
               heads + number);
    heads += n + (heads[n] == '|');
  }
  buf_puts(out, "</tr></thead>\n<tbody>\n");
}

static void end_table(struct buf *out) {
  buf_puts(out, "</tbody></table></div></section>\n");
}

static void put_kernels(struct buf *out, const struct page *p) {
  const struct sums *s = &p->sums;
  size_t n = s->nkernels < MOST_KERNELS ? s->nkernels : MOST_KERNELS;
  if (!n)
    return;
  char *heading = n < s->nkernels ? xasprintf("The %zu slowest of %zu kernels", n, s->nkernels)
                                  : xstrdup("Kernels, the slowest first");
  begin_table(out, heading,
              "Kernel|+First calls|+Waited|+Longest call|+Compiles|+Compile|+Processor time|+Failed");
  for (size_t i = 0; i < n; i++) {
    const struct kernel *k = &s->kernels[i];
    buf_puts(out, "<tr><td><code>");
    html(out, trace_text(p->t, k->stem));
    buf_puts(out, "</code></td>");
    cell_number(out, k->calls, "");
    cell_number(out, k->waited, "");
    cell_time(out, k->longest_call);
    cell_number(out, k->compiles, "");
    cell_time(out, k->compiled);
    cell_time(out, k->processor > 0 && k->processor < 1e9 ? (uint64_t)(k->processor * 1e6) : 0);
    cell_number(out, k->calls ? k->failed : k->failed_compiles, " bad");
    buf_puts(out, "</tr>\n");
  }
  end_table(out);
  free(heading);
}

static void put_categories(struct buf *out, const struct page *p) {
  begin_table(out, "What took the time", "What|+Number|+In all|+Mean|+Longest|+Failed");
  for (size_t i = 0; i < p->sums.ncategories; i++) {
    const struct sum_of *c = &p->sums.categories[i];
    buf_puts(out, "<tr><td>");
    html(out, c->category);
    buf_puts(out, "</td>");
    cell_number(out, c->n, "");
    cell_time(out, c->took);
    cell_time(out, c->took / c->n);
    cell_time(out, c->longest);
    cell_number(out, c->failed, " bad");
    buf_puts(out, "</tr>\n");
  }
  end_table(out);
}

static int by_time(const void *a, const void *b) {
  const struct span *x = *(const struct span *const *)a, *y = *(const struct span *const *)b;
  return x->took == y->took ? 0 : x->took < y->took ? 1 : -1;
}

static int by_start(const void *a, const void *b) {
  const struct span *x = *(const struct span *const *)a, *y = *(const struct span *const *)b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return x->lane == y->lane ? 0 : x->lane < y->lane ? -1 : 1;
}

/* All spans, the longest first; free() it. */
static const struct span **longest_first(const struct trace *t) {
  const struct span **list = xcalloc(t->nspans, sizeof *list);
  for (size_t i = 0; i < t->nspans; i++)
    list[i] = &t->spans[i];
  qsort(list, t->nspans, sizeof *list, by_time);
  return list;
}

static void put_process(struct buf *out, const struct trace *t, const struct span *s) {
  const struct track *track = &t->tracks[s->track];
  html(out, trace_text(t, t->processes[track->process].name));
  if (track->pid < CKJIT_TRACE_CALLS)
    buf_printf(out, " %lld", (long long)track->pid);
}

static void put_spans(struct buf *out, const struct page *p, const struct span **list) {
  size_t n = p->t->nspans < MOST_SPANS ? p->t->nspans : MOST_SPANS;
  char *heading = n < p->t->nspans
                      ? xasprintf("The %zu longest of %zu spans, in order of time", n, p->t->nspans)
                      : xstrdup("All spans, in order of time");
  qsort(list, n, sizeof *list, by_start);
  begin_table(out, heading, "+From|+Took|What|Name|Process|Status");
  for (size_t i = 0; i < n; i++) {
    const struct span *s = list[i];
    const char *status = span_arg(p->t, s, "status");
    buf_printf(out, "<tr><td class=\"n\">%.3f s</td>", (double)(s->start - p->t->start) / 1e6);
    cell_time(out, s->took);
    buf_puts(out, "<td>");
    html(out, trace_text(p->t, s->category));
    buf_puts(out, "</td><td><code>");
    html(out, trace_text(p->t, s->name));
    buf_puts(out, "</code></td><td>");
    put_process(out, p->t, s);
    buf_printf(out, "</td><td%s>", s->failed ? " class=\"bad\"" : "");
    html(out, status ? status : "");
    buf_puts(out, "</td></tr>\n");
  }
  end_table(out);
  free(heading);
}

static void put_tables(struct buf *out, const struct page *p) {
  const struct span **list = longest_first(p->t);
  put_kernels(out, p);
  put_categories(out, p);
  put_spans(out, p, list);
  free(list);
}

/* ---- what page.js draws ---- */

static void put_data(struct buf *out, const struct page *p) {
  const struct trace *t = p->t;
  struct intern texts = {0}; /* those that are used */
  buf_printf(out, "{\"length\":%llu,\"spans\":[", (unsigned long long)(t->end - t->start));
  bool any = false;
  for (size_t i = 0; i < t->nspans; i++) {
    const struct span *s = &t->spans[i];
    if (s->took < p->least)
      continue;
    buf_printf(out, "%s[%u,%llu,%llu,%zu,%zu,%d", any ? ",\n" : "\n", s->lane,
               (unsigned long long)(s->start - t->start), (unsigned long long)s->took,
               intern(&texts, trace_text(t, s->category)), intern(&texts, trace_text(t, s->name)), s->failed);
    for (uint32_t k = 0; k < 2 * s->nargs; k++)
      buf_printf(out, ",%zu", intern(&texts, trace_text(t, t->args[s->args + k])));
    buf_putc(out, ']');
    any = true;
  }
  buf_puts(out, "],\n\"rows\":[");
  for (size_t i = 0; i < t->nrows; i++) {
    const struct row *r = &t->rows[i];
    const char *name = trace_text(t, r->name);
    const char *called = *name ? name : "process";
    char *label = r->processes > 1             ? xasprintf("%s × %u", called, r->processes)
                  : r->pid < CKJIT_TRACE_CALLS ? xasprintf("%s %lld", called, (long long)r->pid)
                                               : xstrdup(called);
    buf_printf(out, "%s[%zu,%u,%u]", i ? "," : "", intern(&texts, label), r->lane, r->lanes);
    free(label);
  }
  buf_puts(out, "],\n\"texts\":[");
  for (size_t i = 0; i < texts.texts.n; i++) {
    buf_puts(out, i ? ",\n" : "\n");
    json(out, texts.texts.args[i]);
  }
  buf_puts(out, "]}");
  intern_free(&texts);
}

/* ---- the page ---- */

/* "trace.json: COMMAND"; long commands are cut */
static void put_title(struct buf *out, const struct page *p) {
  enum { MOST = 100 };
  const char *command = trace_text(p->t, p->t->command);
  size_t n = strlen(command);
  html(out, p->title);
  if (!n)
    return;
  if (n > MOST)
    for (n = MOST; n && (command[n] & 0xc0) == 0x80;) /* not within a character */
      n--;
  char *text = xasprintf(": %.*s%s", (int)n, command, command[n] ? "…" : "");
  html(out, text);
  free(text);
}

/* SECONDS of the epoch, by UTC; nothing if they are none */
static void put_date(struct buf *out, const char *seconds) {
  char *end, date[64];
  time_t when = (time_t)strtoll(seconds, &end, 10);
  struct tm tm;
  if (*seconds && !*end && when > 0 && gmtime_r(&when, &tm) &&
      strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &tm))
    buf_printf(out, " · %s", date);
}

static void put_subtitle(struct buf *out, const struct page *p) {
  const char *host = trace_text(p->t, p->t->host);
  buf_puts(out, p->sums.calls ? "First calls, compiles and waits" : "Build steps and compiles");
  put_date(out, trace_text(p->t, p->t->seconds));
  if (*host) {
    buf_puts(out, " · ");
    html(out, host);
  }
}

static void put_generator(struct buf *out, const struct page *p) {
  (void)p;
  buf_puts(out, "ckjit " CKJIT_VERSION);
}

static void put_style(struct buf *out, const struct page *p) {
  (void)p;
  buf_puts(out, trace_page_css);
}

static void put_script(struct buf *out, const struct page *p) {
  (void)p;
  buf_puts(out, trace_page_js);
}

static void put_number(struct buf *out, const struct page *p) {
  buf_printf(out, "%zu", p->bars);
}

static const struct place {
  const char *name;
  void (*put)(struct buf *out, const struct page *p);
} places[] = {
    {"title", put_title}, {"subtitle", put_subtitle}, {"generator", put_generator}, {"style", put_style},
    {"cards", put_cards}, {"notes", put_notes},       {"spans", put_number},        {"tables", put_tables},
    {"data", put_data},   {"script", put_script},
};

/* The place whose name, with @ on both sides, begins at TEXT; NULL if there is none. */
static const struct place *place_at(const char *text) {
  size_t n = strcspn(text + 1, "@ \n");
  for (size_t i = 0; text[n + 1] == '@' && i < sizeof places / sizeof *places; i++)
    if (strlen(places[i].name) == n && memcmp(places[i].name, text + 1, n) == 0)
      return &places[i];
  return NULL;
}

/* How short a span may be to be among the MOST_BARS longest. */
static void choose_bars(struct page *p) {
  const struct trace *t = p->t;
  if (t->nspans > MOST_BARS) {
    const struct span **list = longest_first(t);
    p->least = list[MOST_BARS]->took + 1; /* of equal ones all or none */
    free(list);
  }
  for (size_t i = 0; i < t->nspans; i++)
    p->bars += t->spans[i].took >= p->least;
}

void page_write(struct buf *out, const struct trace *t, const char *title) {
  struct page p = {.t = t, .title = title};
  sums_make(&p.sums, t);
  choose_bars(&p);
  for (const char *at = trace_page_html; *at;) {
    size_t n = strcspn(at, "@");
    buf_add(out, at, n);
    at += n;
    const struct place *place = *at ? place_at(at) : NULL;
    if (place) {
      place->put(out, &p);
      at += strlen(place->name) + 2;
    } else if (*at) {
      buf_putc(out, *at++);
    }
  }
  sums_release(&p.sums);
}
