/* ck_jit_exit.h - registers functions to run at exit, and when the library is unloaded.
 *
 * atexit does that for a library. But ThreadSanitizer runs functions of atexit at the end of the
 * process, when the library may be gone; and a destructor would be visible from outside. libc only,
 * thread-safe.
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
