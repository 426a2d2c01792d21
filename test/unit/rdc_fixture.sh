# rdc_fixture.sh - HIP units with -fgpu-rdc: source it after common.sh; late=1 before it leaves them
# late.
#
#   $rdc           the flags for Debian's clang
#   compile U…     compiles U.hip to U.o in the fake home
#   calling_units  makes ./main LIBRARY [aN|c]…: calls a(N, p) or c(p) of it, and prints what each returns
# shellcheck shell=bash disable=SC1091,SC2086,SC2154 # $rdc is a list of flags
. "$here/unit/hip_fixture.sh"
rdc="-fgpu-rdc -B/usr/lib/llvm-15/bin"
units_home
compile() {
  for u; do
    as_build hipcc -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a $rdc -c $u.hip -o $u.o || fail "$u: $(cat err)"
  done
}
calling_units() {
  cat >main.cpp <<'C'
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
int main(int, char **v) {
  int p[4] = {0, 7};
  void *h = dlopen(v[1], RTLD_NOW);
  if (!h) return puts(dlerror()), 1;
  auto a = (int (*)(int, int *))dlsym(h, "a");
  auto c = (int (*)(int *))dlsym(h, "c");
  for (v += 2; *v; v++) {
    printf("%s %d\n", *v, **v == 'a' ? a(atoi(*v + 1), p) : c(p));
    fflush(stdout);
  }
}
C
  g++ main.cpp -o main -ldl -Lhip -lamdhip64
}
