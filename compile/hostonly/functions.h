/* functions.h - which functions of a host object are of the host alone. */
#ifndef CKJIT_COMPILE_HOSTONLY_FUNCTIONS_H
#define CKJIT_COMPILE_HOSTONLY_FUNCTIONS_H

#include "core/base/argv.h"

struct hostonly {
  struct argv functions; /* mangled names, of those that other units may call */
  bool registers;        /* it has device code */
};

/* Sort the functions of OBJECT, SIZE bytes, an object of the host pass. False: it is not understood.
 * hostonly_free in either case. */
bool hostonly_find(struct hostonly *h, const char *object, size_t size);
void hostonly_free(struct hostonly *h);

/* Does OBJECT have no effect when its library is loaded but on what is its own, once it registers no kernels any more? If it registers any, it is
 * changed so that it does not. What begins with a library may call the C++ runtime and no other library. */
bool hostonly_registers_nothing(char *object, size_t size);

#endif
