/* runtime_hip.c - a libamdhip64 without a GPU, for tests of lazy units: it takes code objects as HIP does, and notes what is asked of it.
 *
 * Built as a shared object with the versions of runtime_hip.map. What is registered has to be so: a fat binary that is a bundle of clang's
 * or an ELF file, with an object for $HIPRT_ARCH (gfx90a) in it; a kernel's descriptor `NAME.kd` in its symbols; a variable of that size.
 * Anything else ends the process. The file $HIPRT_LOG gets a line for each registration and for each call but a launch's second.
 *
 *     hiprt_kernel(NAME, F)   a kernel whose mangled name begins with NAME is F from here on, on the host: F(args, grid, block)
 *     hiprt_registered()      functions that are registered now
 *
 * With $RT_SHARED what two units have is the first one's, and not an error.
 *
 * Memory is the host's. One stream has work at a time: it is done at once, or in a capture kept for the graph's launches, with the first
 * 64 bytes of a kernel's only argument. Where HIP forbids a call in a capture, the capture is broken, as in HIP's global mode.
 *
 * An address that is not known is hipErrorInvalidDeviceFunction, for hipGetLastError too, and a variable hipErrorInvalidSymbol. As in
 * HIP 7.2 a launch of such an address, or a graph's node, ends the process instead: HIP takes it for a hipFunction_t, and reads what is
 * there. That of a null pointer is the error.
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct module {
  const unsigned char *code; /* the object for the GPU */
  size_t size;
};

#define RT(name) hip##name
#define RT_(name) __hip##name
#define TEST(name) hiprt_##name
#define RT_NAME "hip"
#define RT_LOG "HIPRT_LOG"
#include "runtime_device.h"

/* ---- code objects ---- */

/* The object for the GPU in DATA, which is as long as it says itself. */
static void find_code(struct module *m, const unsigned char *data) {
  const char *arch = getenv("HIPRT_ARCH") ? getenv("HIPRT_ARCH") : "gfx90a";
  static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
  uint64_t n, entry[3];
  if (memcmp(data, ELFMAG, SELFMAG) == 0) {
    m->code = data;
    return;
  }
  if (memcmp(data, magic, sizeof magic - 1) != 0)
    bad("a fat binary that is none", "");
  memcpy(&n, data + sizeof magic - 1, sizeof n);
  for (const unsigned char *p = data + sizeof magic - 1 + sizeof n; n--; p += sizeof entry + entry[2]) {
    memcpy(entry, p, sizeof entry);
    const char *id = (const char *)p + sizeof entry;
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)entry[2], id);
    if (strstr(name, arch) && entry[1]) {
      m->code = data + entry[0];
      m->size = entry[1];
    }
  }
  if (!m->code)
    bad("no code object for", arch);
}

/* The size of symbol NAME of M; 0: it is not defined. */
static uint64_t symbol_size(const struct module *m, const char *name) {
  const Elf64_Ehdr *e = (const void *)m->code;
  if (memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 || e->e_machine != 224 /* EM_AMDGPU */)
    bad("a code object that is none of AMD's", name);
  const Elf64_Shdr *s = (const void *)(m->code + e->e_shoff);
  for (int i = 0; i < e->e_shnum; i++) {
    if (s[i].sh_type != SHT_DYNSYM)
      continue;
    const Elf64_Sym *sym = (const void *)(m->code + s[i].sh_offset);
    const char *strings = (const char *)m->code + s[s[i].sh_link].sh_offset;
    for (size_t k = 0; k < s[i].sh_size / sizeof *sym; k++)
      if (sym[k].st_shndx != SHN_UNDEF && strcmp(strings + sym[k].st_name, name) == 0)
        return sym[k].st_size;
  }
  return 0;
}

/* ---- registration ---- */

