#include "parallel.h"
#include "base.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum {
  PIECE = 64,      /* items that a thread takes at once */
  FEW = 4 * PIECE, /* not worth a thread */
  THREADS = 16,    /* on few processors as well: a disk is faster with many requests at once */
};

struct work {
  atomic_size_t next;
  size_t n;
  void (*each)(void *data, size_t i);
  void *data;
};

static void *work_on(void *work) {
  struct work *w = work;
  for (size_t at; (at = atomic_fetch_add(&w->next, PIECE)) < w->n;)
    for (size_t i = at; i < at + PIECE && i < w->n; i++)
      w->each(w->data, i);
  return NULL;
}

void parallel_each(size_t n, void (*each)(void *data, size_t i), void *data) {
  struct work w = {.n = n, .each = each, .data = data};
  pthread_t threads[THREADS];
  unsigned wanted = n > FEW ? THREADS - 1 : 0, started = 0;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the original thread */
  while (started < wanted && pthread_create(&threads[started], NULL, work_on, &w) == 0)
    started++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  work_on(&w);
  for (unsigned i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
}
