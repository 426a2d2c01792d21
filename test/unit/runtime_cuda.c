/* runtime_cuda.c - a libcudart without a GPU, for tests of lazy units: it takes fat binaries as CUDA does, and notes what is asked of it.
 *
 * What is registered has to be so: a fat binary with code, or PTX, in it; a kernel has its section in the code. Anything else ends the
 * process. The file $CUDART_LOG gets a line for each registration and for each call but a launch's second; the directory $CUDART_CODE gets
 * the code of each fat binary with a cubin in it, as NAME.cubin of its first kernel.
 *
 *     cudart_kernel(NAME, F)   a kernel whose mangled name begins with NAME is F from here on, on the host: F(args, grid, block)
 *     cudart_registered()      functions that are registered now
 *
 * An address that is not known is cudaErrorInvalidDeviceFunction, for cudaGetLastError too, and a variable cudaErrorInvalidSymbol.
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct module {
  const unsigned char *code; /* a cubin; NULL: there is PTX alone, or it is compressed */
  size_t size;
  int any, dumped;
};

#define RT(name) cuda##name
#define RT_(name) __cuda##name
#define TEST(name) cudart_##name
#define RT_NAME "cuda"
#define RT_LOG "CUDART_LOG"
#include "runtime_device.h"

/* ---- fat binaries ---- */

/* The header, and of each entry one: kind (1: PTX, 2: ELF), version, their sizes, …, sm. */
static void find_code(struct module *m, const unsigned char *data, char *what, size_t room) {
  uint32_t magic, head;
  uint64_t size, payload;
  uint16_t headers, kind;
  memcpy(&magic, data, 4);
  memcpy(&headers, data + 6, 2);
  memcpy(&size, data + 8, 8);
  if (magic != 0xba55ed50)
    bad("a fat binary that is none", "");
  for (const unsigned char *p = data + headers, *end = p + size; p < end; p += head + payload) {
    uint32_t sm;
    memcpy(&kind, p, 2);
    memcpy(&head, p + 4, 4);
    memcpy(&payload, p + 8, 8);
    memcpy(&sm, p + 28, 4);
    size_t n = strlen(what);
    snprintf(what + n, room - n, "%s%s%u", n ? " " : "", kind == 1 ? "ptx" : "sm", sm);
    m->any = 1;
    if (kind == 2 && memcmp(p + head, ELFMAG, SELFMAG) == 0) {
      m->code = p + head;
      m->size = payload;
    }
  }
  if (!m->any)
    bad("a fat binary without code", "");
}

static int has_section(const struct module *m, const char *name) {
  const Elf64_Ehdr *e = (const void *)m->code;
  const Elf64_Shdr *s = (const void *)(m->code + e->e_shoff);
  const char *names = (const char *)m->code + s[e->e_shstrndx].sh_offset;
  for (int i = 0; i < e->e_shnum; i++)
    if (strncmp(names + s[i].sh_name, ".text.", 6) == 0 && strcmp(names + s[i].sh_name + 6, name) == 0)
      return 1;
  return 0;
}

static void dump(struct module *m, const char *name) {
  const char *dir = getenv("CUDART_CODE");
  char file[4096];
  if (!dir || !m->code || m->dumped++)
    return;
  snprintf(file, sizeof file, "%s/%s.cubin", dir, name);
  FILE *f = fopen(file, "w");
  if (!f || fwrite(m->code, 1, m->size, f) != m->size || fclose(f))
    bad("cannot write", file);
}

/* ---- registration ---- */

void **__cudaRegisterFatBinary(void *wrapper) {
  const struct {
    int magic, version;
    const void *data;
  } *w = wrapper;
  struct module *m = calloc(1, sizeof *m);
  char what[256] = "";
  if (w->magic != 0x466243b1 || w->version != 1)
    bad("a wrapper with another magic", "");
  find_code(m, w->data, what, sizeof what);
  note("module", what);
  return (void **)m;
}

void __cudaRegisterFatBinaryEnd(void **handle) {
  (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads,
                            void *tid, void *bid, void *block, void *grid, int *size) {
  struct module *m = (struct module *)handle;
  if (m->code && !has_section(m, name))
    bad("its code has not", name);
  dump(m, name);
  (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)size;
  add(handle, host, name, 0);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                       int constant, int global) {
  (void)device, (void)ext, (void)constant, (void)global;
  add(handle, host, name, size);
}

char __cudaInitModule(void **handle) {
  (void)handle;
  return 1;
}

/* ---- calls ---- */

int __cudaGetKernel(void **kernel, const void *f) {
  *kernel = look(f, 0);
  if (!*kernel)
    note("launch", "?");
  return *kernel ? 0 : INVALID_DEVICE_FUNCTION;
}

int __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared, void *stream) {
  (void)stream;
  last_error = kernel ? last_error : INVALID_DEVICE_FUNCTION;
  return kernel ? launch("launch", kernel, grid, block, args, shared) : INVALID_DEVICE_FUNCTION;
}

int cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, void *stream) {
  void *kernel;
  return __cudaGetKernel(&kernel, f) ? INVALID_DEVICE_FUNCTION
                                     : __cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

int cudaLaunchCooperativeKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared,
                                void *stream) {
  return cudaLaunchKernel(f, grid, block, args, shared, stream);
}

/* ---- graphs: the address is all that is looked at ---- */

int cudaRuntimeGetVersion(int *version) {
  const char *set = getenv("CUDART_VERSION");
  *version = set ? atoi(set) : 13000;
  return 0;
}

static int asked_node(const void *params) {
  const struct {
    int type, reserved[3];
    const void *kernel;
  } *node = params;
  return node->type == 0 ? asked("node", node->kernel) : 0;
}

int cudaGraphAddNode(void *node, void *graph, const void *from, const void *d, const void *e, const void *f) {
  int version;
  (void)node, (void)graph, (void)from, (void)d;
  cudaRuntimeGetVersion(&version);
  return asked_node(version >= 13000 ? f : e);
}

int cudaGraphAddNode_v2(void *node, void *graph, const void *from, const void *edges, size_t n,
                        const void *params) {
  (void)node, (void)graph, (void)from, (void)edges, (void)n;
  return asked_node(params);
}

int cudaGraphNodeSetParams(void *node, const void *params) {
  (void)node;
  return asked_node(params);
}

int cudaGraphExecNodeSetParams(void *graph, void *node, const void *params) {
  (void)graph, (void)node;
  return asked_node(params);
}

int cudaLaunchCooperativeKernelMultiDevice(const void *list, unsigned n, unsigned flags) {
  const struct {
    const void *kernel;
    uint64_t rest[6];
  } *launches = list;
  int error = 0;
  (void)flags;
  for (unsigned i = 0; i < n; i++)
    error |= asked("several", launches[i].kernel);
  return error;
}
