/* tarfile.c - see tarfile.h. */
#include "tarfile.h"
#include "packfile.h"
#include "abi/ck_jit_jobs.h"
#include "core/base/path.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* the file that is written */
struct archive {
  int fd;
  const char *file; /* for messages */
  ZSTD_CCtx *zstd;
};

/* its content */
struct writing {
  void (*fill)(struct archive *to, void *data);
  void *data;
};

/* ---- members ---- */

/* Compress BYTES and write the result; with ZSTD_e_end, all of it. */
static void compress(struct archive *to, const void *bytes, size_t n, ZSTD_EndDirective until) {
  static char out[1 << 18];
  ZSTD_inBuffer in = {bytes, n, 0};
  for (size_t left = 1; left;) {
    ZSTD_outBuffer made = {out, sizeof out, 0};
    left = ZSTD_compressStream2(to->zstd, &made, &in, until);
    if (ZSTD_isError(left))
      die(EXIT_FAILED, "%s: cannot be compressed: %s; nothing was written", to->file,
          ZSTD_getErrorName(left));
    if (until == ZSTD_e_continue)
      left = in.size - in.pos;
    for (const char *p = out; made.pos;) {
      ssize_t w = write(to->fd, p, made.pos);
      if (w < 0 && errno != EINTR)
        die(EXIT_FAILED, "%s: cannot be written: %s", to->file, strerror(errno));
      p += w < 0 ? 0 : w;
      made.pos -= w < 0 ? 0 : (size_t)w;
    }
  }
}

void archive_put(struct archive *to, const void *bytes, size_t n) {
  compress(to, bytes, n, ZSTD_e_continue);
}

void archive_begin(struct archive *to, const char *name, uint64_t size) {
  unsigned char header[PACK_BLOCK];
  pack_header(header, name, size);
  archive_put(to, header, sizeof header);
}

void archive_end(struct archive *to, uint64_t size) {
  static const char zeros[PACK_BLOCK];
  archive_put(to, zeros, pack_padding(size));
}

void archive_add(struct archive *to, const char *name, const void *bytes, size_t size) {
  archive_begin(to, name, size);
  archive_put(to, bytes, size);
  archive_end(to, size);
}

/* ---- the file ---- */

/* Removed if the program ends before it is complete; NULL: nothing. */
static char *unfinished;

static void remove_unfinished(void) {
  if (unfinished)
    unlink(unfinished);
}

/* As the program zstd does: its default level, a checksum, and all processors, if the library can
 * (Debian's static one cannot). */
static void write_to(const struct writing *w, int fd, const char *file) {
  static const char end[2 * PACK_BLOCK];
  struct archive to = {fd, file, ZSTD_createCCtx()};
  if (!to.zstd)
    die(EXIT_FAILED, "out of memory");
  ZSTD_CCtx_setParameter(to.zstd, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(to.zstd, ZSTD_c_nbWorkers, (int)ckjit_processors());
  signal(SIGPIPE, SIG_IGN); /* a reader that ends is an error of write() */
  w->fill(&to, w->data);
  archive_put(&to, end, sizeof end);
  compress(&to, NULL, 0, ZSTD_e_end);
  ZSTD_freeCCtx(to.zstd);
}

/* Write to FILE, a device or a pipe. */
static void write_special(const struct writing *w, const char *file) {
  int fd = open(file, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    die(EXIT_FAILED, "--output %s: cannot be written: %s", file, strerror(errno));
  write_to(w, fd, file);
  close(fd);
}

/* Write FILE beside its place, or beside the target if it is a link, and rename it when it is
 * complete; returns its size. */
static uint64_t write_file(const struct writing *w, const char *file) {
  struct stat st;
  if (file_is_dir(file))
    die(EXIT_FAILED, "--output %s: it is a directory; expected a file", file);
  autofree char *target = realpath(file, NULL);
  file = target ? target : file;
  autofree char *temporary = xasprintf("%s.tmp-XXXXXX", file);
  int fd = mkostemp(temporary, O_CLOEXEC);
  if (fd < 0)
    die(EXIT_FAILED, "--output %s: cannot be written: %s", file, strerror(errno));
  unfinished = temporary;
  atexit(remove_unfinished);
  mode_t mask = umask(0);
  umask(mask);
  write_to(w, fd, file);
  if (fchmod(fd, 0666 & ~mask) || fsync(fd) || fstat(fd, &st) || close(fd) ||
      rename(temporary, file))
    die(EXIT_FAILED, "--output %s: cannot be written: %s", file, strerror(errno));
  unfinished = NULL;
  return (uint64_t)st.st_size;
}

uint64_t archive_write(const char *command, const char *file,
                       void (*fill)(struct archive *to, void *data), void *data) {
  const struct writing w = {fill, data};
  if (strcmp(file, "-") == 0) {
    if (isatty(STDOUT_FILENO))
      die(EXIT_USAGE, "%s: --output -: standard output is a terminal; name a file, or a pipe",
          command);
    write_to(&w, STDOUT_FILENO, "standard output");
  } else if (file_is_special(file) || path_within(file, "/dev")) { /* /dev/fd/3 may be a file */
    write_special(&w, file);
  } else {
    return write_file(&w, file);
  }
  return 0;
}
