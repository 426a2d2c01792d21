/* ck_jit_table.c - the in-process table: the loaded blobs, and the slots that lead to them. */
#include "ck_jit_table.h"
#include "ck_jit_alone.h"
#include "ck_jit_lock.h"
#include "ck_jit_manifest.h"
#include "ck_jit_settings.h"

static uint64_t ckjit_clock; /* atomic */

static void ckjit_note_use(uint32_t blob) {
  __atomic_store_n(&ckjit_blob_states[blob].seen,
                   __atomic_add_fetch(&ckjit_clock, 1, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

void *ckjit_loaded(uint32_t blob) {
  void *handle = ckjit_memory_off()
                     ? NULL
                     : __atomic_load_n(&ckjit_blob_states[blob].handle, __ATOMIC_ACQUIRE);
  if (handle)
    ckjit_note_use(blob);
  return handle;
}

bool ckjit_is_loaded(uint32_t blob) {
  return !ckjit_memory_off() && __atomic_load_n(&ckjit_blob_states[blob].handle, __ATOMIC_ACQUIRE);
}

/* Clear the slots of BLOB, so that its next calls look its functions up. The mutex is held. */
static void ckjit_clear_slots(uint32_t blob) {
  for (uint32_t u = 0; u < ckjit_facts.units; u++)
    for (uint32_t f = ckjit_unit_first[u]; f < ckjit_unit_first[u + 1] && ckjit_slots_of_unit[u];
         f++)
      if (ckjit_functions[f].blob == blob)
        __atomic_store_n(&ckjit_slots_of_unit[u][f - ckjit_unit_first[u]], NULL, __ATOMIC_RELEASE);
}

/* Remove BLOB from the table. The mutex is held. */
static void ckjit_drop(uint32_t blob) {
  __atomic_store_n(&ckjit_blob_states[blob].handle, NULL, __ATOMIC_RELEASE);
  ckjit_clear_slots(blob);
}

void ckjit_clear(uint32_t blob) {
  ckjit_lock();
  ckjit_clear_slots(blob);
  ckjit_unlock();
}

/* Make room: leave at most MAX blobs, KEEP among them. */
static void ckjit_trim(uint32_t keep, size_t max) {
  size_t held = 0;
  ckjit_lock();
  do {
    uint32_t oldest = keep;
    held = 0;
    for (uint32_t b = 0; b < ckjit_facts.blobs; b++) {
      if (!__atomic_load_n(&ckjit_blob_states[b].handle, __ATOMIC_RELAXED))
        continue;
      held++;
      if (b != keep && (oldest == keep ||
                        __atomic_load_n(&ckjit_blob_states[b].seen, __ATOMIC_RELAXED) <
                            __atomic_load_n(&ckjit_blob_states[oldest].seen, __ATOMIC_RELAXED)))
        oldest = b;
    }
    if (held > max && oldest != keep)
      ckjit_drop(oldest);
    else
      held = 0;
  } while (held > max);
  ckjit_unlock();
}

bool ckjit_enter(uint32_t blob, void **handle) {
  void *first = NULL;
  if (ckjit_memory_off())
    return true;
  ckjit_note_use(blob);
  if (!__atomic_compare_exchange_n(&ckjit_blob_states[blob].handle, &first, *handle, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    *handle = first;
    return false;
  }
  size_t max = ckjit_memory_max(NULL);
  if (max)
    ckjit_trim(blob, max);
  return true;
}

void ckjit_fill(void **slots, uint32_t unit, uint32_t index, const void *handle, void *address) {
  if (ckjit_memory_off())
    return;
  uint32_t blob = ckjit_functions[ckjit_unit_first[unit] + index].blob;
  ckjit_lock();
  ckjit_slots_of_unit[unit] = slots;
  if (__atomic_load_n(&ckjit_blob_states[blob].handle, __ATOMIC_RELAXED) == handle ||
      ckjit_is_alone(blob, handle))
    __atomic_store_n(&slots[index], address, __ATOMIC_RELEASE);
  ckjit_unlock();
}
