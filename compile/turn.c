/* turn.c - lets one of all processes that want one key compile.
 *
 * The process that has the turn holds <cache>/.locks/<build id> (core/cache/lock.h). If it dies,
 * another process has the lock at once. If it is stopped (SIGSTOP, a suspended container), the
 * others go on without it when their patience is over, and it does not know that. Its directory
 * stays as long as it lives (core/cache/owned.c), so when it goes on, it compiles as if nothing had
 * happened, and renames its result to a name that already has the same code. If it failed, the stop
 * may be the cause: a time limit that ran on, a compiler that another process ended. So it does not
 * report that failure: it takes its turn again, and finds the entry, or the others' failure, or
 * compiles.
 *
 * A failure must reach every process that waited for it. If each of sixteen processes compiled in
 * turn what takes three minutes and cannot succeed, the last would get its answer after an hour. So
 * a holder that fails leaves its message in <build id>.failed, with a unique stamp in the first
 * line. A process that gets the lock and finds a different stamp from the one before it asked for
 * the lock has waited for that very failure. A process that comes later finds the stamp that it saw
 * before, and compiles. Stamps are only compared for equality, never ordered.
 *
 * The stamp also records to whom the failure belongs (failure.h). Two checkouts with the same text
 * share a key: if one is edited while it is compiled, the other one can be compiled as before, and
 * a process that waits there does that.
 */
#include "turn.h"
#include "child.h"
#include "failure.h"
#include "inputs.h"
#include "place.h"
#include "tell.h"
#include "trace.h"
#include "variant.h"
#include "wait.h"
#include "compile/hostonly/alone.h"
#include "core/base/path.h"
#include "core/cache/fresh.h"
#include "core/cache/lock.h"
#include "core/base/memofile.h"

#include <time.h>
#include <unistd.h>

bool entry_is_there(const struct compile_task *t) {
  return place_has(t) || hostonly_is_there(t);
}

/* ---- failures ---- */

/* The text of the failure file, a memo, "" if there is none; free() it. */
static char *read_failure(const char *path) {
  char *text = memofile_read(path, path_base(path));
  if (!text && fresh_file(path)) /* of another machine */
    text = memofile_read(path, path_base(path));
  return text ? text : xstrdup("");
}

static bool same_stamp(const char *a, const char *b) {
  size_t n = strcspn(a, "\n");
  return n == strcspn(b, "\n") && memcmp(a, b, n) == 0;
}

/* the third word of the stamp of a failure that all waiting processes get */
#define OF_KEY "key"

static bool is_of(const char *text, const char *whose) {
  size_t line = strcspn(text, "\n"), n = strlen(whose);
  return line > n && text[line - n - 1] == ' ' && memcmp(text + line - n, whose, n) == 0;
}

/* Is the failure in TEXT one that a compile of T would have as well? */
static bool is_ours_too(const struct compile_task *t, const char *text) {
  char origin[DIGEST_HEX];
  failure_origin(origin, t);
  return is_of(text, OF_KEY) || is_of(text, origin);
}

static void write_failure(const struct compile_task *t, const char *path, const char *why) {
  struct timespec now;
  char origin[DIGEST_HEX];
  clock_gettime(CLOCK_REALTIME, &now);
  failure_origin(origin, t);
  autofree char *text = xasprintf("%ld %lld.%09ld %s\n%s", (long)getpid(), (long long)now.tv_sec, now.tv_nsec,
                                  failure_is_of_key() ? OF_KEY : origin, why);
  memofile_write(path, path_base(path), text); /* if it fails, those who wait compile themselves */
}

/* ---- waiting ---- */

/* what a process waits for */
struct awaited {
  const struct turn *turn;
  const char *before; /* the text of the failure file when it began */
};

/* Another machine has ended its compile: is its entry there, or its failure? */
static bool is_over(const void *data) {
  const struct awaited *a = data;
  autofree char *after = entry_is_there(a->turn->t) ? NULL : read_failure(a->turn->failed);
  return !after || !same_stamp(a->before, after);
}

/* The lock of T's key: *HELD: another process has it, and we do not wait. Else as wait_for_lock.
 * BEFORE is the failure file's text. */
