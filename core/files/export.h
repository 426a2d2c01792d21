/* export.h - the forms in which a kernel leaves ckjit: what ckjit-prebuild's `export` and ckjit-compile's
 * --format have in common. docs/export.md says what each is good for.
 *
 * Thread safety: no state.
 */
#ifndef CKJIT_EXPORT_H
#define CKJIT_EXPORT_H

#include "core/base/argv.h"
#include "core/cc/ccargs.h"

enum export_format {
  EXPORT_NONE,
  EXPORT_SO,          /* shared object for the host, device code in it */
  EXPORT_OBJ,         /* relocatable object, likewise */
  EXPORT_CODE_OBJECT, /* the device's own ELF file; for several architectures a bundle of them */
  EXPORT_BITCODE,     /* LLVM's, for the device */
  EXPORT_ASM,         /* assembly, for the device */
};

/* their names, ending with NULL: what an error lists */
extern const char *const export_format_names[];

/* EXPORT_NONE if NAME is none of them */
enum export_format export_format_parse(const char *name);
const char *export_format_name(enum export_format format);
/* Of a file's name, with the dot: .so, .o; for the device .co, .bc, .s of HIP, and of CUDA .cubin, .ltoir,
 * .ptx as nvcc calls them, .fatbin for what is no cubin (FAT). */
const char *export_extension(enum export_format format, enum cc_dialect dialect, bool fat);
/* whether a file of FORMAT is for one architecture and holds no host code */
bool export_is_device(enum export_format format);

/* Take "NAME" or "OLD=NAME" apart: NAME, which points into TEXT, and *OLD, which is the caller's to free()
 * and NULL if it is not said. NULL if NAME cannot be a symbol in every format (letters, digits, _ . $,
 * no digit first, not LLVM's own). */
const char *export_symbol_parse(const char *text, char **old);

/* Whether the architectures A (N bytes) and B are the same: features may stand in any order. */
bool export_same_arch(const char *a, size_t n, const char *b, size_t m);
/* Whether ARCH (N bytes) can be one: letters, digits and dashes with features "name+" or "name-" after
 * colons (HIP), or with the virtual architecture after one (CUDA: sm_86:compute_80). Whether there is such a
 * processor only the compiler knows. */
bool export_arch_is_sound(const char *arch, size_t n);

#endif
