/* stats.c - see stats.h.
 *
 * When the file is large, the process that notices sums it up: a line for each kernel, without
 * days, and a line for each day, without kernels. So the size of the file depends on the number of
 * kernels and days only, and no answer of `ckjit stats` changes. Lines that are appended to the old
 * file meanwhile are copied after the rename; one that arrives in the few microseconds after that
 * is lost.
 */
#include "stats.h"
#include "lock.h"
#include "core/base/memofile.h"
#include "times.h"
#include "core/base/env.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "abi/ck_jit_cachedir.h"

#include <inttypes.h>
#include <time.h>

enum {
  FIELDS = 7,
  FILE_MOST = 4 * CKJIT_STATS_FULL, /* maximal bytes of a file of ckjit's */
};
static const uint64_t NUMBER_MOST = 1000000000000;
static const char *const names[] = CKJIT_STATS_NAMES;

/* ---- lines ---- */

struct line {
  bool has_day;
  uint32_t day;
  const char *library, *stem;
  enum ckjit_stat what;
  uint64_t n, ms;
};

static bool number(const char *text, uint64_t most, uint64_t *value) {
  return ckjit_number(text, strlen(text), value) && *value <= most;
}

/* Read the next line at *AT before END, which becomes L's texts. */
static bool parse(struct line *l, const char **at, const char *end) {
  struct ckjit_field f[FIELDS];
  char *fields[FIELDS];
  uint64_t format, day = 0;
  if (ckjit_journal_next(at, end, f, FIELDS) != FIELDS)
    return false;
  for (size_t i = 0; i < FIELDS; i++) {
    fields[i] = (char *)f[i].text;
    fields[i][f[i].n] = 0;
  }
  *l = (struct line){.has_day = *fields[1], .library = fields[2], .stem = fields[3]};
  while (l->what < CKJIT_STATS_KINDS && strcmp(names[l->what], fields[4]) != 0)
    l->what++;
  bool good = number(fields[0], CKJIT_STATS_FORMAT, &format) && format == CKJIT_STATS_FORMAT &&
              (!l->has_day || number(fields[1], UINT32_MAX, &day)) && (l->has_day || *l->stem) &&
              l->what < CKJIT_STATS_KINDS && number(fields[5], NUMBER_MOST, &l->n) &&
              number(fields[6], NUMBER_MOST, &l->ms);
  l->day = (uint32_t)day;
  return good;
}

static bool is_plain(const char *text) {
  return !strpbrk(text, "\t\n");
}

static void put_line(struct buf *out, const struct stats_row *row, enum ckjit_stat what) {
  buf_printf(out, "%d\t", CKJIT_STATS_FORMAT);
  if (!*row->stem || row->day)
    buf_printf(out, "%u", row->day);
  buf_printf(out, "\t%s\t%s\t%s\t%llu\t%llu\n", row->library, row->stem, names[what],
             (unsigned long long)row->sum.n[what], (unsigned long long)row->sum.ms[what]);
}

/* ---- sums ---- */

void stats_add(struct stats_sum *a, const struct stats_sum *b) {
  for (size_t i = 0; i < CKJIT_STATS_KINDS; i++) {
    a->n[i] += b->n[i];
    a->ms[i] += b->ms[i];
  }
}

static int by_pair(const void *a, const void *b) {
  const struct stats_row *x = a, *y = b;
  int order = x->day != y->day ? (x->day > y->day) - (x->day < y->day) : strcmp(x->stem, y->stem);
  return order ? order : strcmp(x->library, y->library);
}

/* Sort ROWS and merge rows of the same pair. */
static void settle(struct stats_rows *rows) {
  size_t kept = 0;
  if (rows->n)
    qsort(rows->list, rows->n, sizeof *rows->list, by_pair);
  for (size_t i = 0; i < rows->n; i++)
    if (kept && by_pair(&rows->list[kept - 1], &rows->list[i]) == 0)
      stats_add(&rows->list[kept - 1].sum, &rows->list[i].sum);
    else
      rows->list[kept++] = rows->list[i];
  rows->n = kept;
}

static int by_stem(const void *a, const void *b) {
  const struct line *x = a, *y = b;
  int order = strcmp(x->stem, y->stem);
  return order ? order : strcmp(y->library, x->library); /* a known one first */
}

/* Attribute a compile with no caller to the library whose calls use the same kernel. */
static void name_libraries(struct line *lines, size_t n) {
  const char *library = "";
  if (n)
    qsort(lines, n, sizeof *lines, by_stem);
  for (size_t i = 0; i < n; i++) {
    if (!i || strcmp(lines[i].stem, lines[i - 1].stem) != 0 || *lines[i].library)
      library = lines[i].library;
    if (*lines[i].stem)
      lines[i].library = library;
  }
}

