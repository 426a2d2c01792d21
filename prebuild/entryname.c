#include "entryname.h"
#include "core/base/base.h"
#include "abi/ck_jit_build_id.h"

#include <stdlib.h>
#include <string.h>

enum { HEX = 2 * CKJIT_BUILD_ID_SIZE };

char *entry_stem(const char *name, bool *keyed) {
  *keyed = false;
  if (!str_ends(name, ".so") || name[0] == '.')
    return NULL;
  size_t n = strlen(name) - 3;
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  if (n > HEX + 1 && name[n - HEX - 1] == '.') {
    char *hex = xstrndup(name + n - HEX, HEX);
    *keyed = ckjit_build_id_parse(id, hex);
    free(hex);
  }
  return xstrndup(name, *keyed ? n - HEX - 1 : n);
}

size_t entry_without_kernel(const char *stem) {
  enum { HASH = 16 };
  size_t n = strlen(stem);
  const char *hash = n > HASH + 1 ? stem + n - HASH : NULL;
  return hash && hash[-1] == '.' && strspn(hash, "0123456789abcdef") == HASH ? n - HASH - 1 : 0;
}
