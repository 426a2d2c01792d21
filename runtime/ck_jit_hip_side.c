/* ck_jit_hip_side.c - the part of ckjit in the host's side of a HIP blob, whose code object comes when it is needed.
 *
 * clang's host code registers the blob's kernels and variables with HIP when it is loaded, together with one fat binary of them all. The
 * host's side (compile/hostonly/entry.h) is that host code, linked with --wrap, so that the registrations come here, and are remembered
 * and nothing more: loading it calls no function of HIP's. So do all other functions of HIP that it calls, questions about devices and
 * errors aside. The first of these calls asks the library's runtime for the fat binary (ck_jit_host.c), which may have to wait for its
 * compile, and registers all with HIP, as a library does that is loaded at this moment. All kernels come by one fat binary, so afterwards
 * a call tests one flag more than it would.
 *
 * No function of HIP has to be known for that, nor which of its arguments is a kernel: a call too many waits for what would be waited for
 * soon, one too few would find no kernel.
 *
 * If there is no fat binary, HIP gets the call with null pointers in place of kernels, and returns its error for that. (HIP 7.2 takes an
 * address that it does not know for a hipFunction_t and dereferences it.)
 *
 * Compiled by ckjit-compile, with the compiler of the blob, and with ck_jit_side_calls.h, which it writes: NEEDS_CODE of each function
 * that the host code calls. The trampolines are the machine's (ck_jit_machine.h). No header of libc is needed for it. Thread-safe; nothing is locked while the fat binary is waited for.
 *
 * Sources: clang's lib/CodeGen/CGCUDANV.cpp for what it registers; hipamd's hip_platform.cpp, of HIP 5.2.3 and 7.2.4.
 */
void *calloc(__SIZE_TYPE__ n, __SIZE_TYPE__ size);
void abort(void) __attribute__((noreturn));
int sched_yield(void);

#define NULL ((void *)0)
#define HIDDEN __attribute__((visibility("hidden"), used))

/* clang's CGCUDANV.cpp */
struct ckjit_hip_wrapper {
  unsigned magic, version;
  const void *binary;
  void *unused;
};

/* a kernel or a variable, as it was registered; never freed */
struct ckjit_thing {
  struct ckjit_thing *next;
  const void *host;
  char *device;
  const char *name;
  int is_variable, ext, constant, global;
  __SIZE_TYPE__ size;
  unsigned threads;
};

/* The library's runtime, in its memory: whom to ask for the fat binary. NULL: there is none, and the user was told. */
struct ckjit_side_host {
  const void *(*code)(const struct ckjit_side_host *);
};

static const struct ckjit_side_host *ckjit_host; /* atomic */
static const struct ckjit_hip_wrapper *ckjit_wrapper;
static struct ckjit_thing *ckjit_things, **ckjit_end = &ckjit_things;
static void **ckjit_handle;
static int ckjit_busy; /* somebody registers; atomic */

HIDDEN int ckjit_side_ready; /* nothing is to be done before a call; atomic */

/* called by the trampolines */
HIDDEN void ckjit_side_need(const void **arguments);

/* called by the runtime before the first call of the blob */
__attribute__((visibility("default"))) void ckjit_side_attach(const struct ckjit_side_host *host);

/* HIP's, and what --wrap puts in their place */
void **__real___hipRegisterFatBinary(const void *wrapper);
void __real___hipUnregisterFatBinary(void **handle);
void __real___hipRegisterFunction(void **handle, const void *host, char *device, const char *name,
                                  unsigned threads, void *tid, void *bid, void *block, void *grid, int *size);
void __real___hipRegisterVar(void **handle, void *host, char *device, char *name, int ext, __SIZE_TYPE__ size,
                             int constant, int global);
HIDDEN void **__wrap___hipRegisterFatBinary(const void *wrapper);
HIDDEN void __wrap___hipUnregisterFatBinary(void **handle);
HIDDEN void __wrap___hipRegisterFunction(void **handle, const void *host, char *device, const char *name,
                                         unsigned threads, void *tid, void *bid, void *block, void *grid,
                                         int *size);
HIDDEN void __wrap___hipRegisterVar(void **handle, void *host, char *device, char *name, int ext,
                                    __SIZE_TYPE__ size, int constant, int global);

void ckjit_side_attach(const struct ckjit_side_host *host) {
  __atomic_store_n(&ckjit_host, host, __ATOMIC_RELEASE);
}

/* ---- what the host code registers when it is loaded, and unregisters when it goes ---- */

