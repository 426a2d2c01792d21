/* ck_jit_mutex.h - a mutex whose holder is not interrupted by a signal handler.
 *
 * A handler of the program may call kernels. If it interrupted the holder of a mutex that such a
 * call takes, it would wait for its own thread. So the holder has signals blocked. It is held for a
 * few instructions; while a call waits for a compile no mutex is held, and signals arrive as usual.
 *
 * All mutexes of the runtime are of this kind. libc only.
 */
#ifndef CK_JIT_MUTEX_H
#define CK_JIT_MUTEX_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct ckjit_mutex {
  pthread_mutex_t mutex;
  /* the signals that its holder had blocked */
  sigset_t before;
};
#define CKJIT_MUTEX                                                                                \
  { .mutex = PTHREAD_MUTEX_INITIALIZER }

/* Block all signals that can interrupt, except those of a fault, which must reach a debugger. */
static inline void ckjit_block_signals(sigset_t *before) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  sigset_t all;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_BLOCK, &all, before);
}

static inline void ckjit_mutex_lock(struct ckjit_mutex *m) {
  sigset_t before;
  ckjit_block_signals(&before);
  pthread_mutex_lock(&m->mutex);
  m->before = before;
}

/* False: another thread holds it. */
static inline bool ckjit_mutex_try(struct ckjit_mutex *m) {
  sigset_t before;
  ckjit_block_signals(&before);
  bool ours = pthread_mutex_trylock(&m->mutex) == 0;
  if (ours)
    m->before = before;
  else
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  return ours;
}

static inline void ckjit_mutex_unlock(struct ckjit_mutex *m) {
  sigset_t before = m->before;
  pthread_mutex_unlock(&m->mutex);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

#endif
