/* cache.c - `cache`: the place and the content of the cache, and its next evictions.
 *
 * It keeps no data: names, sizes and times of last use are the directory's
 * (core/cache/cachedir.h), architectures are read from the code, and the library of a kernel is
 * known for those that calls have waited for, or from a manifest. Scripts that know CK JIT's
 * `cache` look for its first line, "Cache: DIR  (N entries, …)". */
#include "entries.h"
#include "prebuild/cache.h"
#include "prebuild/help.h"
#include "prebuild/where.h"
#include "core/base/jsonread.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cache/artefact.h"
#include "abi/ck_jit_cachedir.h"
#include "abi/ck_jit_entry.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- sums ---- */

/* entries of one library, or for one list of architectures */
struct sum {
  char *name;
  size_t entries;
  uint64_t bytes;
};

struct sums {
  struct sum *list;
  size_t n;
};

static void add_to(struct sums *sums, const char *name, uint64_t bytes) {
  size_t i = 0;
  while (i < sums->n && strcmp(sums->list[i].name, name) != 0)
    i++;
  if (i == sums->n)
    vec_push(sums->list, sums->n, (struct sum){.name = xstrdup(name)});
  sums->list[i].entries++;
  sums->list[i].bytes += bytes;
}

static int by_bytes(const void *a, const void *b) {
  const struct sum *x = a, *y = b;
  return x->bytes == y->bytes ? strcmp(x->name, y->name) : x->bytes < y->bytes ? 1 : -1;
}

/* For people; free() it. */
static char *archs_of(const struct cache_entry *e) {
  return e->archs.n ? entry_archs_text(e) : xstrdup("host code only");
}

/* Sorted by size, the largest first. */
static void sum_up(const struct cache_entries *all, struct sums *libraries, struct sums *archs) {
  for (size_t i = 0; i < all->n; i++) {
    autofree char *list = archs_of(&all->list[i]);
    add_to(libraries, all->list[i].library ? all->list[i].library : "not known",
           all->list[i].item->bytes);
    add_to(archs, list, all->list[i].item->bytes);
  }
  if (libraries->n)
    qsort(libraries->list, libraries->n, sizeof *libraries->list, by_bytes);
  if (archs->n)
    qsort(archs->list, archs->n, sizeof *archs->list, by_bytes);
}

static uint64_t bytes_of_entries(const struct cache_entries *all) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < all->n; i++)
    bytes += all->list[i].item->bytes;
  return bytes;
}

/* Of logs, fragments and headers. */
static uint64_t bytes_of_others(const struct cachedir_items *items) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < items->n; i++)
    bytes += items->list[i].entry ? 0 : items->list[i].bytes;
  return bytes;
}

/* ---- the next evictions ---- */

/* The least recently used items, without those in use, at most MOST. With limits, the next compile
 * evicts them to make room. Returns their number, and their indexes in ITEMS in NEXT. */
static size_t find_next(const struct cachedir_items *items, size_t next[], size_t most) {
  size_t n = 0;
  for (size_t i = 0; i < items->n && n < most; i++)
    if (!items->list[i].mapped)
      next[n++] = i;
  return n;
}

