#!/bin/sh
# A function of a blob that is loaded already may be called first in a host callback of a stream, where no function of HIP may be:
# finding its address calls none. Of a blob that is not loaded, loading does.
# tier: check
# seconds: 4
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
library lib
# what hipcc's host code does with HIP: it registers when it is loaded, ints_ launches
cat >"$T/hip.hpp" <<'END'
extern "C" void **__hipRegisterFatBinary(const void *);
extern "C" void __hipUnregisterFatBinary(void **);
extern "C" int hipLaunchKernel(const void *);
namespace {
struct module {
  void **handle = __hipRegisterFatBinary("binary");
  ~module() { __hipUnregisterFatBinary(handle); }
} module_;
void launch() { hipLaunchKernel(&module_); }
}
END
for source in arguments value1; do
  f=$T/lib/ck_jit/src/$source.cu
  { echo "#include \"$T/hip.hpp\""; sed 's/  return a + 2 \* b + 3L/  launch();&/' "$f"; } >"$f.new"
  mv "$f.new" "$f"
done
grep -q 'launch();' "$T/lib/ck_jit/src/arguments.cu" || fail "nothing launches"

# a HIP whose functions, called in a callback, end the process
cat >"$T/hip.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static __thread int in_callback;
static int calls;
static void called(const char *name) {
  calls++;
  if (!in_callback)
    return;
  fprintf(stderr, "%s in a callback\n", name);
  abort();
}
void **__hipRegisterFatBinary(const void *wrapper) { called("__hipRegisterFatBinary"); return (void **)&calls; }
void __hipUnregisterFatBinary(void **handle) { called("__hipUnregisterFatBinary"); }
int hipLaunchKernel(const void *kernel) { called("hipLaunchKernel"); return 0; }
struct host { void (*f)(void *); void *data; };
static void *run(void *data) {
  struct host *h = data;
  in_callback = 1;
  h->f(h->data);
  return NULL;
}
int hipLaunchHostFunc(void *stream, void (*f)(void *), void *data) {
  pthread_t thread;
  struct host h = {f, data};
  return pthread_create(&thread, NULL, run, &h) || pthread_join(thread, NULL);
}
int hip_calls(void) { return calls; }
END
gcc -shared -fPIC -o "$T/lib/libhip.so" "$T/hip.c" -pthread

cat >"$T/main.cpp" <<'END'
#include "runtime_kernels.h"
#include <cstdio>
#include <cstring>
extern "C" int hipLaunchHostFunc(void *, void (*)(void *), void *), hip_calls(void);
static void callback(void *what) {
  const char *w = static_cast<const char *>(what);
  if (!strcmp(w, "loaded"))
    printf("%s %g %g\n", text_<0>("ab", 2).c_str(), sum_<0>(2, 1.5, 2.5), (double)extended_<0>(3, 4));
  if (!strcmp(w, "cold"))
    printf("%d\n", value_<1>(5));
  if (!strcmp(w, "launches"))
    printf("%ld\n", ints_<0>(1, 1, 1, 1, 1, 1, 1, 1, 1));
  fflush(stdout);
}
int main(int, char **v) {
  printf("%ld\n", ints_<0>(1, 1, 1, 1, 1, 1, 1, 1, 1));
  int before = hip_calls();
  for (char **w = v + 1; *w; w++)
    hipLaunchHostFunc(nullptr, callback, *w);
  printf("%d and %d\n", before, hip_calls() - before);
}
END
g++ -I"$unit" "$T/main.cpp" -o "$T/lib/main" -L"$T/lib" -lkernels -lhip -pthread -Wl,-rpath,"$T/lib"

for way in compiled cached; do
  "$T/lib/main" loaded loaded >"$T/out" 2>"$T/err" || fail "$way: $(cat "$T/out" "$T/err")"
  printf '%s\n' 45 'abab 4 7' 'abab 4 7' '2 and 0' | cmp -s - "$T/out" || fail "$way: $(cat "$T/out" "$T/err")"
  is "$way: compiles" 1 "$(compiles)"
done

# the failing cases: this HIP notices, and the process is as if the library were stock's
for what in cold launches; do
  "$T/lib/main" loaded $what >"$T/out" 2>"$T/err" && fail "$what: nothing was noticed"
  grep -q 'in a callback' "$T/err" || fail "$what: $(cat "$T/err")"
  is "$what" "abab 4 7" "$(sed -n 2p "$T/out")"
done
