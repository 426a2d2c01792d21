/* artefact.h - the name of an entry's file in a cache: written here and in the runtime (ck_jit_wanted.c), read here alone.
 *
 *     <stem>.so                      a blob, its host side, its functions (abi/ck_jit_artefact.h)
 *     <stem>.<16 digits>.so          a kernel, or what kernels are made of; the digits are the FNV-1a of its name
 *     <either>.<48 digits>.so        the same under its build id, where another one has the plain name
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_ARTEFACT_H
#define CKJIT_ARTEFACT_H

#include "core/base/base.h"
#include "abi/ck_jit_artefact.h"

struct artefact_name {
  /* the lengths of the stem with the digits of a kernel, and of that without them */
  size_t len, stem;
  bool has_symbol, keyed;
  uint64_t symbol;
  uint8_t id[CKJIT_BUILD_ID_SIZE]; /* if KEYED */
};

/* Read NAME, the base name of an entry's file. False: it is none. */
bool artefact_name_read(struct artefact_name *a, const char *name);
/* Read STEM, which has no ending and no build id. */
void artefact_stem_read(struct artefact_name *a, const char *stem);
/* Read TEXT, 16 digits. */
bool artefact_symbol_read(const char *text, uint64_t *symbol);
/* The FNV-1a of the kernel NAME. */
uint64_t artefact_symbol(const char *name);
/* The stem of the entry of kernel NAME of STEM, LEN bytes; free() it. */
char *artefact_stem(const char *stem, size_t len, const char *name);
/* What words call KIND, in a pack; "?" for a number that is none. */
const char *artefact_word(enum ckjit_kind kind);

#endif
