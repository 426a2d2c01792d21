/* watch.c - the progress of the builds of `full`; see watch.h. */
#include "watch.h"
#include "core/base/env.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/base/pool.h"
#include "core/base/statusline.h"

#include <sys/stat.h>

/* ---- the wrapper's records ---- */

/* LINE is {"ckjit":1,"kind":"blob",… "cwd":"/…",…}; the members that are needed come before the
 * arguments. */
static void read_record(struct watch *w, const char *line, size_t len) {
  enum { HEAD = 4096 };
  autofree char *head = xstrndup(line, len < HEAD ? len : HEAD);
  char *kind = strstr(head, "\"kind\":\""), *cwd = strstr(head, "\"cwd\":\"");
  kind = kind ? kind + strlen("\"kind\":\"") : head;
  bool compiles = str_starts(kind, "host\""), links = str_starts(kind, "link\"");
  bool recorded = str_starts(kind, "blob\"") || str_starts(kind, "dispatcher\"") ||
                  str_starts(kind, "fragment\"");
  w->recorded += recorded;
  w->compiled += compiles;
  for (int i = 0; i < APIS && cwd; i++) {
    struct watched *b = &w->of[i];
    size_t n = b->cwd ? strlen(b->cwd) : 0;
    const char *in = cwd + strlen("\"cwd\":\"");
    if (!n || strncmp(in, b->cwd, n) != 0 || (in[n] != '/' && in[n] != '"'))
      continue;
    b->links |= links;
    if (!b->first && (recorded || compiles))
      b->first = ckjit_microseconds();
  }
}

static void read_records(struct watch *w) {
  struct stat st;
  FILE *in = fopen(w->records, "re");
  if (!in)
    return;
  if (fstat(fileno(in), &st) == 0 && st.st_size < w->at) { /* a new file */
    w->at = 0;
    w->rest.len = 0;
  }
  enum { CHUNK = 1 << 16 };
  size_t n = 0;
  if (fseek(in, w->at, SEEK_SET) == 0)
    while ((n = fread(buf_room(&w->rest, CHUNK), 1, CHUNK, in)) > 0) {
      w->rest.len += n;
      w->at += (long)n;
    }
  fclose(in);
  char *from = w->rest.data, *end = from ? from + w->rest.len : NULL, *nl;
  while (from && from < end && (nl = memchr(from, '\n', (size_t)(end - from)))) {
    read_record(w, from, (size_t)(nl - from));
    from = nl + 1;
  }
  if (from) {
    w->rest.len = (size_t)(end - from);
    memmove(w->rest.data, from, w->rest.len);
  }
}

/* ---- ninja's output ---- */

static void read_line(struct watched *b) {
  size_t done, total;
  char end;
  b->head[b->nhead] = '\0';
  if (sscanf(b->head, "[%zu/%zu%c", &done, &total, &end) != 3 || end != ']' || !total ||
      done > total)
    return;
  b->done = done;
  b->total = total;
  if (!b->first)
    b->first = ckjit_microseconds();
}

void watch_output(struct watch *w, int api, const char *bytes, size_t n) {
  struct watched *b = &w->of[api];
  for (size_t i = 0; i < n; i++) {
    if (bytes[i] == '\n' || bytes[i] == '\r') {
      read_line(b);
      b->nhead = 0;
    } else if (b->nhead < sizeof b->head - 1) {
      b->head[b->nhead++] = bytes[i];
    }
  }
}

/* ---- the line ---- */

/* Seconds until the last of them links, if each continues at its speed; negative if one has not
 * reported its total, or links. */
static double seconds_left(const struct watch *w) {
  double left = -1;
  for (int i = 0; i < APIS; i++) {
    const struct watched *b = &w->of[i];
    if (!b->builds)
      continue;
    if (!b->total || b->done < 2 || b->links)
      return -1;
    double took = (double)(ckjit_microseconds() - b->first) / 1e6,
           mine = took / (double)b->done * (double)(b->total - b->done);
    left = mine > left ? mine : left;
  }
  return left;
}

static void add_state(struct buf *text, const struct watched *b, const char *api) {
  buf_printf(text, "%s%s ", text->len ? ", " : "", api);
  if (b->links)
    buf_puts(text, "links");
  else if (b->total)
    buf_printf(text, "%zu/%zu", b->done, b->total);
  else
    buf_puts(text, b->first ? "compiles" : "generates");
}

static void draw(const struct watch *w) {
  autofree_buf text = {0};
  for (int i = 0; i < APIS; i++)
    if (w->of[i].builds)
      add_state(&text, &w->of[i], api_names[i]);
  double left = seconds_left(w);
  if (!text.len)
    return;
  if (w->recorded || w->compiled)
    buf_printf(&text, ", %zu recorded, %zu %s", w->recorded, w->compiled,
               noun(w->compiled, "host compile", "host compiles"));
  if (left >= 0.5) {
    char time[32];
    status_line_time(time, left);
    buf_printf(&text, ", %s left", time);
  }
  status_line_draw(text.data);
}

void watch_tick(struct watch *w) {
  read_records(w);
  if (w->draws)
    draw(w);
}

void watch_start(struct watch *w, const struct full *f) {
  struct stat st;
  *w = (struct watch){.records = xasprintf("%s/manifest.json.ndjson", f->tmp)};
  w->at = stat(w->records, &st) == 0 ? (long)st.st_size : 0;
  w->draws = !f->verbose && !env_flag("CK_JIT_QUIET") && status_line_wanted();
  for (int i = 0; i < APIS; i++)
    if (f->api[i])
      w->of[i] = (struct watched){.builds = true, .cwd = shadow_of(f, i)};
  if (w->draws) {
    status_line_start();
    pool_before_signal = status_line_clear;
    draw(w);
  }
}

void watch_ended(struct watch *w, int api) {
  w->of[api].builds = false;
  status_line_clear();
}

void watch_end(void) {
  status_line_clear();
  pool_before_signal = NULL;
}