void **__hipRegisterFatBinary(const void *wrapper) {
  const struct {
    uint32_t magic, version;
    const void *data;
  } *w = wrapper;
  struct module *m = calloc(1, sizeof *m);
  if (w->magic != 0x48495046 || w->version != 1)
    bad("a wrapper with another magic", "");
  find_code(m, w->data);
  note("module", "");
  return (void **)m;
}

void __hipRegisterFunction(void **handle, const void *host, char *device, const char *name, unsigned threads,
                           void *tid, void *bid, void *block, void *grid, int *size) {
  char descriptor[600];
  snprintf(descriptor, sizeof descriptor, "%s.kd", name);
  if (symbol_size((struct module *)handle, descriptor) != 64)
    bad("its code object has no descriptor of", name);
  if (strcmp(device, name) != 0)
    bad("two names", name);
  (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)size;
  add(handle, host, name, 0);
}

void __hipRegisterVar(void **handle, void *host, char *device, char *name, int ext, size_t size, int constant,
                      int global) {
  (void)device, (void)ext, (void)constant, (void)global;
  if (symbol_size((struct module *)handle, name) != size)
    bad("a variable that its code object has not, or of another size", name);
  add(handle, host, name, size);
}

/* ---- calls ---- */

enum { INVALID_VALUE = 1 };

static struct thing *look_or_crash(const void *f) {
  struct thing *t = look(f, 0);
  if (f && !t)
    bad("an address that was not registered", "launched");
  return t;
}

/* ---- memory, and a stream that may be captured ---- */

enum { NOT_SUPPORTED = 801, CAPTURE_UNSUPPORTED = 900, CAPTURE_INVALIDATED = 901 };

struct work {
  struct thing *kernel;     /* NULL: it is one of the following */
  void (*function)(void *); /* with TO. Otherwise bytes are set, or copied with FROM */
  dim3 grid, block;
  size_t shared, n;
  void *to;
  const void *from;
  unsigned char argument[64];
  int byte;
};

static struct {
  struct work work[16];
  size_t n;
  int capturing, broken;
} graph;

/* A call that a capture forbids. */
static int forbidden(void) {
  graph.broken |= graph.capturing;
  return graph.capturing ? CAPTURE_UNSUPPORTED : 0;
}

static int work_on(struct work *w) {
  void *args[] = {w->argument};
  if (w->kernel)
    return launch("launch", w->kernel, w->grid, w->block, args, w->shared);
  if (w->function)
    w->function(w->to);
  else if (w->from)
    memcpy(w->to, w->from, w->n);
  else
    memset(w->to, w->byte, w->n);
  return 0;
}

static int put_on(struct work w) {
  if (!graph.capturing)
    return work_on(&w);
  if (graph.n == sizeof graph.work / sizeof *graph.work)
    bad("a graph is too large", "");
  note("captured", w.kernel ? w.kernel->name : w.function ? "function" : w.from ? "copy" : "set");
  graph.work[graph.n++] = w;
  return 0;
}

int hipMalloc(void **p, size_t n) {
  *p = NULL;
  return forbidden() ? CAPTURE_UNSUPPORTED : !(*p = calloc(1, n));
}

int hipHostMalloc(void **p, size_t n, unsigned flags) {
  (void)flags;
  return hipMalloc(p, n);
}

int hipFree(void *p) {
  free(p);
  return forbidden();
}

int hipHostFree(void *p) {
  return hipFree(p);
}

int hipDeviceSynchronize(void) {
  return forbidden();
}

int hipMemcpy(void *to, const void *from, size_t n, int kind) {
  (void)kind;
  return forbidden() ? CAPTURE_UNSUPPORTED : (memmove(to, from, n), 0);
}

int hipMemset(void *to, int byte, size_t n) {
  return forbidden() ? CAPTURE_UNSUPPORTED : (memset(to, byte, n), 0);
}

int hipMemcpyAsync(void *to, const void *from, size_t n, int kind, void *stream) {
  (void)kind, (void)stream;
  return put_on((struct work){.to = to, .from = from, .n = n});
}

