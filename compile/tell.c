/* tell.c - see tell.h. abi/ck_jit_protocol.h has the form of a line. */
#include "tell.h"
#include "abi/ck_jit_clock.h"
#include "core/base/env.h"
#include "core/cache/holder.h"
#include "core/cache/times.h"

#include <unistd.h>

static struct {
  const struct compile_task *task;
  const char *lock;
  /* of what we compile, for which we wait; NULL: for all of it */
  char *part;
  struct holder told; /* of LOCK; pid 0: none */
  double looked;
  bool announced; /* that it is being compiled */
} watched;

/* what we compile, for which somebody waits who wants to be told; NULL: nothing */
static struct {
  const struct compile_task *task;
  double since;
} ours;

/* Append how long the last compile of T took: in its cache, else in the read-only one. */
static void add_last(struct buf *line, const struct compile_task *t) {
  const char *elsewhere = env_get("CK_JIT_CACHE_READONLY_DIR");
  uint64_t ms = 0;
  bool here = times_last(t->dir, t->stem, &ms);
  if (!here && elsewhere && times_last(elsewhere, t->stem, &ms))
    buf_printf(line, "%.1f CPU-seconds in the read-only cache", (double)ms / 1e3);
  else
    times_say(line, here, ms);
}

/* WHO has compiled T for SECONDS (negative: unknown). One write, so that no other output gets into
 * the line. */
static void tell(const struct compile_task *t, double seconds, const char *who) {
  autofree_buf line = {0};
  buf_printf(&line, CKJIT_COMPILES "%lld\t%s\t", seconds < 0 ? -1LL : (long long)(seconds * 1e3), who);
  if (t->cache)
    add_last(&line, t);
  buf_puts(&line, "\n");
  if (t->asked_per_kernel && !watched.announced)
    buf_puts(&line, CKJIT_LAUNCHES);
  watched.announced = true;
  if (write(STDOUT_FILENO, line.data, line.len) < 0)
    watched.looked = 0; /* The process that watched us is gone. */
}

/* We compile; meanwhile HOLDER makes a PART that we wait for, if it is not NULL. */
static void tell_us(const char *part, const char *holder) {
  const struct holder us = {.pid = getpid(), .here = true};
  autofree_buf who = {0};
  holder_add(&who, "ckjit-compile", &us);
  if (part)
    buf_printf(&who, ", which waits for %s, made by %s", part, holder);
  tell(ours.task, ckjit_seconds() - ours.since, who.data);
}

void tell_ours(const struct compile_task *t) {
  if (!t->call.progress)
    return;
  ours.task = t;
  ours.since = ckjit_seconds();
  tell_us(NULL, NULL);
}

static void watch(const struct compile_task *t, const char *lock, char *part) {
  free(watched.part);
  watched.task = t;
  watched.lock = lock;
  watched.part = part;
  watched.told.pid = 0;
  watched.looked = 0;
}

void tell_waits(const struct compile_task *t, const char *lock) {
  if (t->fragment)
    tell_waits_for(lock, t->device_only ? "the fragment " : "the entry ", t->stem);
  else
    watch(t, t->call.progress ? lock : NULL, NULL);
}

void tell_waits_for(const char *lock, const char *what, const char *name) {
  bool told = watched.part && watched.told.pid;
  if (!ours.task)
    return;
  watch(ours.task, lock, lock ? xasprintf("%s%s", what, name) : NULL);
  if (!lock && told) /* it is made: we go on */
    tell_us(NULL, NULL);
}

/* The holder of the lock is NOW. */
static void tell_holder(const struct holder *now) {
  autofree_buf who = {0};
  holder_add(&who, "ckjit-compile", now);
  if (now->job_pid) {
    buf_puts(&who, " for ");
    holder_add_job(&who, now);
  }
  if (watched.part)
    tell_us(watched.part, who.data);
  else
    tell(watched.task, holder_seconds(now, watched.task->dir), who.data);
}

void tell_look(void) {
  struct holder now;
  double time = ckjit_seconds();
  if (!watched.lock || time - watched.looked < 1)
    return;
  watched.looked = time;
  if (!holder_read(&now, watched.lock) || memcmp(&now, &watched.told, sizeof now) == 0)
    return;
  watched.told = now;
  tell_holder(&now);
}
