/* batch.c - compiles many kernels at the same time.
 *
 * Workers take kernels one after the other and add their results to a list of events. One thread,
 * the coordinator, passes the events to the callback in order: the caller itself in
 * ckjit_compile_many, otherwise a thread of libckjit. A worker never waits for the callback.
 *
 * The library's runtime and ckjit-compile, not this file, ensure that a kernel is compiled only
 * once.
 */
#include "internal.h"
#include "abi/ck_jit_jobs.h"

#include "abi/ck_jit_clock.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct item {
  uint32_t kernel;
  bool ended; /* and its callback has returned */
  int status;
  char *error;
  ckjit_handle *handle;
  double seconds;
};

struct event {
  int kind;
  size_t index;
};

struct ckjit_batch {
  struct ckjit_library *library;
  struct ckjit_options options; /* owns its texts */
  ckjit_callback callback;
  void *user;
  pid_t process;
  /* the coordinator is libckjit's thread, not the caller */
  bool has_thread;
  pthread_t coordinator;
  pthread_t *workers;
  unsigned nworkers;
  size_t n;
  double started;

  /* Each has one writer: the worker until its event is out, then the coordinator. */
  struct item *items;

  pthread_mutex_t mutex; /* guards all members below */
  pthread_cond_t news;   /* an event, for the coordinator */
  pthread_cond_t over;   /* the end, for waiting threads */
  size_t next;           /* the next item to begin */
  bool cancelled, ended;
  struct event *events; /* room for two for each item */
  size_t nevents;
  struct ckjit_progress progress; /* as the callbacks have received it */
};

static double now(void) {
  return (double)ckjit_microseconds() / 1e6;
}

/* ---- workers ---- */

/* The mutex is held. */
static void tell(ckjit_batch *b, int kind, size_t index) {
  b->events[b->nevents++] = (struct event){kind, index};
  pthread_cond_signal(&b->news);
}

/* The next kernel to compile, with its event added; false: there is none. The others of a cancelled
 * batch end here without having begun. */
static bool begin(ckjit_batch *b, size_t *index) {
  pthread_mutex_lock(&b->mutex);
  while (b->cancelled && b->next < b->n) {
    b->items[b->next].status = CKJIT_E_CANCELLED;
    tell(b, CKJIT_EVENT_DONE, b->next++);
  }
  bool any = b->next < b->n;
  if (any) {
    *index = b->next++;
    tell(b, CKJIT_EVENT_STARTED, *index);
  }
  pthread_mutex_unlock(&b->mutex);
  return any;
}

/* Compile one; false: none was left. */
static bool work_once(ckjit_batch *b) {
  bool store_only = b->options.flags & CKJIT_STORE_ONLY;
  size_t i;
  if (!begin(b, &i))
    return false;
  struct item *item = &b->items[i];
  double start = now();
  item->status = ckjit_compile(b->library, item->kernel, &b->options,
                               store_only ? NULL : &item->handle, &item->error);
  item->seconds = now() - start;
  pthread_mutex_lock(&b->mutex);
  tell(b, CKJIT_EVENT_DONE, i);
  pthread_mutex_unlock(&b->mutex);
  return true;
}

static void *work(void *user) {
  while (work_once(user))
    ;
  return NULL;
}

/* ---- the coordinator ---- */

/* libckjit's threads get no signal: the program's threads wait for signals. */
static int start_thread(pthread_t *thread, void *(*run)(void *), void *user) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int e = pthread_create(thread, NULL, run, user);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return e;
}

/* Start as many as possible. Without any, the coordinator does their work. */
static void start_workers(ckjit_batch *b) {
  while (b->nworkers < b->options.parallel && !start_thread(&b->workers[b->nworkers], work, b))
    b->nworkers++;
}

/* The mutex is held. */
static void count(ckjit_batch *b, const struct event *e) {
  struct ckjit_progress *p = &b->progress;
  p->seconds = now() - b->started;
  if (e->kind == CKJIT_EVENT_STARTED) {
    p->running++;
    return;
  }
  int status = b->items[e->index].status;
  p->done++;
  p->running -= status != CKJIT_E_CANCELLED;
  p->cancelled += status == CKJIT_E_CANCELLED;
  p->failed += status != CKJIT_OK && status != CKJIT_E_CANCELLED;
}

