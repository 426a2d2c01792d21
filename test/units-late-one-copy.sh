#!/bin/bash
# A variable that any object may have (static in an inline function, of a template, inline), with its guard, is one in a library whose late units
# have it as well, and is initialised once: that of the library's own objects, else that of the unit which is loaded first. It is in a header
# of a package, which is not read, so the units stay late. The results are the compiler's own, with hidden and with visible functions, with the
# other objects in an archive, with a version script that hides all, and for two libraries in one process, each with its copy. What a late unit
# throws the library catches, also of a hidden type.
# tier: all
# seconds: 28
# shellcheck disable=SC2086,SC2154 # words
. "${0%/*}/common.sh"
late=1
case ${dialect:=cuda} in
cuda)
  . "$here/unit/cuda_units_fixture.sh"
  ext=cu compiler=nvcc stock=$cuda/bin/nvcc linker=c++ host=g++ xcompiler=-Xcompiler
  flags='-std=c++17 -O1 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
  ;;
hip)
  . "$here/unit/hip_fixture.sh"
  need clang++
  ext=hip compiler=hipcc stock=$(command -v hipcc) linker=hipcc host=clang++ xcompiler=
  flags="$small_hip -std=c++17 -O1 -fPIC -include hip/hip_runtime.h --offload-arch=gfx90a"
  units_home
  ;;