int hipMemsetAsync(void *to, int byte, size_t n, void *stream) {
  (void)stream;
  return put_on((struct work){.to = to, .byte = byte, .n = n});
}

int hipGetDevice(int *device) {
  *device = 0;
  return 0;
}

/* The structure differs between releases. */
int hipGetDeviceProperties(void *properties, int device) {
  (void)properties, (void)device;
  return NOT_SUPPORTED;
}

int hipLaunchHostFunc(void *stream, void (*function)(void *), void *argument) {
  (void)stream;
  return put_on((struct work){.function = function, .to = argument});
}

int hipStreamCreateWithFlags(void **stream, unsigned flags) {
  (void)flags;
  *stream = &graph;
  return forbidden();
}

int hipStreamDestroy(void *stream) {
  (void)stream;
  return 0;
}

int hipStreamSynchronize(void *stream) {
  (void)stream;
  return forbidden();
}

int hipStreamBeginCapture(void *stream, int mode) {
  (void)stream, (void)mode;
  graph.n = 0;
  graph.broken = 0;
  graph.capturing = 1;
  return 0;
}

int hipStreamEndCapture(void *stream, void **made) {
  (void)stream;
  graph.capturing = 0;
  *made = graph.broken ? NULL : &graph;
  return graph.broken ? CAPTURE_INVALIDATED : 0;
}

int hipGraphGetNodes(void *of, void **nodes, size_t *n) {
  (void)of, (void)nodes;
  *n = graph.n;
  return 0;
}

int hipGraphInstantiateWithFlags(void **made, void *of, unsigned long long flags) {
  (void)flags;
  *made = of;
  return 0;
}

int hipGraphLaunch(void *of, void *stream) {
  (void)of, (void)stream;
  for (size_t i = 0; i < graph.n; i++)
    work_on(&graph.work[i]);
  return 0;
}

int hipGraphDestroy(void *of) {
  (void)of;
  return 0;
}

int hipGraphExecDestroy(void *of) {
  (void)of;
  return 0;
}

const char *hipGetErrorString(int e) {
  return e == 0                     ? "no error"
         : e == CAPTURE_UNSUPPORTED ? "operation not permitted when stream is capturing"
         : e == CAPTURE_INVALIDATED ? "operation failed due to a previous error during capture"
                                    : "another error";
}

int hipLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, void *stream) {
  (void)stream;
  struct thing *t = look_or_crash(f);
  if (!graph.capturing || !t)
    return launch("launch", t, grid, block, args, shared);
  struct work w = {.kernel = t, .grid = grid, .block = block, .shared = shared};
  memcpy(w.argument, args[0], sizeof w.argument);
  return put_on(w);
}

struct kernel_node {
  dim3 block;
  void **extra;
  const void *f;
  dim3 grid;
  void **args;
  unsigned shared;
};

int hipGraphAddKernelNode(void **node, void *graph, void *const *after, size_t n,
                          const struct kernel_node *p) {
  (void)graph, (void)after, (void)n;
  *node = NULL;
  struct thing *t = look_or_crash(p->f);
  note("node", t ? t->name : "?");
  return t ? 0 : INVALID_VALUE;
}

int hipLaunchCooperativeKernel(const void *f, dim3 grid, dim3 block, void **args, unsigned shared,
                               void *stream) {
  (void)stream;
  return launch("cooperative", look(f, 0), grid, block, args, shared);
}

int hipOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *f, int block, size_t shared) {
  (void)block, (void)shared;
  *n = 1;
  return asked("occupancy", f);
}

int hipPeekAtLastError(void) {
  return last_error;
}

const char *hipGetErrorName(int e) {
  return e == 0                ? "hipSuccess"
         : e == INVALID_SYMBOL ? "hipErrorInvalidSymbol"
                               : "hipErrorInvalidDeviceFunction";
}
