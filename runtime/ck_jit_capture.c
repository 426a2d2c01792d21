/* ck_jit_capture.c - CK_JIT_CAPTURE: counts calls, and decides when to update the file.
 *
 * Counting must not slow a job down, and the counts must survive a job that is killed. So a call
 * increments an atomic number, without a lock, and the file is written on three occasions: at the
 * first call of a kernel (which is on the list from then on, whatever happens), at a later call if
 * the last write is a second ago, and at exit. Only the first waits for the file's lock, and after
 * one wait that timed out nobody waits again. A child of fork starts from zero: its parent writes
 * the calls before the fork.
 */
#include "ck_jit_capture.h"
#include "ck_jit_capture_file.h"
#include "ck_jit_clock.h"
#include "ck_jit_exit.h"
#include "ck_jit_manifest.h"
#include "ck_jit_mutex.h"
#include "ck_jit_place.h"
#include "ck_jit_say.h"
#include "ck_jit_settings.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* milliseconds that the first call of a kernel may wait for the file's lock */
enum { CKJIT_CAPTURE_PATIENCE = 2000 };

/* what is not in the file yet, besides the states of the blobs */
static struct {
  struct ckjit_mutex mutex;              /* held while the file is written */
  struct ckjit_captured_kernel *kernels; /* of lazy units; atomic */
  uint64_t written;                      /* microseconds; atomic */
  /* absolute, because the process may change its directory */
  char *file;
  /* A wait for the lock timed out: nobody waits again. */
  int busy;
  bool at_exit;
  /* The file is not a capture or cannot be written. This is reported once. Atomic. */
  int refused;
} ckjit_captured = {.mutex = CKJIT_MUTEX};

bool ckjit_capturing(void) {
  return ckjit_env("CK_JIT_CAPTURE") && !__atomic_load_n(&ckjit_captured.refused, __ATOMIC_RELAXED);
}

static struct ckjit_captured_kernel *ckjit_captured_kernels(void) {
  return __atomic_load_n(&ckjit_captured.kernels, __ATOMIC_ACQUIRE);
}

/* ---- writing ---- */

/* Move the counts into D. */
static bool ckjit_capture_take(struct ckjit_capture_due *d) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < ckjit_facts.blobs; i++)
    n += __atomic_load_n(&ckjit_blob_states[i].calls, __ATOMIC_RELAXED) != 0;
  for (struct ckjit_captured_kernel *k = ckjit_captured_kernels(); k; k = k->next)
    n += __atomic_load_n(&k->calls, __ATOMIC_RELAXED) != 0;
  char *room = n ? calloc(n, sizeof *d->kernel + 3 * sizeof(uint32_t) + 2) : NULL;
  if (!room)
    return false;
  d->kernel = (struct ckjit_captured_kernel **)(void *)room;
  d->blob = (uint32_t *)(void *)(d->kernel + n);
  d->calls = d->blob + n;
  d->ms = d->calls + n;
  d->first = (uint8_t *)(d->ms + n);
  d->done = d->first + n;
  for (uint32_t i = 0; i < ckjit_facts.blobs && d->n < n; i++) {
    uint32_t calls = __atomic_exchange_n(&ckjit_blob_states[i].calls, 0, __ATOMIC_RELAXED);
    if (!calls)
      continue;
    d->blob[d->n] = i;
    d->calls[d->n] = calls;
    d->ms[d->n] = __atomic_load_n(&ckjit_blob_states[i].compile_ms, __ATOMIC_RELAXED);
    d->first[d->n++] = !__atomic_exchange_n(&ckjit_blob_states[i].told, 1, __ATOMIC_RELAXED);
  }
  for (struct ckjit_captured_kernel *k = ckjit_captured_kernels(); k && d->n < n; k = k->next) {
    uint32_t calls = __atomic_exchange_n(&k->calls, 0, __ATOMIC_RELAXED);
    if (!calls)
      continue;
    d->kernel[d->n] = k;
    d->blob[d->n] = k->unit;
    d->calls[d->n] = calls;
    d->ms[d->n] = __atomic_load_n(&k->compile_ms, __ATOMIC_RELAXED);
    d->first[d->n++] = !__atomic_exchange_n(&k->told, 1, __ATOMIC_RELAXED);
  }
  return true;
}

/* Move the counts back after a failed write: the next write has them. */
static void ckjit_capture_give_back(const struct ckjit_capture_due *d) {
  for (uint32_t i = 0; i < d->n; i++) {
    struct ckjit_captured_kernel *k = d->kernel[i];
    __atomic_fetch_add(k ? &k->calls : &ckjit_blob_states[d->blob[i]].calls, d->calls[i],
                       __ATOMIC_RELAXED);
    if (d->first[i] && k)
      __atomic_store_n(&k->told, 0, __ATOMIC_RELAXED);
    else if (d->first[i])
      __atomic_store_n(&ckjit_blob_states[d->blob[i]].told, 0, __ATOMIC_RELAXED);
  }
}

static void ckjit_capture_refuse(const char *why) {
  ckjit_warn_once(&ckjit_captured.refused, "CK_JIT_CAPTURE=%s: %s; nothing is captured",
                  ckjit_captured.file, why);
}

/* The file's name, NULL if memory ran out. */
static const char *ckjit_capture_name_of_file(void) {
  const char *set = ckjit_captured.file ? NULL : ckjit_env("CK_JIT_CAPTURE");
  if (set) {
    struct ckjit_text absolute = {0};
    ckjit_add_absolute(&absolute, set);
    if (absolute.lost)
      ckjit_text_free(&absolute);
    ckjit_captured.file = absolute.data; /* kept */
  }
  return ckjit_captured.file;
}

