/* unittext.c - see unittext.h. The file is a head of lines, then a zstd frame for each of them:
 *
 *     ckjit-text 3
 *     kernels BYTES<TAB>STORED<TAB>DIGEST     their names, a line each
 *     gfx942 BYTES<TAB>STORED<TAB>DIGEST      architecture; bytes of the text and of its frame
 *     (an empty line)
 *
 * The names are those that the unit's host code registers: only its object shows which templates
 * were instantiated. They stand first and the file is mapped, so a list of kernels reads a page of
 * each file and not its megabytes. They are in no key.
 *
 * All numbers are checked before anything is allocated by them, since the file may come from
 * another user's package.
 */
#include "unittext.h"
#include "abi/ck_jit_number.h"
#include "core/base/lines.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/cache/key.h"

#include <sys/mman.h>
#include <zstd.h>

#define HEAD "ckjit-text 3"
#define KERNELS "kernels" /* in place of an architecture */

/* Level 1: 15 MB take 30 ms, and nobody waits for the reader. The longest text so far has 40 MB. */
enum { LEVEL = 1 };
#define LONGEST ((uint64_t)1 << 30)

/* a line of the head */
struct frame {
  char *arch, hex[DIGEST_HEX];
  uint64_t len, stored;
  const char *frame; /* of a file that is read */
};

/* ---- writing ---- */

static void put_entry(struct buf *head, const struct frame *e) {
  buf_printf(head, "%s %llu\t%llu\t%s\n", e->arch, (unsigned long long)e->len,
             (unsigned long long)e->stored, e->hex);
}

static bool add_frame(struct buf *head, struct buf *frames, const struct unittext *u) {
  struct frame e = {.arch = (char *)u->arch, .len = u->len};
  e.stored = ZSTD_compress(buf_room(frames, ZSTD_compressBound(u->len)), ZSTD_compressBound(u->len),
                           u->text, u->len, LEVEL);
  if (ZSTD_isError(e.stored))
    return false;
  frames->len += e.stored;
  digest_bytes(e.hex, u->text, u->len);
  put_entry(head, &e);
  return true;
}

static bool add_kernels(struct buf *head, struct buf *frames, const struct argv *kernels) {
  autofree_buf names = {0};
  buf_add(&names, "", 0);
  for (size_t i = 0; i < kernels->n; i++)
    buf_printf(&names, "%s\n", kernels->args[i]);
  return add_frame(head, frames, &(struct unittext){KERNELS, names.data, names.len});
}

bool unittext_write(const char *file, const struct unittext *texts, size_t n,
                    const struct argv *kernels, char **err) {
  autofree_buf out = {0}, frames = {0};
  buf_puts(&out, HEAD "\n");
  bool done = add_kernels(&out, &frames, kernels);
  for (size_t i = 0; i < n && done; i++)
    done = add_frame(&out, &frames, &texts[i]);
  if (!done)
    *err = xasprintf("%s: the text of a unit cannot be compressed", file);
  buf_puts(&out, "\n");
  buf_add(&out, frames.data, frames.len);
  if (done && !(done = file_update(file, out.data, out.len, 0666)))
    *err = xasprintf("%s: cannot write the text of a unit: %s", file, strerror(errno));
  return done;
}

/* ---- reading ---- */

struct texts {
  const char *bytes;
  size_t n;
  struct frame *list;
  size_t nlist;
};

static bool take_line(struct texts *t, const struct lines *l) {
  if (l->n != 4 || !*l->field[0] || strlen(l->field[3]) != DIGEST_HEX - 1)
    return false;
  struct frame *e = vec_add(t->list, t->nlist);
  e->arch = xstrdup(l->field[0]);
  memcpy(e->hex, l->field[3], DIGEST_HEX);
  return ckjit_number(l->field[1], strlen(l->field[1]), &e->len) && e->len <= LONGEST &&
         ckjit_number(l->field[2], strlen(l->field[2]), &e->stored) && e->stored <= LONGEST;
}

/* Read the head of T's bytes. False: it is not understood, or does not match the frames. */
static bool read_head(struct texts *t) {
  const char *empty = t->n ? memmem(t->bytes, t->n, "\n\n", 2) : NULL;
  size_t head = empty ? (size_t)(empty + 1 - t->bytes) : 0;
  struct lines l;
  bool good = empty && lines_open_text(&l, "", t->bytes, head, HEAD);
  while (good && lines_next(&l))
    good = take_line(t, &l);
  good = good && lines_ended(&l);
  if (empty)
    lines_close(&l);
  uint64_t left = t->n - head - 1;
  for (size_t i = 0; good && i < t->nlist; left -= t->list[i++].stored) {
    good = t->list[i].stored <= left;
    t->list[i].frame = t->bytes + t->n - left;
  }
  return good && !left;
}

static void texts_free(struct texts *t) {
  for (size_t i = 0; i < t->nlist; i++)
    free(t->list[i].arch);
  free(t->list);
}