esac
mkdir package
cat >package/state.h <<'C'
#pragma once
#include <cstdio>
#include <typeinfo>
struct noisy {
  const char *name;
  int n = 0;
  noisy(const char *name) : name(name) { printf("begin %s\n", name); }
  ~noisy() { printf("end %s %d\n", name, n); }
};
#define STATE(NAME) namespace NAME { \
  inline int &plain() { static int n = 3; return n; } \
  inline int &local() { static noisy one(#NAME " local"); return one.n; } \
  template <class T> int &of_template() { static noisy one(#NAME " of a template"); return one.n; } \
  template <class T> struct c { static noisy one; static int n; static inline int m = 2; }; \
  template <class T> noisy c<T>::one(#NAME " member"); \
  template <class T> int c<T>::n = 5; \
  inline int level = 4; \
  inline thread_local int each = 6; \
  inline thread_local noisy mine(#NAME " of a thread"); \
  template <class T> struct t { static thread_local int n; static inline thread_local int zero; }; \
  template <class T> thread_local int t<T>::n = 7; \
  inline int &of_thread() { static thread_local int n = 8; return n; } \
  inline int &begun() { static thread_local noisy one(#NAME " local of a thread"); return one.n; } \
  inline int of_threads(int x) { \
    return (each += x) + 3 * (mine.n += x) + 5 * (t<int>::n += x) + 7 * (t<int>::zero += x) + 11 * (of_thread() += x) + \
           13 * (begun() += x); \
  } \
  inline int add(int x) { \
    return (plain() += x) + 3 * (local() += x) + 5 * (of_template<int>() += x) + 7 * (c<int>::one.n += x) + \
           11 * (c<int>::n += x) + 13 * (c<int>::m += x) + 17 * (level += x) + 23 * of_threads(x); \
  } }
C
printf '#include "state.h"\nSTATE(everywhere)\n' >package/everywhere.h
printf '#include "state.h"\nSTATE(units)\n' >package/units.h
cat >lib.h <<'C'
struct boom { int n; };
struct __attribute__((visibility("hidden"))) quiet { int n; };
struct base { virtual int get() { return 1; } virtual ~base() {} };
struct derived : base { int get() override { return 2; } };
namespace std { class type_info; }
int first(int), second(int);
base *make();
bool is(const std::type_info &);
C
unit() { # NAME TEXT
  cat >$1.$ext <<C
#include <everywhere.h>
#include <units.h>
#include "lib.h"
static __global__ void k(int *p) { *p = 1; }
int $1(int x) {
  if (x == -777) k<<<1, 1>>>(nullptr);
  if (x == 50) throw boom{x};
  if (x == 51) throw quiet{x};
  return everywhere::add(x) + 19 * units::add(x);
}
$2
C
}
unit first ''
unit second 'base *make() { return new derived; } bool is(const std::type_info &t) { return t == typeid(derived); }'
cat >host.cpp <<'C'
#include <everywhere.h>
#include <atomic>
#include <thread>
#include "lib.h"
extern "C" __attribute__((visibility("default"))) int run() {
  int r = everywhere::add(1), in_early = 0, in_late = 0;
  std::atomic<bool> loaded{false};
  std::thread early([&] {
    in_early = everywhere::of_threads(5);
    while (!loaded) std::this_thread::yield();
    in_early += 3 * first(1) + everywhere::of_threads(2);
  });
  r = r * 3 + first(1);
  loaded = true;
  early.join();
  std::thread late([&] { in_late = first(4) + 3 * second(5) + everywhere::of_threads(3); });
  late.join();
  r = r * 3 + in_early + 5 * in_late;
  r = r * 3 + second(2);
  r = r * 3 + first(3) + everywhere::add(1);
  try { first(50); } catch (const boom &b) { r += b.n; }
  try { second(51); } catch (const quiet &b) { r += b.n; }
  base *p = make();
  r += (dynamic_cast<derived *>(p) ? 1000 : 0) + 10000 * is(typeid(*p));
  delete p;
  return r;
}
C
printf 'VERSION { global: run; local: *; };\n' | sed 's/^VERSION //' >map
cat >two.cpp <<'C'
#include <cstdio>
#include <dlfcn.h>
int main() {
  for (int i = 0; i < 4; i++) {
    void *h = dlopen(i % 2 ? "./other.so" : "./lib.so", RTLD_NOW);
    if (!h) return puts(dlerror()), 1;
    printf("%d\n", ((int (*)())dlsym(h, "run"))());
  }
}
C
g++ two.cpp -o two -ldl $gpu_link || fail two.cpp
loading_main
compile() { # HIDE…: the objects, ours and stock-…
  hide=$*
  for name in first second; do
    as_build $compiler $flags ${hide:+$xcompiler $hide} -isystem package -c $name.$ext -o $name.o || fail "$name: $(cat err)"
    $stock $flags ${hide:+$xcompiler $hide} -isystem package -c $name.$ext -o stock-$name.o 2>said || fail "stock $name: $(cat said)"
  done
  $host -std=c++17 -O1 -fPIC $hide -isystem package -c host.cpp -o host.host || fail host.cpp
  rm -f libhost.a && ar rc libhost.a host.host
}
# same WHAT OBJECTS…: the library of these and the units is as the compiler's
same() {
  what=$1
  shift
  rm -rf cache
  as_build $linker -shared -o lazy.so first.o second.o "$@" $gpu_link || fail "$what: $(cat err)"
  has "$what: late" '2 blobs are lazy' home/work/lazy/summary.txt
  $host -shared -o stock.so stock-first.o stock-second.o "$@" $gpu_link || fail "stock $what"
  cp stock.so lib.so && run ./main >wanted || fail "stock $what ends with $?"
  cp lazy.so lib.so && run ./main >found 2>said || fail "$what ends with $?: $(cat found said)"
  # the order of what begins when a library is loaded, and of all ends, is the linker's
  sort wanted >wanted.sorted && sort found >found.sorted
  diff wanted.sorted found.sorted >differ || fail "$what: $(cat differ)"
  is "$what: what the call returns" "$(grep -E '^-?[0-9]+$' wanted)" "$(grep -E '^-?[0-9]+$' found)"
  has "$what: it begins once" 'begin everywhere local' found
}
compile -fvisibility=hidden
same hidden host.host
cp lazy.so other.so && cp lazy.so lib.so
run ./two >found 2>said || fail "two libraries: $(cat found said)"
cp stock.so other.so && cp stock.so lib.so
run ./two >wanted || fail 'two libraries'
[ $dialect = cuda ] || is 'two libraries' "$(sort wanted)" "$(sort found)"
same 'an archive' -Wl,-u,run libhost.a
compile
same visible host.host
[ $dialect = cuda ] || same lld -fuse-ld=lld host.host
# a program, with an archive whose member the linker takes, and one that it leaves out
cat >program.cpp <<'C'
#include <cstdio>
extern "C" int run();
int main() {
  for (int i = 0; i < 2; i++) printf("%d\n", run());
}
C
printf '#include <%s.h>\n' everywhere units >left.cpp
echo 'int left() { return everywhere::add(1) + units::add(1); }' >>left.cpp
for name in left program; do
  $host -std=c++17 -O1 -fPIC -c $name.cpp -isystem package -o $name.host || fail $name.cpp
done
rm -f libleft.a && ar rc libleft.a left.host
rm -rf cache
as_build $linker -o program program.host first.o second.o -Wl,-u,run libhost.a libleft.a $gpu_link || fail "a program: $(cat err)"
has 'a program: late' '2 blobs are lazy' home/work/program/summary.txt
$host -o stock program.host stock-first.o stock-second.o -Wl,-u,run libhost.a libleft.a $gpu_link || fail 'stock program'
run ./stock >wanted || fail "stock program ends with $?"
run ./program >found 2>said || fail "a program ends with $?: $(cat found said)"
diff <(sort wanted) <(sort found) >differ || fail "a program: $(cat differ)"
same 'a version script' -Wl,--version-script=map host.host
CK_JIT_ON_MISS=error run ./main >found 2>said || fail "a second process: $(cat found said)"
diff wanted.sorted <(sort found) >differ || fail "a second process: $(cat differ)"