static void add_line(struct stats *s, const struct line *l, const struct times *times) {
  struct stats_row row = {.library = l->library, .stem = l->stem};
  uint64_t ms;
  row.sum.n[l->what] = l->n;
  row.sum.ms[l->what] = l->ms;
  /* A line without a day or without a kernel is a sum, and another line has the time that it
   * saved. */
  if (l->what == CKJIT_STAT_HIT && l->has_day && *l->stem && times_find(times, l->stem, &ms)) {
    row.sum.n[CKJIT_STAT_SAVED] = l->n;
    row.sum.ms[CKJIT_STAT_SAVED] = l->n * ms;
  }
  if (*l->stem)
    vec_push(s->kernels.list, s->kernels.n, row);
  row.day = l->day;
  row.stem = "";
  if (l->has_day)
    vec_push(s->days.list, s->days.n, row);
}

/* Sum up S->text, LEN bytes. */
static void sum_up(struct stats *s, size_t len, const struct times *times) {
  autofree struct line *lines = NULL;
  struct line l;
  size_t n = 0;
  for (const char *at = s->text, *end = at + len; at < end;)
    if (parse(&l, &at, end))
      vec_push(lines, n, l);
    else
      s->bad++;
  name_libraries(lines, n);
  for (size_t i = 0; i < n; i++)
    add_line(s, &lines[i], times);
  settle(&s->kernels);
  settle(&s->days);
}

/* ---- reading ---- */

/* Open FILE, the counts. -1 with *ERR, or without it if there is no such file. */
static int open_counts(const char *file, struct stat *st, char **err) {
  int fd = ckjit_open_cached(file, O_RDONLY, 0, FILE_MOST, st);
  *err = NULL;
  if (fd >= 0 || errno == ENOENT)
    return fd;
  if (errno == EINVAL || errno == EISDIR || errno == EFBIG)
    *err = xasprintf("%s: expected a file of counts, found %s; remove it", file,
                     errno == EFBIG ? "one that is too large" : "what is not a file");
  else
    *err = xasprintf("%s: cannot read it: %s; remove it, if it is not a file of ckjit's", file,
                     errno == ELOOP ? "it is a symbolic link" : strerror(errno));
  return -1;
}

/* The bytes of FD from FROM on, followed by a NUL after *LEN bytes. */
static char *read_from(int fd, off_t from, size_t most, size_t *len) {
  char *text = xmalloc(most + 1);
  ssize_t got;
  *len = 0;
  while (*len < most && (got = pread(fd, text + *len, most - *len, from + (off_t)*len)) > 0)
    *len += (size_t)got;
  text[*len] = 0;
  return text;
}

/* ONLY_WHOLE: read whole lines only; *TOOK becomes their bytes. */
static void read_counts(struct stats *s, const char *dir, int fd, const struct stat *st,
                        bool only_whole, size_t *took) {
  struct times times = {0};
  autofree char *file = path_join(dir, TIMES_FILE);
  char *err;
  size_t len;
  if (!times_read(&times, file, TIMES_LAST, &err))
    free(err); /* the saved time is unknown */
  s->text = read_from(fd, 0, (size_t)st->st_size, &len);
  s->bytes = len;
  while (only_whole && len && s->text[len - 1] != '\n')
    len--;
  *took = len;
  s->text[len] = 0;
  sum_up(s, len, &times);
  times_free(&times);
}

bool stats_read(struct stats *s, const char *dir, char **err) {
  autofree char *file = path_join(dir, CKJIT_STATS);
  struct stat st;
  size_t took;
  *s = (struct stats){0};
  autoclose fd = open_counts(file, &st, err);
  if (fd >= 0)
    read_counts(s, dir, fd, &st, false, &took);
  return !*err;
}

void stats_free(struct stats *s) {
  free(s->kernels.list);
  free(s->days.list);
  free(s->text);
  *s = (struct stats){0};
}

uint64_t stats_compiles(const struct stats *s, uint32_t day) {
  uint64_t n = 0;
  for (size_t i = 0; i < s->days.n; i++)
    if (s->days.list[i].day >= day)
      n += s->days.list[i].sum.n[CKJIT_STAT_MADE] + s->days.list[i].sum.n[CKJIT_STAT_UNMADE];
  return n;
}

/* ---- ready ---- */

/* As stats_compiles() of all days, without the sums of each kernel. */
static uint64_t count_compiles(const char *dir) {
  autofree char *file = path_join(dir, CKJIT_STATS), *err = NULL, *text = NULL;
  struct stat st;
  uint64_t n = 0;
  size_t len;
  autoclose fd = open_counts(file, &st, &err);
  if (fd >= 0)
    text = read_from(fd, 0, (size_t)st.st_size, &len);
  struct line l;
  for (const char *at = text; text && at < text + len;)
    if (parse(&l, &at, text + len) && l.has_day &&
        (l.what == CKJIT_STAT_MADE || l.what == CKJIT_STAT_UNMADE))
      n += l.n;
  return n;
}

