/* artefact.c - see artefact.h. */
#include "artefact.h"

enum { SYMBOL = 1 + CKJIT_SYMBOL_DIGITS, KEY = 1 + 2 * CKJIT_BUILD_ID_SIZE };

bool artefact_symbol_read(const char *text, uint64_t *symbol) {
  uint8_t bytes[CKJIT_SYMBOL_DIGITS / 2];
  if (!ckjit_hex_parse(bytes, sizeof bytes, text))
    return false;
  *symbol = strtoull(text, NULL, 16);
  return true;
}

void artefact_stem_read(struct artefact_name *a, const char *stem) {
  *a = (struct artefact_name){.len = strlen(stem)};
  a->has_symbol = a->len > SYMBOL && stem[a->len - SYMBOL] == '.' &&
                  artefact_symbol_read(stem + a->len - SYMBOL + 1, &a->symbol);
  a->stem = a->has_symbol ? a->len - SYMBOL : a->len;
}

bool artefact_name_read(struct artefact_name *a, const char *name) {
  if (!str_ends(name, ".so") || name[0] == '.')
    return false;
  autofree char *stem = xstrndup(name, strlen(name) - strlen(".so"));
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  size_t n = strlen(stem);
  bool keyed = n > KEY && stem[n - KEY] == '.' && ckjit_build_id_parse(id, stem + n - KEY + 1);
  if (keyed)
    stem[n - KEY] = 0;
  artefact_stem_read(a, stem);
  a->keyed = keyed;
  if (keyed)
    memcpy(a->id, id, sizeof id);
  return true;
}

uint64_t artefact_symbol(const char *name) {
  return ckjit_fnv1a(name, strlen(name));
}

char *artefact_stem(const char *stem, size_t len, const char *name) {
  return xasprintf("%.*s" CKJIT_SYMBOL_FORMAT, (int)len, stem,
                   (unsigned long long)artefact_symbol(name));
}

const char *artefact_word(enum ckjit_kind kind) {
  static const char *const words[CKJIT_KINDS] = {
      [CKJIT_KIND_BLOB] = "blob",
      [CKJIT_KIND_BLOB_HOST] = "blob-host",
      [CKJIT_KIND_FUNCTIONS] = "functions",
      [CKJIT_KIND_KERNEL] = "kernel",
      [CKJIT_KIND_UNIT_FRONT] = "unit-front",
      [CKJIT_KIND_UNIT_PART] = "unit-part",
  };
  return kind > 0 && kind < CKJIT_KINDS && words[kind] ? words[kind] : "?";
}
