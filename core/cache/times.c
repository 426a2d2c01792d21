/* times.c - see times.h.
 *
 * Compiles append to the file in the cache, a journal, when they end. On a network file system a
 * line may be written over another (abi/ck_jit_file.h). The reader skips what is left of that: each
 * line has the length of its stem, so that neither its end nor its start and another line pass for
 * a line. That time is then unknown, which costs nothing but balance.
 *
 * When the file has grown too large, the process that notices writes the newest line of each stem
 * to a new file. A line that is appended to the old file meanwhile is lost. */
#include "times.h"
#include "lock.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "abi/ck_jit_entry.h"
#include "abi/ck_jit_journal.h"

#include <ctype.h>
#include <fcntl.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  CACHED_MOST = 64 << 20, /* bytes that are read of a file in a cache */
  FILE_MAX = 10 << 20,    /* three times the lines of the 11,552 kernels of aiter */
  SECONDS_MAX = 1000000000,
};

/* ---- one line ---- */

static bool to_ms(double seconds, uint64_t *ms) {
  if (!(seconds >= 0 && seconds < SECONDS_MAX))
    return false;
  *ms = (uint64_t)(seconds * 1000 + 0.5);
  return true;
}

enum line { LINE_TIME, LINE_FAILED, LINE_OTHER, LINE_BAD };

/* An object without a stem is another program's header line; one without seconds is a kernel that
 * was not compiled. */
