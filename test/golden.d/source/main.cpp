#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
int main(int, char **v) {
  void *h = dlopen(v[1], RTLD_NOW);
  if (!h) return puts(dlerror()), 1;
  int (*call)(int) = (int (*)(int))dlsym(h, "call");
  for (v += 2; *v; v++)
    try {
      printf("%s %d\n", *v, call(atoi(*v)));
    } catch (const std::exception &e) {
      return puts(e.what()), 1;
    }
}
