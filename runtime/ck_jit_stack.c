/* ck_jit_stack.c - see ck_jit_stack.h.
 *
 * libc changes the stack (makecontext): it supports shadow stacks, and sanitizers recognise it.
 * While the new stack is in use the thread has no signal stack: the kernel would think it free, and
 * overwrite the frames that wait on it with the next signal.
 */
#include "ck_jit_stack.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#if defined __GLIBC__
#include <ucontext.h>
#endif

/* Functions that are called before the stack is changed are bound when the library is loaded: at a
 * first call the dynamic linker would save all vector registers on the stack. */
static const struct {
  __typeof__(sigaltstack) *alternate;
  __typeof__(pthread_sigmask) *mask;
  __typeof__(mmap) *map;
  __typeof__(munmap) *unmap;
  __typeof__(mprotect) *protect;
#if defined __GLIBC__
  __typeof__(getcontext) *get;
  __typeof__(makecontext) *make;
  __typeof__(swapcontext) *swap;
#endif
} volatile ckjit_bound = {sigaltstack, pthread_sigmask, mmap,       munmap, mprotect,
#if defined __GLIBC__
                          getcontext,  makecontext,     swapcontext
#endif
};

enum {
  CKJIT_STACK_NEED = 128 << 10, /* three times the measured need */
  CKJIT_STACK_OWN = 1 << 20,
  CKJIT_STACK_GUARD = 64 << 10, /* the largest page of any machine */
};

size_t ckjit_stack_room(void) {
  stack_t now;
  if (ckjit_bound.alternate(NULL, &now) || !(now.ss_flags & SS_ONSTACK))
    return SIZE_MAX;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0), end = (uintptr_t)now.ss_sp;
  return here > end ? here - end : 0;
}

#if defined __GLIBC__
/* at the lower end of the stack, above its guard */
struct ckjit_excursion {
  ucontext_t host, own;
  stack_t before;
  sigset_t mask;
  void (*run)(void *data);
  void *data;
};

/* Runs on the new stack, with all signals blocked. makecontext passes ints only. */
static void ckjit_run_there(unsigned high, unsigned low) {
  struct ckjit_excursion *e = (struct ckjit_excursion *)((uintptr_t)high << 32 | low);
  const stack_t none = {.ss_flags = SS_DISABLE};
  sigset_t all;
  sigfillset(&all);
  sigaltstack(&none, NULL);
  pthread_sigmask(SIG_SETMASK, &e->mask, NULL);
  e->run(e->data);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  sigaltstack(&e->before, NULL);
}

static bool ckjit_run_apart(void (*run)(void *data), void *data) {
  char *room = ckjit_bound.map(NULL, CKJIT_STACK_OWN, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (room == MAP_FAILED)
    return false;
  struct ckjit_excursion *e = (struct ckjit_excursion *)(void *)(room + CKJIT_STACK_GUARD);
  e->run = run;
  e->data = data;
  bool done = ckjit_bound.protect(room, CKJIT_STACK_GUARD, PROT_NONE) == 0 &&
              ckjit_bound.alternate(NULL, &e->before) == 0 &&
              ckjit_bound.mask(SIG_BLOCK, NULL, &e->mask) == 0 && ckjit_bound.get(&e->own) == 0;
  if (done) {
    e->before.ss_flags &= ~SS_ONSTACK;
    memset(&e->own.uc_sigmask, 0xff, sizeof e->own.uc_sigmask);
    e->own.uc_stack =
        (stack_t){.ss_sp = e + 1, .ss_size = CKJIT_STACK_OWN - CKJIT_STACK_GUARD - sizeof *e};
    e->own.uc_link = &e->host;
    ckjit_bound.make(&e->own, (void (*)(void))ckjit_run_there, 2, (unsigned)((uintptr_t)e >> 32),
                     (unsigned)(uintptr_t)e);
    done = ckjit_bound.swap(&e->host, &e->own) == 0;
  }
  ckjit_bound.unmap(room, CKJIT_STACK_OWN);
  return done;
}
#else
static bool ckjit_run_apart(void (*run)(void *data), void *data) {
  (void)run;
  (void)data;
  return false;
}
#endif

bool ckjit_with_stack(void (*run)(void *data), void *data, struct ckjit_text *error) {
  size_t left = ckjit_stack_room();
  /* Compilers may not see through RUN: inlined here, and this function in its caller, its large
   * frame would be taken from the small stack. */
  __asm__("" : "+r"(run));
  if (left >= CKJIT_STACK_NEED) {
    run(data);
    return true;
  }
  if (ckjit_run_apart(run, data))
    return true;
  ckjit_addf(
      error,
      "its first call is in a signal handler with %zu bytes of stack left, expected %d; call "
      "it once before, or give sigaltstack() more",
      left, (int)CKJIT_STACK_NEED);
  return false;
}
