/* nvvmgraph.c - what a kernel reaches, by the bodies of bitcode. test/unit/data/graph-sm90.bc, and graph-sm120.bc in LLVM's newer form, are what CUDA 13.0's `cicc
 * -lgenfe --device-c --discard_value_names=1 --no-line-numbers --emit-llvm-bc` makes of
 *
 *     struct s { int n; };
 *     __device__ int near(int);           and far, listed: of other units
 *     typedef int (*function)(int);
 *     static __device__ const function table[] = {near, listed};
 *     static __device__ s &&temporary = s{7};                                  the s has no name
 *     static __device__ int through(int x) { return near(x) + 1; }
 *     template <class T> __device__ int instance(T x) { return far(x); }
 *     __global__ void calls(int *p) { p[0] = through(p[1]); }
 *     __global__ void calls_far(int *p) { p[0] = instance<int>(p[1]); }
 *     __global__ void looks_up(int *p) { p[0] = table[p[1]](p[2]); }
 *
 * and graph-counts.bc of that and
 *
 *     __global__ void counts(int *p) { p[0] = temporary.n++; }
 */
// tier: check
#include "check.h"
#include "core/device/nvvmgraph.h"
#include "core/base/path.h"

#include <stdlib.h>
#include <string.h>

/* N bytes of FILE at the very end of their memory; free() them. All of them for N 0. */
static char *read_file(const char *file, size_t *n) {
  size_t len;
  char *whole = file_read(file, &len);
  if (!whole)
    die(EXIT_FAILED, "%s: cannot be read; start this from the top directory", file);
  *n = *n ? *n : len;
  char *exact = xmalloc(*n);
  memcpy(exact, whole, *n);
  free(whole);
  return exact;
}

/* What NAME of FILE needs, as words */
static void needs(const char *file, const char *name, const char *wanted) {
  struct nvvm_graph g;
  struct argv found = {0};
  const char *why;
  size_t n = 0;
  char *bytes = read_file(file, &n);
  bool done = nvvm_graph_read(&g, bytes, n, &why);
  CHECK(done, "%s: %s", file, why);
  CHECK(done && nvvm_graph_reach(&g, name, &found), "%s: no %s", file, name);
  char *text = argv_join(found.args ? found.args : (char *[]){NULL});
  CHECK(strcmp(text, wanted) == 0, "%s: %s needs '%s', not '%s'", file, name, text, wanted);
  size_t before = found.n;
  CHECK(nvvm_graph_reach(&g, name, &found) && found.n == before, "%s: %s is told twice", file, name);
  CHECK(!nvvm_graph_reach(&g, "_Z4neari", &found) && !nvvm_graph_reach(&g, "none", &found), "%s: defined",
        file);
  free(text);
  argv_free(&found);
  nvvm_graph_free(&g);
  free(bytes);
}

static void check_needs(const char *file) {
  needs(file, "_Z5callsPi", "_Z4neari _Z6listedi"); /* the table stays, and names it */
  needs(file, "_Z9calls_farPi", "_Z3fari _Z6listedi _Z4neari");
  needs(file, "_Z8looks_upPi", "_Z6listedi _Z4neari");
}

/* How many variables without a name count as the unit's */
static void unnamed(const char *file, size_t wanted) {
  struct nvvm_facts f;
  const char *why;
  size_t n = 0, found = 0;
  char *bytes = read_file(file, &n);
  CHECK(nvvm_graph_facts(bytes, n, &(struct argv){0}, &f, &why), "%s: %s", file, why);
  for (size_t i = 0; i < f.variables.n; i++)
    found += !*f.variables.args[i];
  CHECK(found == wanted && f.internal_variables == wanted + 1 && f.variables.n == wanted + 1,
        "%s: %zu without a name, %zu internal ones of %zu", file, found, f.internal_variables, f.variables.n);
  argv_free(&f.variables);
  argv_free(&f.dynamic);
  free(bytes);
}

/* Whatever becomes of a bit: nothing is read that is not there (AddressSanitizer), and what is understood ends. */
static void check_damage(const char *file) {
  size_t n = 0;
  char *bytes = read_file(file, &n);
  for (size_t i = 0; i < n; i++) {
    struct nvvm_graph g;
    const char *why;
    bytes[i] ^= (char)(1 << i % 8);
    if (nvvm_graph_read(&g, bytes, n, &why)) {
      (void)nvvm_graph_reach(&g, "_Z5callsPi", NULL);
      (void)nvvm_graph_uses_unnamed(&g);
    } else {
      CHECK(why != NULL, "no reason, with byte %zu damaged", i);
    }
    nvvm_graph_free(&g);
    bytes[i] ^= (char)(1 << i % 8);
  }
  free(bytes);
  for (size_t cut = 4; cut < n; cut += 4) {
    struct nvvm_graph g;
    const char *why;
    bytes = read_file(file, &cut);
    CHECK(!nvvm_graph_read(&g, bytes, cut, &why), "%zu bytes of it are understood", cut);
    nvvm_graph_free(&g);
    free(bytes);
  }
}

int main(void) {
  static const char old[] = "test/unit/data/graph-sm90.bc", new[] = "test/unit/data/graph-sm120.bc";
  check_needs(old);
  check_needs(new);
  unnamed(old, 0);
  unnamed(new, 0);
  unnamed("test/unit/data/graph-counts.bc", 1);
  check_damage(old);
  check_damage(new);
  return bad;
}
