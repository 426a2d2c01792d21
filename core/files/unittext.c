/* unittext.c - see unittext.h. A head of lines, then a zstd frame for each of them:
 *
 *     ckjit-text=2
 *     kernels 2301 912 89ab012389ab012389ab012389ab0123                      their names, a line each
 *     gfx942 9437184 812345 0123456789abcdef0123456789abcdef     architecture, bytes, bytes stored, digest
 *     (an empty line)
 *
 * The names are those that the unit's host code registers: only its object knows which templates were instantiated. They stand first, so
 * that a list of kernels reads a page of each file and not its megabytes. No key has them in it.
 *
 * All numbers are checked before anything is allocated by them, since the file may come from a package that somebody
 * else has made.
 */
#include "unittext.h"
#include "core/base/path.h"
#include "core/cache/key.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#define HEAD "ckjit-text=2\n"
#define KERNELS "kernels" /* in place of an architecture */

/* Level 1: 15 MB take 30 ms, and nobody waits for the reader. The longest text that was seen has 40 MB. */
enum { LEVEL = 1, ARCH_SIZE = 64 };
#define LONGEST ((uint64_t)1 << 30)

/* ---- writing ---- */

static bool add_frame(struct buf *head, struct buf *frames, const struct unittext *u) {
  char hex[DIGEST_HEX];
  size_t room = ZSTD_compressBound(u->len);
  char *frame = xmalloc(room);
  size_t n = ZSTD_compress(frame, room, u->text, u->len, LEVEL);
  bool done = !ZSTD_isError(n);
  if (done) {
    digest_bytes(hex, u->text, u->len);
    buf_printf(head, "%s %zu %zu %s\n", u->arch, u->len, n, hex);
    buf_add(frames, frame, n);
  }
  free(frame);
  return done;
}

static void put_names(struct buf *out, const struct argv *kernels) {
  buf_add(out, "", 0);
  for (size_t i = 0; i < kernels->n; i++)
    buf_printf(out, "%s\n", kernels->args[i]);
}

bool unittext_write(const char *file, const struct unittext *texts, size_t n, const struct argv *kernels,
                    char **err) {
  struct buf out = {0}, frames = {0}, names = {0};
  buf_puts(&out, HEAD);
  put_names(&names, kernels);
  bool done = add_frame(&out, &frames, &(struct unittext){KERNELS, names.data, names.len});
  for (size_t i = 0; i < n && done; i++)
    done = add_frame(&out, &frames, &texts[i]);
  if (!done)
    *err = xasprintf("%s: the text of a unit cannot be compressed", file);
  buf_puts(&out, "\n");
  if (frames.len)
    buf_add(&out, frames.data, frames.len);
  if (done && !(done = file_update(file, out.data, out.len, 0666)))
    *err = xasprintf("%s: cannot write the text of a unit: %s", file, strerror(errno));
  buf_free(&out);
  buf_free(&frames);
  buf_free(&names);
  return done;
}

/* ---- reading ---- */

/* a line of the head */
struct entry {
  char arch[ARCH_SIZE], hex[DIGEST_HEX];
  uint64_t len, stored;
};

static bool read_line(struct entry *e, const char *line, size_t n) {
  char text[256];
  int end = 0;
  if (n >= sizeof text)
    return false;
  memcpy(text, line, n);
  text[n] = 0;
  return sscanf(text, "%63s %" SCNu64 " %" SCNu64 " %32[0-9a-f]%n", e->arch, &e->len, &e->stored, e->hex,
                &end) == 4 &&
         (size_t)end == n && strlen(e->hex) == DIGEST_HEX - 1 && e->len <= LONGEST && e->stored <= LONGEST;
}

