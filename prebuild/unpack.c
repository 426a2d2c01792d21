/* unpack.c - `unpack`: verifies the entries of a pack that a cache lacks, and puts them into the
 * cache.
 *
 * A pack is untrusted (docs/formats.md): it is read in one pass, and every byte must be as
 * expected. The entries are written into a separate directory in the cache, where nobody looks for
 * them; their names and sizes come from the index, never from a header. They are renamed only after
 * the end of the pack was seen, and each entry was found to match the index. So a pack that is
 * refused leaves nothing, and an unpack that is killed leaves files that the next compile removes
 * (core/cache/owned.c).
 */
#include "archs.h"
#include "packfile.h"
#include "help.h"
#include "prebuild.h"
#include "core/base/memory.h"
#include "core/base/human.h"
#include "core/base/path.h"
#include "core/cache/cachedir.h"
#include "core/cache/lastlook.h"
#include "core/cache/owned.h"
#include "core/cache/placing.h"
#include "core/cache/signature.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zstd.h>

enum { CHUNK = 1 << 18 };

struct unpacking {
  const struct request *r;
  const char *file; /* for messages */
  int fd;           /* the pack */
  ZSTD_DCtx *zstd;  /* NULL: it is not compressed */
  /* bytes that were read but not yet decompressed; none: its end */
  ZSTD_inBuffer in;
  bool in_frame; /* zstd expects more bytes */
  struct pack pack;
  struct signature_keys keys; /* none: signatures do not matter */
  bool *have;                 /* for each entry: the cache has it */
  uint64_t bytes;             /* total of the others */
  /* the directory of the verified entries; NULL: none yet */
  char *staging;
};

/* Undone if the program ends. */
static struct unpacking *current;

static void undo(void) {
  if (!current)
    return;
  if (current->staging)
    owned_remove(current->staging);
}

/* Refuse the pack. */
static _Noreturn void refuse(const struct unpacking *u, char *why) {
  die(EXIT_FAILED, "%s: %s\nnothing was unpacked", u->file, why);
}

/* ---- reading ---- */

/* Read the next bytes of the pack. */
static void fill(struct unpacking *u) {
  static char bytes[CHUNK];
  ssize_t r;
  while ((r = read(u->fd, bytes, sizeof bytes)) < 0 && errno == EINTR)
    ;
  if (r < 0)
    refuse(u, xasprintf("it cannot be read: %s", strerror(errno)));
  u->in = (ZSTD_inBuffer){bytes, (size_t)r, 0};
}

/* Source: RFC 8878: a frame begins with 28 b5 2f fd. The library refuses a window of more than 128
 * MiB. */
static void begin(struct unpacking *u) {
  fill(u);
  int first = u->in.size ? *(const unsigned char *)u->in.src : PACK_INDEX_NAME[0];
  if (first == PACK_INDEX_NAME[0])
    return;
  if (first != 0x28)
    refuse(u,
           xstrdup("it is not a pack: it begins neither like its tar nor like the output of zstd"));
  u->zstd = ZSTD_createDCtx();
  if (!u->zstd)
    die(EXIT_FAILED, "out of memory");
}

/* Move bytes from u->in to OUT. */
static void decompress(struct unpacking *u, ZSTD_outBuffer *out) {
  size_t n = out->size - out->pos, from = u->in.pos, to = out->pos;
  if (!u->zstd) {
    n = n < u->in.size - from ? n : u->in.size - from;
    memcpy((char *)out->dst + to, (const char *)u->in.src + from, n);
    u->in.pos += n;
    out->pos += n;
    return;
  }
  size_t more = ZSTD_decompressStream(u->zstd, out, &u->in);
  if (ZSTD_isError(more))
    refuse(u, xasprintf("it is truncated or damaged: zstd: %s", ZSTD_getErrorName(more)));
  if (u->in.pos > from || out->pos > to)
    u->in_frame = more > 0;
}