/* Pass E to the callback. The mutex is not held. */
static void call_back(ckjit_batch *b, const struct event *e,
                      const struct ckjit_progress *progress) {
  const struct item *item = &b->items[e->index];
  bool done = e->kind == CKJIT_EVENT_DONE;
  struct ckjit_event event = {.size = sizeof event,
                              .kind = e->kind,
                              .index = e->index,
                              .kernel = item->kernel,
                              .status = done ? item->status : CKJIT_OK,
                              .error = done ? item->error : NULL,
                              .handle = done ? item->handle : NULL,
                              .seconds = done ? item->seconds : 0,
                              .progress = *progress};
  if (b->callback && b->callback(&event, b->user))
    ckjit_batch_cancel(b);
}

static void *coordinate(void *user) {
  ckjit_batch *b = user;
  size_t seen = 0;
  start_workers(b);
  pthread_mutex_lock(&b->mutex);
  while (b->progress.done < b->n) {
    while (seen == b->nevents && b->nworkers)
      pthread_cond_wait(&b->news, &b->mutex);
    if (seen == b->nevents) {
      pthread_mutex_unlock(&b->mutex);
      work_once(b);
      pthread_mutex_lock(&b->mutex);
    }
    struct event e = b->events[seen++];
    count(b, &e);
    struct ckjit_progress progress = b->progress;
    pthread_mutex_unlock(&b->mutex);
    call_back(b, &e, &progress);
    pthread_mutex_lock(&b->mutex);
    if (e.kind == CKJIT_EVENT_DONE)
      b->items[e.index].ended = true;
  }
  pthread_mutex_unlock(&b->mutex);
  for (unsigned i = 0; i < b->nworkers; i++)
    pthread_join(b->workers[i], NULL);
  pthread_mutex_lock(&b->mutex);
  b->progress.seconds = now() - b->started;
  b->ended = true;
  pthread_cond_broadcast(&b->over);
  pthread_mutex_unlock(&b->mutex);
  return NULL;
}

/* ---- start ---- */

static void batch_free(ckjit_batch *b) {
  for (size_t i = 0; b->items && i < b->n; i++) {
    free(b->items[i].error);
    ckjit_handle_release(b->items[i].handle);
  }
  pthread_mutex_destroy(&b->mutex);
  pthread_cond_destroy(&b->news);
  pthread_cond_destroy(&b->over);
  free((char *)b->options.compiler_flags);
  free((char *)b->options.archs);
  free(b->workers);
  free(b->items);
  free(b->events);
  ckjit_close(b->library);
  free(b);
}

static int jobs(unsigned *n, char **error) {
  const char *bad;
  *n = ckjit_jobs_set(&bad);
  if (bad)
    return fail(error, CKJIT_E_INVALID, "CK_JIT_JOBS: expected a number from 1 to %d, found '%s'",
                CKJIT_JOBS_MOST, bad);
  *n = *n ? *n : ckjit_processors();
  return CKJIT_OK;
}

static bool copy_text(const char **to, const char *text) {
  *to = text ? strdup(text) : NULL;
  return *to || !text;
}

