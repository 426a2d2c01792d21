/* artefact.h - the name of an entry's file in a cache. It is written here and in the runtime
 * (ck_jit_wanted.c), and read only here.
 *
 *     <stem>.so                  a blob, its host side, its functions (abi/ck_jit_artefact.h)
 *     <stem>.<16 digits>.so      a kernel, or a part of kernels; digits: FNV-1a of its name
 *     <either>.<48 digits>.so    the same under its build id, if another has the plain name
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_ARTEFACT_H
#define CKJIT_ARTEFACT_H

#include "core/base/base.h"
#include "abi/ck_jit_artefact.h"

struct artefact_name {
  /* The lengths of the stem with and without the digits of a kernel. */
  size_t len, stem;
  bool has_symbol, keyed;
  uint64_t symbol;
  uint8_t id[CKJIT_BUILD_ID_SIZE]; /* if KEYED */
};

/* Read NAME, the base name of an entry's file. False: it is not such a name. */
bool artefact_name_read(struct artefact_name *a, const char *name);
/* Read STEM, without extension and build id. */
void artefact_stem_read(struct artefact_name *a, const char *stem);
/* Read TEXT, 16 digits. */
bool artefact_symbol_read(const char *text, uint64_t *symbol);
/* The FNV-1a of the kernel NAME. */
uint64_t artefact_symbol(const char *name);
/* The stem of the entry of kernel NAME of STEM, LEN bytes; free() it. */
char *artefact_stem(const char *stem, size_t len, const char *name);
/* The word for KIND, as in a pack; "?" for an unknown number. */
const char *artefact_word(enum ckjit_kind kind);

#endif
