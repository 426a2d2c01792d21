/* life.c - see life.h.
 *
 * An fsync on a slow disk takes longer than the patience of waiting processes, in the kernel, where
 * no signal handler runs; neither a timer nor the loop that waits for the compiler shows life then.
 * So a thread does: it continues while the other threads are in a system call, and stops when the
 * process is stopped, which a helper process would not. It does nothing else and blocks all
 * signals.
 */
#include "life.h"
#include "abi/ck_jit_clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ALIVE = 64, BEAT_MS = 1000 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* for all variables below */
static pthread_cond_t change;                             /* of `ending` */
static struct {
  int fd;   /* + 1; 0: free */
  off_t at; /* -1: its time stamp changes */
} alive[MOST_ALIVE];
static long beat_ms = BEAT_MS;
static bool ending;
static pthread_t thread;
static pid_t has_thread; /* the process of the thread; 0: none */

static void beat_one(int fd, off_t at) {
  static unsigned long long number;
  char text[17];
  if (at < 0) {
    futimens(fd, NULL);
    return;
  }
  snprintf(text, sizeof text, "%016llx", ++number);
  if (pwrite(fd, text, 16, at) == 16)
    fdatasync(fd);
}

static void beat_locked(void) {
  for (int i = 0; i < MOST_ALIVE; i++)
    if (alive[i].fd)
      beat_one(alive[i].fd - 1, alive[i].at);
}

static void *beat_always(void *unused) {
  struct timespec next;
  pthread_mutex_lock(&mutex);
  while (!ending) {
    clock_gettime(CLOCK_MONOTONIC, &next);
    next.tv_nsec += beat_ms * 1000000;
    next.tv_sec += next.tv_nsec / 1000000000;
    next.tv_nsec %= 1000000000;
    if (pthread_cond_timedwait(&change, &mutex, &next) && !ending)
      beat_locked();
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void start_thread(void) {
  sigset_t all, before;
  pthread_attr_t attributes;
  sigfillset(&all);
  if (has_thread == getpid() || pthread_attr_init(&attributes))
    return;
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the thread that works */
  ending = false;
  if (pthread_create(&thread, &attributes, beat_always, NULL) == 0)
    has_thread = getpid();
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
}

/* After a fork the locks and the thread belong to the parent. */
static void forget_parent(void) {
  static pid_t us;
  pthread_condattr_t attributes;
  if (us == getpid())
    return;
  us = getpid();
  pthread_mutex_init(&mutex, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&change, &attributes);
  pthread_condattr_destroy(&attributes);
  memset(alive, 0, sizeof alive);
}

void life_begin(int fd) {
  life_begin_at(fd, -1);
}

void life_begin_at(int fd, off_t at) {
  forget_parent();
  pthread_mutex_lock(&mutex);
  beat_one(fd, at);
  for (int i = 0; i < MOST_ALIVE; i++)
    if (!alive[i].fd) {
      alive[i].fd = fd + 1;
      alive[i].at = at;
      break;
    }
  pthread_mutex_unlock(&mutex);
  start_thread();
}

void life_end(int fd) {
  bool any = false;
  forget_parent();
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < MOST_ALIVE; i++) {
    if (alive[i].fd == fd + 1)
      alive[i].fd = 0;
    any |= alive[i].fd != 0;
  }
  bool end = !any && has_thread == getpid();
  if (end) {
    ending = true;
    pthread_cond_signal(&change);
  }
  pthread_mutex_unlock(&mutex);
  if (end && pthread_join(thread, NULL) == 0)
    has_thread = 0;
}

void life_beat(void) {
  static double last;
  double now = ckjit_seconds();
  if (has_thread == getpid() || (now - last) * 1000 < (double)beat_ms)
    return;
  last = now;
  beat_locked(); /* there is no thread */
}

void life_within(double patience) {
  long ms = patience > 0 && patience * 250 < BEAT_MS ? (long)(patience * 250) : BEAT_MS;
  forget_parent();
  pthread_mutex_lock(&mutex);
  if (ms < beat_ms)
    beat_ms = ms < 50 ? 50 : ms;
  pthread_mutex_unlock(&mutex);
}
