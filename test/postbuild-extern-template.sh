#!/bin/sh
# A blob that instantiates a template which a header declares `extern template`, as llama.cpp's and RAFT's do: the compiler takes no
# specialisation of it any more, but says what it is called. It is lazy, and its symbol is as weak as the compiler makes it, and as
# hidden: by -fvisibility=hidden, unless an attribute of a header shows it. If that is not clear, it is compiled ahead of time.
# tier: all
# seconds: 23
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1
host 1
sed -i '1a #include "run.hpp"\nint all() { return run(1) + run(2L) + ns::walk<3>(4); }' host.cpp
sed -i 's/  return -1;/  if (k == 9) { strcpy(text, "all"); return all(); }\n  return -1;/' host.cpp
cat >run.hpp <<'END'
#pragma once
template <class T> int run(T x) { return static_cast<int>(x) + static_cast<int>(sizeof(T)); }
namespace ns { template <int N> int walk(int x) noexcept { return N * x; } }
#define INSTANCE(T) template int run<T>(T x)
extern INSTANCE(int);
extern INSTANCE(long);
extern template int ns::walk<3>(int) noexcept;
END
printf '#include "run.hpp"\nINSTANCE(int);\nINSTANCE(long);\n' >r1.cpp
printf '#include "run.hpp"\nnamespace ns { template int walk<3>(int) noexcept; }\n' >r2.cpp

# built OPTION…: the objects of all
built() {
  for name in k1 r1 r2 host; do
    as_build hipcc -x hip --offload-arch=gfx90a -fPIC "$@" -I. -c $name.cpp -o $name.o || fail "$name: $(cat err)"
  done
}

built
link liba.so k1.o r1.o r2.o host.o
says '3 blobs are lazy (5 functions in '
right liba.so 1
for on_miss in compile error; do
  is "lazy, $on_miss" '27 all' "$(CK_JIT_ON_MISS=$on_miss calls liba.so 9)"
done
is 'the symbol' W "$(nm -D liba.so | sed -n 's/.* \(.\) _Z3runIiEiT_$/\1/p')"

sed -i 's/^int call/__attribute__((visibility("default"))) int call/' host.cpp
sed -i 's/N> int walk/N> __attribute__((visibility("default"))) int walk/' run.hpp
built -fvisibility=hidden
link libb.so k1.o r1.o r2.o host.o
says '3 blobs are lazy (5 functions in '
is 'hidden' '27 all' "$(calls libb.so 9)"
is 'what it exports' 'W _ZN2ns4walkILi3EEEii' "$(nm -D libb.so | sed -n '/Z3run\|walk/s/.* \(. _Z\)/\1/p')"

mkdir sys
printf '#define UNSURE\n' >sys/unsure.h # no header of the build: what it may stand for is not looked up
sed -i -e '1a #include <unsure.h>' -e 's/^extern INSTANCE(int);/extern template UNSURE int run<int>(int);/' run.hpp
built -fvisibility=hidden -isystem sys
link libc.so k1.o r1.o r2.o host.o
says 'its forwarding stub does not compile'
