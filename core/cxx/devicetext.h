/* devicetext.h - preprocessed text of a CUDA or HIP unit with the bodies of its kernels, functions
 * that are __global__, taken out: all of them, or all but one kernel's.
 *
 * Most of what a compiler does with such a unit is to instantiate and translate what kernels'
 * bodies use. The host side needs none of it, and who wants one kernel needs that kernel's alone. A
 * text stays what it was otherwise; its lines keep their numbers.
 *
 * Thread safety: no shared state. Never reads outside of a text, whatever it holds.
 */
#ifndef CKJIT_DEVICETEXT_H
#define CKJIT_DEVICETEXT_H

#include "core/base/argv.h"

/* Append TEXT, LEN bytes of preprocessed C++, to OUT with the bodies of its __global__ functions
 * empty. Returns how many bodies there were; 0: none, or the text is not understood, and OUT is of
 * no use. */
size_t devicetext_without_bodies(const char *text, size_t len, struct buf *out);

/* The end of the symbol of a selected kernel in the code object that is compiled from the text. */
#define DEVICETEXT_SELECTED "14ckjit_selected"

/* Append TEXT, HIP's for a device, to OUT so that the body of a kernel is compiled if its mangled
 * name is NAME, and no other's: a template is not even instantiated for those. Only a clang with
 * -fms-extensions can read it. The code object has a symbol that ends with DEVICETEXT_SELECTED if
 * there was such a kernel; others are in it with nothing in them. Returns how many bodies were
 * looked at; 0: none, or the text is not understood, or NAME is no mangled name, or the text says
 * something that -fms-extensions changes the meaning of; OUT is of no use then. */
size_t devicetext_select(const char *text, size_t len, const char *name, struct buf *out);

/* As devicetext_select, and functions of the host's have no bodies (hostbodies.h): nothing says any
 * more which instances of a template there are. Not for a text with variables that the host may
 * write: which of them it does, clang takes from these bodies. */
size_t devicetext_select_alone(const char *text, size_t len, const char *name, struct buf *out);

/* As these two, with HOSTS the first, for a code object that others than ckjit load: kernels of
 * another name are only declared, and no symbol says that the kernel was there. */
size_t devicetext_export(const char *text, size_t len, const char *name, bool hosts,
                         struct buf *out);

/* As devicetext_select_alone, but the kernel to compile is named after the text, before its
 * instance is requested, by devicetext_want: everything before that can be a precompiled header
 * of the unit. Only instances of templates can be selected like this; other kernels get empty
 * bodies. */
size_t devicetext_select_later(const char *text, size_t len, struct buf *out);
/* Append to OUT what says that the kernel with the mangled name NAME is wanted. */
void devicetext_want(const char *name, struct buf *out);

/* Which variables that are not const a text has; all, if it is not understood. */
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
  /* what nvcc calls it on the device, where device code is not linked; NULL: it is not certain */
  char *device;
  bool constant; /* __constant__ */
  /* that may be written, and that each unit with -rdc=true which declares it so defines for all */
  bool strong;
};

/* Make a list of all variables that are __device__ or __constant__, of templates as well; what is
 * internal to the unit is called by MODULE, nvcc's name of it. A variable that is declared twice is
 * there twice. LIST is the caller's, with what is in it. False: the text is not understood. */
bool devicetext_names(const char *text, size_t len, const char *module,
                      struct devicetext_named **list, size_t *n);

/* Append to NAMES, sorted, the names of variables that TEXT, the host's of a CUDA unit, declares
 * for a device, and that only functions for a device alone name, or functions that nobody calls.
 * So the host can neither write such a variable nor give its address away. Nothing, if the text
 * is not understood. */
void devicetext_device_only(const char *text, size_t len, struct argv *names);

/* Whether the N bytes at S are a line marker of the preprocessor's, `# 70 "x.h" 3`, whole and on
 * one line. */
bool devicetext_is_marker(const char *s, size_t n);

#endif
