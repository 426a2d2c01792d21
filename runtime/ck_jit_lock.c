/* ck_jit_lock.c - the runtime's mutex, and what a fork does to it. */
#include "ck_jit_lock.h"
#include "ck_jit_capture.h"
#include "ck_jit_flight.h"

static pthread_mutex_t ckjit_mutex = PTHREAD_MUTEX_INITIALIZER;
static int ckjit_fork_prepared; /* atomic */

void ckjit_lock(void) {
  pthread_mutex_lock(&ckjit_mutex);
}

void ckjit_unlock(void) {
  pthread_mutex_unlock(&ckjit_mutex);
}

void ckjit_wait(pthread_cond_t *cond) {
  pthread_cond_wait(cond, &ckjit_mutex);
}

static void ckjit_before_fork(void) {
  ckjit_capture_lock();
  ckjit_lock();
}

static void ckjit_after_fork_parent(void) {
  ckjit_unlock();
  ckjit_capture_unlock();
}

static void ckjit_after_fork_child(void) {
  ckjit_flights_forget();
  ckjit_capture_forget();
  ckjit_after_fork_parent();
}

void ckjit_prepare_fork(void) {
  if (!__atomic_load_n(&ckjit_fork_prepared, __ATOMIC_ACQUIRE) &&
      !__atomic_exchange_n(&ckjit_fork_prepared, 1, __ATOMIC_ACQ_REL) &&
      pthread_atfork(ckjit_before_fork, ckjit_after_fork_parent, ckjit_after_fork_child))
    __atomic_store_n(&ckjit_fork_prepared, 0, __ATOMIC_RELEASE);
}
