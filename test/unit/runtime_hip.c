/* runtime_hip.c - a libamdhip64 without a GPU, for tests of lazy units: it takes code objects as HIP does, and notes what is asked of it.
 *
 * Built as a shared object with the versions of runtime_hip.map. What is registered has to be so: a fat binary that is a bundle of clang's
 * or an ELF file, with an object for $HIPRT_ARCH (gfx90a) in it; a kernel's descriptor `NAME.kd` in its symbols; a variable of that size.
 * Anything else ends the process. The file $HIPRT_LOG gets a line for each registration and for each call but a launch's second.
 *
 *     hiprt_kernel(NAME, F)   a kernel whose mangled name begins with NAME is F from here on, on the host: F(args, grid, block)
 *     hiprt_registered()      functions that are registered now
 *
 * An address that is not known is hipErrorInvalidDeviceFunction, for hipGetLastError too, and a variable hipErrorInvalidSymbol.
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
  const unsigned char *code; /* the object for the GPU */
  size_t size;
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
  const char *file = getenv("HIPRT_LOG");
  FILE *f = file ? fopen(file, "a") : NULL;
  if (f)
    fprintf(f, "%s %s\n", what, name), fclose(f);
}

static void bad(const char *what, const char *name) {
  fprintf(stderr, "hip: %s: %s\n", what, name);
  abort();
}

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

void __hipUnregisterFatBinary(void **handle) {
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

int hiprt_registered(void) {
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

void hiprt_kernel(const char *name, void (*f)(void **, const dim3 *, const dim3 *)) {
  snprintf(kernels[nkernels].name, sizeof kernels->name, "%s", name);
  kernels[nkernels++].f = f;
}

static int launch(const char *what, const void *host, dim3 grid, dim3 block, void **args, size_t shared) {
  struct thing *t = look(host, 0);
  char text[700];
  if (!t) {
    note(what, "?");
    return INVALID_DEVICE_FUNCTION;
  }
  snprintf(text, sizeof text, "%s %u %u %zu", t->name, grid.x, block.x, shared);
  if (!__atomic_exchange_n(&t->launched, 1, __ATOMIC_RELAXED))
    note(what, text);
  for (int i = 0; i < nkernels; i++)
    if (strncmp(t->name, kernels[i].name, strlen(kernels[i].name)) == 0)
      kernels[i].f(args, &grid, &block);
  return 0;
}

int hipLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, void *stream) {
  (void)stream;
  return launch("launch", f, grid, block, args, shared);
}

int hipLaunchCooperativeKernel(const void *f, dim3 grid, dim3 block, void **args, unsigned shared,
                               void *stream) {
  (void)stream;
  return launch("cooperative", f, grid, block, args, shared);
}

static int asked(const char *what, const void *f) {
  struct thing *t = look(f, 0);
  note(what, t ? t->name : "?");
  return t ? 0 : INVALID_DEVICE_FUNCTION;
}

int hipFuncGetAttributes(void *attributes, const void *f) {
  (void)attributes;
  return asked("attributes", f);
}

int hipFuncSetAttribute(const void *f, int attribute, int value) {
  (void)attribute, (void)value;
  return asked("attribute", f);
}

int hipOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *f, int block, size_t shared) {
  (void)block, (void)shared;
  *n = 1;
  return asked("occupancy", f);
}

static int copy(const char *what, const void *symbol, void *to, const void *from, size_t n, size_t at) {
  struct thing *t = look(symbol, 1);
  note(what, t ? t->name : "?");
  if (!t || at + n > t->size)
    return INVALID_SYMBOL;
  memcpy(to ? to : t->memory + at, from ? from : t->memory + at, n);
  return 0;
}

int hipMemcpyToSymbol(const void *symbol, const void *from, size_t n, size_t at, int kind) {
  (void)kind;
  return copy("to", symbol, NULL, from, n, at);
}

int hipMemcpyFromSymbol(void *to, const void *symbol, size_t n, size_t at, int kind) {
  (void)kind;
  return copy("from", symbol, to, NULL, n, at);
}

int hipGetSymbolAddress(void **address, const void *symbol) {
  struct thing *t = look(symbol, 1);
  *address = t ? t->memory : NULL;
  return t ? 0 : INVALID_SYMBOL;
}

int hipGetLastError(void) {
  int e = last_error;
  last_error = 0;
  return e;
}

int hipPeekAtLastError(void) {
  return last_error;
}

const char *hipGetErrorName(int e) {
  return e == 0                ? "hipSuccess"
         : e == INVALID_SYMBOL ? "hipErrorInvalidSymbol"
                               : "hipErrorInvalidDeviceFunction";
}

/* what `kernel<<<…>>>()` hands to its host stub */
static __thread struct {
  dim3 grid, block;
  size_t shared;
  void *stream;
} configuration;

int __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
  configuration.grid = grid;
  configuration.block = block;
  configuration.shared = shared;
  configuration.stream = stream;
  return 0;
}

int __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void **stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  *stream = configuration.stream;
  return 0;
}