/* Make a batch whose workers are not started yet. */
static int batch_new(ckjit_batch **batch, ckjit_library *l, const uint32_t *kernels, size_t n,
                     const struct ckjit_options *given, ckjit_callback callback, void *user,
                     char **error) {
  struct ckjit_options options;
  if (!l || (!kernels && n > l->api.kernels))
    return fail(error, CKJIT_E_INVALID, "expected a library, and its kernels: %zu were asked for",
                n);
  int status = options_read(&options, given, error);
  for (size_t i = 0; kernels && i < n && !status; i++)
    status = kernel_check(l, kernels[i], error);
  if (!status && !options.parallel)
    status = jobs(&options.parallel, error);
  if (status)
    return status;
  ckjit_batch *b = calloc(1, sizeof *b);
  if (!b)
    return fail(error, CKJIT_E_MEMORY, "%s: out of memory", l->path);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&b->mutex, NULL);
  pthread_cond_init(&b->news, NULL);
  pthread_cond_init(&b->over, &monotonic);
  pthread_condattr_destroy(&monotonic);
  library_retain(l);
  b->library = l;
  b->callback = callback;
  b->user = user;
  b->process = getpid();
  b->n = n;
  b->progress = (struct ckjit_progress){.size = sizeof b->progress, .total = n};
  if (options.parallel > n)
    options.parallel = (unsigned)n;
  b->items = calloc(n + 1, sizeof *b->items);
  b->events = calloc(2 * n + 1, sizeof *b->events);
  b->workers = calloc(options.parallel + 1u, sizeof *b->workers);
  b->options = options;
  bool copied = copy_text(&b->options.compiler_flags, options.compiler_flags);
  copied &= copy_text(&b->options.archs, options.archs);
  if (!copied || !b->items || !b->events || !b->workers) {
    batch_free(b);
    return fail(error, CKJIT_E_MEMORY, "%s: out of memory", l->path);
  }
  for (size_t i = 0; i < n; i++)
    b->items[i].kernel = kernels ? kernels[i] : (uint32_t)i;
  b->started = now();
  *batch = b;
  return CKJIT_OK;
}

/* ---- end ---- */

/* The result of a batch that has ended. */
static int result(const ckjit_batch *b, char **error) {
  const struct ckjit_progress *p = &b->progress;
  size_t failed = p->failed;
  for (size_t i = 0; i < b->n && failed; i++) {
    const struct item *item = &b->items[i];
    if (item->status != CKJIT_OK && item->status != CKJIT_E_CANCELLED)
      return failed == 1 && b->n == 1
                 ? fail(error, item->status, "%s", item->error ? item->error : "out of memory")
                 : fail(error, CKJIT_E_FAILED, "%zu of %zu kernels failed; the first of them: %s",
                        failed, b->n, item->error ? item->error : "out of memory");
  }
  return p->cancelled ? fail(error, CKJIT_E_CANCELLED,
                             "cancelled: %zu of %zu kernels had not begun", p->cancelled, b->n)
                      : CKJIT_OK;
}

static int progress_check(const struct ckjit_progress *progress, char **error) {
  return !progress || progress->size == sizeof *progress
             ? CKJIT_OK
             : fail(error, CKJIT_E_INVALID,
                    "the size in ckjit_progress is %zu: expected sizeof, %zu", progress->size,
                    sizeof *progress);
}

int ckjit_compile_many(ckjit_library *l, const uint32_t *kernels, size_t n,
                       const struct ckjit_options *options, ckjit_callback callback, void *user,
                       struct ckjit_progress *progress, char **error) {
  ckjit_batch *b;
  int status = progress_check(progress, error);
  if (!status)
    status = batch_new(&b, l, kernels, n, options, callback, user, error);
  if (status)
    return status;
  coordinate(b);
  status = result(b, error);
  if (progress)
    *progress = b->progress;
  batch_free(b);
  return status;
}

int ckjit_batch_start(ckjit_library *l, const uint32_t *kernels, size_t n,
                      const struct ckjit_options *options, ckjit_callback callback, void *user,
                      ckjit_batch **batch, char **error) {
  ckjit_batch *b;
  if (!batch)
    return fail(error, CKJIT_E_INVALID, "ckjit_batch_start: expected where to put the batch");
  int status = batch_new(&b, l, kernels, n, options, callback, user, error);
  if (status)
    return status;
  pthread_mutex_lock(&b->mutex); /* the coordinator may look up its own thread */
  int e = start_thread(&b->coordinator, coordinate, b);
  b->has_thread = !e;
  pthread_mutex_unlock(&b->mutex);
  if (e) {
    batch_free(b);
    return fail(error, CKJIT_E_MEMORY, "%s: no thread can be started: %s", l->path, strerror(e));
  }
  *batch = b;
  return CKJIT_OK;
}

