/* gpucalls.c - see gpucalls.h.
 *
 * Sources: CUDA Runtime API 12 and 13, modules Execution Control, Occupancy, Memory Management,
 * Graph Management; cuda/include/crt/host_runtime.h. hip_runtime_api.h of HIP 5.2.3 and 7.2.4;
 * clang's lib/CodeGen/CGCUDANV.cpp. Functions that are given a hipFunction_t or a cudaKernel_t are
 * not here: it was got by one of these.
 */
#include "gpucalls.h"
#include "core/base/elf.h"

#define HIP(begin, name, ...)                                                                                \
  { begin "hip" name, RUNTIME_HIP, __VA_ARGS__ }
#define CUDA(begin, name, ...)                                                                               \
  { begin "cuda" name, RUNTIME_CUDA, __VA_ARGS__ }
#define BOTH(begin, name, ...) HIP(begin, name, __VA_ARGS__), CUDA(begin, name, __VA_ARGS__)
/* With the names that a program calls whose default stream is one of each thread. */
#define OF_STREAM(name, cuda, ...)                                                                           \
  BOTH("", name, __VA_ARGS__), HIP("", name "_spt", __VA_ARGS__), CUDA("", name cuda, __VA_ARGS__)

const struct gpu_call gpu_calls[] = {
    /* The host reads a managed variable without a call. Textures and surfaces are bound when they
     * are registered. So all other registrations are refused. */
    BOTH("__", "Register", CALL_REFUSED, 0),
    /* Host code calls it for managed variables, which are registered, too. Without optimisation
     * each object names it: crt/host_runtime.h has a static function that calls it. */
    CUDA("__", "InitModule", CALL_OTHER, 0),
    BOTH("__", "RegisterFatBinary", CALL_REGISTERS, 0),
    CUDA("__", "RegisterFatBinaryEnd", CALL_REGISTERS, 0),
    BOTH("__", "UnregisterFatBinary", CALL_REGISTERS, 0),
    BOTH("__", "RegisterFunction", CALL_REGISTERS, 0),
    BOTH("__", "RegisterVar", CALL_REGISTERS, 0),
    /* nvcc's device link defines it for each object with device code that it links. */
    CUDA("__", "RegisterLinkedBinary", CALL_OTHER, 0),

    CUDA("__", "GetKernel", CALL_GETS_HANDLE, 0),
    CUDA("__", "LaunchKernel", CALL_TAKES_HANDLE, 0),
    CUDA("__", "LaunchKernel_ptsz", CALL_TAKES_HANDLE, 0),
    OF_STREAM("LaunchKernel", "_ptsz", CALL_TAKES, 0),
    BOTH("", "LaunchKernelExC", CALL_TAKES, 1),
    CUDA("", "LaunchKernelExC_ptsz", CALL_TAKES, 1),
    OF_STREAM("LaunchCooperativeKernel", "_ptsz", CALL_TAKES, 0),
    BOTH("", "LaunchCooperativeKernelMultiDevice", CALL_TAKES_LIST, 0),
    HIP("", "ExtLaunchKernel", CALL_TAKES, 0),
    HIP("", "ExtLaunchMultiKernelMultiDevice", CALL_TAKES_LIST, 0),
    HIP("", "LaunchByPtr", CALL_TAKES, 0),

    BOTH("", "FuncSetAttribute", CALL_TAKES, 0),
    BOTH("", "FuncSetCacheConfig", CALL_TAKES, 0),
    BOTH("", "FuncSetSharedMemConfig", CALL_TAKES, 0),
    BOTH("", "FuncGetAttributes", CALL_TAKES, 1),
    CUDA("", "FuncGetName", CALL_TAKES, 1),
    CUDA("", "FuncGetParamInfo", CALL_TAKES, 0),
    HIP("", "KernelNameRefByPtr", CALL_TAKES, 0),
    BOTH("", "GetFuncBySymbol", CALL_TAKES, 1),
    CUDA("", "GetKernel", CALL_TAKES, 1),
    BOTH("", "OccupancyMaxActiveBlocksPerMultiprocessor", CALL_TAKES, 1),
    BOTH("", "OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", CALL_TAKES, 1),
    BOTH("", "OccupancyAvailableDynamicSMemPerBlock", CALL_TAKES, 1),
    HIP("", "OccupancyMaxPotentialBlockSize", CALL_TAKES, 2),
    CUDA("", "OccupancyMaxPotentialClusterSize", CALL_TAKES, 1),
    CUDA("", "OccupancyMaxActiveClusters", CALL_TAKES, 1),

    BOTH("", "GraphAddKernelNode", CALL_TAKES_PARAMS, 4),
    BOTH("", "GraphKernelNodeSetParams", CALL_TAKES_PARAMS, 1),
    BOTH("", "GraphExecKernelNodeSetParams", CALL_TAKES_PARAMS, 2),
    HIP("", "GraphAddNode", CALL_TAKES_NODE, 4),
    CUDA("", "GraphAddNode", CALL_ADDS_NODE, 0), /* as HIP's in CUDA 12, as _v2 since CUDA 13 */
    CUDA("", "GraphAddNode_v2", CALL_TAKES_NODE, 5),
    BOTH("", "GraphNodeSetParams", CALL_TAKES_NODE, 1),
    BOTH("", "GraphExecNodeSetParams", CALL_TAKES_NODE, 2),

    OF_STREAM("MemcpyToSymbol", "_ptds", CALL_TAKES_VARIABLE, 0),
    OF_STREAM("MemcpyToSymbolAsync", "_ptsz", CALL_TAKES_VARIABLE, 0),
    OF_STREAM("MemcpyFromSymbol", "_ptds", CALL_TAKES_VARIABLE, 1),
    OF_STREAM("MemcpyFromSymbolAsync", "_ptsz", CALL_TAKES_VARIABLE, 1),
    BOTH("", "GetSymbolAddress", CALL_TAKES_VARIABLE, 1),
    BOTH("", "GetSymbolSize", CALL_TAKES_VARIABLE, 1),
    BOTH("", "GraphAddMemcpyNodeToSymbol", CALL_TAKES_VARIABLE, 4),
    BOTH("", "GraphAddMemcpyNodeFromSymbol", CALL_TAKES_VARIABLE, 5),
    BOTH("", "GraphMemcpyNodeSetParamsToSymbol", CALL_TAKES_VARIABLE, 1),
    BOTH("", "GraphMemcpyNodeSetParamsFromSymbol", CALL_TAKES_VARIABLE, 2),
    BOTH("", "GraphExecMemcpyNodeSetParamsToSymbol", CALL_TAKES_VARIABLE, 2),
    BOTH("", "GraphExecMemcpyNodeSetParamsFromSymbol", CALL_TAKES_VARIABLE, 3),
};
const size_t gpu_calls_n = sizeof gpu_calls / sizeof *gpu_calls;
_Static_assert(sizeof gpu_calls / sizeof *gpu_calls <= CALLS_MAX, "room for all");

