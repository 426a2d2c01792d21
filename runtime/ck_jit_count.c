/* ck_jit_count.c - counts first calls, for `ckjit stats`.
 *
 * A first call that finds its kernel takes a tenth of a millisecond, mostly in the dynamic linker.
 * So it only adds a note to a list, which any number of threads may do at the same time, and writes
 * nothing. The list is written, at once and with one write, when a call had to wait for a compile,
 * when the list has many notes or its first one is some seconds old, and at exit. A process that is
 * killed loses the last few seconds of hits.
 *
 * Counts that cannot be written (a full disk, a cache that became read-only, somebody's directory
 * of that name) are lost without a message: no call depends on them.
 */
#include "ck_jit_count.h"
#include "ck_jit_clock.h"
#include "ck_jit_exit.h"
#include "ck_jit_record.h"
#include "ck_jit_settings.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>

enum {
  CKJIT_COUNTS_MOST = 128,        /* lines in the list */
  CKJIT_COUNTS_OLD = 5 * 1000000, /* microseconds */
};

/* A note that is not in its file yet. TEXT is stem, library and directory, each with its NUL. */
struct ckjit_counted {
  struct ckjit_counted *next;
  long long day;
  enum ckjit_stat what;
  uint64_t microseconds;
  const char *library, *dir; /* in TEXT */
  size_t stem_len;
  char text[];
};

static struct {
  /* the newest first; atomic, like all of it */
  struct ckjit_counted *list;
  unsigned n;     /* about its length */
  uint64_t since; /* the time of the oldest note */
  int at_exit;
  /* The process of the notes: a child of clone() does not call ckjit_counts_forget. */
  pid_t process;
} ckjit_counts;

/* Append TEXT to the file in DIR, and empty TEXT. */
static void ckjit_counts_append(const char *dir, struct ckjit_text *text) {
  if (ckjit_whole(text) && text->len)
    ckjit_stats_append(dir, text->data, text->len, NULL);
  ckjit_text_clear(text);
}

/* Add the line of C to TEXT. That of a hit, of which there may be thousands, is assembled by
 * copying. */
static void ckjit_counts_line(struct ckjit_text *text, const struct ckjit_counted *c,
                              const char *head, size_t head_len) {
  static const char *const names[] = CKJIT_STATS_NAMES;
  static const char hit[] = "\thit\t1\t0\n";
  ckjit_add_bytes(text, head, head_len);
  ckjit_add_bytes(text, c->text, c->stem_len);
  if (c->what == CKJIT_STAT_HIT)
    ckjit_add_bytes(text, hit, sizeof hit - 1);
  else
    ckjit_addf(text, "\t%s\t1\t%llu\n", names[c->what], (unsigned long long)c->microseconds / 1000);
}

/* Empty the list, and with WRITES write it. A thread takes the whole list, so no note is written
 * twice. */
static void ckjit_counts_end(bool writes) {
  struct ckjit_text text = {0};
  struct ckjit_counted *c = __atomic_exchange_n(&ckjit_counts.list, NULL, __ATOMIC_ACQUIRE), *next;
  char head[NAME_MAX + 64] = "";
  int head_len = 0;
  __atomic_store_n(&ckjit_counts.n, 0, __ATOMIC_RELAXED);
  for (; c; c = next) {
    next = c->next;
    if (writes && !text.len)
      head_len =
          snprintf(head, sizeof head, "%d\t%lld\t%s\t", CKJIT_STATS_FORMAT, c->day, c->library);
    if (writes)
      ckjit_counts_line(&text, c, head, (size_t)head_len);
    if (writes && (!next || next->day != c->day || strcmp(next->dir, c->dir) != 0))
      ckjit_counts_append(c->dir, &text);
    free(c);
  }
  ckjit_text_free(&text);
}

static void ckjit_counts_write(void) {
  ckjit_counts_end(__atomic_load_n(&ckjit_counts.process, __ATOMIC_RELAXED) == getpid());
}

static void ckjit_counts_last(void *unused) {
  (void)unused;
  ckjit_counts_write();
}

void ckjit_counts_forget(void) {
  ckjit_counts_end(false);
  __atomic_store_n(&ckjit_counts.process, getpid(), __ATOMIC_RELAXED);
}

/* Returns the length of the list; 0: no memory, or a name cannot be part of a line. */
static unsigned ckjit_counts_add(const struct ckjit_wanted *w, enum ckjit_stat what,
                                 uint64_t microseconds) {
  const char *name = ckjit_record_name(w), *library = name ? name : "";
  size_t library_len = strlen(library), dir_len = strlen(w->cache.data);
  if (memchr(w->stem, '\t', w->stem_len) || memchr(w->stem, '\n', w->stem_len) ||
      library_len > NAME_MAX || strpbrk(library, "\t\n"))
    return 0;
  struct ckjit_counted *c = malloc(sizeof *c + w->stem_len + 1 + library_len + 1 + dir_len + 1);
  if (!c)
    return 0;
  char *at = c->text;
  *c = (struct ckjit_counted){.day = (long long)time(NULL) / CKJIT_STATS_DAY,
                              .what = what,
                              .microseconds = microseconds,
                              .library = at + w->stem_len + 1,
                              .dir = at + w->stem_len + 1 + library_len + 1,
                              .stem_len = w->stem_len};
  memcpy(at, w->stem, w->stem_len);
  at[w->stem_len] = 0;
  memcpy(at + w->stem_len + 1, library, library_len + 1);
  memcpy(at + w->stem_len + 1 + library_len + 1, w->cache.data, dir_len + 1);
  c->next = __atomic_load_n(&ckjit_counts.list, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&ckjit_counts.list, &c->next, c, true, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED))
    ;
  return __atomic_add_fetch(&ckjit_counts.n, 1, __ATOMIC_RELAXED);
}

void ckjit_count_call(const struct ckjit_wanted *w, enum ckjit_stat what, uint64_t microseconds) {
  if (w->unlinked || !ckjit_whole(&w->cache) || !w->cache.len || ckjit_stats_off())
    return;
  if (!__atomic_exchange_n(&ckjit_counts.at_exit, 1, __ATOMIC_ACQ_REL)) {
    __atomic_store_n(&ckjit_counts.process, getpid(), __ATOMIC_RELAXED);
    ckjit_at_exit(ckjit_counts_last);
  }
  unsigned n = ckjit_counts_add(w, what, microseconds);
  uint64_t now = ckjit_microseconds();
  if (n == 1)
    __atomic_store_n(&ckjit_counts.since, now, __ATOMIC_RELAXED);
  if (n && (what != CKJIT_STAT_HIT || n >= CKJIT_COUNTS_MOST ||
            now - __atomic_load_n(&ckjit_counts.since, __ATOMIC_RELAXED) > CKJIT_COUNTS_OLD))
    ckjit_counts_write();
}
