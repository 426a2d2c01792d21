/* ck_jit_cuda_kernels.c - the part of ckjit in a compiled CUDA blob whose kernels are compiled one by one.
 *
 * nvcc's host code registers its kernels with CUDA's runtime when it is loaded, together with one fat binary
 * of them all. Here it is linked with --wrap, so that the registrations come to this file, which only
 * remembers them; there is no fat binary. The calls that take a kernel's address come here as well, look
 * whether the kernel is there, and go on:
 *
 *     __cudaGetKernel, cudaFuncSetAttribute, …   the trampolines below
 *     first use of a kernel                      ckjit_kernel_need: asks the library's runtime for the fat
 *                                                binary of this kernel alone, and registers it as a library
 *                                                does that is loaded at this moment
 *
 * Which function takes the address as which argument is the table at the end. Afterwards a launch is what it
 * always was: the host code keeps the handle that __cudaGetKernel gave it.
 *
 * libc only; CUDA's runtime is what the blob is linked with anyway. Thread-safe. Sources:
 * cuda/include/crt/host_runtime.h for the registration; CUDA Runtime API for the rest; all of CUDA 12 and 13.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* crt/fatbinary_section.h */
struct ckjit_fat_wrapper {
  int magic, version;
  const void *data;
  void *unused;
};
enum { CKJIT_FAT_MAGIC = 0x466243b1, CKJIT_FAT_VERSION = 1 };

/* The library's runtime (ck_jit_kernels.c): the fat binary of KERNEL, by its mangled name, or of "*", all of
 * them. *ALL is set if KERNEL shares variables with others: then "*" has to be asked for instead. Does not
 * return if it fails. */
typedef const void *ckjit_kernel_find(void *context, const char *kernel, int *all);

struct ckjit_kernel {
  const char *host; /* what the host calls it by: an address */
  char *device;
  const char *name;
  int ready; /* atomic */
};

struct ckjit_variable {
  void *handle;
  char *host, *device;
  const char *name;
  int ext, constant, global;
  size_t size;
};

static struct ckjit_kernel *ckjit_kernels; /* sorted by address once the first was asked for */
static struct ckjit_variable *ckjit_variables;
static size_t ckjit_nkernels, ckjit_nvariables;
static int ckjit_sorted;
/* The trampolines look here first: addresses of kernels that are ready, each at a place made of itself. A search costs
 * a launch 6 ns, this 1. */
enum { CKJIT_KNOWN = 64 };
__attribute__((visibility("hidden"), used)) const void *ckjit_known[CKJIT_KNOWN]; /* atomic */
static pthread_mutex_t ckjit_kernels_mutex = PTHREAD_MUTEX_INITIALIZER;
static ckjit_kernel_find *ckjit_find;
static void *ckjit_find_context;

/* called by the runtime before the first call of the blob */
__attribute__((visibility("default"))) void ckjit_kernels_attach(ckjit_kernel_find *find, void *context);
/* called by the trampolines */
__attribute__((visibility("hidden"), used)) void ckjit_kernel_need(const void *address);
__attribute__((visibility("hidden"), used)) void ckjit_kernel_need_of(const void *const *params);

/* CUDA's, and what --wrap puts in their place */
void **__real___cudaRegisterFatBinary(void *wrapper);
void **__wrap___cudaRegisterFatBinary(void *wrapper);
void __real___cudaRegisterFatBinaryEnd(void **handle);
void __wrap___cudaRegisterFatBinaryEnd(void **handle);
void __wrap___cudaUnregisterFatBinary(void **handle);
void __real___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, void *tid, void *bid, void *block, void *grid, int *size);
void __wrap___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, void *tid, void *bid, void *block, void *grid, int *size);
void __real___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                              int constant, int global);
void __wrap___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                              int constant, int global);

void ckjit_kernels_attach(ckjit_kernel_find *find, void *context) {
  ckjit_find = find;
  ckjit_find_context = context;
}

