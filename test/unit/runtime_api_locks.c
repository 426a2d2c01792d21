/* runtime_api_locks.c - a program that uses libckjit.so and looks at what it asks the dynamic linker, and when.
 *
 *   runtime_api_locks LIBRARY
 *
 * It has functions of its own in place of those that lock mutexes and ask the dynamic linker. Prints which of the latter were
 * called by a thread that held a mutex, each once, and how often dlinfo was called at all. A constructor that runs inside of
 * dlopen, with the dynamic linker locked, may open a library by libckjit.so: who held the mutex then and waited for the dynamic
 * linker would wait for ever.
 */
#include "api/ckjit.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static __thread int held;
static int asked;

/* the function that NAME is in the libraries behind this program */
static void *next(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

static void ask(const char *what) {
  static char told[256];
  if (!held || strstr(told, what))
    return;
  strcat(told, what);
  printf("%s is called with a mutex held\n", what);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static int (*real)(pthread_mutex_t *);
  if (!real)
    *(void **)&real = next("pthread_mutex_lock");
  held++;
  return real(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  static int (*real)(pthread_mutex_t *);
  if (!real)
    *(void **)&real = next("pthread_mutex_unlock");
  held--;
  return real(mutex);
}

int dlinfo(void *handle, int request, void *info) {
  static int (*real)(void *, int, void *);
  if (!real)
    *(void **)&real = next("dlinfo");
  asked++;
  ask("dlinfo");
  return real(handle, request, info);
}

int dl_iterate_phdr(int (*each)(struct dl_phdr_info *, size_t, void *), void *user) {
  static int (*real)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
  if (!real)
    *(void **)&real = next("dl_iterate_phdr");
  ask("dl_iterate_phdr");
  return real(each, user);
}

int dladdr(const void *address, Dl_info *info) {
  static int (*real)(const void *, Dl_info *);
  if (!real)
    *(void **)&real = next("dladdr");
  ask("dladdr");
  return real(address, info);
}

int main(int argc, char **argv) {
  ckjit_library *library;
  ckjit_handle *handle;
  char *error = NULL;
  if (argc != 2 || ckjit_open(argv[1], 0, &library, &error))
    return 2;
  for (uint32_t k = 0; k < ckjit_kernel_count(library); k++) {
    struct ckjit_kernel_info kernel = {.size = sizeof kernel};
    struct ckjit_function_info function = {.size = sizeof function};
    int state;
    if (ckjit_compile(library, k, NULL, &handle, &error) || ckjit_kernel_info(library, k, &kernel, &error) ||
        ckjit_function_info(library, k, 0, &function, &error) || ckjit_state(library, k, &state, &error))
      return 3;
    printf("%s %s\n", kernel.stem, function.symbol ? function.symbol : "-");
    ckjit_handle_release(handle);
  }
  ckjit_close(library);
  printf("dlinfo was %s\n", asked ? "called" : "never called");
  return 0;
}
