# loading_main_fixture.sh - ./main, which loads ./lib.so and prints what its run() returns: for cuda_units_fixture.sh and hip_fixture.sh, which
# set gpu_link, the words for the runtime.
# shellcheck shell=sh disable=SC2154
loading_main() {
  cat >main.cpp <<'C'
#include <cstdio>
#include <dlfcn.h>
int main() {
  void *h = dlopen("./lib.so", RTLD_NOW);
  if (!h) return puts(dlerror()), 1;
  printf("%d\n", ((int (*)())dlsym(h, "run"))());
}
C
  # shellcheck disable=SC2086 # words
  g++ main.cpp -o main -ldl $gpu_link
}