/* Read up to N bytes; returns their number. */
static size_t get_some(struct unpacking *u, void *to, size_t n) {
  ZSTD_outBuffer out = {to, n, 0};
  while (out.pos < n) {
    size_t before = out.pos;
    if (u->in.pos == u->in.size)
      fill(u);
    decompress(u, &out);
    if (!u->in.size && out.pos == before)
      break;
  }
  return out.pos;
}

static void get(struct unpacking *u, void *to, size_t n, const char *what) {
  if (get_some(u, to, n) < n)
    refuse(u, xasprintf("it is truncated: it ends within %s", what));
}

static void get_padding(struct unpacking *u, uint64_t size, const char *what) {
  static const char zeros[PACK_BLOCK];
  char block[PACK_BLOCK];
  get(u, block, pack_padding(size), what);
  if (memcmp(block, zeros, pack_padding(size)) != 0)
    refuse(u, xasprintf("there are extra bytes after %s", what));
}

/* Read the header of the member NAME; returns its size. */
static uint64_t get_header(struct unpacking *u, const char *name) {
  unsigned char block[PACK_BLOCK] = {0};
  uint64_t size;
  get(u, block, sizeof block, name);
  char *why = pack_header_check(block, name, &size);
  if (why)
    refuse(u, why);
  return size;
}

static void read_index(struct unpacking *u) {
  unsigned char block[PACK_BLOCK] = {0};
  uint64_t size;
  size_t n = get_some(u, block, sizeof block);
  if (!n)
    refuse(u, xstrdup("it is not a pack: it is empty, or truncated near its beginning"));
  char *why = pack_header_check(block, PACK_INDEX_NAME, &size), *err;
  if (why || n < sizeof block)
    refuse(u, xasprintf("it is not a pack: it does not begin with a file " PACK_INDEX_NAME));
  if (size > PACK_INDEX_MAX)
    refuse(u, xasprintf("its index of %llu bytes is too large", (unsigned long long)size));
  autofree char *text = xcalloc(size + 1, 1);
  get(u, text, size, "its index");
  get_padding(u, size, "its index");
  if (strlen(text) != size)
    refuse(u, xstrdup("its index is not text"));
  if (!pack_index_read(&u->pack, text, size, &err))
    refuse(u, err);
}

/* ---- checks before unpacking ---- */

static void check_archs(const struct unpacking *u) {
  for (size_t i = 0; u->r->arch && i < u->pack.n; i++)
    if (!archs_mean(u->r->arch, u->pack.entries[i].archs))
      refuse(u, xasprintf("its entry %s is for %s, expected --arch %s", u->pack.entries[i].stem,
                          u->pack.entries[i].archs, u->r->arch));
}

/* A directory for jobs of other users, as in an image, may be readable: made by its owner, with
 * mode 755. */
static void open_cache(const struct request *r) {
  char *err;
  struct stat st;
  bool ours = lstat(r->cache, &st) == 0 && ckjit_is_own(&st) && !ckjit_readonly_check(r->cache);
  if (!ours && !cachedir_open(r->cache, &err))
    die(EXIT_FAILED, "%s", err);
  if (!cachedir_writable(r->cache, &err))
    die(EXIT_FAILED, "%s", err);
}

/* Find the entries that exist already; returns the bytes of the others. */
static uint64_t look_up(struct unpacking *u) {
  uint64_t bytes = 0;
  u->have = xcalloc(u->pack.n + 1, sizeof *u->have);
  for (size_t i = 0; i < u->pack.n; i++) {
    const struct pack_entry *e = &u->pack.entries[i];
    char path[PATH_MAX];
    const char *why;
    u->have[i] = ckjit_entry_find(path, u->r->cache, e->stem, strlen(e->stem), e->id, &why);
    bytes += u->have[i] ? 0 : e->size;
  }
  return bytes;
}

static void check_room(const struct unpacking *u) {
  struct statvfs fs;
  if (statvfs(u->r->cache, &fs) || u->bytes / fs.f_frsize < fs.f_bavail)
    return;
  refuse(u, xasprintf("it needs %s, and %s has %s free", human_size(u->bytes), u->r->cache,
                      human_size((uint64_t)fs.f_bavail * fs.f_frsize)));
}

/* ---- the entries ---- */