/* The line at *P, of a head that ends at END; *P is behind it then. False at the head's end, or if it is not understood: *DAMAGED. */
static bool next_line(struct entry *e, const char **p, const char *end, bool *damaged) {
  if (*p < end && **p == '\n')
    return false;
  const char *eol = memchr(*p, '\n', (size_t)(end - *p));
  *damaged = !eol || !read_line(e, *p, (size_t)(eol - *p));
  if (!*damaged)
    *p = eol + 1;
  return !*damaged;
}

/* Find the line for ARCH, and where its frame begins in the N bytes at TEXT. False: there is none; *DAMAGED if the
 * head is not understood. */
static bool find(struct entry *e, const char **frame, const char *arch, const char *text, size_t n,
                 bool *damaged) {
  const char *p = text + sizeof HEAD - 1, *end = text + n;
  uint64_t before = 0, behind = 0; /* bytes of frames in front of ours, and from it on */
  bool found = false;
  struct entry line;
  *damaged = true;
  if (n < sizeof HEAD || memcmp(text, HEAD, sizeof HEAD - 1) != 0)
    return false;
  *damaged = false;
  while (next_line(&line, &p, end, damaged)) {
    if (!found && strcmp(line.arch, arch) == 0) {
      *e = line;
      found = true;
    }
    *(found ? &behind : &before) += line.stored;
  }
  if (*damaged)
    return false;
  p++;
  *damaged = before + behind != (uint64_t)(end - p);
  *frame = *damaged ? NULL : p + before;
  return found && !*damaged;
}

bool unittext_named(struct buf *out, const char *bytes, size_t n, const struct argv *kernels) {
  struct entry e;
  const char *frame, *p = bytes + sizeof HEAD - 1;
  bool damaged, is = find(&e, &frame, KERNELS, bytes, n, &damaged);
  if (!is || !next_line(&e, &p, bytes + n, &damaged) || strcmp(e.arch, KERNELS) != 0)
    return false;
  struct buf names = {0}, head = {0}, frames = {0};
  put_names(&names, kernels);
  const char *lines = p, *first = frame + e.stored; /* the others, and their frames */
  bool done = !kernels->n || add_frame(&head, &frames, &(struct unittext){KERNELS, names.data, names.len});
  if (done && kernels->n) {
    buf_puts(out, HEAD);
    buf_add(out, head.data, head.len);
    buf_add(out, lines, (size_t)(frame - lines));
    buf_add(out, frames.data, frames.len);
    buf_add(out, first, (size_t)(bytes + n - first));
  } else if (done) {
    buf_add(out, bytes, n);
  }
  buf_free(&names);
  buf_free(&head);
  buf_free(&frames);
  return done;
}

static char *unpack(const struct entry *e, const char *frame) {
  char hex[DIGEST_HEX], *text = malloc(e->len + 1);
  size_t n = text ? ZSTD_decompress(text, e->len, frame, e->stored) : 0;
  bool done = text && !ZSTD_isError(n) && n == e->len;
  if (done) {
    text[n] = 0;
    digest_bytes(hex, text, n);
    done = strcmp(hex, e->hex) == 0;
  }
  if (!done) {
    free(text);
    return NULL;
  }
  return text;
}

/* FILE's bytes, *N of them. */
static char *read_all(const char *file, size_t *n, char **err) {
  char *bytes = file_read(file, n);
  if (!bytes)
    *err =
        xasprintf("%s, which has the text of its kernels: %s; build the unit again", file, strerror(errno));
  return bytes;
}

static char *not_understood(const char *file) {
  return xasprintf(
      "%s: expected the text of a unit as this version of ckjit writes it, found other content or only a part of it; build the unit again",
      file);
}

bool unittext_each(const char *file, unittext_one *each, void *user, char **err) {
  struct entry e;
  size_t n;
  char *bytes = read_all(file, &n, err);
  if (!bytes)
    return false;
  const char *p = bytes + sizeof HEAD - 1;
  bool damaged = n < sizeof HEAD || memcmp(bytes, HEAD, sizeof HEAD - 1) != 0;
  while (!damaged && next_line(&e, &p, bytes + n, &damaged))
    if (strcmp(e.arch, KERNELS) != 0 && !str_starts(e.arch, UNITTEXT_FRONT))
      each(e.arch, e.hex, user);
  if (damaged)
    *err = not_understood(file);
  free(bytes);
  return !damaged;
}

