/* used.c - see used.h.
 *
 * After half a line, of a full disk or a network file system, the next one begins with a newline.
 * When the record is too large, the process that notices writes the newest line of each kernel to a
 * new file; a line that is appended to the old one meanwhile is lost, which costs at worst that
 * this kernel is compiled when it is called.
 */
#include "used.h"
#include "cachedir.h"
#include "lock.h"
#include "times.h"
#include "core/base/directory.h"
#include "core/base/path.h"
#include "abi/ck_jit_entry.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The format's number of a line that names the library's manifest. Only lines of CKJIT_USED_FORMAT
 * are about kernels: their readers, including the runtime's, skip this one. */
#define CKJIT_USED_MANIFEST "2"

char *used_file(const char *dir, const char *library) {
  bool good = *library && *library != '.' && !strchr(library, '/') && strlen(library) <= 200;
  return good ? xasprintf("%s/" CKJIT_USED "/%s", dir, library) : NULL;
}

/* ---- reading ---- */

/* the content of a record */
struct record {
  char *text; /* NULL: there is none */
  struct ckjit_used list[CKJIT_USED_KERNELS];
  size_t n;
};

/* Read the record of LIBRARY. The caller frees R->text. */
static void read_record(struct record *r, const char *dir, const char *library) {
  size_t len = 0;
  autofree char *file = used_file(dir, library);
  r->text = file ? ckjit_used_read(file, &len) : NULL;
  r->n = r->text ? ckjit_used_list(r->text, len, r->list, CKJIT_USED_KERNELS) : 0;
}

