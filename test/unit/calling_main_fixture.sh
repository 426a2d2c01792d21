# calling_main_fixture.sh - ./main LIBRARY N, which prints what the library's call(N) returns: source it behind common.sh.
# shellcheck shell=sh
calling_main() {
  cat >main.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  void *h = dlopen(argv[1], RTLD_NOW);
  int (*f)(int) = h ? (int (*)(int))dlsym(h, "call") : 0;
  return f ? printf("%d\n", f(atoi(argv[2]))), 0 : puts(dlerror());
}
C
  gcc main.c -o main -ldl
}
