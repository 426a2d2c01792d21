/* entryarch.c - the GPUs that a file has code for. A build id has only a hash of the architectures;
 * the code itself shows them.
 *
 * Opening 200,000 files that are not in the page cache takes many seconds. So the architectures of
 * a large cache are kept in a memo (core/base/memofile.h), and only files that are new, or were
 * used since, are opened. <cache>/.locks/archs has a line for each entry:
 *     INODE SECONDS NANOSECONDS BYTES ARCHITECTURES
 * with the time of last use, and ';' between architectures. */
#include "entries.h"
#include "prebuild/entryfile.h"
#include "core/base/parallel.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/base/memofile.h"
#include "abi/ck_jit_cachedir.h"

static void add(const struct entry_code *code, void *archs) {
  argv_add_once(archs, xstrdup(code->arch));
}

void entry_archs(struct argv *archs, const char *file) {
  struct entry_file f;
  if (!entry_open(&f, file))
    return;
  entry_codes(&f, add, archs);
  entry_close(&f);
}

char *entry_archs_text(const struct cache_entry *e) {
  struct buf b = {0};
  buf_puts(&b, "");
  for (size_t i = 0; i < e->archs.n; i++)
    buf_printf(&b, "%s%s", i ? ";" : "", e->archs.args[i]);
  return b.data;
}

/* ---- the memo ---- */

enum { MANY = 1024 }; /* entries that are worth a memo */

#define MEMO "archs" /* its name */

struct line {
  struct cachedir_item item; /* inode, used and bytes */
  const char *archs;
  size_t len;
};

struct reading {
  struct cache_entries *e;
  struct line *lines; /* sorted */
  size_t n;
  bool *opened; /* of each entry */
};

static int by_item(const void *a, const void *b) {
  const struct cachedir_item *x = a, *y = b;
  if (x->inode != y->inode)
    return x->inode < y->inode ? -1 : 1;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? -1 : 1;
  if (x->used.tv_sec != y->used.tv_sec)
    return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
  return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

static void parse(struct reading *r, const char *text) {
  for (char *at = (char *)text; at && *at; at += *at == '\n') {
    struct line l = {0};
    l.item.inode = strtoull(at, &at, 10);
    l.item.used.tv_sec = strtoll(at, &at, 10);
    l.item.used.tv_nsec = strtol(at, &at, 10);
    l.item.bytes = strtoull(at, &at, 10);
    l.archs = at + (*at == ' ');
    l.len = strcspn(l.archs, "\n");
    at = (char *)l.archs + l.len;
    vec_push(r->lines, r->n, l);
  }
  if (r->n)
    qsort(r->lines, r->n, sizeof *r->lines, by_item);
}

static void read_one(void *reading, size_t i) {
  const struct reading *r = reading;
  struct cache_entry *e = &r->e->list[i];
  const struct line *l = r->n ? bsearch(e->item, r->lines, r->n, sizeof *r->lines, by_item) : NULL;
  r->opened[i] = !l;
  if (!l)
    entry_archs(&e->archs, e->item->path);
  for (const char *at = l ? l->archs : NULL, *end = l ? at + l->len : NULL; at < end;) {
    const char *next = memchr(at, ';', (size_t)(end - at));
    argv_add_own(&e->archs, xstrndup(at, (size_t)((next ? next : end) - at)));
    at = next ? next + 1 : end;
  }
}

static void write_memo(const struct cache_entries *e, const char *file) {
  autofree_buf text = {0};
  for (size_t i = 0; i < e->n; i++) {
    const struct cachedir_item *item = e->list[i].item;
    autofree char *archs = entry_archs_text(&e->list[i]);
    if (!strpbrk(archs, "\n")) /* a name in a damaged entry */
      buf_printf(&text, "%llu %lld %ld %llu %s\n", (unsigned long long)item->inode,
                 (long long)item->used.tv_sec, item->used.tv_nsec, (unsigned long long)item->bytes,
                 archs);
  }
  memofile_write(file, MEMO, text.data); /* on failure the files are opened again next time */
}

void entries_read_archs(struct cache_entries *e, const char *cache) {
  bool many = e->n >= MANY, opened = false;
  autofree char *file = path_join(cache, CKJIT_LOCKS "/" MEMO),
                *text = many ? memofile_read(file, MEMO) : NULL;
  struct reading r = {.e = e, .opened = xcalloc(e->n + 1, 1)};
  parse(&r, text);
  parallel_each(e->n, read_one, &r);
  for (size_t i = 0; i < e->n; i++)
    opened |= r.opened[i];
  if (many && opened)
    write_memo(e, file);
  free(r.opened);
  free(r.lines);
}