static enum line read_object(const char *line, size_t n, struct times_row *row) {
  json_error_t error;
  json_t *o = json_loadb(line, n, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
  json_t *name = json_object_get(o, "stem"), *seconds = json_object_get(o, "seconds");
  enum line kind = LINE_BAD;
  if (json_is_object(o) && (!name || !seconds || json_is_null(seconds)))
    kind = name && !json_is_string(name) ? LINE_BAD : LINE_OTHER;
  else if (json_is_string(name) && json_is_number(seconds) &&
           to_ms(json_number_value(seconds), &row->ms))
    kind = LINE_TIME;
  if (kind == LINE_TIME)
    row->stem = xstrdup(json_string_value(name));
  json_decref(o);
  return kind;
}

/* The seconds in the N bytes at TEXT: no leading sign, no hexadecimal, no "inf": nothing that other
 * programs would not read as seconds either. */
static bool read_seconds(const char *text, size_t n, uint64_t *ms) {
  autofree char *number = xstrndup(text, n);
  char *end = number;
  bool plain = isdigit((unsigned char)*number) && strspn(number, "0123456789.eE+-") == n;
  return plain && to_ms(strtod(number, &end), ms) && !*end;
}

/* IN_CACHE: five more fields may follow, the length of the stem and those of struct times_compile,
 * and "-" may be in place of the seconds. */
static enum line read_line(const char *line, size_t n, bool in_cache, struct times_row *row) {
  enum { MORE = 5 };
  while (n && isspace((unsigned char)line[n - 1]))
    n--;
  size_t blank = strspn(line, " \t\r");
  if (blank >= n || line[blank] == '#')
    return LINE_OTHER;
  if (line[blank] == '{')
    return read_object(line + blank, n - blank, row);
  struct ckjit_field f[2 + MORE];
  size_t fields = ckjit_journal_cut(line, n, f, 2 + MORE);
  bool more = fields > 2;
  uint64_t stem;
  if (fields < 2 || !f[0].n || (more && (!in_cache || fields != 2 + MORE)) ||
      (more && (!ckjit_field_number(&f[2], &stem) || stem != f[0].n)))
    return LINE_BAD;
  bool failed = more && ckjit_field_none(&f[1]);
  if (failed)
    row->ms = TIMES_FAILED;
  else if (!read_seconds(f[1].text, f[1].n, &row->ms))
    return LINE_BAD;
  row->stem = xstrndup(line, f[0].n);
  row->rest = more ? xstrndup(f[3].text, (size_t)(line + n - f[3].text)) : NULL;
  return failed ? LINE_FAILED : LINE_TIME;
}

bool times_compile(struct times_row *row, struct times_compile *c) {
  char *at = row->rest, *field[4];
  for (size_t i = 0; i < 4; i++)
    if (!(field[i] = strsep(&at, "\t")))
      return false;
  c->build_id = field[2];
  c->compiler = field[3];
  return ckjit_number(field[0], strlen(field[0]), &c->ended) &&
         read_seconds(field[1], strlen(field[1]), &c->took);
}

bool times_line(struct buf *out, const char *stem, uint64_t ms) {
  if (!*stem)
    return false;
  if (!strpbrk(stem, "\t\n\r\f\v") && !strchr(" #{", *stem)) {
    buf_printf(out, "%s\t%llu.%03llu\n", stem, (unsigned long long)ms / 1000,
               (unsigned long long)ms % 1000);
    return true;
  }
  json_t *o = json_pack("{s:s, s:f}", "stem", stem, "seconds", (double)ms / 1000);
  /* NULL for text that is not UTF-8 */
  char *text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
  json_decref(o);
  if (text)
    buf_printf(out, "%s\n", text);
  free(text);
  return text != NULL;
}

/* ---- a table of them ---- */

static void row_free(struct times_row *row) {
  free(row->stem);
  free(row->rest);
}

static int by_stem_alone(const void *a, const void *b) {
  return strcmp(((const struct times_row *)a)->stem, ((const struct times_row *)b)->stem);
}

static int by_stem(const void *a, const void *b) {
  const struct times_row *x = a, *y = b;
  int order = by_stem_alone(a, b);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Sort by stem and drop duplicates. */
static void settle(struct times *t, enum times_rule rule) {
  size_t kept = 0;
  if (t->n)
    qsort(t->rows, t->n, sizeof *t->rows, by_stem);
  for (size_t i = 0; i < t->n; i++) {
    struct times_row *last = kept ? &t->rows[kept - 1] : NULL;
    if (!last || strcmp(last->stem, t->rows[i].stem) != 0) {
      t->rows[kept++] = t->rows[i];
      continue;
    }
    bool other = rule == TIMES_LAST || t->rows[i].ms > last->ms;
    row_free(other ? last : &t->rows[i]);
    if (other)
      *last = t->rows[i];
  }
  t->n = kept;
}

bool times_read(struct times *t, const char *file, enum times_rule rule, char **err) {
  size_t len, number = 0;
  bool in_cache = rule != TIMES_LARGEST;
  autofree char *text =
      in_cache ? file_read_cached(file, CACHED_MOST, &len) : file_read_any(file, &len);
  *err = NULL;
  if (!text)
    *err = xasprintf("%s: cannot read it: %s", file, strerror(errno));
  for (const char *line = text, *end = text ? text + len : NULL; line < end && !*err;) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    size_t n = (size_t)((newline ? newline : end) - line);
    struct times_row row = {.line = ++number};
    bool half = in_cache && !newline;
    enum line kind = half || memchr(line, 0, n) ? LINE_BAD : read_line(line, n, in_cache, &row);
    if (kind == LINE_TIME || (kind == LINE_FAILED && rule == TIMES_EACH))
      vec_push(t->rows, t->n, row);
    else
      row_free(&row);
    if (kind == LINE_BAD && rule == TIMES_LARGEST)
      *err = xasprintf("%s:%zu: expected STEM<TAB>SECONDS or a JSON object with \"stem\" and "
                       "\"seconds\", found '%.*s'",
                       file, number, (int)(n < 80 ? n : 80), line);
    line += n + 1;
  }
  if (rule != TIMES_EACH)
    settle(t, rule);
  return !*err;
}

bool times_find(const struct times *t, const char *stem, uint64_t *ms) {
  const struct times_row wanted = {.stem = (char *)stem};
  const struct times_row *row =
      t->n ? bsearch(&wanted, t->rows, t->n, sizeof wanted, by_stem_alone) : NULL;
  if (row)
    *ms = row->ms;
  return row;
}

void times_say(struct buf *out, bool known, uint64_t ms) {
  if (known)
    buf_printf(out, "%.1f CPU-seconds last time", (double)ms / 1e3);
  else
    buf_puts(out, "not compiled here before");
}

void times_free(struct times *t) {
  for (size_t i = 0; i < t->n; i++)
    row_free(&t->rows[i]);
  free(t->rows);
  *t = (struct times){0};
}

/* ---- in a cache ---- */

/* Append the length of STEM and REST, which may be NULL, to the line at the end of OUT. */
static void put_rest(struct buf *out, const char *stem, const char *rest) {
  if (!rest)
    return;
  out->len--;
  buf_printf(out, "\t%zu\t%s\n", strlen(stem), rest);
}

/* Keep the newest line of each stem. If that is still too much, keep nothing: then most of it is
 * from libraries that no longer exist. */
static void shorten(const char *file, const char *lock) {
  int fd;
  if (lock_try_new(&fd, lock) == LOCK_OURS) { /* else another process does it */
    struct times t = {0};
    autofree_buf text = {0};
    autofree char *err = NULL;
    times_read(&t, file, TIMES_LAST, &err);
    buf_add(&text, "", 0);
    for (size_t i = 0; i < t.n; i++)
      if (times_line(&text, t.rows[i].stem, t.rows[i].ms))
        put_rest(&text, t.rows[i].stem, t.rows[i].rest);
    file_write(file, text.data, text.len > FILE_MAX / 2 ? 0 : text.len, 0600);
    times_free(&t);
  }
  lock_release(fd, lock);
}

/* It searches from the end, where the newest lines are. The first bytes of most lines of other
 * stems differ. */
bool times_last(const char *dir, const char *stem, uint64_t *ms) {
  size_t len = 0, n = strlen(stem);
  autofree char *file = path_join(dir, TIMES_FILE),
                *text = file_read_cached(file, CACHED_MOST, &len);
  bool known = false;
  while (text && len && text[len - 1] != '\n')
    len--; /* half a line */
  for (const char *end = text + len; text && end > text && !known;) {
    const char *newline = memrchr(text, '\n', (size_t)(end - text));
    const char *line = newline ? newline + 1 : text;
    size_t size = (size_t)(end - line);
    bool maybe = size && (*line == '{' || (size > n && memcmp(line, stem, n) == 0));
    struct times_row row = {0};
    if (maybe && !memchr(line, 0, size) && read_line(line, size, true, &row) == LINE_TIME)
      known = strcmp(row.stem, stem) == 0;
    if (known)
      *ms = row.ms;
    row_free(&row);
    end = newline ? newline : text;
  }
  return known;
}

/* The fields of C; a JSON object has none. */
static void put_compile(struct buf *line, const char *stem, const struct times_compile *c) {
  autofree char *rest = NULL;
  if (line->data[0] != '{' && !strpbrk(c->compiler, "\t\n"))
    rest = xasprintf("%llu\t%llu.%03llu\t%s\t%s", (unsigned long long)c->ended,
                     (unsigned long long)c->took / 1000, (unsigned long long)c->took % 1000,
                     c->build_id, c->compiler);
  put_rest(line, stem, rest);
}

/* The line of a compile that failed, if it can have the fields; false: none is written. */
static bool put_failed(struct buf *line, const char *stem, const struct times_compile *c) {
  if (!times_line(line, stem, 0) || line->data[0] == '{')
    return false;
  line->len = strlen(stem);
  buf_puts(line, "\t-\n");
  put_compile(line, stem, c);
  return true;
}

void times_record(const char *dir, const char *stem, double seconds,
                  const struct times_compile *compile) {
  autofree_buf line = {0};
  uint64_t ms;
  if (seconds < 0 ? !put_failed(&line, stem, compile)
                  : !to_ms(seconds, &ms) || !times_line(&line, stem, ms)) {
    return;
  }
  if (seconds >= 0)
    put_compile(&line, stem, compile);
  autofree char *file = path_join(dir, TIMES_FILE), *lock = path_join(dir, CKJIT_LOCKS "/times");
  uint64_t size = 0;
  bool large = !ckjit_journal_append(file, CACHED_MOST, line.data, line.len, &size) &&
               size - line.len > FILE_MAX;
  if (large)
    shorten(file, lock);
}