void stats_put_ready(const char *dir) {
  autofree char *file = path_join(dir, STATS_READY),
                *text = xasprintf("%lld %llu", (long long)time(NULL),
                                  (unsigned long long)count_compiles(dir));
  if (!ckjit_cache_check(dir)) /* a read-only cache counts nothing either */
    memofile_write(file, STATS_READY, text);
}

bool stats_get_ready(const char *dir, struct stats_ready *ready) {
  autofree char *file = path_join(dir, STATS_READY), *text = memofile_read(file, STATS_READY);
  return text && sscanf(text, "%" SCNu64 " %" SCNu64, &ready->time, &ready->compiles) == 2;
}

/* ---- shortening ---- */

static uint64_t weight(const struct stats_row *row) {
  uint64_t n = 0;
  for (size_t i = 0; i < CKJIT_STATS_KINDS; i++)
    n += row->sum.n[i];
  return n;
}

static int by_weight(const void *a, const void *b) {
  uint64_t x = weight(a), y = weight(b);
  return x == y ? by_pair(a, b) : x < y ? 1 : -1;
}

/* Write the lines of the first of ROWS, until OUT has MOST bytes. */
static void put_rows(struct buf *out, const struct stats_rows *rows, size_t most) {
  for (size_t i = 0; i < rows->n && out->len <= most; i++)
    for (enum ckjit_stat what = 0; what < CKJIT_STATS_KINDS; what++)
      if (rows->list[i].sum.n[what])
        put_line(out, &rows->list[i], what);
}

/* Replace FILE, in DIR, by its sums. */
static void make_sums(const char *dir, const char *file) {
  struct stats s = {0};
  autofree_buf text = {0};
  struct stat st;
  autofree char *err = NULL;
  size_t took, len;
  autoclose fd = open_counts(file, &st, &err);
  if (fd < 0)
    return;
  read_counts(&s, dir, fd, &st, true, &took);
  buf_add(&text, "", 0);
  put_rows(&text, &s.days, SIZE_MAX);
  if (s.kernels.n) /* keep the largest counts if it is too much */
    qsort(s.kernels.list, s.kernels.n, sizeof *s.kernels.list, by_weight);
  put_rows(&text, &s.kernels, CKJIT_STATS_LARGE / 2);
  if (file_write(file, text.data, text.len, 0600)) {
    autofree char *more = read_from(fd, (off_t)took, CKJIT_STATS_LARGE, &len);
    if (len)
      ckjit_stats_append(dir, more, len, NULL);
  }
  stats_free(&s);
}

void stats_shorten(const char *dir, uint64_t bytes) {
  if (bytes <= CKJIT_STATS_LARGE)
    return;
  autofree char *file = path_join(dir, CKJIT_STATS), *lock = path_join(dir, CKJIT_LOCKS "/stats");
  int fd;
  if (lock_try_new(&fd, lock) == LOCK_OURS) /* else another process does it */
    make_sums(dir, file);
  lock_release(fd, lock);
}

/* ---- writing ---- */

void stats_record(const char *dir, const char *library, const char *stem, bool made,
                  double seconds) {
  enum ckjit_stat what = made ? CKJIT_STAT_MADE : CKJIT_STAT_UNMADE;
  struct stats_row row = {.day = (uint32_t)(time(NULL) / CKJIT_STATS_DAY),
                          .library = library ? library : "",
                          .stem = stem};
  autofree_buf line = {0};
  uint64_t bytes = 0;
  if ((env_get("CK_JIT_STATS") && !env_flag("CK_JIT_STATS")) || !*stem || !is_plain(stem) ||
      !is_plain(row.library))
    return;
  row.sum.n[what] = 1;
  row.sum.ms[what] = seconds > 0 ? (uint64_t)(seconds * 1e3 + 0.5) : 0;
  put_line(&line, &row, what);
  if (ckjit_stats_append(dir, line.data, line.len, &bytes) == EFBIG)
    bytes = UINT64_MAX;
  stats_shorten(dir, bytes);
}

bool stats_zero(const char *dir, char **err) {
  autofree char *file = path_join(dir, CKJIT_STATS), *locks = path_join(dir, CKJIT_LOCKS),
                *lock = path_join(locks, "stats"), *ready = path_join(dir, STATS_READY);
  const struct lock_wait wait = {.patience = 20};
  bool waited;
  int fd = -1;
  struct stat st;
  *err = NULL;
  /* A process that sums it up would bring the old counts back. */
  if (!file_is_dir(locks) || lock_take(&fd, lock, &wait, &waited, err) != LOCK_FAILED) {
    if (lstat(file, &st) == 0 && !S_ISREG(st.st_mode))
      *err =
          xasprintf("%s: expected a file of counts, but it is not a regular file; remove it", file);
    else if (unlink(file) && errno != ENOENT)
      *err = xasprintf("%s: cannot remove it: %s", file, strerror(errno));
    else
      unlink(ready); /* it has a count of the old ones */
    if (file_is_dir(locks))
      lock_release(fd, lock);
  }
  return !*err;
}
