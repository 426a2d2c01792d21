/* ck_jit_threadlocal.c - see ck_jit_threadlocal.h. */
#include "ck_jit_threadlocal.h"
#include "ck_jit_symbols.h"

#include <link.h>

struct ckjit_block_look {
  uintptr_t address;
  const struct link_map *of;
  struct ckjit_variable_place *place;
};

CKJIT_READS_LINKER static int ckjit_look_in_block(struct dl_phdr_info *info, size_t size,
                                                  void *user) {
  const struct ckjit_block_look *look = user;
  const uintptr_t block = (uintptr_t)info->dlpi_tls_data;
  (void)size;
  if (!block || look->address < block || (look->of && !ckjit_is_object(info, look->of)))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_TLS && look->address - block < info->dlpi_phdr[i].p_memsz) {
      *look->place = (struct ckjit_variable_place){info->dlpi_tls_modid, look->address - block};
      return 1;
    }
  return 0;
}

bool ckjit_variable_place(const void *address, const struct link_map *of,
                          struct ckjit_variable_place *place) {
  struct ckjit_block_look look = {(uintptr_t)address, of, place};
  return address && dl_iterate_phdr(ckjit_look_in_block, &look) == 1;
}
