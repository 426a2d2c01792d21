/* ck_jit_capture_file.c - the file of CK_JIT_CAPTURE: opens and locks it, merges new counts,
 * replaces it.
 *
 * Any number of processes write to one file. Each locks it (flock), reads it, adds its numbers to
 * the existing lines, writes a new file beside it and renames that over it. So a reader never sees
 * half a file, and a killed process leaves the old one. The lock is on the file itself, which the
 * rename replaces: a process that gets the lock checks whether the name still refers to the same
 * file, and starts over if it does not. A file that is not a capture (a wrong format, a device, 64
 * MiB) is left alone.
 */
#include "ck_jit_capture_file.h"
#include "ck_jit_clock.h"
#include "ck_jit_file.h"
#include "ck_jit_manifest.h"
#include "ck_jit_protocol.h"
#include "ck_jit_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CKJIT_CAPTURE_MAX = 64 << 20 }; /* maximal bytes of a capture */

/* ---- opening, reading, replacing ---- */

/* After waiting for the lock, check that the file was not replaced. */
int ckjit_capture_open(const char *name, int patience) {
  for (uint64_t start = ckjit_microseconds();;) {
    struct stat mine, its;
    int fd = ckjit_open_named(name, O_RDWR | O_CREAT, 0666, CKJIT_CAPTURE_MAX, NULL);
    if (fd < 0)
      return -1;
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    int error = errno;
    if (locked && fstat(fd, &mine) == 0 && stat(name, &its) == 0 && mine.st_ino == its.st_ino &&
        mine.st_dev == its.st_dev)
      return fd;
    close(fd);
    if (!locked && error != EWOULDBLOCK && error != EINTR) {
      errno = error;
      return -1;
    }
    if (ckjit_microseconds() - start >= (uint64_t)patience * 1000) {
      errno = EWOULDBLOCK;
      return -1;
    }
    const struct timespec pause = {.tv_nsec = 2000000};
    if (!locked)
      nanosleep(&pause, NULL);
  }
}

static bool ckjit_read_all(int fd, struct ckjit_text *text) {
  for (;;) {
    char *room = ckjit_text_room(text, 65536);
    if (!room)
      return false;
    ssize_t n = read(fd, room, 65535);
    if (n == 0)
      return true;
    if (n < 0 && errno != EINTR)
      return false;
    if (n > 0) {
      text->len += (size_t)n;
      text->data[text->len] = 0;
    }
  }
}

/* Replace NAME, whose lock is held, by TEXT. The temporary name is random: on a file system without
 * locks another container may do the same at this moment, with the same process id. False with
 * errno. */
static bool ckjit_capture_replace(const char *name, const struct stat *st,
                                  const struct ckjit_text *text) {
  struct ckjit_text tmp = {0};
  char *real = realpath(name, NULL); /* a link remains a link */
  ckjit_addf(&tmp, "%s.tmp-XXXXXX", real ? real : name);
  bool ok = false;
  if (real && !tmp.lost) {
    int fd = mkostemp(tmp.data, O_CLOEXEC);
    int error = fd < 0 ? errno : ckjit_write_file(fd, text->data, text->len);
    if (!error && fchmod(fd, st->st_mode & 0777))
      error = errno;
    if (fd >= 0 && close(fd) && !error)
      error = errno;
    if (!error && rename(tmp.data, real))
      error = errno;
    if (error && fd >= 0)
      unlink(tmp.data);
    ok = !error;
    errno = error;
  }
  free(real);
  ckjit_text_free(&tmp);
  return ok;
}

/* ---- lines ---- */

/* The stem of number I in D, as in a line: a newline becomes "\n". */
static void ckjit_capture_stem(struct ckjit_text *out, const struct ckjit_capture_due *d,
                               uint32_t number) {
  size_t n;
  const struct ckjit_captured_kernel *k = d->kernel[number];
  const char *stem = ckjit_stem_of(d->blob[number], &n);
  for (size_t i = 0; i < n; i++)
    if (stem[i] == '\n' || stem[i] == '\\')
      ckjit_add(out, stem[i] == '\n' ? "\\n" : "\\\\");
    else
      ckjit_add_bytes(out, stem + i, 1);
  if (k)
    ckjit_addf(out, ".%016llx", (unsigned long long)ckjit_fnv1a(k->name, strlen(k->name)));
}

/* The line of number I in D: the sum of D's counts and those of LINE (NULL: none). Without floating
 * point, whose decimal separator depends on the host's locale. */