/* ---- waiting ---- */

/* Whether the caller may wait for B: not in B's callback, which would wait for itself. */
static bool may_wait(ckjit_batch *b) {
  pthread_mutex_lock(&b->mutex);
  bool itself = b->has_thread && pthread_equal(pthread_self(), b->coordinator);
  pthread_mutex_unlock(&b->mutex);
  return !itself;
}

int ckjit_batch_poll(ckjit_batch *b, struct ckjit_progress *progress) {
  if (!b || progress_check(progress, NULL) || b->process != getpid())
    return CKJIT_E_INVALID;
  pthread_mutex_lock(&b->mutex);
  if (progress) {
    *progress = b->progress;
    if (!b->ended)
      progress->seconds = now() - b->started;
  }
  bool ended = b->ended;
  pthread_mutex_unlock(&b->mutex);
  return ended ? CKJIT_OK : CKJIT_E_BUSY;
}

int ckjit_batch_wait(ckjit_batch *b, double seconds, struct ckjit_progress *progress,
                     char **error) {
  if (!b || progress_check(progress, error))
    return b ? CKJIT_E_INVALID : fail(error, CKJIT_E_INVALID, "ckjit_batch_wait: expected a batch");
  if (b->process != getpid())
    return fail(
        error, CKJIT_E_INVALID,
        "ckjit_batch_wait: process %ld started the batch, and this is its fork; call it there",
        (long)b->process);
  if (!may_wait(b))
    return fail(error, CKJIT_E_INVALID, "ckjit_batch_wait: called by the batch's own callback");
  bool forever = !(seconds >= 0 && seconds < 1e9);
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  long long nanoseconds = until.tv_nsec + (forever ? 0 : (long long)(seconds * 1e9));
  until.tv_sec += nanoseconds / 1000000000;
  until.tv_nsec = nanoseconds % 1000000000;
  pthread_mutex_lock(&b->mutex);
  int e = 0;
  while (!b->ended && !e)
    e = forever ? pthread_cond_wait(&b->over, &b->mutex)
                : pthread_cond_timedwait(&b->over, &b->mutex, &until);
  bool ended = b->ended;
  size_t done = b->progress.done;
  if (progress)
    *progress = b->progress;
  pthread_mutex_unlock(&b->mutex);
  return ended ? result(b, error)
               : fail(error, CKJIT_E_BUSY, "%zu of %zu kernels are done", done, b->n);
}

void ckjit_batch_cancel(ckjit_batch *b) {
  if (!b || b->process != getpid())
    return;
  pthread_mutex_lock(&b->mutex);
  b->cancelled = true;
  pthread_mutex_unlock(&b->mutex);
}

int ckjit_batch_result(ckjit_batch *b, size_t index, ckjit_handle **handle, char **error) {
  if (handle)
    *handle = NULL;
  if (!b || index >= b->n || b->process != getpid())
    return fail(error, CKJIT_E_INVALID,
                "ckjit_batch_result: expected a batch of this process and one of its kernels");
  const struct item *item = &b->items[index];
  pthread_mutex_lock(&b->mutex);
  bool ended = item->ended;
  pthread_mutex_unlock(&b->mutex);
  if (!ended)
    return fail(error, CKJIT_E_BUSY, "it has not ended yet");
  if (item->status == CKJIT_E_CANCELLED)
    return fail(error, item->status, "cancelled before it began");
  if (item->status)
    return fail(error, item->status, "%s", item->error ? item->error : "out of memory");
  if (handle && item->handle)
    *handle = ckjit_handle_retain(item->handle);
  return CKJIT_OK;
}

void ckjit_batch_free(ckjit_batch *b) {
  if (!b || b->process != getpid())
    return; /* a forked child has lost the work of its parent's threads */
  ckjit_batch_cancel(b);
  if (!may_wait(b))
    return;
  pthread_join(b->coordinator, NULL);
  batch_free(b);
}