/* ---- what the host code registers when it is loaded ---- */

void **__wrap___cudaRegisterFatBinary(void *wrapper) {
  (void)wrapper;
  return (void **)&ckjit_kernels;
}

void __wrap___cudaRegisterFatBinaryEnd(void **handle) {
  (void)handle;
}

void __wrap___cudaUnregisterFatBinary(void **handle) {
  (void)handle; /* kernels stay until the process ends, as the blob does */
}

/* One element more; without memory the process cannot go on: there is nobody to tell. */
static void *ckjit_grow(void *list, size_t n, size_t size) {
  void *more = n & (n - 1) ? list : realloc(list, (n ? 2 * n : 1) * size);
  if (!more)
    abort();
  return more;
}

void __wrap___cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, void *tid, void *bid, void *block, void *grid, int *size) {
  (void)handle;
  (void)threads;
  (void)tid;
  (void)bid;
  (void)block;
  (void)grid;
  (void)size;
  ckjit_kernels = ckjit_grow(ckjit_kernels, ckjit_nkernels, sizeof *ckjit_kernels);
  ckjit_kernels[ckjit_nkernels++] = (struct ckjit_kernel){host, device, name, 0};
}

void __wrap___cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size,
                              int constant, int global) {
  ckjit_variables = ckjit_grow(ckjit_variables, ckjit_nvariables, sizeof *ckjit_variables);
  ckjit_variables[ckjit_nvariables++] =
      (struct ckjit_variable){handle, host, device, name, ext, constant, global, size};
}

/* ---- a kernel that is needed ---- */

static int ckjit_by_address(const void *a, const void *b) {
  const struct ckjit_kernel *x = a, *y = b;
  return (x->host > y->host) - (x->host < y->host);
}

/* The kernel that the host knows by ADDRESS, NULL if it is none. */
static struct ckjit_kernel *ckjit_kernel_at(const void *address) {
  if (!__atomic_load_n(&ckjit_sorted, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&ckjit_kernels_mutex);
    if (!ckjit_sorted && ckjit_nkernels)
      qsort(ckjit_kernels, ckjit_nkernels, sizeof *ckjit_kernels, ckjit_by_address);
    __atomic_store_n(&ckjit_sorted, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&ckjit_kernels_mutex);
  }
  struct ckjit_kernel want = {.host = address};
  return ckjit_nkernels
             ? bsearch(&want, ckjit_kernels, ckjit_nkernels, sizeof *ckjit_kernels, ckjit_by_address)
             : NULL;
}

/* Register the fat binary DATA with K, or with all that are not ready if K is NULL. The mutex is held. */
static void ckjit_register(const void *data, struct ckjit_kernel *k) {
  struct ckjit_fat_wrapper *wrapper = malloc(sizeof *wrapper); /* CUDA keeps it */
  if (!wrapper)
    abort();
  *wrapper = (struct ckjit_fat_wrapper){CKJIT_FAT_MAGIC, CKJIT_FAT_VERSION, data, NULL};
  void **handle = __real___cudaRegisterFatBinary(wrapper);
  for (size_t i = 0; i < ckjit_nkernels; i++) {
    struct ckjit_kernel *each = &ckjit_kernels[i];
    if (k ? each != k : each->ready)
      continue;
    __real___cudaRegisterFunction(handle, each->host, each->device, each->name, -1, NULL, NULL, NULL, NULL,
                                  NULL);
  }
  for (size_t i = 0; !k && i < ckjit_nvariables; i++) {
    const struct ckjit_variable *v = &ckjit_variables[i];
    __real___cudaRegisterVar(handle, v->host, v->device, v->name, v->ext, v->size, v->constant, v->global);
  }
  __real___cudaRegisterFatBinaryEnd(handle);
  for (size_t i = 0; i < ckjit_nkernels; i++)
    if (!k || &ckjit_kernels[i] == k)
      __atomic_store_n(&ckjit_kernels[i].ready, 1, __ATOMIC_RELEASE);
}