const struct gpu_call *calls_find(const char *name) {
  static const struct gpu_call later = {.is = CALL_REFUSED};
  const struct gpu_call *best = NULL;
  for (size_t i = 0; i < gpu_calls_n; i++)
    if (str_starts(name, gpu_calls[i].name) && !(best && strlen(best->name) > strlen(gpu_calls[i].name)))
      best = &gpu_calls[i];
  bool is_whole = best && (best->is == CALL_OTHER || strcmp(best->name, name) == 0);
  return best && !is_whole ? &later : best;
}

void calls_put(struct buf *out, const struct gpu_call *c) {
  static const char *const macros[] = {[CALL_TAKES] = "TAKES",
                                       [CALL_TAKES_VARIABLE] = "TAKES_VARIABLE",
                                       [CALL_TAKES_PARAMS] = "TAKES_PARAMS",
                                       [CALL_TAKES_NODE] = "TAKES_NODE",
                                       [CALL_ADDS_NODE] = "ADDS_NODE",
                                       [CALL_TAKES_LIST] = "TAKES_LIST",
                                       [CALL_GETS_HANDLE] = "GETS_HANDLE",
                                       [CALL_TAKES_HANDLE] = "TAKES_HANDLE"};
  buf_printf(out, "%s(\"%s\"", macros[c->is], c->name);
  if (c->is < CALL_ADDS_NODE)
    buf_printf(out, ", %d", c->arg);
  buf_puts(out, ")\n");
}

char *calls_obstacle(const char *file) {
  struct elf_symbols all;
  struct elf_symbol s;
  char *found = NULL;
  elf_symbols_open(&all, file, SHT_SYMTAB);
  while (!found && elf_symbols_next(&all, &s)) {
    const struct gpu_call *c = s.section == SHN_UNDEF ? calls_find(s.name) : NULL;
    if (c && c->is == CALL_REFUSED)
      found = xstrdup(s.name);
  }
  elf_symbols_close(&all);
  return found;
}