/* The N BYTES of FILE, which are as expected, have no text for ARCH, but for others. */
static char *no_text(const char *file, const char *arch, const char *bytes, size_t n) {
  struct entry e;
  struct argv has = {0};
  struct buf said = {0};
  const char *p = bytes + sizeof HEAD - 1;
  bool damaged;
  while (next_line(&e, &p, bytes + n, &damaged))
    if (strcmp(e.arch, KERNELS) != 0 && !str_starts(e.arch, UNITTEXT_FRONT))
      argv_add(&has, e.arch);
  buf_printf(&said, "%s: it has no text for %s", file, arch);
  for (size_t i = 0; i < has.n; i++)
    buf_printf(&said, "%s%s", i == 0 ? ", but for " : i + 1 < has.n ? ", " : " and ", has.args[i]);
  buf_puts(&said, "; build the unit for that architecture");
  argv_free(&has);
  return said.data;
}

char *unittext_read(const char *file, const char *arch, size_t *len, char **err) {
  struct entry e;
  const char *frame;
  bool damaged = false;
  size_t n;
  char *bytes = read_all(file, &n, err), *text = NULL;
  if (!bytes)
    return NULL;
  if (find(&e, &frame, arch, bytes, n, &damaged))
    damaged = !(text = unpack(&e, frame));
  if (damaged)
    *err = not_understood(file);
  else if (!text)
    *err = no_text(file, arch, bytes, n);
  else
    *len = e.len;
  free(bytes);
  return text;
}

/* The frame of the names, which stands first, of the file open as IN. NULL: that is not what it
 * holds, or it ends too early. */
static char *read_names(FILE *in) {
  char *line = NULL, *frame = NULL, *names = NULL;
  size_t cap = 0;
  struct entry first = {0}, e;
  ssize_t n = getline(&line, &cap, in);
  uint64_t size = 0;
  struct stat st;
  bool good = n > 0 && strcmp(line, HEAD) == 0;
  while (good && (n = getline(&line, &cap, in)) > 1) {
    good = read_line(&e, line, (size_t)n - 1);
    if (!*first.arch)
      first = e;
    size += e.stored;
  }
  good = good && n == 1 && fstat(fileno(in), &st) == 0 && (uint64_t)st.st_size == (uint64_t)ftello(in) + size;
  if (good && strcmp(first.arch, KERNELS) == 0 && (frame = malloc(first.stored + 1)) &&
      fread(frame, 1, first.stored, in) == first.stored)
    names = unpack(&first, frame);
  free(frame);
  free(line);
  return names;
}

bool unittext_kernels(const char *file, struct argv *kernels, char **err) {
  FILE *in = fopen(file, "re");
  if (!in) {
    *err =
        xasprintf("%s, which has the names of its kernels: %s; build the unit again", file, strerror(errno));
    return false;
  }
  char *names = read_names(in), *at = names;
  for (char *end; names && (end = strchr(at, '\n')); at = end + 1) {
    *end = 0;
    argv_add(kernels, at);
  }
  if (!names)
    *err = not_understood(file);
  fclose(in);
  bool read = names;
  free(names);
  return read;
}

void unittext_device_only(const char *text, size_t len, struct argv *names) {
  size_t n = sizeof UNITTEXT_DEVICE_ONLY - 1;
  len -= len && text[len - 1] == '\n';
  const char *end = memrchr(text, '\n', len), *line = end ? end + 1 : text;
  size_t left = len - (size_t)(line - text);
  if (left > n && memcmp(line, UNITTEXT_DEVICE_ONLY, n) == 0)
    argv_split(names, line + n, left - n);
}
