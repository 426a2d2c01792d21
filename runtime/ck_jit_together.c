/* ck_jit_together.c - the blobs that are needed together, by the rows of dispatchers' tables. */
#include "ck_jit_together.h"
#include "ck_jit_manifest.h"
#include "ck_jit_stub.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

__attribute__((visibility("hidden"))) extern char ckjit_trampoline[];

static struct ckjit_row *ckjit_rows; /* newest first; never freed; atomic */

/* The blob of the stub STUB; ckjit_facts.blobs: it is not a stub of this library. A function that
 * is compiled into the library has no stub. */
static uint32_t ckjit_blob_of_stub(const void *stub) {
  uint32_t unit, index;
  if (!stub || !ckjit_stub_read(stub, ckjit_trampoline, &unit, &index) ||
      unit >= ckjit_facts.units || index >= ckjit_unit_first[unit + 1] - ckjit_unit_first[unit])
    return ckjit_facts.blobs;
  return ckjit_functions[ckjit_unit_first[unit] + index].blob;
}

static bool ckjit_row_has(const struct ckjit_row *row, uint32_t blob) {
  for (uint32_t i = 0; i < row->n; i++)
    if (row->blobs[i] == blob)
      return true;
  return false;
}

__attribute__((used)) void ckjit_together(unsigned char *begun, const void *const *stubs,
                                          unsigned n) {
  int saved = errno;
  struct ckjit_row *row = malloc(sizeof *row + n * sizeof *row->blobs);
  if (row)
    *row = (struct ckjit_row){.thread = (uintptr_t)pthread_self()};
  for (unsigned i = 0; row && i < n; i++) {
    uint32_t blob = ckjit_blob_of_stub(stubs[i]);
    if (blob < ckjit_facts.blobs && !ckjit_row_has(row, blob))
      row->blobs[row->n++] = blob;
  }
  if (row && row->n) {
    row->next = __atomic_load_n(&ckjit_rows, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&ckjit_rows, &row->next, row, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
      ;
  } else {
    free(row);
  }
  __atomic_store_n(begun, 1, __ATOMIC_RELAXED);
  errno = saved;
}

const struct ckjit_row *ckjit_row_of(uint32_t blob) {
  const struct ckjit_row *others = NULL;
  for (const struct ckjit_row *row = __atomic_load_n(&ckjit_rows, __ATOMIC_ACQUIRE); row;
       row = row->next) {
    if (!ckjit_row_has(row, blob))
      continue;
    if (row->thread == (uintptr_t)pthread_self())
      return row;
    others = others ? others : row;
  }
  return others;
}
