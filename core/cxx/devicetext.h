/* devicetext.h - takes the bodies of kernels, functions that are __global__, out of the
 * preprocessed text of a CUDA or HIP unit: all of them, or all but one kernel's.
 *
 * Most of a compiler's work for such a unit is to instantiate and translate the code that kernels'
 * bodies use. The host side needs none of it, and a compile of one kernel needs that kernel's
 * alone. The rest of the text stays unchanged; its lines keep their numbers.
 *
 * Thread safety: no shared state. Never reads outside of a text, whatever its content.
 */
#ifndef CKJIT_DEVICETEXT_H
#define CKJIT_DEVICETEXT_H

#include "core/base/argv.h"

/* Append TEXT, LEN bytes of preprocessed C++, to OUT with the bodies of its __global__ functions
 * empty. Returns how many bodies there were; 0: none, or the text is not understood, and OUT is of
 * no use. */
size_t devicetext_without_bodies(const char *text, size_t len, struct buf *out);
/* The same for a text that is split already. */
struct split_text;
size_t devicetext_split_without_bodies(struct split_text *u, struct buf *out);

/* The end of the symbol of a selected kernel in the code object that is compiled from the text. */
#define DEVICETEXT_SELECTED "14ckjit_selected"

/* Appends TEXT, HIP's for a device, to OUT so that the body of a kernel is compiled only if its
 * mangled name is NAME: for the others a template is not even instantiated. Only a clang with
 * -fms-extensions can read it. The code object has a symbol that ends with DEVICETEXT_SELECTED if
 * there was such a kernel; the other kernels in it are empty. Returns how many bodies were
 * examined; 0: none, or the text is not understood, or NAME is not a mangled name, or the text
 * contains a word whose meaning -fms-extensions changes; OUT is of no use then. */
size_t devicetext_select(const char *text, size_t len, const char *name, struct buf *out);

/* As devicetext_select, and host-only functions have no bodies (hostbodies.h), so no code shows any
 * more which instances of a template exist. Not for a text with variables that the host may write:
 * clang reads from these bodies which of them it does write. */
size_t devicetext_select_alone(const char *text, size_t len, const char *name, struct buf *out);

/* As these two, with HOSTS the first, for a code object that is loaded by other programs than
 * ckjit: kernels of another name are only declared, and no symbol shows that the kernel was
 * there. */
size_t devicetext_export(const char *text, size_t len, const char *name, bool hosts,
                         struct buf *out);

/* As devicetext_select_alone, but the kernel to compile is named after the text, before its
 * instance is requested, by devicetext_want: everything before that can be a precompiled header
 * of the unit. Only instances of templates can be selected like this; other kernels get empty
 * bodies. */
size_t devicetext_select_later(const char *text, size_t len, struct buf *out);
/* Appends to OUT the text that selects the kernel with the mangled name NAME. */
void devicetext_want(const char *name, struct buf *out);

/* The variables without const in a text; all, if it is not understood. */
struct devicetext_variables {
  /* __constant__: the host may write them */
  bool constant;
  /* __device__ of internal linkage, that the host may write */
  bool device;
};
struct devicetext_variables devicetext_variables(const char *text, size_t len);

/* a name of a variable */
struct devicetext_named {
  char *name; /* as it is declared */
  /* the namespaces that it is declared in, as they are mangled: 2ns2in; "" for the global one */
  char *scope;
  /* Its name on the device according to nvcc, where device code is not linked; NULL: it is not
   * certain. */
  char *device;
  bool constant; /* __constant__ */
  /* It may be written, and every unit with -rdc=true that declares it so defines it for all. */
  bool strong;
  /* The declaration is extern, and without const, which HIP's threadIdx has: another unit may
   * define it. */
  bool foreign;
};

/* Makes a list of all variables that are __device__ or __constant__, of templates as well; names
 * with internal linkage get the prefix MODULE, nvcc's name of the unit. A variable that is declared
 * twice is listed twice. The caller owns LIST and its contents. Returns false if the text is not
 * understood. */
bool devicetext_names(const char *text, size_t len, const char *module,
                      struct devicetext_named **list, size_t *n);
/* The same for a text that is split already. */
bool devicetext_split_names(const struct split_text *u, const char *module,
                            struct devicetext_named **list, size_t *n);

/* The first variable of the device that the text declares extern and names elsewhere too: a use of
 * what another unit defines, or one in a template that nobody needs. NULL: there is none, or the
 * text is not understood. free() it. */
char *devicetext_foreign(const char *text, size_t len);

/* Appends to NAMES, sorted, the names of variables that TEXT, the host's text of a CUDA unit,
 * declares for a device, and that only device-only functions name, or functions that nobody calls.
 * So the host can neither write such a variable nor pass on its address. Appends nothing if the
 * text is not understood. */
void devicetext_device_only(const char *text, size_t len, struct argv *names);

/* Whether the N bytes at S are a complete line marker of the preprocessor on one line, `# 70 "x.h"
 * 3`. */
bool devicetext_is_marker(const char *s, size_t n);

#endif
