/* ck_jit_manifest.c - the tables of this library. */
#include "ck_jit_manifest.h"
#include "ck_jit_entry.h"

const char *ckjit_string(uint32_t offset) {
  return ckjit_strings + offset;
}

const struct ckjit_group *ckjit_group_of(uint32_t blob) {
  return &ckjit_groups[ckjit_blobs[blob].group];
}

const char *ckjit_stem_of(uint32_t blob, size_t *n) {
  for (size_t i = 0; i < ckjit_facts.combinations; i++)
    if (ckjit_combinations[i].blob == blob) {
      const char *stem = ckjit_string(ckjit_combinations[i].stem);
      *n = strlen(stem);
      return stem;
    }
  return ckjit_stem(ckjit_string(ckjit_blobs[blob].name), n);
}
