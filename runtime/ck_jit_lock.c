/* ck_jit_lock.c - the runtime's mutex, and its behaviour in a fork. */
#include "ck_jit_lock.h"
#include "ck_jit_capture.h"
#include "ck_jit_count.h"
#include "ck_jit_flight.h"
#include "ck_jit_say.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct ckjit_mutex ckjit_mutex = CKJIT_MUTEX;
static int ckjit_fork_prepared;     /* the handlers below are registered; atomic */
static uintptr_t ckjit_fork_thread; /* the thread that forks and has the mutexes; atomic. 0: none */
static unsigned ckjit_fork_depth;   /* how often its handlers were called; of that thread */

void ckjit_lock(void) {
  ckjit_mutex_lock(&ckjit_mutex);
}

void ckjit_unlock(void) {
  ckjit_mutex_unlock(&ckjit_mutex);
}

/* No condition variable: a signal that arrives while its mutex is being taken again would find it
 * held by its own thread. */
void ckjit_wait(const uint32_t *word, uint32_t seen) {
  ckjit_unlock();
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
  ckjit_lock();
}

void ckjit_wake(const uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Threads whose first calls begin together may each register these, so one fork calls them several
 * times: the first call before the fork locks, the last call after it unlocks. */
static bool ckjit_forks(void) {
  return __atomic_load_n(&ckjit_fork_thread, __ATOMIC_RELAXED) == (uintptr_t)pthread_self();
}

static void ckjit_before_fork(void) {
  if (!ckjit_forks()) {
    ckjit_capture_lock();
    ckjit_lock();
    __atomic_store_n(&ckjit_fork_thread, (uintptr_t)pthread_self(), __ATOMIC_RELAXED);
  }
  ckjit_fork_depth++;
}

static void ckjit_after_fork_parent(void) {
  if (!ckjit_forks() || --ckjit_fork_depth)
    return;
  __atomic_store_n(&ckjit_fork_thread, 0, __ATOMIC_RELAXED);
  ckjit_unlock();
  ckjit_capture_unlock();
}

static void ckjit_after_fork_child(void) {
  ckjit_flights_forget();
  ckjit_loggers_forget();
  ckjit_capture_forget();
  ckjit_counts_forget();
  ckjit_after_fork_parent();
}

/* No thread continues while another is about to register them: a fork in that moment would leave
 * the child locked mutexes and flights without threads. Waiting for that thread would not help: the
 * child may not have it. */
void ckjit_prepare_fork(void) {
  if (!__atomic_load_n(&ckjit_fork_prepared, __ATOMIC_ACQUIRE) &&
      pthread_atfork(ckjit_before_fork, ckjit_after_fork_parent, ckjit_after_fork_child) == 0)
    __atomic_store_n(&ckjit_fork_prepared, 1, __ATOMIC_RELEASE);
}
