/* exportformat.h - the formats in which a kernel can be exported from ckjit: shared by
 * ckjit-prebuild's `export` and ckjit-compile's --format. docs/export.md says what each is good
 * for.
 *
 * Thread safety: no state.
 */
#ifndef CKJIT_EXPORTFORMAT_H
#define CKJIT_EXPORTFORMAT_H

#include "core/base/argv.h"
#include "core/cc/compiler.h"

enum export_format {
  EXPORT_NONE,
  /* shared object for the host, with the device code in it */
  EXPORT_SO,
  /* relocatable object, with the device code in it */
  EXPORT_OBJ,
  /* the device's ELF file; for several architectures a bundle */
  EXPORT_CODE_OBJECT,
  EXPORT_BITCODE, /* LLVM bitcode for the device */
  EXPORT_ASM,     /* assembly for the device */
};

/* Their names for messages; ends with NULL. */
extern const char *const export_format_names[];

/* EXPORT_NONE if NAME is not a format. */
enum export_format export_format_parse(const char *name);
const char *export_format_name(enum export_format format);
/* The suffix of a file's name, with the dot: .so, .o; for the device .co, .bc, .s with HIP, and
 * with CUDA .cubin, .ltoir, .ptx as nvcc calls them, and .fatbin for anything that is not one cubin
 * (FAT). */
const char *export_extension(enum export_format format, enum gpu_runtime runtime, bool fat);
/* Is a file of FORMAT for one architecture and without host code? */
bool export_is_device(enum export_format format);

/* Split "NAME" or "OLD=NAME": returns NAME, which points into TEXT, and sets *OLD, which is NULL if
 * it is absent; free() it. NULL if NAME cannot be a symbol in every format (letters, digits, _ . $,
 * no leading digit, not reserved by LLVM). */
const char *export_symbol_parse(const char *text, char **old);

/* Are the architectures A (N bytes) and B the same? Features may be in any order. */
bool export_same_arch(const char *a, size_t n, const char *b, size_t m);
/* Can text that was preprocessed for MADE be used for ARCH: the same processor, and no feature that
 * ARCH lacks? */
bool export_arch_serves(const char *made, const char *arch);
/* Is ARCH (N bytes) well-formed? Letters, digits and dashes, followed by colons with features
 * "name+" or "name-" (HIP), or by one colon and the virtual architecture (CUDA: sm_86:compute_80).
 * Only the compiler knows whether the processor exists. */
bool export_arch_is_sound(const char *arch, size_t n);

#endif
