#!/bin/sh
# Each function of HIP's that takes the address of a kernel or a variable finds it registered, with its arguments as they were, if it is a
# lazy unit's; each kernel is asked for once, by however many threads. What a stock unit registered goes through. A kernel that cannot be
# had is HIP's own error, and is asked for again. What was registered is unregistered when the library goes. With a HIP of ours.
# tier: check
# seconds: 2
. "${0%/*}/common.sh"
need gcc
top=$(cd "$here/.." && pwd)
cd "$T"
"$B/test/unit/gpucalls" hip >ck_jit_unit_calls.h
gcc -std=gnu11 -O1 -fPIC -fvisibility=hidden -fexceptions -Wall -Wextra -Werror -DCKJIT_LAZY=1 -I. -I"$top/abi" -c "$top/runtime/ck_jit_hip_kernels.c" -o shim.o

# one function for each row: the other registers hold what their callers count on
rows=$(sed -n 's/^\([A-Z_]*\)("\([A-Za-z_]*\)"\(, \([0-5]\))\|)\).*/\1 \2 \4/p' ck_jit_unit_calls.h | tr -d '")')
[ "$(echo "$rows" | wc -l)" = "$(grep -c . ck_jit_unit_calls.h)" ] || fail "not all rows are understood: $rows"
{
  cat <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static struct { const void *host; char name[16]; void **handle; } there[512];
static int registered, again, last, handles, gone;
void **__hipRegisterFatBinary(const void *w) {
  const struct { unsigned magic, version; const char *data; void *unused; } *x = w;
  if (x->magic != 0x48495046 || x->version != 1 || strncmp(x->data, "code", 4)) { fprintf(stderr, "no fat binary\n"); abort(); }
  handles++;
  return calloc(1, sizeof(void *));
}
void __hipUnregisterFatBinary(void **h) {
  gone++;
  for (int n = 0; n < registered; n++)
    if (there[n].handle == h) there[n].host = NULL;
  if (gone == handles) registered = again = 0;
}
static void add(void **h, const void *f, const char *name) {
  for (int n = 0; n < registered; n++)
    if (there[n].host == f) again++;
  there[registered].handle = h;
  snprintf(there[registered].name, sizeof there->name, "%s", name);
  there[registered++].host = f;
}
void __hipRegisterFunction(void **h, const void *f, char *d, const char *name, unsigned t, void *i, void *b, void *k, void *g, int *s) { add(h, f, name); }
void __hipRegisterVar(void **h, void *v, char *d, char *name, int e, size_t size, int c, int g) {
  if (e != 0 || size != 40 || c != 1 || g != 0) abort();
  add(h, v, name);
}
int hip_registered(void) { return registered; }
int hip_again(void) { return again; }
int hip_handles(void) { return handles - gone; }
int hipGetLastError(void) { int e = last; last = 0; return e; }
static int look(const void *f) {
  for (int n = 0; n < registered; n++)
    if (f && there[n].host == f) return 0;
  return last = 98; /* hipErrorInvalidDeviceFunction */
}
static void check(const long *a, int but) {
  for (int i = 0; i < 6; i++)
    if (i != but && a[i] != 100 + i) { fprintf(stderr, "argument %d is %ld\n", i, a[i]); abort(); }
}
END
  echo "$rows" | while read -r kind name reg; do
    i=${reg:-0}
    case $kind in
    TAKES | TAKES_VARIABLE) get='(void *)a[I]' ;;
    TAKES_PARAMS) get='((void **)a[I])[3]' ;;
    TAKES_NODE) get='((void **)a[I])[5]' ;;
    TAKES_LIST)
      echo "int $name(void *list, int n, unsigned flags) { if (flags != 102) abort(); int e = 0; for (int i = 0; i < n; i++) e |= look(*(void **)((char *)list + 56 * i)); return e; }"
      continue
      ;;
    esac
    echo "int $name(long p, long q, long r, long s, long t, long u) { long a[6] = {p, q, r, s, t, u}; check(a, $i); return look($(echo "$get" | sed "s/I/$i/")); }"
  done
} >hip.c
gcc -w -shared -fPIC hip.c -o libamdhip64.so
{
  echo 'static int call(int way, void *f) {'
  echo '  void *params[8] = {0}, *node[10] = {0}, *list[21] = {0};'
  echo '  params[3] = node[5] = list[0] = list[7] = list[14] = f;'
  echo '  switch (way) {'
  n=0
  echo "$rows" | while read -r kind name reg; do
    i=${reg:-0}
    case $kind in
    TAKES | TAKES_VARIABLE) with='(long)f' ;;
    TAKES_PARAMS) with='(long)params' ;;
    TAKES_NODE) with='(long)node' ;;
    TAKES_LIST)
      echo "  case $n: { int $name(void *, int, unsigned); return $name(list, 3, 102); }"
      n=$((n + 1))
      continue
      ;;
    esac
    args=$(for k in 0 1 2 3 4 5; do [ "$k" = "$i" ] && printf '%s, ' "$with" || printf '%s, ' "$((100 + k))"; done)
    echo "  case $n: { int $name(long, long, long, long, long, long); return $name(${args%, }); }"
    n=$((n + 1))
  done
  echo '  }'
  echo '  abort();'
  echo '}'
  echo "enum { WAYS = $(echo "$rows" | wc -l) };"
} >calls.inc
cat >library.c <<'END'
#include "ck_jit_manifest.h"
const struct ckjit_facts ckjit_facts;
const struct ckjit_blob ckjit_blobs[1];
const struct ckjit_linked_unit ckjit_linked_units[1];
const char *ckjit_string(uint32_t offset) { return ""; }
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void **__hipRegisterFatBinary(const void *);
void __hipUnregisterFatBinary(void **);
void __hipRegisterFunction(void **, const void *, char *, const char *, unsigned, void *, void *, void *, void *, int *);
void __hipRegisterVar(void **, void *, char *, char *, int, size_t, int, int);
int hipLaunchKernel(long, long, long, long, long, long);
int hipGetLastError(void), hip_registered(void), hip_again(void), hip_handles(void);
#include "calls.inc"
enum { UNITS = 3, KERNELS = 60, LATE = 40 };
struct { unsigned magic, version; const void *data; void *unused; } wrapper[UNITS + 1];
static void **handle[UNITS + 1];
static char fat[UNITS][40];
static void *kernel[UNITS + 1][KERNELS], *variable[UNITS + 1], *shared;
static char name[UNITS + 1][KERNELS][16];
int asked[UNITS][KERNELS], whole[UNITS], deny;
/* what the runtime does: the fat binary of a kernel, or of all */
_Bool ckjit_lazy_count(const char *key, const char *kernel, void **of) {
  (void)key; (void)kernel; (void)of;
  return 0; /* CK_JIT_CAPTURE: units-capture.sh */
}
const void *ckjit_lazy_code(const char *key, const char *kernel, int *all, int *said) {
  int u = key[0] - '0', k;
  *all = 0;
  if (strcmp(kernel, "*") == 0) { __atomic_add_fetch(&whole[u], 1, __ATOMIC_RELAXED); return "code of all"; }
  if (sscanf(kernel, "k%*d_%d", &k) != 1) abort();
  __atomic_add_fetch(&asked[u][k], 1, __ATOMIC_RELAXED);
  if (deny) { *said = 1; return NULL; }
  if (u == 2 && k == 1) { *all = 1; return NULL; }
  return "code";
}
int launch(void *f) { return hipLaunchKernel((long)f, 101, 102, 103, 104, 105); }
__attribute__((constructor)) static void begin(void) {
  for (int u = 0; u <= UNITS; u++) { /* the last one is stock */
    if (u < UNITS) { memcpy(fat[u], "CKJTUNIT", 8); memset(fat[u] + 8, '0' + u, 32); }
    wrapper[u].magic = 0x48495046;
    wrapper[u].version = 1;
    wrapper[u].data = u < UNITS ? fat[u] : "code of stock";
    if (u == 1 && launch(&kernel[1][0]) != 98) abort(); /* it is not registered yet, and may not be taken for one that never is */
    handle[u] = __hipRegisterFatBinary(&wrapper[u]);
    for (int k = 0; k < KERNELS; k++) {
      snprintf(name[u][k], sizeof name[u][k], "k%d_%d", u, k);
      __hipRegisterFunction(handle[u], &kernel[u][k], name[u][k], name[u][k], -1, NULL, NULL, NULL, NULL, NULL);
    }
    __hipRegisterVar(handle[u], &variable[u], "v", "v", 0, 40, 1, 0);
  }
  for (int u = UNITS; u > 0; u--) /* a template that three units have instantiated, one of them stock */
    __hipRegisterFunction(handle[u], &shared, "k1_59", "k1_59", -1, NULL, NULL, NULL, NULL, NULL);
}
__attribute__((destructor)) static void end(void) {
  for (int u = 0; u <= UNITS; u++) __hipUnregisterFatBinary(handle[u]);
}
static void *run(void *data) {
  unsigned seed = (unsigned)(size_t)data;
  size_t failed = 0;
  for (int i = 0; i < 20000; i++) failed += launch(&kernel[0][rand_r(&seed) % LATE]) != 0;
  return (void *)failed;
}
__attribute__((visibility("default"))) void drive(void) {
  pthread_t threads[4];
  size_t failed = 0, once = 0;
  printf("registered with the library: %d\n", hip_registered() - KERNELS - 2); /* the stock one's */
  printf("stock: %d %d %d\n", launch(&kernel[UNITS][3]), call(2, &variable[UNITS]), launch(&shared));
  deny = 1;
  int first = launch(&kernel[0][50]), said = hipGetLastError(), second = launch(&kernel[0][50]);
  printf("denied: %d, said %d, again %d\n", first, said, second);
  deny = 0;
  first = launch(&kernel[0][50]);
  printf("had now: %d, asked %d\n", first, asked[0][50]);
  for (size_t i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run, (void *)(i + 1));
  for (int i = 0; i < 4; i++) { void *f; pthread_join(threads[i], &f); failed += (size_t)f; }
  printf("threads: %zu failed\n", failed);
  for (int turn = 0; turn < 3; turn++)
    for (int way = 0; way < WAYS; way++) failed += call(way, &kernel[1][way]) != 0;
  for (int way = 0; way < WAYS; way++) once += asked[1][way] == 1;
  printf("ways: %zu failed, %zu of %d asked once\n", failed, once, WAYS);
  first = call(0, &variable[1]), second = launch(&kernel[1][57]);
  printf("variable: %d, whole %d, then %d, asked %d\n", first, whole[1], second, asked[1][57]);
  first = launch(&kernel[2][1]), second = launch(&kernel[2][5]);
  printf("shares: %d, whole %d, then %d, asked %d\n", first, whole[2], second, asked[2][5]);
  printf("others: %d %d\n", launch(&failed), launch(NULL));
  printf("twice: %d\n", hip_again());
  fflush(stdout);
}
END
cat >main.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int hip_handles(void);
int main(void) {
  for (int i = 0; i < 2; i++) {
    void *h = dlopen("./library.so", RTLD_NOW);
    if (!h) return puts(dlerror()), 1;
    ((void (*)(void))dlsym(h, "drive"))();
    dlclose(h);
    printf("left: %d\n", hip_handles());
  }
}
END
wraps=
for name in __hipRegisterFatBinary __hipUnregisterFatBinary __hipRegisterFunction __hipRegisterVar $(echo "$rows" | awk '{ print $2 }'); do
  wraps="$wraps -Wl,--wrap=$name"
