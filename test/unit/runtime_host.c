/* runtime_host.c - an application that loads libraries with kernels by dlopen, as Python does.
 *
 *   runtime_host SYMBOL LIBRARY|-FILE|=LIBRARY...
 *
 * For each argument: loads LIBRARY, calls its SYMBOL, an int (int), with 5 and prints the result; removes
 * FILE; or does as for LIBRARY and then unloads and loads it again and calls once more.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static void *call(const char *library, const char *symbol) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  int (*f)(int) = handle ? (int (*)(int))dlsym(handle, symbol) : NULL;
  if (f)
    printf("%d\n", f(5));
  else
    printf("%s\n", dlerror());
  return handle;
}

int main(int argc, char **argv) {
  for (int i = 2; i < argc; i++) {
    if (argv[i][0] == '-') {
      unlink(argv[i] + 1);
    } else if (argv[i][0] == '=') {
      void *handle = call(argv[i] + 1, argv[1]);
      if (handle)
        dlclose(handle);
      call(argv[i] + 1, argv[1]);
    } else {
      call(argv[i], argv[1]);
    }
  }
  return 0;
}
