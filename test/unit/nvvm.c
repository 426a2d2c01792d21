/* nvvm.c - one kernel out of bitcode. test/unit/data/kernels.bc is what CUDA 13.0's `cicc -lgenfe
 * --emit-llvm-bc` makes of
 *
 *     static __device__ int counter;
 *     __constant__ float weights[4];
 *     static __global__ void square(float *x) { x[0] *= x[1]; }
 *     extern "C" __global__ void add(float *x) { x[0] += weights[0]; }
 *     template <int N> __global__ void count(int *x) { counter += x[N]; }        instantiated for 1 and 2
 *     __global__ void take(int *x) { *x = counter; }
 *     __noinline__ __device__ float helper(float x) { return x * x; }
 *     __global__ void use(float *x) { *x = helper(*x); }
 */
// tier: check
#include "check.h"
#include "core/device/nvvm.h"
#include "core/base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *whole;
static size_t len;

/* N bytes of the file, so that a read behind them is seen; free() it */
static unsigned char *copy(size_t n) {
  unsigned char *c = xmalloc(n ? n : 1);
  memcpy(c, whole, n);
  return c;
}

static void check_facts(void) {
  struct nvvm_facts f;
  unsigned char *c = copy(len);
  const char *why;
  bool done = nvvm_keep(c, len, NULL, false, &f, &why);
  CHECK(done, "all: %s", why);
  CHECK(memcmp(c, whole, len) == 0, "all");
  CHECK(f.functions == 5 && !f.found, "all: %zu functions", f.functions);
  CHECK(f.variables.n == 1 && strcmp(f.variables.args[0], "counter") == 0, "all: %zu variables",
        f.variables.n);
  argv_free(&f.variables);
  argv_free(&f.dynamic);
  free(c);
}

static void check_functions(void) {
  struct argv names = {0};
  unsigned char *c = copy(len);
  const char *why = "";
  bool done = nvvm_functions(c, len, &names, &why);
  CHECK(done && names.n == 7, "functions: %zu, %s", names.n, why);
  for (size_t i = 1; i < names.n; i++)
    CHECK(strcmp(names.args[i - 1], names.args[i]) < 0, "functions: %s", names.args[i]);
  CHECK(argv_has(&names, "_Z6squarePf") && argv_has(&names, "_Z5countILi2EEvPi"), "functions");
  argv_free(&names);
  CHECK(!nvvm_functions(c, len / 2, &names, &why), "half of it");
  argv_free(&names);
  free(c);
}

static void check_kernels(void) {
  static const char *const kernels[] = {"_Z6squarePf",       "add",       "_Z5countILi1EEvPi",
                                        "_Z5countILi2EEvPi", "_Z4takePi", "_Z3usePf"};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    struct nvvm_facts f;
    unsigned char *c = copy(len);
    const char *why;
    bool done = nvvm_keep(c, len, kernels[i], false, &f, &why);
    CHECK(done && f.found, "%s: %s", kernels[i], done ? "not found" : why);
    argv_free(&f.variables);
    argv_free(&f.dynamic);
    done = nvvm_keep(c, len, NULL, false, &f,
                     &why); /* what is left is that one, seen from outside though it was static */
    CHECK(done && f.functions == 1, "%s alone: %zu functions", kernels[i], f.functions);
    argv_free(&f.variables);
    argv_free(&f.dynamic);
    done = nvvm_keep(c, len, kernels[i], false, &f, &why);
    CHECK(done && f.found && f.functions == 1, "%s again", kernels[i]);
    argv_free(&f.variables);
    argv_free(&f.dynamic);
    free(c);
  }
  static const char *const others[] = {"", "ad", "addd", "_Z5countILi3EEvPi", "llvm.used", "counter"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    struct nvvm_facts f;
    unsigned char *c = copy(len);
    const char *why;
    CHECK(nvvm_keep(c, len, others[i], false, &f, &why) && !f.found, "'%s'", others[i]);
    argv_free(&f.variables);
    argv_free(&f.dynamic);
    free(c);
  }
}