void **__wrap___hipRegisterFatBinary(const void *wrapper) {
  ckjit_wrapper = wrapper;
  return (void **)(void *)&ckjit_wrapper;
}

/* Without memory the process cannot go on: there is nobody to tell. */
static void ckjit_add(const struct ckjit_thing *thing) {
  struct ckjit_thing *t = calloc(1, sizeof *t);
  if (!t)
    abort();
  *t = *thing;
  *ckjit_end = t;
  ckjit_end = &t->next;
}

void __wrap___hipRegisterFunction(void **handle, const void *host, char *device, const char *name,
                                  unsigned threads, void *tid, void *bid, void *block, void *grid,
                                  int *size) {
  (void)handle, (void)tid, (void)bid, (void)block, (void)grid, (void)size;
  ckjit_add(&(const struct ckjit_thing){.host = host, .device = device, .name = name, .threads = threads});
}

void __wrap___hipRegisterVar(void **handle, void *host, char *device, char *name, int ext, __SIZE_TYPE__ size,
                             int constant, int global) {
  (void)handle;
  ckjit_add(&(const struct ckjit_thing){.host = host,
                                        .device = device,
                                        .name = name,
                                        .is_variable = 1,
                                        .ext = ext,
                                        .size = size,
                                        .constant = constant,
                                        .global = global});
}

static void ckjit_take(void) {
  while (__atomic_exchange_n(&ckjit_busy, 1, __ATOMIC_ACQUIRE))
    sched_yield();
}

static void ckjit_leave(void) {
  __atomic_store_n(&ckjit_busy, 0, __ATOMIC_RELEASE);
}

void __wrap___hipUnregisterFatBinary(void **handle) {
  (void)handle;
  ckjit_take();
  void **registered = ckjit_handle;
  ckjit_handle = NULL;
  __atomic_store_n(&ckjit_side_ready, 1, __ATOMIC_RELEASE); /* nothing is looked for any more */
  ckjit_leave();
  if (registered)
    __real___hipUnregisterFatBinary(registered);
}

/* ---- what is needed ---- */

static void ckjit_register(const void *binary) {
  static struct ckjit_hip_wrapper wrapper; /* HIP keeps it */
  wrapper = *ckjit_wrapper;
  wrapper.binary = binary;
  ckjit_handle = __real___hipRegisterFatBinary(&wrapper);
  for (struct ckjit_thing *t = ckjit_things; t; t = t->next)
    if (t->is_variable)
      __real___hipRegisterVar(ckjit_handle, (void *)t->host, t->device, (char *)t->name, t->ext, t->size,
                              t->constant, t->global);
    else
      __real___hipRegisterFunction(ckjit_handle, t->host, t->device, t->name, t->threads, NULL, NULL, NULL,
                                   NULL, NULL);
}

/* Replace addresses of kernels in the call's ARGUMENTS, as many as its registers hold on every machine. */
static void ckjit_deny(const void **arguments) {
  for (const struct ckjit_thing *t = ckjit_things; t; t = t->next)
    for (int i = 0; i < 6 && !t->is_variable; i++)
      if (arguments[i] == t->host)
        arguments[i] = NULL;
}

void ckjit_side_need(const void **arguments) {
  const struct ckjit_side_host *host = __atomic_load_n(&ckjit_host, __ATOMIC_ACQUIRE);
  const void *binary = host && ckjit_wrapper ? host->code(host) : NULL;
  if (!binary) {
    ckjit_deny(arguments);
    return;
  }
  ckjit_take();
  if (!ckjit_side_ready)
    ckjit_register(binary);
  __atomic_store_n(&ckjit_side_ready, 1, __ATOMIC_RELEASE);
  ckjit_leave();
}

/* ---- the calls ---- */

/* CKJIT_SIDE_FIRST, one for all, which calls ckjit_side_need with the registers of arguments and goes on to the function that was called; CKJIT_NEEDS_CODE of each of them,
 * which goes there until ckjit_side_ready. Arguments are kept, and the stack is the caller's: what is on it are arguments. */
#define CKJIT_WANTS_SIDE
#include "ck_jit_machines.h"
#ifndef CKJIT_SIDE_FIRST
#error "ckjit has no trampolines for this machine: docs/tour.md says what is to be written"
#endif
CKJIT_SIDE_FIRST
#define NEEDS_CODE(name) CKJIT_NEEDS_CODE(name)
#include "ck_jit_side_calls.h"