static void texts_close(struct texts *t) {
  if (t->bytes)
    munmap((void *)(uintptr_t)t->bytes, t->n);
  texts_free(t);
}

static char *not_understood(const char *file) {
  return xasprintf(
      "%s: expected the text of a unit as this version of ckjit writes it, found other content or "
      "only a part of it; build the unit again",
      file);
}

/* Map FILE and read its head. False with *ERR; call texts_close if it is true. */
static bool texts_open(struct texts *t, const char *file, char **err) {
  *t = (struct texts){0};
  t->bytes = file_map(file, &t->n);
  bool understood = t->bytes && read_head(t);
  if (!understood)
    *err = t->bytes || errno == EINVAL /* it is empty */
               ? not_understood(file)
               : xasprintf("%s, which has the text of kernels: %s; build the unit again", file,
                           strerror(errno));
  if (!understood)
    texts_close(t);
  return understood;
}

static const struct frame *find(const struct texts *t, const char *arch) {
  for (size_t i = 0; i < t->nlist; i++)
    if (strcmp(t->list[i].arch, arch) == 0)
      return &t->list[i];
  return NULL;
}

static char *unpack(const struct frame *e) {
  char hex[DIGEST_HEX], *text = malloc(e->len + 1);
  size_t n = text ? ZSTD_decompress(text, e->len, e->frame, e->stored) : 0;
  bool done = text && !ZSTD_isError(n) && n == e->len;
  if (done) {
    text[n] = 0;
    digest_bytes(hex, text, n);
    done = strcmp(hex, e->hex) == 0;
  }
  if (done)
    return text;
  free(text);
  return NULL;
}

bool unittext_named(struct buf *out, const char *bytes, size_t n, const struct argv *kernels) {
  struct texts t = {.bytes = bytes, .n = n};
  autofree_buf head = {0}, frames = {0};
  bool done = read_head(&t) && t.nlist && strcmp(t.list[0].arch, KERNELS) == 0 &&
              (!kernels->n || add_kernels(&head, &frames, kernels));
  if (done && kernels->n) {
    for (size_t i = 1; i < t.nlist; i++)
      put_entry(&head, &t.list[i]);
    const char *others = t.list[0].frame + t.list[0].stored;
    buf_printf(out, HEAD "\n%s\n", head.data);
    buf_add(out, frames.data, frames.len);
    buf_add(out, others, (size_t)(bytes + n - others));
  } else if (done) {
    buf_add(out, bytes, n);
  }
  texts_free(&t);
  return done;
}

/* Is E the text for an architecture? */
static bool is_text(const struct frame *e) {
  return strcmp(e->arch, KERNELS) != 0 && !str_starts(e->arch, UNITTEXT_FRONT);
}

bool unittext_each(const char *file, unittext_one *each, void *user, char **err) {
  struct texts t;
  if (!texts_open(&t, file, err))
    return false;
  for (size_t i = 0; i < t.nlist; i++)
    if (is_text(&t.list[i]))
      each(t.list[i].arch, t.list[i].hex, user);
  texts_close(&t);
  return true;
}

static char *no_text(const char *file, const char *arch, const struct texts *t) {
  autofree_argv has = {0};
  struct buf said = {0};
  for (size_t i = 0; i < t->nlist; i++)
    if (is_text(&t->list[i]))
      argv_add(&has, t->list[i].arch);
  buf_printf(&said, "%s: it has no text for %s", file, arch);
  for (size_t i = 0; i < has.n; i++)
    buf_printf(&said, "%s%s", i == 0 ? ", but for " : i + 1 < has.n ? ", " : " and ", has.args[i]);
  buf_puts(&said, "; build the unit for that architecture");
  return said.data;
}

char *unittext_read(const char *file, const char *arch, size_t *len, char **err) {
  struct texts t;
  if (!texts_open(&t, file, err))
    return NULL;
  const struct frame *e = find(&t, arch);
  char *text = e ? unpack(e) : NULL;
  if (text)
    *len = e->len;
  else
    *err = e ? not_understood(file) : no_text(file, arch, &t);
  texts_close(&t);
  return text;
}

bool unittext_kernels(const char *file, struct argv *kernels, char **err) {
  struct texts t;
  if (!texts_open(&t, file, err))
    return false;
  const struct frame *e = find(&t, KERNELS);
  autofree char *names = e ? unpack(e) : NULL;
  char *at = names;
  for (char *end; names && (end = strchr(at, '\n')); at = end + 1) {
    *end = 0;
    argv_add(kernels, at);
  }
  if (!names)
    *err = not_understood(file);
  texts_close(&t);
  return names;
}

void unittext_device_only(const char *text, size_t len, struct argv *names) {
  size_t n = sizeof UNITTEXT_DEVICE_ONLY - 1;
  len -= len && text[len - 1] == '\n';
  const char *end = memrchr(text, '\n', len), *line = end ? end + 1 : text;
  size_t left = len - (size_t)(line - text);
  if (left > n && memcmp(line, UNITTEXT_DEVICE_ONLY, n) == 0)
    argv_split(names, line + n, left - n);
}