bool used_lines(const char *dir, const char *library, struct argv *stems, struct argv *kernels) {
  struct record r;
  read_record(&r, dir, library);
  for (size_t i = 0; i < r.n; i++) {
    const struct ckjit_used *u = &r.list[i];
    argv_add_own(stems, xstrndup(u->stem, u->stem_len));
    argv_add_own(kernels, xstrndup(u->kernel_len ? u->kernel : "", u->kernel_len));
  }
  bool there = r.text != NULL;
  free(r.text);
  return there;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

void used_libraries(const char *dir, struct argv *libraries) {
  autofree char *used = path_join(dir, CKJIT_USED);
  size_t before = libraries->n;
  autoclose_dir *d = opendir(used);
  for (struct dirent *e; d && (e = readdir(d));)
    if (*e->d_name != '.')
      argv_add(libraries, e->d_name);
  if (libraries->n > before)
    qsort(libraries->args + before, libraries->n - before, sizeof *libraries->args, by_name);
}

/* ---- the manifest ---- */

/* The last manifest that the LEN bytes at TEXT name; its text is NULL: none. */
static struct ckjit_field last_manifest(const char *text, size_t len) {
  struct ckjit_field f[2], found = {0};
  for (const char *at = text; at < text + len;)
    if (ckjit_journal_next(&at, text + len, f, 2) == 2 && f[0].n == 1 &&
        *f[0].text == *CKJIT_USED_MANIFEST && f[1].n && *f[1].text == '/')
      found = f[1];
  return found;
}

/* The same; free() it. */
static char *manifest_in(const char *text, size_t len) {
  struct ckjit_field found = last_manifest(text, len);
  return found.text ? xstrndup(found.text, found.n) : NULL;
}

char *used_manifest(const char *dir, const char *library) {
  size_t len = 0;
  autofree char *file = used_file(dir, library), *text = file ? ckjit_used_read(file, &len) : NULL;
  return text ? manifest_in(text, len) : NULL;
}

/* The newline that a torn last line lacks, as after a full disk; "": the LEN bytes of TEXT end with
 * one. */
static const char *line_end(const char *text, size_t len) {
  return len && text[len - 1] != '\n' ? "\n" : "";
}

void used_put_manifest(const char *dir, const char *library, const char *manifest) {
  autofree char *file = used_file(dir, library), *used = path_join(dir, CKJIT_USED), *err = NULL;
  if (!file || *manifest != '/' || strpbrk(manifest, "\t\n") || !cachedir_open(used, &err))
    return;
  size_t len = 0;
  autofree char *text = ckjit_used_read(file, &len), *known = text ? manifest_in(text, len) : NULL,
                *line = xasprintf("%s" CKJIT_USED_MANIFEST "\t%s\n", line_end(text, len), manifest);
  /* if it fails, the user has to name the library, as before the record */
  if (!known || strcmp(known, manifest) != 0)
    (void)ckjit_journal_append(file, UINT64_MAX, line, strlen(line), NULL);
}

/* ---- writing ---- */

/* Keep the newest line of each kernel, and the manifest. */
static void shorten(const char *dir, const char *file) {
  struct ckjit_used list[2 * CKJIT_USED_KERNELS];
  autofree char *lock = path_join(dir, CKJIT_LOCKS "/used");
  int fd;
  if (lock_try_new(&fd, lock) == LOCK_OURS) { /* else another process does it */
    autofree_buf out = {0};
    size_t len = 0;
    autofree char *text = ckjit_used_read(file, &len);
    size_t n = text ? ckjit_used_list(text, len, list, 2 * CKJIT_USED_KERNELS) : 0;
    autofree char *manifest = text ? manifest_in(text, len) : NULL;
    buf_puts(&out, "");
    if (manifest)
      buf_printf(&out, CKJIT_USED_MANIFEST "\t%s\n", manifest);
    for (size_t i = 0; i < n; i++) {
      const char *end = list[i].kernel + list[i].kernel_len, *line = list[i].stem;
      while (line > text && line[-1] != '\n')
        line--;
      buf_add(&out, line, (size_t)(end - line));
      buf_putc(&out, '\n');
    }
    file_write(file, out.data, out.len, 0600);
  }
  lock_release(fd, lock);
}

/* The time from when the kernel of LAST was ready to NOW; UINT64_MAX: unknown. */
static uint64_t distance(const char *dir, const struct ckjit_used *last, uint64_t now) {
  autofree char *stem = xstrndup(last->stem, last->stem_len);
  uint64_t took = 0;
  bool known = times_last(dir, stem, &took) && now >= last->time;
  if (!known)
    return UINT64_MAX;
  return now - last->time > took ? now - last->time - took : 0;
}

/* The last line of the LEN bytes at TEXT. False: there is none. */
static bool last_line(const char *text, size_t len, struct ckjit_used *last) {
  const char *at = text;
  bool any = false;
  struct ckjit_used u;
  while (ckjit_used_next(&at, text + len, &u)) {
    *last = u;
    any = true;
  }
  return any;
}

static void put_line(struct buf *line, const char *dir, const char *text, size_t len,
                     const struct ckjit_used *what) {
  struct ckjit_used last = {0};
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint64_t ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000, away = UINT64_MAX;
  if (last_line(text, len, &last)) {
    if (ckjit_used_same(&last, what))
      return; /* another rank of the same job */
    away = distance(dir, &last, ms);
  }
  buf_printf(line, "%s%d\t%llu\t", line_end(text, len), CKJIT_USED_FORMAT, (unsigned long long)ms);
  if (away == UINT64_MAX)
    buf_puts(line, "-");
  else
    buf_printf(line, "%llu", (unsigned long long)away);
  buf_printf(line, "\t%.*s\t%.*s\n", (int)what->stem_len, what->stem, (int)what->kernel_len,
             what->kernel);
}

bool used_record(const char *dir, const char *library, const char *stem, const char *kernel,
                 char **err) {
  const struct ckjit_used what = {.stem = stem,
                                  .stem_len = strlen(stem),
                                  .kernel = kernel ? kernel : "",
                                  .kernel_len = kernel ? strlen(kernel) : 0};
  autofree char *file = used_file(dir, library), *used = path_join(dir, CKJIT_USED);
  autofree_buf line = {0};
  size_t len = 0;
  *err = NULL;
  bool plain = file && !strpbrk(stem, "\t\n") && !(kernel && strpbrk(kernel, "\t\n"));
  if (plain && cachedir_open(used, err)) {
    uint64_t size = 0;
    autofree char *text = ckjit_used_read(file, &len);
    if (text || errno == ENOENT)
      put_line(&line, dir, text, len, &what);
    int error = !text && !line.len ? errno
                : line.len ? ckjit_journal_append(file, UINT64_MAX, line.data, line.len, &size)
                           : 0;
    if (error)
      *err = xasprintf("cannot write %s: %s", file, ckjit_open_failed(error));
    if (size > 2 * CKJIT_USED_MOST)
      shorten(dir, file);
  }
  return !*err;
}

/* ---- the process that compiles ahead of calls ---- */

bool used_warmer(const char *dir) {
  autofree char *used = path_join(dir, CKJIT_USED), *err = NULL;
  int fd = cachedir_open(used, &err) ? open(used, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  /* On a file system without such locks each process is: a compile has its own lock. The descriptor
   * stays open. */
  return fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}