static char *staged(const struct unpacking *u, size_t i) {
  return xasprintf("%s/%zu", u->staging, i);
}

/* Copy the SIZE bytes of entry E into FD; -1: nowhere. */
static void copy_entry(struct unpacking *u, const struct pack_entry *e, int fd) {
  static char bytes[CHUNK];
  for (uint64_t left = e->size; left;) {
    size_t n = left < CHUNK ? (size_t)left : CHUNK;
    get(u, bytes, n, e->stem);
    if (fd >= 0 && write(fd, bytes, n) != (ssize_t)n)
      refuse(u, xasprintf("%s cannot be written to %s: %s", e->stem, u->r->cache,
                          strerror(errno ? errno : ENOSPC)));
    left -= n;
  }
}

/* Do the bytes of E in FD match the index? */
static void check_entry(const struct unpacking *u, const struct pack_entry *e, int fd) {
  enum ckjit_kind kind;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  struct ckjit_seal seal;
  const char *wrong = ckjit_entry_read(fd, id, &kind);
  if (!wrong && memcmp(id, e->id, sizeof id) != 0)
    wrong = "has another build id than its index says";
  if (!wrong &&
      (!ckjit_pread_all(fd, &seal, sizeof seal, e->size - sizeof seal) || seal.hash != e->hash))
    wrong = "has other content than its index says";
  if (!wrong && u->keys.n)
    wrong = signature_why(fd, &u->keys);
  if (wrong)
    refuse(u, xasprintf("%s for %s %s", e->stem, e->archs, wrong));
}

static void unpack_entry(struct unpacking *u, size_t i) {
  const struct pack_entry *e = &u->pack.entries[i];
  char name[PACK_MEMBER_NAME];
  int fd = -1;
  pack_member_name(name, &u->pack, i);
  uint64_t size = get_header(u, name);
  if (size != e->size)
    refuse(u, xasprintf("%s has %llu bytes, and its index says %llu", name,
                        (unsigned long long)size, (unsigned long long)e->size));
  if (!u->have[i]) {
    autofree char *path = staged(u, i);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
      refuse(u, xasprintf("%s cannot be made: %s", path, strerror(errno)));
  }
  copy_entry(u, e, fd);
  get_padding(u, size, name);
  if (fd < 0)
    return;
  mode_t mask = umask(0);
  umask(mask);
  check_entry(u, e, fd);
  if (fchmod(fd, (0755 & ~mask) | 0500)) /* as ckjit-compile does */
    refuse(u, xasprintf("%s cannot be written: %s", e->stem, strerror(errno)));
  sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE); /* start the writes that sync_all waits for */
  close(fd);
}

/* Two blocks of zeros or more, as tar pads, and no other byte. */
static void read_end(struct unpacking *u) {
  enum { END = 2 * PACK_BLOCK, MOST = 20 * PACK_BLOCK };
  static const char zeros[MOST];
  char bytes[MOST + 1];
  size_t n = get_some(u, bytes, sizeof bytes);
  if (n < END)
    refuse(u, xstrdup("it is truncated: its end is missing"));
  if (n > MOST || memcmp(bytes, zeros, n) != 0)
    refuse(u, xstrdup("there are extra bytes after its last entry"));
  if (u->in_frame)
    refuse(u, xstrdup("it is truncated: the end of its compression by zstd is missing"));
}

/* ---- into the cache ---- */

/* Sync all staged entries at once: one syncfs flushes the disk once, whereas an fsync for each of
 * 500 entries flushes it 500 times, which takes seconds when other work uses the disk. syncfs also
 * waits for writes of other processes to that file system; if those are much more, and if it fails,
 * which may be their fault, each entry is synced by itself. */
