#!/bin/sh
# A static variable of a template that blobs instantiate explicitly keeps none of them with the library, and no compiler is asked: each instance
# has one variable, also if a function of a header, the template itself or another unit of the library makes an instance of a blob's.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
export CK_JIT_SUMMARY=1
cat >counts.hpp <<'END'
#pragma once
#define EXPORT __attribute__((visibility("default")))
template <int N> struct form {};
template <class T> struct size;
template <int N> struct size<form<N>> { static constexpr int n = N; };
template <class T> int next(int by) {
  static int count = 0;
  return count += by * size<T>::n;
}
#define CASE(N) template int next<form<N>>(int)
extern CASE(1); extern CASE(2); extern CASE(3);
END
for n in 1 2 3; do
  printf '#include "counts.hpp"\nCASE(%d);\n' $n >c$n.cpp
done
cat >main.cpp <<'END'
#include "counts.hpp"
extern "C" EXPORT int call(int n) { return n == 1 ? next<form<1>>(1) : n == 2 ? next<form<2>>(1) : next<form<3>>(1); }
#ifdef MORE
int more(int);
extern "C" EXPORT int call_more(int n) { return more(n); }
#endif
END
cat >run.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  void *h = dlopen(argv[1], RTLD_NOW);
  if (!h) return fprintf(stderr, "%s\n", dlerror()), 1;
  int (*call)(int) = (int (*)(int))dlsym(h, "call"), (*more)(int) = (int (*)(int))dlsym(h, "call_more");
  for (int i = 0; i < 6; i++) printf("%d ", call(i % 3 + 1));
  for (int i = 0; i < 6 && more; i++) printf("%d %d ", more(i % 3 + 1), call(i % 3 + 1));
  puts("");
}
END
gcc run.c -o run -ldl
# same LIBRARY FILES…: the library of these objects counts as that of the regular compiler
same() {
  library=$1
  shift
  sources=
  for object; do sources="$sources ${object%.o}.cpp"; done
  # shellcheck disable=SC2086
  g++ -shared -fPIC -fvisibility=hidden -I. ${defined-} -x c++ $sources -o "stock-$library" || fail "stock $library"
  ./run "./stock-$library" >wanted || fail "stock $library ends with $?"
  ./run "./$library" >found 2>said || fail "$library: $(cat said)"
  is "$library" "$(cat wanted)" "$(cat found)"
}
asked() {
  find "$work/${1%.so}/objs" -name 'made-*' -o -name 'host-*' | wc -l
}

objects c1 c2 c3
as_build hipcc -x c++ -O0 -fPIC -fvisibility=hidden -I. -c main.cpp -o main.o || fail "$(cat err)"
link liba.so c1.o c2.o c3.o main.o
says '3 blobs are lazy (3 functions in 1 unit), 0 compiled ahead of time'
is "nobody is asked" 0 "$(asked liba.so)"
same liba.so c1.o c2.o c3.o main.o

# One that makes instances of its own: the header makes it of the others.
defined=-DMORE
more() { # TEXT FILES…: more.cpp is TEXT
  echo "$1" >more.cpp
  as_build hipcc -x c++ -O0 -fPIC -fvisibility=hidden -I. -DMORE -c main.cpp -o main.o || fail "$(cat err)"
}
cp counts.hpp plain.hpp

# a function of the header calls the template
cat >>counts.hpp <<'END'
template <class T> int twice(int by);
inline int both(int by) { return next<form<2>>(by) + next<form<3>>(by); }
END
sed -i 's/^extern CASE.*//' counts.hpp
printf '#include "counts.hpp"\ntemplate <> int twice<form<9>>(int by) { return both(by); }\n' >c9.cpp
more '#include "counts.hpp"
int more(int n) { return twice<form<9>>(n); }'
objects c1 c2 c3 c9 more
link libb.so c1.o c2.o c3.o c9.o more.o main.o
is "a function of a header calls the template: nobody is asked" 0 "$(asked libb.so)"
same libb.so c1.o c2.o c3.o c9.o more.o main.o

# the template calls another instance of itself, which no header leaves to a unit: all three have it
sed 's/^  return count += by \* size<T>::n;/  if constexpr (size<T>::n < 10) return count += next<form<10>>(by); else return count += by;/' plain.hpp >counts.hpp
objects c1 c2 c3
more '#include "counts.hpp"
int more(int n) { return n; }'
objects more
link libc.so c1.o c2.o c3.o more.o main.o
is "the template calls itself: nobody is asked" 0 "$(asked libc.so)"
same libc.so c1.o c2.o c3.o more.o main.o

# another unit of the library has an instance of a blob's
sed 's/^extern CASE.*//' plain.hpp >counts.hpp
objects c1 c2 c3
more '#include "counts.hpp"
int more(int n) { return next<form<1>>(n); }'
as_build hipcc -x c++ -O0 -fPIC -fvisibility=hidden -I. -c more.cpp -o more.o || fail "$(cat err)"
link libd.so c1.o c2.o c3.o more.o main.o
is "a unit of the library has an instance: nobody is asked" 0 "$(asked libd.so)"
same libd.so c1.o c2.o c3.o more.o main.o