/* Of clang's bitcode one function stays; nvcc's will do. */
static void check_function(void) {
  static const char *const others[] = {"", "ad", "addd", "_Z6squarePf" /* internal */, "counter"};
  struct nvvm_facts f;
  unsigned char *c = copy(len);
  const char *why = "";
  CHECK(nvvm_keep_function(c, len, "add", &why), "add: %s", why);
  CHECK(nvvm_keep(c, len, NULL, false, &f, &why) && f.functions == 1, "add alone: %zu", f.functions);
  nvvm_facts_free(&f);
  free(c);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    c = copy(len);
    CHECK(!nvvm_keep_function(c, len, others[i], &why) && *why, "'%s'", others[i]);
    free(c);
  }
  c = copy(len / 2);
  CHECK(!nvvm_keep_function(c, len / 2, "add", &why), "half of it");
  free(c);
}

/* A variable that the kernel only reads must not look as if nobody wrote it: its initial value would be
 * taken. */
static void check_variables(void) {
  struct nvvm_facts before, after;
  const char *why;
  unsigned char *c = copy(len);
  CHECK(nvvm_keep(c, len, NULL, false, &before, &why) && before.internal_variables == 1, "before: %zu",
        before.internal_variables);
  argv_free(&before.variables);
  argv_free(&before.dynamic);
  CHECK(nvvm_keep(c, len, "_Z4takePi", false, &after, &why), "take: %s", why);
  argv_free(&after.variables);
  argv_free(&after.dynamic);
  CHECK(nvvm_keep(c, len, NULL, false, &after, &why) && after.internal_variables == 0, "after: %zu",
        after.internal_variables);
  CHECK(after.variables.n == 1, "after: %zu variables", after.variables.n);
  argv_free(&after.variables);
  argv_free(&after.dynamic);
  free(c);
}

/* Whether counter is not a variable to look after any more with this bit of the file another. */
static bool is_gone(size_t bit) {
  struct nvvm_facts f;
  unsigned char *c = copy(len);
  c[bit / 8] ^= (unsigned char)(1u << (bit % 8));
  const char *why;
  bool gone = nvvm_keep(c, len, NULL, false, &f, &why) && f.functions == 5 && f.variables.n == 0;
  argv_free(&f.variables);
  argv_free(&f.dynamic);
  free(c);
  return gone;
}

/* The field of its record that says constant (1), of a space that is named (2), global memory (4): a constant
 * is none to look after, and neither is what is in no space, an image of the front end's own. */
static void check_spaces(void) {
  size_t fields = 0;
  for (size_t bit = 32; bit + 3 < 8 * len; bit++)
    fields += is_gone(bit) && !is_gone(bit + 1) && is_gone(bit + 2);
  CHECK(fields == 1, "%zu such fields", fields);
}

/* Cut short anywhere, and each bit turned around: an answer or a reason, and no byte behind the end. */
static void check_damaged(void) {
  struct nvvm_facts f;
  size_t refused = 0;
  for (size_t n = 0; n < len; n++) {
    unsigned char *c = copy(n);
    const char *why;
    bool taken = nvvm_keep(c, n, "add", false, &f, &why);
    CHECK(!taken || n > len - 64, "%zu bytes of %zu are taken", n, len);
    refused += !taken;
    argv_free(&f.variables);
    argv_free(&f.dynamic);
    free(c);
  }
  CHECK(refused > len - 64, "%zu refused", refused);
  for (size_t bit = 0; bit < 8 * len; bit++) {
    unsigned char *c = copy(len);
    c[bit / 8] ^= (unsigned char)(1u << (bit % 8));
    const char *why;
    bool taken = nvvm_keep(c, len, "_Z6squarePf", false, &f, &why);
    CHECK(!taken || bit >= 32, "bit %zu of the magic number", bit);
    argv_free(&f.variables);
    argv_free(&f.dynamic);
    free(c);
  }
}

int main(void) {
  whole = (unsigned char *)file_read("test/unit/data/kernels.bc", &len);
  if (!whole)
    die(EXIT_FAILED, "test/unit/data/kernels.bc: cannot be read; start this from the top directory");
  check_facts();
  check_functions();
  check_kernels();
  check_function();
  check_variables();
  check_spaces();
  check_damaged();
  free(whole);
  return bad;
}
