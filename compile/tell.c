/* tell.c - see tell.h. abi/ck_jit_protocol.h has the form of a line. */
#include "tell.h"
#include "abi/ck_jit_clock.h"
#include "core/cache/holder.h"
#include "core/cache/times.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
  const struct compile_task *task;
  const char *lock;
  struct holder told; /* of LOCK; pid 0: none */
  double looked;
} watched;

/* WHO has compiled T for SECONDS (negative: unknown). One write, so that no other output gets into the line. */
static void tell(const struct compile_task *t, double seconds, const char *who) {
  struct buf line = {0};
  uint64_t ms = 0;
  buf_printf(&line, CKJIT_COMPILES "%lld\t%s\t", seconds < 0 ? -1LL : (long long)(seconds * 1e3), who);
  if (t->cache)
    times_say(&line, times_last(t->dir, t->stem, &ms), ms);
  buf_puts(&line, "\n");
  if (write(STDOUT_FILENO, line.data, line.len) < 0)
    watched.looked = 0; /* whoever wanted to know is gone */
  buf_free(&line);
}

void tell_ours(const struct compile_task *t) {
  const struct holder us = {.pid = getpid(), .here = true};
  struct buf who = {0};
  if (!t->progress)
    return;
  holder_add(&who, &us);
  tell(t, 0, who.data);
  buf_free(&who);
}

void tell_waits(const struct compile_task *t, const char *lock) {
  watched.task = t;
  watched.lock = t->progress ? lock : NULL;
  watched.told.pid = 0;
  watched.looked = 0;
}

void tell_look(void) {
  struct holder now;
  struct buf who = {0};
  double time = ckjit_seconds();
  if (!watched.lock || time - watched.looked < 1)
    return;
  watched.looked = time;
  if (!holder_read(&now, watched.lock) || memcmp(&now, &watched.told, sizeof now) == 0)
    return;
  watched.told = now;
  holder_add(&who, &now);
  if (now.job_pid) {
    buf_puts(&who, " for ");
    holder_add_job(&who, &now);
  }
  tell(watched.task, holder_seconds(&now, watched.task->dir), who.data);
  buf_free(&who);
}