static bool lock_key(struct turn *turn, const struct compile_task *t, const char *before, bool *waited,
                     bool *held, char **err) {
  *held = false;
  const struct awaited awaited = {turn, before};
  if (!t->call.unless_busy)
    return wait_for_lock(&turn->fd, turn->path,
                         &(struct lock_wait){.patience = t->patience, .over = is_over, .data = &awaited},
                         waited, err);
  const struct lock_wait how = {.patience = t->patience, .at_once = true};
  enum lock_state state = lock_take(&turn->fd, turn->path, &how, waited, err);
  *held = state == LOCK_HELD;
  return state != LOCK_FAILED;
}

static bool open_locks(struct turn *turn, const struct compile_task *t, char **err) {
  autofree char *locks = path_join(t->dir, CKJIT_LOCKS);
  bool done = cachedir_open(locks, err);
  turn->path = path_join(locks, t->hex);
  turn->failed = xasprintf("%s.failed", turn->path);
  return done;
}

static void leave(struct turn *turn) {
  lock_release(turn->fd, turn->path);
  free(turn->path);
  free(turn->failed);
  *turn = (struct turn){.fd = -1};
}

/* Whose turn it is once we have waited, BEFORE and AFTER being the failure file's texts. */
static enum whose decide(const struct compile_task *t, const char *before, const char *after, char **err) {
  if (entry_is_there(t))
    return TURN_READY;
  if (!*after || same_stamp(before, after) || !is_ours_too(t, after))
    return TURN_OURS;
  failure_note(is_of(after, OF_KEY));
  *err = xstrdup(after + strcspn(after, "\n") + (strchr(after, '\n') != NULL));
  return TURN_FAILED;
}

/* Who has waited for a compile that an edit hit compiles, unless the edit was later than its own
 * look at the files: then it would compile for minutes what cannot be kept. */
static bool is_still_ours(const struct compile_task *t, char **err) {
  autofree char *changed = compile_inputs_changed(t);
  return !changed || task_fail(t, err, "%s changed while another process compiled it", changed);
}

enum whose turn_take(struct turn *turn, struct compile_task *t, char **err) {
  *turn = (struct turn){.fd = -1, .t = t};
  if (!cachedir_open(t->dir, err))
    return TURN_FAILED;
  if (entry_is_there(t))
    return TURN_READY;
  enum whose whose = TURN_FAILED;
  if (open_locks(turn, t, err)) {
    bool waited, held;
    autofree char *before = read_failure(turn->failed);
    tell_waits(t, turn->path);
    if (!lock_key(turn, t, before, &waited, &held, err)) {
      whose = TURN_FAILED;
    } else if (held) {
      whose = TURN_OTHERS;
    } else {
      autofree char *after = read_failure(turn->failed);
      if (waited)
        variant_identify(t);
      whose = decide(t, before, after, err);
      if (waited && whose == TURN_OURS && !is_still_ours(t, err))
        whose = TURN_FAILED;
    }
    tell_waits(t, NULL);
  }
  if (whose == TURN_OURS)
    tell_ours(t);
  else
    leave(turn);
  return whose;
}

/* ---- its end ---- */

struct end {
  const struct turn *turn;
  const char *why;
};

static void tell(void *data) {
  const struct end *end = data;
  if (end->why)
    write_failure(end->turn->t, end->turn->failed, end->why);
  else
    unlink(end->turn->failed);
}

bool turn_end(struct turn *turn, char **why) {
  struct end end = {turn, why ? *why : NULL};
  autofree char *changed = why ? compile_inputs_changed(turn->t) : NULL;
  if (changed) {
    /* half an edit may be what the compiler refused; who waits finds the whole one, or the old text
     * again */
    end.why = NULL;
    failure_note(false); /* of the blob, too, if it is its fragment */
  }
  bool told = lock_protect(turn->fd, turn->path, tell, &end);
  bool again = why && !told && !lock_is_current(turn->fd, turn->path);
  leave(turn);
  if (again) {
    free(*why);
    *why = NULL;
  }
  return again;
}
