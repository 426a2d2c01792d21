/* runtime_device.h - what runtime_cuda.c and runtime_hip.c have alike: what is registered, what is launched on the host instead, variables,
 * errors. Included once by either, which first defines
 *
 *     RT(name), RT_(name)   a function of the runtime's, cudaNAME and __cudaNAME, or HIP's
 *     TEST(name)            a function for tests, cudart_NAME or hiprt_NAME
 *     RT_NAME, RT_LOG       its name in messages; the variable that names its log
 *     struct module         what a fat binary is to it
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t x, y, z;
} dim3;

enum { INVALID_SYMBOL = 13, INVALID_DEVICE_FUNCTION = 98 };

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
  const char *file = getenv(RT_LOG);
  FILE *f = file ? fopen(file, "a") : NULL;
  if (f)
    fprintf(f, "%s %s\n", what, name), fclose(f);
}

static void bad(const char *what, const char *name) {
  fprintf(stderr, RT_NAME ": %s: %s\n", what, name);
  abort();
}

/* ---- registration ---- */

void RT_(UnregisterFatBinary)(void **handle) {
  pthread_mutex_lock(&mutex);
  for (struct thing **t = &things; *t;)
    if ((void **)(*t)->module == handle)
      *t = (*t)->next;
    else
      t = &(*t)->next;
  pthread_mutex_unlock(&mutex);
  note("gone", "");
}

/* With $RT_SHARED a thing that two modules have is the first one's, as with HIP; without it that ends the process. */
static void add(void **handle, const void *host, const char *name, size_t size) {
  struct thing *t = calloc(1, sizeof *t);
  t->module = (struct module *)handle;
  t->host = host;
  t->size = size;
  t->memory = calloc(1, size + 1);
  snprintf(t->name, sizeof t->name, "%s", name);
  pthread_mutex_lock(&mutex);
  int shared = 0;
  for (struct thing *o = things; o; o = o->next)
    if (o->host == host && !(shared = getenv("RT_SHARED") && o->module != t->module))
      bad("registered twice", name);
  if (!shared) {
    t->next = things;
    things = t;
  }
  pthread_mutex_unlock(&mutex);
  note(size ? "variable" : "function", name);
}

int TEST(registered)(void) {
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
  for (t = things; t && (t->host != host || (t->size == 0) == variable); t = t->next)
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

void TEST(kernel)(const char *name, void (*f)(void **, const dim3 *, const dim3 *)) {
  snprintf(kernels[nkernels].name, sizeof kernels->name, "%s", name);
  kernels[nkernels++].f = f;
}

/* T is launched; NULL: it was looked for and is not known. */
static int launch(const char *what, struct thing *t, dim3 grid, dim3 block, void **args, size_t shared) {
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

static int asked(const char *what, const void *f) {
  struct thing *t = look(f, 0);
  note(what, t ? t->name : "?");
  return t ? 0 : INVALID_DEVICE_FUNCTION;
}

int RT(FuncGetAttributes)(void *attributes, const void *f) {
  (void)attributes;
  return asked("attributes", f);
}

int RT(FuncSetAttribute)(const void *f, int attribute, int value) {
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

int RT(MemcpyToSymbol)(const void *symbol, const void *from, size_t n, size_t at, int kind) {
  (void)kind;
  return copy("to", symbol, NULL, from, n, at);
}

int RT(MemcpyFromSymbol)(void *to, const void *symbol, size_t n, size_t at, int kind) {
  (void)kind;
  return copy("from", symbol, to, NULL, n, at);
}

int RT(GetSymbolAddress)(void **address, const void *symbol) {
  struct thing *t = look(symbol, 1);
  *address = t ? t->memory : NULL;
  return t ? 0 : INVALID_SYMBOL;
}

int RT(GetLastError)(void) {
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

unsigned RT_(PushCallConfiguration)(dim3 grid, dim3 block, size_t shared, void *stream) {
  configuration.grid = grid;
  configuration.block = block;
  configuration.shared = shared;
  configuration.stream = stream;
  return 0;
}

int RT_(PopCallConfiguration)(dim3 *grid, dim3 *block, size_t *shared, void **stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  *stream = configuration.stream;
  return 0;
}
