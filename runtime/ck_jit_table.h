/* ck_jit_table.h - the in-process table: which blobs are loaded, and the slots that lead to them.
 *
 * A blob enters the table when it is loaded, and stays: then no call of it is seen any more, because the
 * slots of its functions are filled. Two variables change that, for debugging and for measuring:
 *
 *     CK_JIT_DISABLE_MEMORY_CACHING=1   nothing enters it, no slot is filled: each call looks the blob up
 * again CK_JIT_MEMORY_CACHE_MAX=N         N blobs at most; the one that was seen longest ago makes room
 *
 * What leaves the table has its slots cleared and is looked up by its next call. It is not unloaded: a thread
 * may be in it at this moment, or hold a pointer to it, and nobody can know. A stub loads its slot once, so
 * clearing a slot is safe at any time.
 */
#ifndef CK_JIT_TABLE_H
#define CK_JIT_TABLE_H

#include "ck_jit_place.h"

#include <pthread.h>

/* Guards the flights and their list, and the table where more than one word of it changes. Held for a few
 * instructions at a time, never while anything is looked up, compiled or loaded. */
static pthread_mutex_t ckjit_mutex = PTHREAD_MUTEX_INITIALIZER;

static void *ckjit_handles[CKJIT_BLOBS]; /* what dlopen returned; atomic */
static uint64_t ckjit_seen[CKJIT_BLOBS]; /* when it was loaded or asked for last, by ckjit_clock; atomic */
static uint64_t ckjit_clock;             /* atomic */
static void **ckjit_slots_of_unit[CKJIT_UNITS]; /* as its stubs tell them; guarded by the mutex */

/* ---- the settings ---- */

static bool ckjit_memory_off(void) {
  return ckjit_is_on(ckjit_env("CK_JIT_DISABLE_MEMORY_CACHING"));
}

/* How many blobs the table may hold; 0: all. WHY, which may be NULL, where the variable cannot be honoured.
 */
static size_t ckjit_memory_max(struct ckjit_text *why) {
  const char *text = ckjit_env("CK_JIT_MEMORY_CACHE_MAX");
  size_t n = 0;
  for (const char *s = text; s && *s; s++) {
    if (*s < '0' || *s > '9' || __builtin_mul_overflow(n, 10, &n) ||
        __builtin_add_overflow(n, (size_t)(*s - '0'), &n)) {
      if (why)
        ckjit_addf(why,
                   "%sCK_JIT_MEMORY_CACHE_MAX: expected a number of kernels, found '%s': there is no limit",
                   why->len ? "\nckjit: " : "", text);
      return 0;
    }
  }
  return n;
}

/* ---- the table ---- */

static void ckjit_note_use(uint32_t blob) {
  __atomic_store_n(&ckjit_seen[blob], __atomic_add_fetch(&ckjit_clock, 1, __ATOMIC_RELAXED),
                   __ATOMIC_RELAXED);
}

/* The handle of BLOB where it is in the table, else NULL. */
static void *ckjit_loaded(uint32_t blob) {
  void *handle = ckjit_memory_off() ? NULL : __atomic_load_n(&ckjit_handles[blob], __ATOMIC_ACQUIRE);
  if (handle)
    ckjit_note_use(blob);
  return handle;
}

/* BLOB leaves the table. The mutex is held. */
static void ckjit_drop(uint32_t blob) {
  __atomic_store_n(&ckjit_handles[blob], NULL, __ATOMIC_RELEASE);
  for (uint32_t u = 0; u < CKJIT_UNITS; u++)
    for (uint32_t f = ckjit_unit_first[u]; f < ckjit_unit_first[u + 1] && ckjit_slots_of_unit[u]; f++)
      if (ckjit_functions[f].blob == blob)
        __atomic_store_n(&ckjit_slots_of_unit[u][f - ckjit_unit_first[u]], NULL, __ATOMIC_RELEASE);
}

/* Make room: MAX blobs stay at most, KEEP among them. */
static void ckjit_trim(uint32_t keep, size_t max) {
  size_t held = 0;
  pthread_mutex_lock(&ckjit_mutex);
  do {
    uint32_t oldest = keep;
    held = 0;
    for (uint32_t b = 0; b < CKJIT_BLOBS; b++) {
      if (!__atomic_load_n(&ckjit_handles[b], __ATOMIC_RELAXED))
        continue;
      held++;
      if (b != keep && (oldest == keep || __atomic_load_n(&ckjit_seen[b], __ATOMIC_RELAXED) <
                                              __atomic_load_n(&ckjit_seen[oldest], __ATOMIC_RELAXED)))
        oldest = b;
    }
    if (held > max && oldest != keep)
      ckjit_drop(oldest);
    else
      held = 0;
  } while (held > max);
  pthread_mutex_unlock(&ckjit_mutex);
}

/* Put *HANDLE into the table as that of BLOB: true, or false where another thread was first, whose handle
 * *HANDLE is then. */
static bool ckjit_enter(uint32_t blob, void **handle) {
  void *first = NULL;
  if (ckjit_memory_off())
    return true;
  ckjit_note_use(blob);
  if (!__atomic_compare_exchange_n(&ckjit_handles[blob], &first, *handle, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    *handle = first;
    return false;
  }
  size_t max = ckjit_memory_max(NULL);
  if (max)
    ckjit_trim(blob, max);
  return true;
}

/* The stub of function INDEX of UNIT, whose slots are SLOTS, may jump to ADDRESS in HANDLE from now on:
 * unless its blob has left the table meanwhile. */
static void ckjit_fill(void **slots, uint32_t unit, uint32_t index, const void *handle, void *address) {
  if (ckjit_memory_off())
    return;
  uint32_t blob = ckjit_functions[ckjit_unit_first[unit] + index].blob;
  pthread_mutex_lock(&ckjit_mutex);
  ckjit_slots_of_unit[unit] = slots;
  if (__atomic_load_n(&ckjit_handles[blob], __ATOMIC_RELAXED) == handle)
    __atomic_store_n(&slots[index], address, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&ckjit_mutex);
}

#endif