static void ckjit_remember(const struct ckjit_kernel *k) {
  __atomic_store_n(&ckjit_known[(uintptr_t)k->host >> 4 & (CKJIT_KNOWN - 1)], k->host, __ATOMIC_RELEASE);
}

static void ckjit_make_ready(struct ckjit_kernel *k) {
  int all = 0;
  const void *data = ckjit_find(ckjit_find_context, k->name, &all); /* may take seconds, and may throw */
  if (all)
    data = ckjit_find(ckjit_find_context, "*", &all);
  pthread_mutex_lock(&ckjit_kernels_mutex);
  if (!k->ready)
    ckjit_register(data, all ? NULL : k);
  pthread_mutex_unlock(&ckjit_kernels_mutex);
}

/* The trampolines' callee: whatever takes ADDRESS next finds its kernel registered. The address of anything
 * else than a kernel of this blob is left alone. */
void ckjit_kernel_need(const void *address) {
  struct ckjit_kernel *k = ckjit_kernel_at(address);
  if (k && __atomic_load_n(&k->ready, __ATOMIC_ACQUIRE))
    ckjit_remember(k);
  else if (k && ckjit_find)
    ckjit_make_ready(k);
}

/* For cudaKernelNodeParams, whose first member is the address. */
void ckjit_kernel_need_of(const void *const *params) {
  if (params)
    ckjit_kernel_need(*params);
}

/* ---- the calls that take a kernel's address ---- */

#ifndef __x86_64__
#error "ckjit: the trampolines are written for x86-64 hosts"
#endif

/* All registers that hold arguments are kept for the real function, which sees the stack as its caller left
 * it. What is thrown by ckjit_kernel_need goes through: the frame is described. */
/* clang-format off */
#define PUSH(reg) "  push %" reg "\n  .cfi_adjust_cfa_offset 8\n"
#define POP(reg) "  pop %" reg "\n  .cfi_adjust_cfa_offset -8\n"
#define TRAMPOLINE(name, arg, callee)                                 \
  __asm__(".text\n"                                                   \
          "  .globl __wrap_" name "\n"                                \
          "  .hidden __wrap_" name "\n"                               \
          "  .type __wrap_" name ", @function\n"                      \
          "__wrap_" name ":\n"                                        \
          "  .cfi_startproc\n"                                        \
          "  mov %" arg ", %r11\n"                                    \
          "  shr $4, %r11d\n"                                         \
          "  and $63, %r11d\n"                                        \
          "  lea ckjit_known(%rip), %r10\n"                           \
          "  cmp %" arg ", (%r10,%r11,8)\n"                           \
          "  je 1f\n"                                                 \
          PUSH("rdi") PUSH("rsi") PUSH("rdx") PUSH("rcx") PUSH("r8") PUSH("r9") \
          "  sub $8, %rsp\n"                                          \
          "  .cfi_adjust_cfa_offset 8\n"                              \
          "  mov %" arg ", %rdi\n"                                    \
          "  call " callee "\n"                                       \
          "  add $8, %rsp\n"                                          \
          "  .cfi_adjust_cfa_offset -8\n"                             \
          POP("r9") POP("r8") POP("rcx") POP("rdx") POP("rsi") POP("rdi") \
          "1:\n"                                                      \
          "  jmp __real_" name "@PLT\n"                               \
          "  .cfi_endproc\n"                                          \
          "  .size __wrap_" name ", .-__wrap_" name "\n");
/* clang-format on */
#define TAKES(name, arg) TRAMPOLINE(name, arg, "ckjit_kernel_need")
#define TAKES_PARAMS(name, arg) TRAMPOLINE(name, arg, "ckjit_kernel_need_of")
#include "ck_jit_cuda_calls.h" /* as ckjit-compile writes it: those that this blob calls */
