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
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t x, y, z;
} dim3;

enum { INVALID_SYMBOL = 13, INVALID_DEVICE_FUNCTION = 98 };

struct module {
  const unsigned char *code; /* a cubin; NULL: there is PTX alone, or it is compressed */
  size_t size;
  int any, dumped;
};

struct thing {
  struct thing *next;
  struct module *module;
  const void *host;
  char name[512];
  size_t size; /* of a variable; 0: a kernel */
  unsigned char *memory;
  int launched;
};

static struct thing *things;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread int last_error;

static void note(const char *what, const char *name) {
  const char *file = getenv("CUDART_LOG");
  FILE *f = file ? fopen(file, "a") : NULL;
  if (f)
    fprintf(f, "%s %s\n", what, name), fclose(f);
}

static void bad(const char *what, const char *name) {
  fprintf(stderr, "cuda: %s: %s\n", what, name);
  abort();
}

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

void __cudaUnregisterFatBinary(void **handle) {
  pthread_mutex_lock(&mutex);
  for (struct thing **t = &things; *t;)
    if ((void **)(*t)->module == handle)
      *t = (*t)->next;
    else
      t = &(*t)->next;
  pthread_mutex_unlock(&mutex);
  note("gone", "");
}

static void add(void **handle, const void *host, const char *name, size_t size) {
  struct thing *t = calloc(1, sizeof *t);
  t->module = (struct module *)handle;
  t->host = host;
  t->size = size;
  t->memory = calloc(1, size + 1);
  snprintf(t->name, sizeof t->name, "%s", name);
  pthread_mutex_lock(&mutex);
  for (struct thing *o = things; o; o = o->next)
    if (o->host == host)
      bad("registered twice", name);
  t->next = things;
  things = t;
  pthread_mutex_unlock(&mutex);
  note(size ? "variable" : "function", name);
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

int cudart_registered(void) {
  int n = 0;
  pthread_mutex_lock(&mutex);
  for (struct thing *t = things; t; t = t->next)
    n += !t->size;
  pthread_mutex_unlock(&mutex);
  return n;
}

/* ---- calls ---- */

static struct thing *look(const void *host, int variable) {
  struct thing *t;
  pthread_mutex_lock(&mutex);
  for (t = things; t && (t->host != host || !t->size == variable); t = t->next)
    ;
  pthread_mutex_unlock(&mutex);
  last_error = t ? last_error : variable ? INVALID_SYMBOL : INVALID_DEVICE_FUNCTION;
  return t;
}

static struct {
  char name[256];
  void (*f)(void **, const dim3 *, const dim3 *);
} kernels[64];
static int nkernels;

void cudart_kernel(const char *name, void (*f)(void **, const dim3 *, const dim3 *)) {
  snprintf(kernels[nkernels].name, sizeof kernels->name, "%s", name);
  kernels[nkernels++].f = f;
}

int __cudaGetKernel(void **kernel, const void *f) {
  *kernel = look(f, 0);
  if (!*kernel)
    note("launch", "?");
  return *kernel ? 0 : INVALID_DEVICE_FUNCTION;
}

int __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **args, size_t shared, void *stream) {
  struct thing *t = kernel;
  char text[700];
  (void)stream;
  if (!t)
    return INVALID_DEVICE_FUNCTION;
  snprintf(text, sizeof text, "%s %u %u %zu", t->name, grid.x, block.x, shared);
  if (!__atomic_exchange_n(&t->launched, 1, __ATOMIC_RELAXED))
    note("launch", text);
  for (int i = 0; i < nkernels; i++)
    if (strncmp(t->name, kernels[i].name, strlen(kernels[i].name)) == 0)
      kernels[i].f(args, &grid, &block);
  return 0;
}

int cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, void *stream) {
  void *kernel;
  return __cudaGetKernel(&kernel, f) ? INVALID_DEVICE_FUNCTION
                                     : __cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

static int asked(const char *what, const void *f) {
  struct thing *t = look(f, 0);
  note(what, t ? t->name : "?");
  return t ? 0 : INVALID_DEVICE_FUNCTION;
}

int cudaFuncGetAttributes(void *attributes, const void *f) {
  (void)attributes;
  return asked("attributes", f);
}

int cudaFuncSetAttribute(const void *f, int attribute, int value) {
  (void)attribute, (void)value;
  return asked("attribute", f);
}

static int copy(const char *what, const void *symbol, void *to, const void *from, size_t n, size_t at) {
  struct thing *t = look(symbol, 1);
  note(what, t ? t->name : "?");
  if (!t || at + n > t->size)
    return INVALID_SYMBOL;
  memcpy(to ? to : t->memory + at, from ? from : t->memory + at, n);
  return 0;
}

int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n, size_t at, int kind) {
  (void)kind;
  return copy("to", symbol, NULL, from, n, at);
}

int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t n, size_t at, int kind) {
  (void)kind;
  return copy("from", symbol, to, NULL, n, at);
}

int cudaGetSymbolAddress(void **address, const void *symbol) {
  struct thing *t = look(symbol, 1);
  *address = t ? t->memory : NULL;
  return t ? 0 : INVALID_SYMBOL;
}

int cudaGetLastError(void) {
  int e = last_error;
  last_error = 0;
  return e;
}

/* what `kernel<<<…>>>()` hands to its host stub */
static __thread struct {
  dim3 grid, block;
  size_t shared;
  void *stream;
} configuration;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
  configuration.grid = grid;
  configuration.block = block;
  configuration.shared = shared;
  configuration.stream = stream;
  return 0;
}

int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void **stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  *stream = configuration.stream;
  return 0;
}
