/* ck_jit_exit.h - what is to run at exit, and when the library is unloaded.
 *
 * That is what atexit does for a library. But ThreadSanitizer runs what atexit itself is given at the end of the process, when the library may be
 * gone; and a destructor would be seen from outside. libc only, thread-safe.
 */
#ifndef CK_JIT_EXIT_H
#define CK_JIT_EXIT_H

#include <stddef.h>

int __cxa_atexit(void (*function)(void *), void *argument, void *library);
extern void *__dso_handle __attribute__((visibility("hidden")));

static inline void ckjit_at_exit(void (*function)(void *unused)) {
  __cxa_atexit(function, NULL, &__dso_handle);
}

#endif
