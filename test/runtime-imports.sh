#!/bin/sh
# What a blob gets from its library when it is loaded: functions and variables at the library's own addresses, which it may compare, write
# and throw from; of two libraries in one process that share an entry each keeps its own; a symbol that nobody defines is named at the first
# call, and the call can be made again. An initialiser of a header that a blob includes, which calls such a function, runs when that is there.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
cat >>api.hpp <<'END'
#include <stdexcept>
int log_launch(int);
extern int level;
extern int (*const address)(int);
int thrown(int);
int nobody(int);
int begun(int);
namespace { struct start { int n = begun(1); } const started; }
END
kernel 1 && sed -i 's/return x.n \* 1/return (address == log_launch ? x.n : 0) * started.n/' k1.cpp
kernel 2 && sed -i 's/return x.n \* 2/level = 2; return log_launch(x.n) * level/' k2.cpp
kernel 3 && sed -i 's/return x.n \* 3/try { return thrown(x.n); } catch (const std::range_error\& e) { return x.n * 3 + 0 * y.n; }/' k3.cpp
sed -i '3s/try { return thrown(x.n); } catch (const std::range_error& e) { return x.n \* 3 + 0 \* y.n; } + y.n/int n = 0; try { n = thrown(x.n); } catch (const std::range_error\& e) { n = x.n * 3; } return n + y.n/' k3.cpp
kernel 4 && sed -i 's/return x.n \* 4/return nobody(x.n) * 4/' k4.cpp
host 1 2 3
cat >>host.cpp <<'END'
int level = 1;
int begun(int n) { return n; }
int (*const address)(int) = log_launch;
int thrown(int n) { if (n) throw std::range_error("thrown"); return n; }
END
cp host.cpp host.kept
echo 'int log_launch(int n) { return level == 2 ? n : 0; }' >>host.cpp
objects k1 k2 k3 k4 host
link liba.so k1.o k2.o k3.o host.o
says '3 blobs are lazy (6 functions in 1 unit), 0 compiled ahead of time'
right liba.so 1 2 3
CK_JIT_ON_MISS=error right liba.so 1 2 3

# the same blobs in another library, which has other functions
cp host.kept host.cpp
echo 'int log_launch(int n) { return level == 2 ? n + 1000 : 0; }' >>host.cpp
objects host
link libb.so k1.o k2.o k3.o host.o
cat >two.cpp <<'END'
#include <cstdio>
#include <dlfcn.h>
int main(int argc, char** argv) {
  static char text[100000];
  int (*call[2])(int, char*);
  for (int i = 0; i < 2; i++) {
    void* h = dlopen(argv[1 + i], RTLD_NOW | RTLD_LOCAL);
    if (!h) return fprintf(stderr, "%s\n", dlerror()), 3;
    call[i] = (int (*)(int, char*))dlsym(h, "call");
  }
  for (int k = 1; k < 4; k++)
    for (int i = 0; i < 2; i++) printf("%d\n", call[i](k, text));
  for (int i = 0; i < 2; i++) printf("%d\n", call[i](2, text));
}
END
c++ -O0 two.cpp -o two -ldl || fail 'two.cpp'
./two "$T/liba.so" "$T/libb.so" >got || fail 'two libraries cannot be called'
is 'two libraries, one entry' '101 101 201 2201 301 301 201 2201' "$(tr '\n' ' ' <got | sed 's/ $//')"

# threads that load the entry at once: none is ahead of the initialisers, and all write the same addresses
sed 's/int begun(int n) { return n; }/#include <unistd.h>\nint begun(int n) { usleep(50000); return n; }/' host.kept >host.cpp
echo 'int log_launch(int n) { return level == 2 ? n : 0; }' >>host.cpp
objects host
link libd.so k1.o k2.o k3.o host.o
cat >threads.cpp <<'END'
#include <cstdio>
#include <dlfcn.h>
#include <pthread.h>
static int (*call)(int, char*);
static pthread_barrier_t barrier;
static void* one(void*) {
  static __thread char text[100000];
  pthread_barrier_wait(&barrier);
  return (void*)(long)call(1, text);
}
int main(int, char** argv) {
  void* h = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!h) return fprintf(stderr, "%s\n", dlerror()), 3;
  call = (int (*)(int, char*))dlsym(h, "call");
  pthread_t t[8];
  pthread_barrier_init(&barrier, nullptr, 8);
  for (auto& x : t) pthread_create(&x, nullptr, one, nullptr);
  for (auto& x : t) {
    void* result;
    pthread_join(x, &result);
    printf("%ld ", (long)result);
  }
}
END
c++ -O0 threads.cpp -o threads -ldl -pthread || fail 'threads.cpp'
for _ in 1 2 3 4 5 6 7 8 9 10; do
  is 'threads at once' '101 101 101 101 101 101 101 101 ' "$(CK_JIT_ON_MISS=error ./threads "$T/libd.so" || echo "status $?")"
done

# nobody defines it, and a library's link does not ask
host 4
echo 'int begun(int n) { return n; }' >>host.cpp
objects host
link libc.so k4.o host.o
calls libc.so 4 4 >got || fail 'libc.so cannot be called'
has 'the symbol' 'it needs nobody(int), which neither this library nor another one that it is linked with defines' got
is 'the call again' 2 "$(grep -c 'it needs nobody(int)' got)"
