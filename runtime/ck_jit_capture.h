/* ck_jit_capture.h - CK_JIT_CAPTURE=FILE: which kernels this job used, for a list of what to link ahead of
 * time.
 *
 *     # ckjit-capture 1: calls, processes, seconds of the compile, kernel
 *     1380\t8\t52.114\tfmha_fwd_d128_bf16_…
 *
 * One line a kernel, whatever number of processes write to FILE. Each adds what it knows under a lock (flock)
 * and replaces the file, so that a reader never sees half of one, and a killed process leaves nothing: once
 * for the first call of a kernel, then with the calls that follow, not more often than once a second, and at
 * exit. While calls are counted no slot is filled: each call comes here, 0.17 us instead of 2 ns, and what is
 * loaded is as it always is. A file that cannot be written is said once and never a reason to fail a kernel.
 */
#ifndef CK_JIT_CAPTURE_H
#define CK_JIT_CAPTURE_H

#include "ck_jit_place.h"
#include "ck_jit_text.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

enum {
  CKJIT_CAPTURE_PATIENCE = 2000, /* ms that the first call of a kernel may wait for the file's lock */
  CKJIT_CAPTURE_MAX = 64 << 20,  /* bytes of a file that can be a capture */
};

/* what is not in the file yet */
static struct {
  pthread_mutex_t mutex;            /* of the whole: held while the file is written */
  uint32_t calls[CKJIT_BLOBS];      /* atomic */
  uint32_t compile_ms[CKJIT_BLOBS]; /* atomic; 0: it was not compiled by this process */
  uint8_t told[CKJIT_BLOBS];        /* the first call is in the file; atomic */
  void *address[CKJIT_FUNCTIONS];   /* atomic; of the functions called so far */
  uint64_t written;                 /* when, in milliseconds; atomic */
  char *file;                       /* absolute: the process may change its directory */
  int busy;                         /* the lock was once not to be had: nobody waits for it again */
  bool at_exit;
  int refused; /* the file is no capture or cannot be written: said, and that is all; atomic */
} ckjit_captured = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static uint64_t ckjit_milliseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- the file ---- */

/* Open NAME and lock it, in its present incarnation: who waited for the lock may find that it was replaced.
 * -1 with errno. */
