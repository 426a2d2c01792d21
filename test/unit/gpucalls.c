/* gpucalls.c - the calls of the GPU runtimes: CUDA's and HIP's twins mean the same, no name is there twice, and a name of a later release is
 * refused. `gpucalls hip` and `gpucalls cuda` print the lines that the runtime's source has for all calls that take an address. */
// tier: check
#include "check.h"
#include "core/cc/gpucalls.h"

#include <stdio.h>
#include <string.h>

/* NAME without the runtime's, in OUT. */
static void plain(char *out, const char *name, enum gpu_runtime runtime) {
  const char *own = runtime == RUNTIME_CUDA ? "cuda" : "hip", *at = strstr(name, own);
  CHECK(at && (at == name || at == name + 2), "%s", name);
  sprintf(out, "%.*s*%s", (int)(at - name), name, at + strlen(own));
}

/* The other runtime has no such function. */
static bool is_alone(const char *name) {
  static const char *const names[] = {
      "__cudaInitModule",
      "__cudaRegisterFatBinaryEnd",
      "__cudaRegisterLinkedBinary",
      "__cudaGetKernel",
      "__cudaLaunchKernel",
      "hipExtLaunchKernel",
      "hipExtLaunchMultiKernelMultiDevice",
      "hipLaunchByPtr",
      "hipKernelNameRefByPtr",
      "cudaFuncGetName",
      "cudaFuncGetParamInfo",
      "cudaGetKernel",
      "hipOccupancyMaxPotentialBlockSize", /* CUDA's is a template in a header */
      "cudaOccupancyMaxPotentialClusterSize",
      "cudaOccupancyMaxActiveClusters",
      "cudaGraphAddNode_v2"};
  static const char *const ends[] = {"_spt", "_ptsz", "_ptds"}; /* of a thread's own stream */
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (strlen(name) > 5 && strcmp(name + strlen(name) - strlen(ends[i]), ends[i]) == 0)
      return true;
  return false;
}

static void check_twins(void) {
  bool twin[CALLS_MAX] = {0};
  for (size_t i = 0; i < gpu_calls_n; i++) {
    const struct gpu_call *a = &gpu_calls[i];
    for (size_t k = i + 1; k < gpu_calls_n; k++) {
      const struct gpu_call *b = &gpu_calls[k];
      char x[128], y[128];
      plain(x, a->name, a->runtime);
      plain(y, b->name, b->runtime);
      CHECK(strcmp(a->name, b->name) != 0, "%s", a->name);
      /* CUDA 13 has given cudaGraphAddNode another argument; the rest of it is alike. */
      if (strcmp(x, y) == 0) {
        twin[i] = twin[k] = true;
        CHECK(strcmp(x, "*GraphAddNode") == 0 || (a->is == b->is && a->arg == b->arg), "%s", x);
      }
    }
  }
  for (size_t i = 0; i < gpu_calls_n; i++)
    CHECK(twin[i] || is_alone(gpu_calls[i].name), "%s has no twin", gpu_calls[i].name);
}

static enum call_is is(const char *name) {
  const struct gpu_call *c = calls_find(name);
  return c ? c->is : CALL_OTHER;
}

static void check_names(void) {
  for (size_t i = 0; i < gpu_calls_n; i++)
    if (gpu_calls[i].is != CALL_OTHER)
      CHECK(is(gpu_calls[i].name) == gpu_calls[i].is, "%s", gpu_calls[i].name);
  static const char *const refused[] = {
      "__cudaRegisterManagedVar", "__cudaRegisterTexture", "__cudaRegisterHostVar",
      "__hipRegisterManagedVar",  "__hipRegisterSurface",  "cudaLaunchKernelExC_v2",
      "cudaGraphAddNode_v3",      "hipLaunchKernel_v9",    "cudaMemcpyToSymbol_v2"};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    CHECK(is(refused[i]) == CALL_REFUSED, "%s", refused[i]);
  static const char *const others[] = {"cudaMalloc",
                                       "hipMalloc",
                                       "__cudaPushCallConfiguration",
                                       "__cudaInitModule",
                                       "__cudaRegisterLinkedBinary_1a2b_4_a_cu_x",
                                       "cudaLaunch",
                                       "cudaLibraryGetKernel",
                                       "launchKernel",
                                       ""};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    CHECK(is(others[i]) == CALL_OTHER, "%s", others[i]);
}

int main(int argc, char **argv) {
  struct buf lines = {0};
  buf_puts(&lines, "");
  for (size_t i = 0; argc > 1 && i < gpu_calls_n; i++)
    if (gpu_calls[i].runtime == (strcmp(argv[1], "cuda") == 0 ? RUNTIME_CUDA : RUNTIME_HIP) &&
        gpu_calls[i].is >= CALL_TAKES)
      calls_put(&lines, &gpu_calls[i]);
  fputs(lines.data, stdout);
  buf_free(&lines);
  check_twins();
  check_names();
  return bad;
}