static void ckjit_capture_line(struct ckjit_text *out, const char *line,
                               const struct ckjit_capture_due *d, uint32_t i) {
  unsigned long long calls = 0, processes = 0, s = 0, thousandths = 0;
  uint32_t ms = d->ms[i];
  if (line && sscanf(line, "%llu\t%llu\t%llu.%3llu\t", &calls, &processes, &s, &thousandths) == 4 &&
      s * 1000 + thousandths > ms)
    ms = s > UINT32_MAX / 1000 - 1 ? UINT32_MAX : (uint32_t)(s * 1000 + thousandths);
  ckjit_addf(out, "%llu\t%llu\t", calls + d->calls[i], processes + d->first[i]);
  if (ms)
    ckjit_addf(out, "%u.%03u\t", ms / 1000, ms % 1000);
  else
    ckjit_add(out, "-\t");
  ckjit_capture_stem(out, d, i);
  if (d->kernel[i]) {
    ckjit_add(out, "\t");
    ckjit_add_demangled(out, d->kernel[i]->name);
  }
  ckjit_add(out, "\n");
}

/* The number in D of the kernel called NAME in the file, or d->n. */
static uint32_t ckjit_capture_find(const struct ckjit_capture_due *d, const char *name,
                                   size_t len) {
  struct ckjit_text stem = {0};
  const char *tab = memchr(name, '\t', len);
  uint32_t i = 0;
  for (; i < d->n; i++) {
    size_t n = d->kernel[i] && tab ? (size_t)(tab - name) : len; /* its C++ name follows */
    ckjit_text_clear(&stem);
    ckjit_capture_stem(&stem, d, i);
    if (stem.len == n && stem.data && memcmp(stem.data, name, n) == 0)
      break;
  }
  ckjit_text_free(&stem);
  return i;
}

/* The name in a line, after three tabs; NULL if it has none. */
static const char *ckjit_capture_name(const char *line, const char *end) {
  const char *at = line;
  for (int tab = 0; at && tab < 3; tab++)
    at = (at = memchr(at, '\t', (size_t)(end - at))) ? at + 1 : NULL;
  return at;
}

/* The lines of OLD after its first one, each with D's counts of its kernel; then lines for D's
 * other kernels. */
static void ckjit_capture_lines(struct ckjit_text *out, const char *old,
                                const struct ckjit_capture_due *d) {
  const char *line = strchr(old, '\n');
  for (line = line ? line + 1 : NULL; line && *line;) {
    const char *end = strchrnul(line, '\n'), *name = ckjit_capture_name(line, end);
    uint32_t i = name ? ckjit_capture_find(d, name, (size_t)(end - name)) : d->n;
    if (i == d->n || d->done[i]) {
      ckjit_add_bytes(out, line, (size_t)(end - line));
      ckjit_add(out, "\n");
    } else {
      ckjit_capture_line(out, line, d, i);
      d->done[i] = 1;
    }
    line = *end ? end + 1 : end;
  }
  for (uint32_t i = 0; i < d->n; i++)
    if (!d->done[i])
      ckjit_capture_line(out, NULL, d, i);
}

bool ckjit_capture_merge(const char *name, int fd, const struct ckjit_capture_due *due,
                         const char **why) {
  char head[32]; /* the beginning of the first line */
  size_t head_len =
      (size_t)snprintf(head, sizeof head, CKJIT_CAPTURE_MARK "%d:", CKJIT_CAPTURE_FORMAT);
  struct ckjit_text old = {0}, new = {0};
  struct stat st;
  bool ok = false, read = fstat(fd, &st) == 0 && ckjit_read_all(fd, &old);
  const char *text = read && old.len ? old.data : "";
  ckjit_addf(&new, "%s calls, processes, seconds of the compile, kernel\n", head);
  *why = NULL;
  if (!read) {
    *why = old.lost ? NULL : "it cannot be read";
  } else if (memchr(text, 0, old.len) || (*text && strncmp(text, head, head_len) != 0)) {
    *why = "it is not a capture of this version of ckjit; name another file";
  } else {
    ckjit_capture_lines(&new, text, due);
    ok = !new.lost &&ckjit_capture_replace(name, &st, &new);
    if (!ok && !new.lost)
      *why = strerror(errno);
  }
  ckjit_text_free(&old);
  ckjit_text_free(&new);
  return ok;
}
