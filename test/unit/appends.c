/* appends.c - what compiles append to a cache: times, counts, uses. No reader takes a part of a line, or one joined to another, for a line;
 * on a file system of one machine nothing is lost.
 *
 *   appends                      the test
 *   appends append DIR NODE N    what N compiles of machine NODE append to the cache DIR (test/netfs-append.sh)
 *   appends check DIR            are all lines that are read there whole? Prints how many these are */
// tier: check
#include "abi/ck_jit_stats.h"
#include "core/base/path.h"
#include "core/cache/stats.h"
#include "core/cache/times.h"
#include "core/cache/used.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY "lib.so"
#define MANIFEST "/opt/lib/ck_jit/ck_jit_manifest.json"
static int failures;
/* Lines were written over others: two that are cut at the same place may make a use, of a name that no library has. */
static bool written_over;

static void fail(const char *where, const char *what, const char *stem) {
  fprintf(stderr, "%s: %s: '%s'\n", where, what, stem);
  failures++;
}

/* ---- lines that can be told from all others ---- */

/* The stem of compile I of NODE; of any length. */
static char *stem_of(int node, int i) {
  return xasprintf("k%d_%d_%0*d", node, i, 1 + i * 13 % 60, 0);
}

static uint64_t ms_of(const char *stem) {
  uint64_t h = 7;
  for (; *stem; stem++)
    h = (h * 31 + (unsigned char)*stem) % 99991;
  return h;
}

static bool is_stem(const char *stem) {
  int node = -1, i = -1;
  if (sscanf(stem, "k%d_%d_", &node, &i) != 2 || node < 0 || i < 0)
    return false;
  autofree char *whole = stem_of(node, i);
  return strcmp(whole, stem) == 0;
}

static void append(const char *dir, int node, int i) {
  autofree char *stem = stem_of(node, i), *kernel = xasprintf("_Z%s", stem), *err = NULL;
  double seconds = (double)ms_of(stem) / 1e3;
  const struct times_compile compile = {1795733851 + (uint64_t)i, 7042,
                                        "1ab30e441ab30e441ab30e441ab30e441ab30e441ab30e44",
                                        "/opt/rocm/bin/hipcc"};
  times_record(dir, stem, seconds, &compile);
  stats_record(dir, LIBRARY, stem, true, seconds);
  if (!used_record(dir, LIBRARY, stem, i % 2 ? kernel : NULL, &err))
    fail(dir, "used", err);
  used_put_manifest(dir, LIBRARY, MANIFEST);
}

/* ---- reading them ---- */

struct count {
  size_t times, stats, used;
};

static struct count check(const char *dir) {
  struct count c = {0};
  struct times t = {0};
  struct stats s;
  autofree_argv stems = {0}, kernels = {0};
  char *err = NULL;
  autofree char *file = path_join(dir, TIMES_FILE), *manifest = used_manifest(dir, LIBRARY);
  if (manifest && strcmp(manifest, MANIFEST) != 0)
    fail(dir, "manifest", manifest);
  if (!times_read(&t, file, TIMES_EACH, &err))
    free(err);
  for (size_t i = 0; i < t.n; i++, c.times++) {
    struct times_compile compile;
    if (!is_stem(t.rows[i].stem) || t.rows[i].ms != ms_of(t.rows[i].stem) ||
        !times_compile(&t.rows[i], &compile) || compile.took != 7042 ||
        strcmp(compile.compiler, "/opt/rocm/bin/hipcc") != 0)
      fail(dir, "times", t.rows[i].stem);
  }
  if (!stats_read(&s, dir, &err))
    free(err);
  for (size_t i = 0; i < s.kernels.n; i++, c.stats++) {
    const struct stats_row *row = &s.kernels.list[i];
    if (!is_stem(row->stem) || strcmp(row->library, LIBRARY) != 0 || row->sum.n[CKJIT_STAT_MADE] != 1 ||
        row->sum.ms[CKJIT_STAT_MADE] != ms_of(row->stem))
      fail(dir, "stats", row->stem);
  }
  used_lines(dir, LIBRARY, &stems, &kernels);
  for (size_t i = 0; i < stems.n; i++, c.used++) {
    const char *kernel = kernels.args[i];
    if (written_over && !is_stem(stems.args[i]))
      c.used--;
    else if (!is_stem(stems.args[i]) ||
             (*kernel && (strncmp(kernel, "_Z", 2) != 0 || strcmp(kernel + 2, stems.args[i]) != 0)))
      fail(dir, "used", stems.args[i]);
  }
  times_free(&t);
  stats_free(&s);
  return c;
}