done
# shellcheck disable=SC2086 # words
gcc -w -O1 -fPIC -fvisibility=hidden -I"$top/abi" -I"$top/runtime" -shared library.c shim.o $wraps -o library.so -L. -lamdhip64 -pthread -Wl,-rpath,"$T" -Wl,-z,defs
gcc main.c -o main -L. -lamdhip64 -ldl -Wl,-rpath,"$T"
./main >out 2>&1 || fail "$(cat out)"
n=$(echo "$rows" | wc -l)
for _ in 1 2; do # the second time, with the addresses of the first
  printf '%s\n' "registered with the library: 0" 'stock: 0 0 0' 'denied: 98, said 98, again 98' 'had now: 0, asked 3' 'threads: 0 failed' \
    "ways: 0 failed, $n of $n asked once" 'variable: 0, whole 1, then 0, asked 0' 'shares: 0, whole 1, then 0, asked 0' 'others: 98 98' \
    'twice: 0' 'left: 0'
done >want
diff want out || fail 'it differs'
lacks 'the library shows' 'ckjit\|__wrap' - <<END
$(nm -D --defined-only library.so)
END
# and without the wraps: this HIP takes no stand-in for a fat binary
gcc -w -O1 -fPIC -I"$top/abi" -I"$top/runtime" -shared library.c -o library.so -L. -lamdhip64 -pthread -Wl,-rpath,"$T"
./main >out 2>&1 && fail "this HIP takes all that is registered"
has 'without the wraps' 'no fat binary' out