static bool sync_together(const struct unpacking *u) {
  const uint64_t others = 256 << 20;
  uint64_t dirty = memory_dirty();
  if (dirty > u->bytes && dirty - u->bytes > u->bytes + others)
    return false;
  int fd = open(u->staging, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool done = fd >= 0 && syncfs(fd) == 0;
  if (fd >= 0)
    close(fd);
  return done;
}

/* Is FD's content on the disk? TOGETHER: syncfs reported success, which on Linux before 5.8 does
 * not include files that could not be written. Waiting for the file once more writes nothing and
 * does report that, unless the call is missing or not allowed. */
static bool is_through(int fd, bool together) {
  if (together && sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WAIT_BEFORE) == 0)
    return true;
  return (!together || errno == ENOSYS || errno == EPERM || errno == EINVAL) && fsync(fd) == 0;
}

static void sync_all(struct unpacking *u) {
  bool together = sync_together(u);
  for (size_t i = 0; i < u->pack.n; i++) {
    if (u->have[i])
      continue;
    autofree char *path = staged(u, i);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || !is_through(fd, together))
      refuse(u, xasprintf("%s cannot be written: %s", u->pack.entries[i].stem, strerror(errno)));
    close(fd);
  }
}

static size_t place_all(struct unpacking *u) {
  size_t placed = 0;
  char name[NAME_MAX + 1];
  for (size_t i = 0; i < u->pack.n; i++) {
    const struct pack_entry *e = &u->pack.entries[i];
    if (u->have[i])
      continue;
    autofree char *path = staged(u, i);
    int error = placing_rename(name, u->r->cache, e->stem, e->id, path);
    if (error)
      die(EXIT_FAILED,
          "%s: %s/%s cannot be made: %s; added %zu complete %s before: unpack it again", u->file,
          u->r->cache, name, strerror(error), placed, noun(placed, "entry", "entries"));
    placed++;
  }
  if (!placing_sync_dir(u->r->cache))
    die(EXIT_FAILED, "%s: cannot write the cache directory %s: %s", u->file, u->r->cache,
        strerror(errno));
  return placed;
}

/* ---- the command ---- */

static int open_pack(struct unpacking *u) {
  const char *file = u->r->names.args[0];
  if (strcmp(file, "-") == 0) {
    u->file = "standard input";
    if (isatty(STDIN_FILENO))
      die(EXIT_USAGE, "unpack: -: standard input is a terminal; expected a pack");
    return STDIN_FILENO;
  }
  u->file = str_starts(file, "/dev/fd/") ? "the pack" : file;
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    die(EXIT_FAILED, "%s: cannot be opened: %s", file, strerror(errno));
  if (file_is_dir(file))
    die(EXIT_FAILED, "%s: it is a directory; expected a pack", file);
  return fd;
}

static void make_staging(struct unpacking *u) {
  autofree char *prefix =
      xasprintf("%s/" CKJIT_TEMPORARY "%0*d", u->r->cache, 2 * CKJIT_BUILD_ID_SIZE, 0);
  u->staging = owned_make(prefix);
  if (!u->staging)
    refuse(u, cachedir_why("write to the cache directory", u->r->cache, errno));
}

int prebuild_unpack(struct request *r) {
  struct unpacking u = {.r = r};
  struct cachedir_limits limits;
  char *err;
  if (r->names.n != 1 || r->lists || r->all || r->matrix)
    die_usage(r, "expected one FILE, - for standard input");
  if (!cachedir_limits(&limits, &err) || !signature_trusted(&u.keys, &err))
    die(EXIT_FAILED, "%s", err);
  u.fd = open_pack(&u);
  begin(&u);
  current = &u;
  atexit(undo);
  read_index(&u);
  check_archs(&u);
  open_cache(r);
  u.bytes = look_up(&u);
  check_room(&u);
  make_staging(&u);
  for (size_t i = 0; i < u.pack.n; i++)
    unpack_entry(&u, i);
  read_end(&u);
  sync_all(&u);
  size_t added = place_all(&u);
  owned_remove(u.staging);
  current = NULL;
  signature_keys_free(&u.keys);
  cachedir_limit(r->cache, &limits, NULL);
  lastlook_forget(r->cache);
  printf("%zu added, %zu in the cache already, %s\n", added, u.pack.n - added, r->cache);
  ZSTD_freeDCtx(u.zstd);
  if (u.fd != STDIN_FILENO)
    close(u.fd);
  return EXIT_OK;
}