static double seconds_ago(const char *dir, const struct timespec *then) {
  struct timespec now;
  if (!file_clock(dir, &now))
    clock_gettime(CLOCK_REALTIME, &now);
  return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

/* ---- for people ---- */

static void print_sums(const char *what, const struct sums *sums) {
  printf("%s\n", what);
  for (size_t i = 0; i < sums->n; i++) {
    autofree char *size = human_size(sums->list[i].bytes);
    printf("  %7zu  %10s  %s\n", sums->list[i].entries, size, sums->list[i].name);
  }
}

static void print_entry(const char *dir, const struct cache_entry *e) {
  autofree char *size = human_size(e->item->bytes),
                *age = human_seconds(seconds_ago(dir, &e->item->used)), *archs = archs_of(e);
  printf("  %s  (%s, %s, %s ago%s)\n", path_base(e->item->path), size, archs, age,
         e->item->mapped ? ", in use" : "");
}

static void print_next(const char *dir, const struct cachedir_items *items) {
  enum { MOST = 5 };
  size_t next[MOST], n = find_next(items, next, MOST);
  if (!n)
    return;
  puts("Least recently used");
  for (size_t i = 0; i < n; i++) {
    const struct cachedir_item *item = &items->list[next[i]];
    const char *below = path_below(item->path, dir);
    autofree char *size = human_size(item->bytes),
                  *age = human_seconds(seconds_ago(dir, &item->used));
    printf("  %s  (%s, %s ago)\n", below ? below + (*below == '/') : item->path, size, age);
  }
}

static void print_limits(const struct cachedir_limits *limits, const struct cachedir_items *items) {
  autofree char *max = human_size(limits->bytes);
  if (limits->bytes)
    printf("Limit: %s (CK_JIT_CACHE_MAX_SIZE), %.0f%% used\n", max,
           100.0 * (double)items->bytes / (double)limits->bytes);
  if (limits->files)
    printf("Limit: %llu %s (CK_JIT_CACHE_MAX_FILES), %.0f%% used\n",
           (unsigned long long)limits->files, noun(limits->files, "entry", "entries"),
           100.0 * (double)items->entries / (double)limits->files);
  if (!limits->bytes && !limits->files)
    puts("Limit: none; CK_JIT_CACHE_MAX_SIZE and CK_JIT_CACHE_MAX_FILES set one");
}

static void print_for_people(const struct request *r, const struct cache_entries *all,
                             const struct cachedir_limits *limits) {
  struct sums libraries = {0}, archs = {0};
  size_t nothers = all->items.n - (size_t)all->items.entries;
  autofree char *size = human_size(bytes_of_entries(all)),
                *others = human_size(bytes_of_others(&all->items));
  sum_up(all, &libraries, &archs);
  printf("Cache: %s  (%zu %s, %s)\n", r->cache, all->n, noun(all->n, "entry", "entries"), size);
  if (all->n) {
    print_sums("By library", &libraries);
    print_sums("By architecture", &archs);
  }
  if (nothers)
    printf("Other files: %zu (logs, fragments, precompiled headers), %s\n", nothers, others);
  print_limits(limits, &all->items);
  print_next(r->cache, &all->items);
  if (r->verbose && all->n)
    puts("Entries");
  for (size_t i = 0; i < all->n && r->verbose; i++)
    print_entry(r->cache, &all->list[i]);
}

/* ---- for programs ---- */

static json_t *sums_as_json(const struct sums *sums, const char *key) {
  json_t *list = json_array();
  for (size_t i = 0; i < sums->n; i++)
    json_array_append_new(list,
                          json_pack("{s:o, s:I, s:I}", key, json_printable(sums->list[i].name),
                                    "entries", (json_int_t)sums->list[i].entries, "bytes",
                                    (json_int_t)sums->list[i].bytes));
  return list;
}

static json_t *used_as_json(const struct timespec *used) {
  return json_real((double)used->tv_sec + (double)(used->tv_nsec / 1000000) / 1e3);
}

static json_t *entry_as_json(const struct cache_entry *e) {
  json_t *archs = json_array();
  autofree char *blob = xstrndup(e->stem, e->blob);
  for (size_t i = 0; i < e->archs.n; i++)
    json_array_append_new(archs, json_printable(e->archs.args[i]));
  return json_pack("{s:o, s:o, s:o, s:o, s:I, s:o, s:b}", "file",
                   json_printable(path_base(e->item->path)), "stem", json_printable(blob),
                   "library", json_printable(e->library), "architectures", archs, "bytes",
                   (json_int_t)e->item->bytes, "used", used_as_json(&e->item->used), "mapped",
                   e->item->mapped);
}

static void print_json(const struct request *r, const struct cache_entries *all,
                       const struct cachedir_limits *limits) {
  struct sums libraries = {0}, archs = {0};
  json_t *list = json_array(), *next = json_array();
  autofree size_t *order = xcalloc(all->items.n + 1, sizeof *order);
  size_t n = find_next(&all->items, order, all->items.n);
  sum_up(all, &libraries, &archs);
  for (size_t i = 0; i < all->n; i++)
    json_array_append_new(list, entry_as_json(&all->list[i]));
  for (size_t i = 0; i < n; i++) {
    const struct cachedir_item *item = &all->items.list[order[i]];
    const char *below = path_below(item->path, r->cache);
    json_array_append_new(next, json_printable(below ? below + (*below == '/') : item->path));
  }
  entries_print_json(json_pack("{s:i, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "ckjit",
                               1, "cache", json_printable(r->cache), "entries", (json_int_t)all->n,
                               "bytes", (json_int_t)bytes_of_entries(all), "other_bytes",
                               (json_int_t)bytes_of_others(&all->items), "max_bytes",
                               (json_int_t)limits->bytes, "max_entries", (json_int_t)limits->files,
                               "libraries", sums_as_json(&libraries, "library"), "architectures",
                               sums_as_json(&archs, "architectures"), "files", list, "next", next));
}

/* ---- a list for build --blob-list ---- */

/* The stems of blobs, sorted and each once, one a line. */
static char *list_of(const struct cache_entries *all) {
  autofree_argv stems = {0};
  struct buf text = {0};
  buf_add(&text, "", 0);
  for (size_t i = 0; i < all->n; i++)
    argv_add_own(&stems, xstrndup(all->list[i].stem, all->list[i].blob));
  argv_sort(&stems);
  argv_unique(&stems);
  for (size_t i = 0; i < stems.n; i++)
    buf_printf(&text, "%s\n", stems.args[i]);
  return text.data;
}

static void write_list(const struct request *r, const char *text) {
  if (strcmp(r->blob_list_to, "-") == 0)
    fputs(text, stdout);
  else if (!file_put(r->blob_list_to, text, strlen(text), 0666))
    die(EXIT_FAILED, "cache: --write-blob-list %s: cannot write it: %s", r->blob_list_to,
        strerror(errno));
}

/* ---- the library's entries ---- */

/* The build id of E, by its name or by its note. */
static bool read_id(const struct cache_entry *e, uint8_t id[CKJIT_BUILD_ID_SIZE]) {
  struct artefact_name a;
  enum ckjit_kind kind;
  struct stat st;
  if (artefact_name_read(&a, path_base(e->item->path)) && a.keyed) {
    memcpy(id, a.id, sizeof a.id);
    return true;
  }
  int fd = ckjit_open_cached(e->item->path, O_RDONLY, 0, CKJIT_ENTRY_MOST, &st);
  bool read = fd >= 0 && !ckjit_elf_read(fd, (uint64_t)st.st_size, id, &kind);
  if (fd >= 0)
    close(fd);
  return read;
}

/* The key is that of the blob in the manifest, whatever the architectures and the compiler. */
static bool is_current(const struct cache_entry *e, const struct manifest *m) {
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  autofree char *stem = xstrndup(e->stem, e->blob);
  const struct manifest_blob *blob = manifest_find(m, stem);
  return blob && read_id(e, id) && memcmp(id, blob->key, CKJIT_KEY_SIZE) == 0;
}

/* Leave only the entries of M's blobs in ALL. */
static void keep_current(struct cache_entries *all, const struct manifest *m) {
  size_t n = 0;
  for (size_t i = 0; i < all->n; i++)
    if (is_current(&all->list[i], m))
      all->list[n++] = all->list[i];
  all->n = n;
}

int prebuild_cache(struct request *r) {
  struct cache_entries all = {0};
  struct cachedir_limits limits;
  char *err = NULL;
  bool is_list = r->format && strcmp(r->format, "blob-list") == 0;
  bool lists = is_list || (r->blob_list_to && strcmp(r->blob_list_to, "-") == 0);
  if (r->names.n)
    die_usage(r, "unexpected argument '%s'", r->names.args[0]);
  if (r->format && !is_list && strcmp(r->format, "human") != 0)
    die(EXIT_USAGE, "cache: --format: expected human or blob-list, found '%s'", r->format);
  if (r->json && lists)
    die(EXIT_USAGE, "cache: --json and a list on standard output exclude each other");
  if (!cachedir_limits(&limits, &err))
    die(EXIT_FAILED, "%s", err);
  if (cache_open(r))
    entries_read(&all, r);
  if (r->current) {
    where_load(r);
    keep_current(&all, r->m);
  }
  if (!lists && !is_list)
    entries_read_archs(&all, r->cache);
  autofree char *list = list_of(&all);
  if (r->json)
    print_json(r, &all, &limits);
  else if (is_list)
    fputs(list, stdout);
  else if (!lists)
    print_for_people(r, &all, &limits);
  if (r->blob_list_to)
    write_list(r, list);
  entries_flush();
  return EXIT_OK;
}