static int ckjit_capture_open(const char *name, int patience) {
  for (uint64_t start = ckjit_milliseconds();;) {
    struct stat mine, its;
    int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (fd < 0)
      return -1;
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    int error = errno;
    if (locked && fstat(fd, &mine) == 0 && stat(name, &its) == 0 && mine.st_ino == its.st_ino &&
        mine.st_dev == its.st_dev) {
      if (S_ISREG(mine.st_mode) && mine.st_size <= CKJIT_CAPTURE_MAX)
        return fd;
      close(fd);
      errno = EINVAL;
      return -1;
    }
    close(fd);
    if (!locked && error != EWOULDBLOCK && error != EINTR) {
      errno = error;
      return -1;
    }
    if (ckjit_milliseconds() - start >= (uint64_t)patience) {
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

static bool ckjit_write_all(int fd, const char *s, size_t n) {
  while (n) {
    ssize_t w = write(fd, s, n);
    if (w < 0 && errno != EINTR)
      return false;
    if (w > 0) {
      s += w;
      n -= (size_t)w;
    }
  }
  return true;
}

/* Replace NAME, whose lock is held, by TEXT. */
static bool ckjit_capture_replace(const char *name, const struct stat *st, const struct ckjit_text *text) {
  struct ckjit_text tmp = {0};
  char *real = realpath(name, NULL); /* a link stays one */
  ckjit_addf(&tmp, "%s.%ld.tmp", real ? real : name, (long)getpid());
  bool ok = false;
  if (real && !tmp.lost) {
    int fd = open(tmp.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    ok = fd >= 0 && ckjit_write_all(fd, text->data, text->len) && fchmod(fd, st->st_mode & 0777) == 0;
    if (fd >= 0)
      ok &= close(fd) == 0;
    ok = ok && rename(tmp.data, real) == 0;
    int error = errno;
    if (!ok && fd >= 0)
      unlink(tmp.data);
    errno = error;
  }
  free(real);
  ckjit_text_free(&tmp);
  return ok;
}

/* ---- its lines ---- */

/* STEM as it stands in a line: a newline in it as "\n". */
static void ckjit_capture_name(struct ckjit_text *out, const char *stem, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (stem[i] == '\n' || stem[i] == '\\')
      ckjit_add(out, stem[i] == '\n' ? "\\n" : "\\\\");
    else
      ckjit_add_bytes(out, stem + i, 1);
}

static const char *ckjit_stem_of(uint32_t blob, size_t *n); /* ck_jit_runtime.c */

static void ckjit_capture_stem(struct ckjit_text *out, uint32_t blob) {
  size_t n;
  const char *stem = ckjit_stem_of(blob, &n);
  ckjit_capture_name(out, stem, n);
}

/* One line: what was there, LINE (NULL: nothing), with CALLS, PROCESSES and MS more. No floating point: its
 * comma is the host's locale's. */
static void ckjit_capture_line(struct ckjit_text *out, const char *line, uint32_t calls, unsigned processes,
                               uint32_t ms, const char *name) {
  unsigned long long had_calls = 0, had_processes = 0, s = 0, thousandths = 0;
  if (line && sscanf(line, "%llu\t%llu\t%llu.%3llu\t", &had_calls, &had_processes, &s, &thousandths) == 4 &&
      s * 1000 + thousandths > ms)
    ms = s > UINT32_MAX / 1000 - 1 ? UINT32_MAX : (uint32_t)(s * 1000 + thousandths);
  ckjit_addf(out, "%llu\t%llu\t", had_calls + calls, had_processes + processes);
  if (ms)
    ckjit_addf(out, "%u.%03u\t%s\n", ms / 1000, ms % 1000, name);
  else
    ckjit_addf(out, "-\t%s\n", name);
}

/* The blob of this library that has something to tell and whose name in the file is NAME; CKJIT_BLOBS: none.
 */
static uint32_t ckjit_capture_find(const uint32_t *due, uint32_t n, const char *name, size_t len) {
  struct ckjit_text stem = {0};
  uint32_t found = CKJIT_BLOBS;
  for (uint32_t i = 0; i < n && found == CKJIT_BLOBS; i++) {
    ckjit_text_clear(&stem);
    ckjit_capture_stem(&stem, due[i]);
    if (stem.len == len && stem.data && memcmp(stem.data, name, len) == 0)
      found = i;
  }
  ckjit_text_free(&stem);
  return found;
}

/* what one write takes along */
struct ckjit_capture_due {
  uint32_t *blob, *calls, *ms;
  uint8_t *first, *done;
  uint32_t n;
};

/* The old TEXT with what is due, as the new text; false where it is no capture of this format. */
static bool ckjit_capture_merge(struct ckjit_text *out, const struct ckjit_text *text,
                                struct ckjit_capture_due *d) {
  struct ckjit_text head = {0}, name = {0};
  ckjit_addf(&head, CKJIT_CAPTURE_MARK "%d:", CKJIT_CAPTURE_FORMAT);
  bool ok = ckjit_whole(&head) && (!text->len || strncmp(text->data, head.data, head.len) == 0);
  ckjit_addf(out, "%s calls, processes, seconds of the compile, kernel\n", ok ? head.data : "");
  const char *line = ok && text->len ? strchr(text->data, '\n') : NULL;
  for (line = line ? line + 1 : NULL; ok && line && *line;) {
    const char *end = strchrnul(line, '\n'), *at = line;
    for (int tab = 0; at && tab < 3; tab++)
      at = (at = memchr(at, '\t', (size_t)(end - at))) ? at + 1 : NULL;
    uint32_t i = at ? ckjit_capture_find(d->blob, d->n, at, (size_t)(end - at)) : CKJIT_BLOBS;
    if (i == CKJIT_BLOBS || d->done[i]) {
      ckjit_add_bytes(out, line, (size_t)(end - line));
      ckjit_add(out, "\n");
    } else {
      ckjit_text_clear(&name);
      ckjit_capture_stem(&name, d->blob[i]);
      ckjit_capture_line(out, line, d->calls[i], d->first[i], d->ms[i], name.data ? name.data : "");
      d->done[i] = 1;
    }
    line = *end ? end + 1 : end;
  }
  for (uint32_t i = 0; ok && i < d->n; i++) {
    if (d->done[i])
      continue;
    ckjit_text_clear(&name);
    ckjit_capture_stem(&name, d->blob[i]);
    ckjit_capture_line(out, NULL, d->calls[i], d->first[i], d->ms[i], name.data ? name.data : "");
  }
  ok &= !name.lost && !out->lost;
  ckjit_text_free(&head);
  ckjit_text_free(&name);
  return ok;
}

/* ---- writing ---- */

/* Take what there is to tell out of the counters. */
static bool ckjit_capture_take(struct ckjit_capture_due *d) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < CKJIT_BLOBS; i++)
    n += __atomic_load_n(&ckjit_captured.calls[i], __ATOMIC_RELAXED) != 0;
  char *room = n ? calloc(n, 3 * sizeof(uint32_t) + 2) : NULL;
  if (!room)
    return false;
  d->blob = (uint32_t *)room;
  d->calls = d->blob + n;
  d->ms = d->calls + n;
  d->first = (uint8_t *)(d->ms + n);
  d->done = d->first + n;
  for (uint32_t i = 0; i < CKJIT_BLOBS && d->n < n; i++) {
    uint32_t calls = __atomic_exchange_n(&ckjit_captured.calls[i], 0, __ATOMIC_RELAXED);
    if (!calls)
      continue;
    d->blob[d->n] = i;
    d->calls[d->n] = calls;
    d->ms[d->n] = __atomic_load_n(&ckjit_captured.compile_ms[i], __ATOMIC_RELAXED);
    d->first[d->n++] = !__atomic_exchange_n(&ckjit_captured.told[i], 1, __ATOMIC_RELAXED);
  }
  return true;
}

/* It could not be written: it will be told the next time. */
static void ckjit_capture_give_back(const struct ckjit_capture_due *d) {
  for (uint32_t i = 0; i < d->n; i++) {
    __atomic_fetch_add(&ckjit_captured.calls[d->blob[i]], d->calls[i], __ATOMIC_RELAXED);
    if (d->first[i])
      __atomic_store_n(&ckjit_captured.told[d->blob[i]], 0, __ATOMIC_RELAXED);
  }
}

static void ckjit_capture_refuse(const char *name, const char *why) {
  struct ckjit_text line = {0};
  __atomic_store_n(&ckjit_captured.refused, 1, __ATOMIC_RELAXED);
  ckjit_addf(&line, "ckjit: CK_JIT_CAPTURE=%s: %s; nothing is captured\n", name, why);
  ckjit_say(&line);
  ckjit_text_free(&line);
}

/* Bring the file up to date; the mutex is held. */
static void ckjit_capture_write(int patience) {
  if (!ckjit_captured.file) {
    struct ckjit_text absolute = {0};
    const char *set = ckjit_env("CK_JIT_CAPTURE");
    if (set)
      ckjit_add_absolute(&absolute, set);
    ckjit_captured.file = absolute.lost ? NULL : absolute.data; /* kept */
    if (!ckjit_captured.file)
      return;
  }
  const char *name = ckjit_captured.file;
  struct ckjit_capture_due due = {0};
  struct ckjit_text old = {0}, new = {0};
  struct stat st;
  int fd = ckjit_captured.refused ? -1 : ckjit_capture_open(name, patience);
  if (fd < 0) {
    if (patience && errno == EWOULDBLOCK)
      __atomic_store_n(&ckjit_captured.busy, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&ckjit_captured.written, ckjit_milliseconds(), __ATOMIC_RELAXED);
    if (!ckjit_captured.refused && errno != EWOULDBLOCK)
      ckjit_capture_refuse(name, errno == EINVAL ? "it is not a file, or too large for a capture"
                                                 : strerror(errno));
    return;
  }
  if (ckjit_capture_take(&due)) {
    const char *why = NULL;
    bool ok = fstat(fd, &st) == 0 && ckjit_read_all(fd, &old);
    if (!ok)
      why = "it cannot be read";
    else if (memchr(old.data ? old.data : "", 0, old.len) || !ckjit_capture_merge(&new, &old, &due))
      why = new.lost ? NULL
                     : "it holds something else than a capture of this version of ckjit; name another file";
    else if (!ckjit_capture_replace(name, &st, &new))
      why = strerror(errno);
    else
      due.n = 0;
    if (why)
      ckjit_capture_refuse(name, why);
    ckjit_capture_give_back(&due);
    free(due.blob);
  }
  close(fd);
  ckjit_text_free(&old);
  ckjit_text_free(&new);
  __atomic_store_n(&ckjit_captured.written, ckjit_milliseconds(), __ATOMIC_RELAXED);
}

/* Whether calls are counted, so that no slot may be filled. */
static bool ckjit_capturing(void) {
  return ckjit_env("CK_JIT_CAPTURE") && !__atomic_load_n(&ckjit_captured.refused, __ATOMIC_RELAXED);
}

/* At exit, and before the library is unloaded. */
static void ckjit_capture_end(void) {
  if (!ckjit_capturing() || pthread_mutex_lock(&ckjit_captured.mutex))
    return;
  ckjit_capture_write(CKJIT_CAPTURE_PATIENCE);
  pthread_mutex_unlock(&ckjit_captured.mutex);
}

/* What the parent has counted it will tell itself. */
static void ckjit_capture_after_fork(void) {
  if (!ckjit_captured.at_exit)
    return;
  memset(ckjit_captured.calls, 0, sizeof ckjit_captured.calls);
  memset(ckjit_captured.told, 0, sizeof ckjit_captured.told);
  memset(ckjit_captured.compile_ms, 0, sizeof ckjit_captured.compile_ms);
}

/* ---- calls ---- */

/* Function F of BLOB is called, and ADDRESS is where it is. */
static void ckjit_capture_call(uint32_t f, uint32_t blob, void *address) {
  __atomic_store_n(&ckjit_captured.address[f], address, __ATOMIC_RELEASE);
  __atomic_fetch_add(&ckjit_captured.calls[blob], 1, __ATOMIC_RELAXED);
  bool wait = !__atomic_load_n(&ckjit_captured.told[blob], __ATOMIC_RELAXED) &&
              !__atomic_load_n(&ckjit_captured.busy, __ATOMIC_RELAXED);
  if (!wait && ckjit_milliseconds() - __atomic_load_n(&ckjit_captured.written, __ATOMIC_RELAXED) < 1000)
    return;
  if (wait ? pthread_mutex_lock(&ckjit_captured.mutex) : pthread_mutex_trylock(&ckjit_captured.mutex))
    return;
  if (!ckjit_captured.at_exit) {
    ckjit_captured.at_exit = true;
    atexit(ckjit_capture_end);
  }
  if (!wait || !__atomic_load_n(&ckjit_captured.told[blob], __ATOMIC_RELAXED))
    ckjit_capture_write(wait ? CKJIT_CAPTURE_PATIENCE : 0);
  pthread_mutex_unlock(&ckjit_captured.mutex);
}

/* The address of function F where it was captured before, else NULL. */
static void *ckjit_capture_known(uint32_t f) {
  return ckjit_capturing() ? __atomic_load_n(&ckjit_captured.address[f], __ATOMIC_ACQUIRE) : NULL;
}

static void ckjit_capture_compiled(uint32_t blob, double seconds) {
  if (ckjit_capturing())
    __atomic_store_n(&ckjit_captured.compile_ms[blob], (uint32_t)(seconds * 1e3) + 1, __ATOMIC_RELAXED);
}

#endif
