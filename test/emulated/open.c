/* open.c - loaded into qemu-user by launch.c: the file that qemu opens as its program is another than the one that it is told.
 *
 * qemu opens its program by a call of the library. The system calls of the program that it runs are none. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int open64(const char *name, int flags, ...) {
  static int (*real)(const char *, int, ...);
  const char *emulated = getenv("EMULATED_NAME"), *program = getenv("EMULATED_REAL");
  va_list ap;
  va_start(ap, flags);
  mode_t mode = va_arg(ap, mode_t);
  va_end(ap);
  if (!real)
    real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
  if (emulated && program && strcmp(name, emulated) == 0)
    name = program;
  return real(name, flags, mode);
}