/* Update the file, waiting PATIENCE milliseconds for its lock. The mutex is held. */
static void ckjit_capture_write(int patience) {
  const char *name = ckjit_capture_name_of_file(), *why = NULL;
  struct ckjit_capture_due due = {0};
  if (!name)
    return;
  int fd = ckjit_captured.refused ? -1 : ckjit_capture_open(name, patience);
  if (fd >= 0) {
    if (ckjit_capture_take(&due) && !ckjit_capture_merge(name, fd, &due, &why)) {
      if (why)
        ckjit_capture_refuse(why);
      ckjit_capture_give_back(&due);
    }
    free(due.kernel);
    close(fd);
  } else if (!ckjit_captured.refused && errno != EWOULDBLOCK) {
    ckjit_capture_refuse(errno == EINVAL || errno == EFBIG
                             ? "it is not a regular file, or too large for a capture"
                             : strerror(errno));
  } else if (!ckjit_captured.refused && patience) {
    __atomic_store_n(&ckjit_captured.busy, 1, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&ckjit_captured.written, ckjit_microseconds(), __ATOMIC_RELAXED);
}

/* Runs at exit, and before the library is unloaded. */
static void ckjit_capture_end(void *unused) {
  (void)unused;
  if (!ckjit_capturing())
    return;
  ckjit_mutex_lock(&ckjit_captured.mutex);
  ckjit_capture_write(CKJIT_CAPTURE_PATIENCE);
  ckjit_mutex_unlock(&ckjit_captured.mutex);
}

/* ---- forks ---- */

void ckjit_capture_lock(void) {
  ckjit_mutex_lock(&ckjit_captured.mutex);
}

void ckjit_capture_unlock(void) {
  ckjit_mutex_unlock(&ckjit_captured.mutex);
}

void ckjit_capture_forget(void) {
  if (!ckjit_captured.at_exit)
    return;
  for (uint32_t i = 0; i < ckjit_facts.blobs; i++) {
    struct ckjit_blob_state *b = &ckjit_blob_states[i];
    b->calls = b->told = b->compile_ms = 0;
  }
  for (struct ckjit_captured_kernel *k = ckjit_captured_kernels(); k; k = k->next)
    k->calls = k->compile_ms = k->told = 0;
}

/* ---- calls ---- */

/* A call was counted. TOLD: whether the file has its kernel. */
static void ckjit_capture_counted(const uint32_t *told) {
  bool wait = !__atomic_load_n(told, __ATOMIC_RELAXED) &&
              !__atomic_load_n(&ckjit_captured.busy, __ATOMIC_RELAXED);
  if (!wait &&
      ckjit_microseconds() - __atomic_load_n(&ckjit_captured.written, __ATOMIC_RELAXED) < 1000000)
    return;
  if (wait)
    ckjit_mutex_lock(&ckjit_captured.mutex);
  else if (!ckjit_mutex_try(&ckjit_captured.mutex))
    return;
  if (!ckjit_captured.at_exit) {
    ckjit_captured.at_exit = true;
    ckjit_at_exit(ckjit_capture_end);
  }
  if (!wait || !__atomic_load_n(told, __ATOMIC_RELAXED))
    ckjit_capture_write(wait && !__atomic_load_n(&ckjit_captured.busy, __ATOMIC_RELAXED)
                            ? CKJIT_CAPTURE_PATIENCE
                            : 0);
  ckjit_mutex_unlock(&ckjit_captured.mutex);
}

void ckjit_capture_call(uint32_t f, uint32_t blob, void *address) {
  __atomic_store_n(&ckjit_captured_address[f], address, __ATOMIC_RELEASE);
  __atomic_fetch_add(&ckjit_blob_states[blob].calls, 1, __ATOMIC_RELAXED);
  ckjit_capture_counted(&ckjit_blob_states[blob].told);
}

/* The kernel NAME of UNIT, added if it is new. NULL: no memory. */
static struct ckjit_captured_kernel *ckjit_captured_kernel(uint32_t unit, const char *name) {
  struct ckjit_captured_kernel *k, *new, *first = ckjit_captured_kernels();
  for (k = first; k; k = k->next)
    if (k->unit == unit && strcmp(k->name, name) == 0)
      return k;
  new = calloc(1, sizeof *new);
  if (!new)
    return NULL;
  new->unit = unit;
  new->name = name;
  do /* two threads may add one kernel, which then has two lines */
    new->next = first;
  while (!__atomic_compare_exchange_n(&ckjit_captured.kernels, &first, new, false, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED));
  return new;
}

#if CKJIT_LAZY
void ckjit_capture_launch(void **of, uint32_t unit, const char *kernel) {
  struct ckjit_captured_kernel *k = __atomic_load_n(of, __ATOMIC_ACQUIRE);
  if (!k && !(k = ckjit_captured_kernel(unit, kernel)))
    return;
  __atomic_store_n(of, k, __ATOMIC_RELEASE);
  __atomic_fetch_add(&k->calls, 1, __ATOMIC_RELAXED);
  ckjit_capture_counted(&k->told);
}
#endif

void *ckjit_capture_known(uint32_t f) {
  return ckjit_capturing() ? __atomic_load_n(&ckjit_captured_address[f], __ATOMIC_ACQUIRE) : NULL;
}

void ckjit_capture_compiled(uint32_t blob, const char *kernel, double seconds) {
  if (!ckjit_capturing())
    return;
  struct ckjit_captured_kernel *k = kernel ? ckjit_captured_kernel(blob, kernel) : NULL;
  if (k || !kernel)
    __atomic_store_n(k ? &k->compile_ms : &ckjit_blob_states[blob].compile_ms,
                     (uint32_t)(seconds * 1e3) + 1, __ATOMIC_RELAXED);
}
