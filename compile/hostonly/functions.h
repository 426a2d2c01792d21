/* functions.h - which functions of a host object are of the host alone. */
#ifndef CKJIT_COMPILE_HOSTONLY_FUNCTIONS_H
#define CKJIT_COMPILE_HOSTONLY_FUNCTIONS_H

#include "core/base/argv.h"

struct hostonly {
  /* mangled names, of those that other units may call */
  struct argv functions;
  bool registers; /* it has device code */
};

/* Sort the functions of OBJECT, SIZE bytes, an object of the host pass. False: it is not
 * understood. hostonly_free in either case. */
bool hostonly_find(struct hostonly *h, const char *object, size_t size);
void hostonly_free(struct hostonly *h);

/* Is the load of OBJECT's library free of effects outside of the library, once it registers no
 * kernels any more? If OBJECT registers any, it is changed so that it does not. Code that runs at
 * the load may call the C++ runtime and no other library. */
bool hostonly_registers_nothing(char *object, size_t size);

#endif