/* ---- the test ---- */

static void together(const char *dir) {
  enum { NODES = 4, EACH = 100 };
  for (int node = 0; node < NODES; node++)
    if (fork() == 0) {
      for (int i = 0; i < EACH; i++)
        append(dir, node, i);
      _exit(failures != 0);
    }
  for (int node = 0, status; node < NODES; node++)
    if (wait(&status) < 0 || status)
      fail(dir, "a process", "ended badly");
  struct count c = check(dir);
  if (c.times != NODES * EACH || c.stats != NODES * EACH || c.used != NODES * EACH)
    fail(dir, "lost", "");
}

/* FILE has two lines. Each way in which the first can be cut, before, behind or in the second. */
static void torn(const char *dir, const char *file) {
  size_t len;
  autofree char *text = file_read(file, &len);
  size_t first = text ? strcspn(text, "\n") + 1 : 0;
  if (!text || first >= len)
    return fail(file, "expected two lines", text ? text : "");
  for (size_t k = 1; k < first; k++) {
    autofree char *joined = xasprintf("%.*s%s", (int)k, text, text + first),
                  *behind = xasprintf("%s%.*s", text + first, (int)(first - k), text + k),
                  *half = xasprintf("%s%.*s", text, (int)k, text);
    const char *const forms[] = {joined, behind, half};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
      if (file_write(file, forms[i], strlen(forms[i]), 0600))
        check(dir);
  }
  file_write(file, text, len, 0600);
}

/* FILE has uses. One that the newline of another ends before its last tab is none. */
static void ended(const char *dir, const char *file) {
  size_t len;
  autofree char *text = file_read(file, &len);
  const char *line = text ? text : "", *end = strchr(line, '\n');
  size_t last = end ? (size_t)((const char *)memrchr(line, '\t', (size_t)(end - line)) - line) : 0;
  if (!last)
    return fail(file, "expected a use", line);
  for (size_t k = 1; k <= last; k++) {
    autofree char *form = xasprintf("%.*s%s", (int)k, line, end);
    if (file_write(file, form, strlen(form), 0600))
      check(dir);
  }
}

static void make(const char *dir) {
  autofree char *locks = path_join(dir, ".locks");
  if (mkdir(dir, 0700) || mkdir(locks, 0700))
    fail(dir, "cannot be made", "");
}

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "append") == 0) {
    for (int i = 0; i < atoi(argv[4]); i++)
      append(argv[2], atoi(argv[3]), i);
    return failures != 0;
  }
  if (argc == 3 && strcmp(argv[1], "check") == 0) {
    written_over = true;
    struct count c = check(argv[2]);
    printf("%zu %zu %zu\n", c.times, c.stats, c.used);
    return failures != 0;
  }
  char top[] = "/tmp/ckjit-appends.XXXXXX";
  if (!mkdtemp(top))
    return 1;
  autofree char *one = path_join(top, "one"), *two = path_join(top, "two");
  make(one);
  together(one);
  make(two);
  for (int i = 10; i < 12; i++)
    append(two, 1, i);
  static const char *const files[] = {TIMES_FILE, CKJIT_STATS, CKJIT_USED "/" LIBRARY};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    autofree char *file = path_join(two, files[i]);
    torn(two, file);
  }
  autofree char *used = path_join(two, CKJIT_USED "/" LIBRARY);
  ended(two, used);
  dir_remove(top);
  return failures != 0;
}
