/* ck_jit_span.c - CK_JIT_TRACE in the runtime. */
#include "ck_jit_span.h"
#include "ck_jit_entry.h"
#include "ck_jit_say.h"
#include "ck_jit_spawn.h"
#include "ck_jit_trace.h"

#include <sys/wait.h>

uint64_t ckjit_span_start(void) {
  return ckjit_trace_start();
}

/* Name this process and this thread in the trace, once; a thread perhaps more often. */
static void ckjit_span_names(const char *file) {
  static long process, threads[64];
  char name[17] = "";
  struct ckjit_event e;
  long pid = getpid(), thread = ckjit_trace_thread();
  if (__atomic_exchange_n(&process, pid, __ATOMIC_RELAXED) != pid) {
    ckjit_event_name(&e, "process_name", thread, program_invocation_short_name);
    ckjit_trace_append(file, &e);
  }
  if (__atomic_exchange_n(&threads[thread % 64], thread, __ATOMIC_RELAXED) != thread) {
    prctl(PR_GET_NAME, name);
    ckjit_event_name(&e, "thread_name", thread, name);
    ckjit_trace_append(file, &e);
  }
}

/* Not inlined, because of its stack. */
__attribute__((noinline)) void ckjit_span_end(const struct ckjit_wanted *w, const char *what,
                                              uint64_t start, const char *key, const char *detail) {
  static int said;
  const char *file = start ? ckjit_trace_file() : NULL;
  if (!file)
    return;
  char hex[CKJIT_BUILD_ID_HEX_SIZE];
  ckjit_build_id_hex(hex, w->id);
  const struct ckjit_trace_arg args[] = {{"stem", w->stem, w->stem_len},
                                         {"build_id", hex, strlen(hex)},
                                         {"archs", w->archs, strlen(w->archs)},
                                         {"library", w->library.data, w->library.len},
                                         {key, detail, detail ? strlen(detail) : 0}};
  bool whole = strcmp(what, "first call") == 0;
  struct ckjit_event e;
  ckjit_span_names(file);
  ckjit_event_span(&e, what, whole ? w->stem : what, whole ? w->stem_len : strlen(what),
                   ckjit_trace_thread(), start, ckjit_microseconds(), args,
                   sizeof args / sizeof *args);
  int error = ckjit_trace_append(file, &e);
  if (!error && strcmp(what, "compile") == 0) {
    ckjit_event_arrow(&e, "s", ckjit_trace_thread(), start, hex, getpid());
    ckjit_trace_append(file, &e);
  }
  if (error)
    ckjit_warn_once(&said, "CK_JIT_TRACE=%s: cannot write it: %s; events are missing", file,
                    ckjit_trace_why(error));
}

void ckjit_span_end_compile(const struct ckjit_wanted *w, uint64_t start, int error, int status) {
  char text[64];
  if (error)
    snprintf(text, sizeof text, "cannot be run: errno %d", error);
  else if (status == CKJIT_STATUS_UNKNOWN)
    snprintf(text, sizeof text, "not known");
  else if (WIFSIGNALED(status))
    snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
  else
    snprintf(text, sizeof text, "%d", WEXITSTATUS(status));
  ckjit_span_end(w, "compile", start, "status", text);
}
