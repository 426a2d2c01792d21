#include "trace.h"
#include "env.h"
#include "abi/ck_jit_trace.h"

static bool said;

bool trace_wanted(void) {
  return !said && env_get("CK_JIT_TRACE");
}

uint64_t trace_now(void) {
  return ckjit_microseconds();
}

static void append(const struct ckjit_event *e) {
  int error = ckjit_trace_append(env_get("CK_JIT_TRACE"), e);
  if (error)
    warn("CK_JIT_TRACE=%s: cannot write it: %s; events are missing", env_get("CK_JIT_TRACE"),
         ckjit_trace_why(error));
  said |= error != 0;
}

static long number(unsigned track) {
  /* no thread of another process has these numbers */
  return track ? 100l * getpid() + track : getpid();
}

void trace_process(const char *name) {
  struct ckjit_event e;
  if (!trace_wanted())
    return;
  ckjit_event_name(&e, "process_name", number(0), name);
  append(&e);
  trace_track(0, name);
}

void trace_track(unsigned track, const char *name) {
  struct ckjit_event e;
  if (!trace_wanted())
    return;
  ckjit_event_name(&e, "thread_name", number(track), name);
  append(&e);
}

void trace_span(const char *category, const char *name, unsigned track, uint64_t start,
                uint64_t end, ...) {
  enum { ARGS = 8 };
  struct ckjit_trace_arg args[ARGS];
  struct ckjit_event e;
  size_t n = 0;
  if (!trace_wanted())
    return;
  va_list ap;
  va_start(ap, end);
  for (const char *key; n < ARGS && (key = va_arg(ap, const char *)); n++) {
    const char *text = va_arg(ap, const char *);
    args[n] = (struct ckjit_trace_arg){key, text, text ? strlen(text) : 0};
  }
  va_end(ap);
  ckjit_event_span(&e, category, name, strlen(name), number(track), start, end, args, n);
  append(&e);
}

static void arrow(const char *phase, unsigned track, uint64_t time, const char *hex, long starter) {
  struct ckjit_event e;
  if (!trace_wanted())
    return;
  ckjit_event_arrow(&e, phase, number(track), time, hex, starter);
  append(&e);
}

void trace_starts(unsigned track, uint64_t start, const char *hex) {
  arrow("s", track, start, hex, getpid());
}

void trace_started(uint64_t start, const char *hex, long starter) {
  arrow("f", 0, start, hex, starter);
}
