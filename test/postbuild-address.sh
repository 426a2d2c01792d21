#!/bin/sh
# A blob that names a function of its own without calling it is compiled ahead of time: loaded apart it would compare the function's address
# with that of the library's stub. One that calls its functions, takes addresses of others, or has members of the same name is lazy.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >>api.hpp <<'END'
typedef std::string (*namer)(int);
template <class T> bool is_mine(namer p);
template <class T> int other(int x);
inline std::string plain(int) { return "plain"; }
END
kernel 1 && echo 'template<> bool is_mine<trait>(namer p) { return p == &name<trait>; }' >>k1.cpp
kernel 2 && echo 'template<> bool is_mine<trait>(namer p) { namer mine = ::name<trait>; return mine == p; }' >>k2.cpp
kernel 3 && cat >>k3.cpp <<'END'
struct row { namer name; };
template<> bool is_mine<trait>(namer p) { row r{plain}; namer q = &plain; return r.name(1) == q(1) && name<trait>(7) == p(7); }
template<> int other<trait>(int x) { return x; }
END
kernel 4 && cat >>k4.cpp <<'END'
namespace inner { struct s { int name; }; }
template<> bool is_mine<trait>(namer p) { const inner::s& name = inner::s{4}; return p && ::name < trait > (1).size() && name.name == 4; }
END
host 1 2 3 4
cat >>host.cpp <<'END'
template <int N> static bool asks() { return is_mine<traits<N, true>>(name<traits<N, true>>); }
extern "C" __attribute__((visibility("default"))) int own() { return asks<1>() + 2 * asks<2>() + 4 * asks<3>() + 8 * asks<4>(); }
END
objects k1 k2 k3 k4 host
link liba.so k1.o k2.o k3.o k4.o host.o
says '2 blobs are lazy'
says "ahead of time: $T/k1.cpp: line 5: a function of it is named without being called"
says "ahead of time: $T/k2.cpp: line 5: a function of it is named without being called"
right liba.so 1 2 3 4
cat >own.cpp <<'END'
#include <cstdio>
#include <dlfcn.h>
int main(int, char** argv) {
  void* h = dlopen(argv[1], RTLD_NOW);
  return h ? printf("%d\n", ((int (*)())dlsym(h, "own"))()) < 0 : (fprintf(stderr, "%s\n", dlerror()), 1);
}
END
c++ own.cpp -ldl -o own
[ "$(./own ./liba.so)" = 15 ] || fail "a blob does not know its own function: $(./own ./liba.so)"
