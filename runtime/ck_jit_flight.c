/* ck_jit_flight.c - flights: one compile of a blob, or of a kernel, at a time. */
#include "ck_jit_flight.h"
#include "ck_jit_clock.h"
#include "ck_jit_compile.h"
#include "ck_jit_count.h"
#include "ck_jit_lock.h"
#include "ck_jit_lookup.h"
#include "ck_jit_settings.h"
#include "ck_jit_span.h"

#include <errno.h>
#include <stdlib.h>

/* a compile for the call of a function, which may launch nothing */
enum { CKJIT_FLIGHT_OF_CALL = 1 };

struct ckjit_flight {
  struct ckjit_flight *next;
  uint32_t blob;
  /* Hash of the kernel's name; 0: the blob itself; CKJIT_FLIGHT_OF_CALL: for a call of a HIP
   * blob. */
  uint64_t kernel;
  /* threads that have not read the result yet */
  unsigned aboard;
  uint32_t landed; /* 1: it has landed; futex */
  bool done;
  /* it has landed and is still in the list, which counts as one aboard */
  bool kept;
  int file; /* -1: none */
  /* the build id under which it was stored */
  uint8_t id[CKJIT_BUILD_ID_SIZE];
  pthread_t pilot;
  /* the message if the entry is missing */
  struct ckjit_text missing;
};

static struct ckjit_flight *ckjit_flights; /* guarded by the mutex, with all flights in it */

void ckjit_flights_forget(void) {
  ckjit_flights = NULL;
}

bool ckjit_is_flying(uint32_t blob) {
  ckjit_lock();
  const struct ckjit_flight *f = ckjit_flights;
  while (f && f->blob != blob)
    f = f->next;
  ckjit_unlock();
  return f;
}

/* The list begins with the newest flight. A call has at most one flight, which its own thread
 * pilots. */
bool ckjit_is_oldest(const struct ckjit_wanted *w, unsigned *others) {
  bool found = false, older = false;
  *others = 0;
  ckjit_lock();
  for (const struct ckjit_flight *f = ckjit_flights; f; f = f->next) {
    if (f->landed)
      continue;
    if (f->blob == w->blob && pthread_equal(f->pilot, pthread_self())) {
      found = true;
    } else {
      older |= found;
      ++*others;
    }
  }
  ckjit_unlock();
  return !older;
}

/* The flight of BLOB, or of its KERNEL; *NEW: there was none. NULL: no memory. The mutex is
 * held. */
static struct ckjit_flight *ckjit_board(uint32_t blob, uint64_t kernel, bool *new) {
  struct ckjit_flight *f = ckjit_flights;
  while (f && (f->blob != blob || f->kernel != kernel))
    f = f->next;
  *new = !f;
  if (!f) {
    f = calloc(1, sizeof *f);
    if (!f)
      return NULL;
    f->blob = blob;
    f->kernel = kernel;
    f->file = -1;
    f->pilot = pthread_self();
    f->next = ckjit_flights;
    ckjit_flights = f;
  }
  f->aboard++;
  return f;
}

static void ckjit_unlist(const struct ckjit_flight *f) {
  struct ckjit_flight **at = &ckjit_flights;
  while (*at && *at != f)
    at = &(*at)->next;
  if (*at) /* absent in the child of a fork */
    *at = f->next;
}

/* The flight has its result. The mutex is held. */
static void ckjit_land(struct ckjit_flight *f) {
  f->kept = f->done && f->file >= 0 && !ckjit_memory_off();
  if (f->kept)
    f->aboard++;
  else
    ckjit_unlist(f);
  f->landed = 1;
  ckjit_wake(&f->landed);
}

static void ckjit_disembark(struct ckjit_flight *f) {
  if (--f->aboard)
    return;
  ckjit_text_free(&f->missing);
  if (f->file >= 0)
    close(f->file);
  free(f);
}

void ckjit_arrive(uint32_t blob) {
  ckjit_lock();
  struct ckjit_flight *f = ckjit_flights;
  while (f && !(f->blob == blob && f->kept))
    f = f->next;
  if (f) {
    ckjit_unlist(f);
    f->kept = false;
    ckjit_disembark(f);
  }
  ckjit_unlock();
}

/* Copy the flight's result to W and MISSING, and leave it. The mutex is held. */
static bool ckjit_leave(struct ckjit_flight *f, struct ckjit_wanted *w,
                        struct ckjit_text *missing) {
  bool done = f->done;
  memcpy(w->id, f->id, sizeof w->id);
  if (f->missing.len)
    ckjit_add(missing, f->missing.data);
  w->unlinked |= f->file >= 0; /* the variable may have been set after W was computed */
  if (done && f->file >= 0 && (w->file = fcntl(f->file, F_DUPFD_CLOEXEC, 3)) < 0) {
    ckjit_addf(missing, "its unlinked file cannot be opened: %s", strerror(errno));
    done = false;
  }
  ckjit_disembark(f);
  return done;
}

/* As ckjit_compile, by the pilot, and counted. Another process may have stored the entry since this
 * one looked. */
static bool ckjit_pilot(struct ckjit_wanted *w, struct ckjit_text *missing) {
  uint64_t start = ckjit_microseconds();
  bool there = ckjit_has_entry(w), others = false,
       done = there || ckjit_compile(w, missing, &others);
  ckjit_count_call(w,
                   there    ? CKJIT_STAT_HIT
                   : !done  ? CKJIT_STAT_FAILED
                   : others ? CKJIT_STAT_WAITED
                            : CKJIT_STAT_COMPILED,
                   ckjit_microseconds() - start);
  return done;
}

/* Whether this thread is a pilot already: it is in a signal handler that interrupted its compile,
 * or in the program's logger. The mutex is held. */
static bool ckjit_is_pilot(void) {
  const struct ckjit_flight *f = ckjit_flights;
  while (f && (f->landed || !pthread_equal(f->pilot, pthread_self())))
    f = f->next;
  return f;
}

bool ckjit_fly(struct ckjit_wanted *w, struct ckjit_text *missing) {
  bool pilot = false;
  ckjit_lock();
  if (ckjit_is_pilot()) {
    /* Its own flight lands only after this call has returned, and another pilot's flight that is
     * held up in the same way might wait for this one. Processes do not wait for threads:
     * ckjit-compile waits for the other ckjit-compile. */
    ckjit_unlock();
    return ckjit_pilot(w, missing);
  }
  /* A compile for the call of one function may not have the other functions. */
  struct ckjit_flight *f =
      ckjit_board(w->blob, w->function ? CKJIT_FLIGHT_OF_CALL : w->kernel_hash, &pilot);
  if (!f) {
    ckjit_unlock();
    ckjit_add(missing, "out of memory");
    return false;
  }
  if (pilot) {
    ckjit_unlock();
    f->done = ckjit_pilot(w, &f->missing); /* only this thread uses it until it lands */
    memcpy(f->id, w->id, sizeof f->id);
    f->file = w->file;
    w->file = -1;
    ckjit_lock();
    ckjit_land(f);
  }
  uint64_t traced = f->landed ? 0 : ckjit_span_start(), start = ckjit_microseconds();
  while (!f->landed)
    ckjit_wait(&f->landed, 0);
  bool done = ckjit_leave(f, w, missing);
  ckjit_unlock();
  ckjit_span_end(w, "wait", traced, "status", done ? "0" : "failed");
  if (!pilot)
    ckjit_count_call(w, done ? CKJIT_STAT_WAITED : CKJIT_STAT_FAILED, ckjit_microseconds() - start);
  return done;
}
