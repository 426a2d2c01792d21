/* ck_jit_trace.h - CK_JIT_TRACE: spans of time, in a file that Perfetto and Chrome show.
 *
 * The file is a JSON array of events, one a line, whose end may be missing by its specification
 * ("Trace Event Format", JSON Array Format). So any number of processes and threads append to it.
 * Each event is one write of at most CKJIT_EVENT_MAX bytes to a descriptor with O_APPEND: lines are
 * whole however a process ends. The first line begins with '[' and each other one with ',', so a
 * ']' after the last makes it JSON.
 *
 * An event is written when its span has ended, with the time of its start; so a process that is
 * killed omits its unfinished spans. The file is opened anew for each event: a host that closes all
 * descriptors, or counts them, must not meet ckjit's. An event that cannot be written is omitted,
 * and no call of a kernel fails because of it. Events belong to the cold path: with the variable
 * unset each costs one look at the environment.
 *
 * Used by the runtime, and by core/base/trace.c for the programs. libc only; any thread may call
 * every function.
 */
#ifndef CK_JIT_TRACE_H
#define CK_JIT_TRACE_H

#include "ck_jit_clock.h"
#include "ck_jit_file.h"
#include "ck_jit_utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
  /* bytes of a line: one page, which no file system splits */
  CKJIT_EVENT_MAX = 4096,
  CKJIT_EVENT_TEXT = 640, /* bytes of one text in it, escaped */
  /* milliseconds that another process may take for the first line */
  CKJIT_TRACE_TRIES = 100,
  /* From here on a "pid" stands for all calls of a name (wrapper/trace.c), not for a process. */
  CKJIT_TRACE_CALLS = 1 << 30,
};

/* a line that is being composed */
struct ckjit_event {
  size_t len;
  bool args;
  char line[CKJIT_EVENT_MAX];
};

/* a member of an event's "args" */
struct ckjit_trace_arg {
  /* text: not terminated; NULL: nothing */
  const char *key, *text;
  size_t n;
};

/* The file; NULL if none is wanted. */
static inline const char *ckjit_trace_file(void) {
  const char *file = secure_getenv("CK_JIT_TRACE");
  return file && *file ? file : NULL;
}

/* now, or 0 if there is no trace */
static inline uint64_t ckjit_trace_start(void) {
  return ckjit_trace_file() ? ckjit_microseconds() : 0;
}

static inline long ckjit_trace_thread(void) {
  return syscall(SYS_gettid);
}

/* ---- an event ---- */

static inline void ckjit_event_bytes(struct ckjit_event *e, const char *s, size_t n) {
  if (n > sizeof e->line - e->len)
    return;
  memcpy(e->line + e->len, s, n);
  e->len += n;
}

static inline void ckjit_event_puts(struct ckjit_event *e, const char *s) {
  ckjit_event_bytes(e, s, strlen(s));
}

static inline void ckjit_event_number(struct ckjit_event *e, const char *key, uint64_t n) {
  char text[64];
  snprintf(text, sizeof text, ",\"%s\":%llu", key, (unsigned long long)n);
  ckjit_event_puts(e, text);
}

/* Add TEXT as a JSON string, with "…" for text that does not fit and U+FFFD for bytes that are not
 * a character. */
static inline void ckjit_event_text(struct ckjit_event *e, const char *text, size_t n) {
  size_t most = e->len + CKJIT_EVENT_TEXT;
  ckjit_event_puts(e, "\"");
  for (size_t i = 0; i < n;) {
    size_t bytes = ckjit_utf8(text + i, n - i);
    unsigned char c = (unsigned char)text[i];
    char escape[8];
    if (e->len + 16 > most) {
      ckjit_event_puts(e, "\xe2\x80\xa6");
      break;
    }
    if (bytes == 1 && (c < 0x20 || c == '"' || c == '\\' || c == 0x7f)) {
      snprintf(escape, sizeof escape, "\\u%04x", c);
      ckjit_event_puts(e, escape);
    } else if (bytes) {
      ckjit_event_bytes(e, text + i, bytes);
    } else {
      ckjit_event_puts(e, "\\ufffd");
    }
    i += bytes ? bytes : 1;
  }
  ckjit_event_puts(e, "\"");
}

static inline void ckjit_event_string(struct ckjit_event *e, const char *key, const char *text,
                                      size_t n) {
  ckjit_event_puts(e, ",\"");
  ckjit_event_puts(e, key);
  ckjit_event_puts(e, "\":");
  ckjit_event_text(e, text, n);
}

/* Begin an event of PHASE, one letter, on track TRACK of PROCESS at TIME. */
static inline void ckjit_event_begin_of(struct ckjit_event *e, const char *phase,
                                        const char *category, const char *name, size_t n,
                                        long process, long track, uint64_t time) {
  e->len = 0;
  e->args = false;
  ckjit_event_puts(e, ",{\"ph\":\"");
  ckjit_event_puts(e, phase);
  ckjit_event_puts(e, "\"");
  ckjit_event_string(e, "name", name, n);
  ckjit_event_string(e, "cat", category, strlen(category));
  ckjit_event_number(e, "pid", (uint64_t)process);
  ckjit_event_number(e, "tid", (uint64_t)track);
  if (*phase != 'M')
    ckjit_event_number(e, "ts", time);
}

/* The same for this process. */
static inline void ckjit_event_begin(struct ckjit_event *e, const char *phase, const char *category,
                                     const char *name, size_t n, long track, uint64_t time) {
  ckjit_event_begin_of(e, phase, category, name, n, getpid(), track, time);
}

/* Add one member to its "args", if there is room. */
static inline void ckjit_event_arg(struct ckjit_event *e, const struct ckjit_trace_arg *arg) {
  if (!arg->text || sizeof e->line - e->len < 2 * CKJIT_EVENT_TEXT)
    return;
  ckjit_event_puts(e, e->args ? "," : ",\"args\":{");
  e->args = true;
  ckjit_event_text(e, arg->key, strlen(arg->key));
  ckjit_event_puts(e, ":");
  ckjit_event_text(e, arg->text, arg->n);
}

static inline void ckjit_event_end(struct ckjit_event *e) {
  ckjit_event_puts(e, e->args ? "}}\n" : "}\n");
}

/* ---- the file ---- */

/* Add the time, host and command at which the trace began: its times count from the machine's
 * start. */
static inline void ckjit_event_origin(struct ckjit_event *e) {
  char date[32], command[CKJIT_EVENT_TEXT];
  struct utsname host;
  /* Seconds: converting them to a date takes a lock, which the child of a fork may never get. */
  snprintf(date, sizeof date, "%lld", (long long)time(NULL));
  int fd = ckjit_open_kernel("/proc/self/cmdline");
  ssize_t n = fd >= 0 ? read(fd, command, sizeof command) : 0;
  if (fd >= 0)
    close(fd);
  while (n > 0 && !command[n - 1])
    n--;
  for (ssize_t i = 0; i < n; i++)
    if (!command[i])
      command[i] = ' ';
  if (uname(&host))
    host.nodename[0] = '\0';
  const struct ckjit_trace_arg args[] = {{"seconds", date, strlen(date)},
                                         {"host", host.nodename, strlen(host.nodename)},
                                         {"command", command, n > 0 ? (size_t)n : 0}};
  for (size_t i = 0; i < sizeof args / sizeof *args; i++)
    if (args[i].n)
      ckjit_event_arg(e, &args[i]);
}

/* Lock the file. 0 or an errno. Nobody waits long: a process that was stopped with the lock costs
 * the others their events. */
static inline int ckjit_trace_lock(int fd) {
  int error = EWOULDBLOCK;
  for (int i = 0; i < CKJIT_TRACE_TRIES && (error == EWOULDBLOCK || error == EINTR); i++) {
    if (i)
      nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    error = flock(fd, LOCK_EX | LOCK_NB) ? errno : 0;
  }
  return error;
}

/* Write the first line of an empty file, under its lock. */
static inline int ckjit_trace_begin(int fd) {
  int error = ckjit_trace_lock(fd);
  struct stat st;
  if (fstat(fd, &st))
    return errno;
  if (st.st_size || error == EWOULDBLOCK || error == EINTR) {
    flock(fd, LOCK_UN);
    return st.st_size ? 0 : error;
  }
  /* The file is locked, or on a file system without locks, where two processes that come first at
   * once would both write it. */
  struct ckjit_event e;
  ckjit_event_begin(&e, "i", "trace", "trace", strlen("trace"), ckjit_trace_thread(),
                    ckjit_microseconds());
  ckjit_event_puts(&e, ",\"s\":\"p\"");
  ckjit_event_origin(&e);
  ckjit_event_end(&e);
  e.line[0] = '[';
  error = ckjit_append_file(fd, 0, e.line, e.len);
  flock(fd, LOCK_UN);
  return error;
}

/* Append E, which is complete, to FILE. 0 or an errno, EINVAL if it is not a regular file. */
static inline int ckjit_trace_append(const char *file, const struct ckjit_event *e) {
  struct stat st;
  int fd = ckjit_open_named(file, O_WRONLY | O_APPEND | O_CREAT, 0666, UINT64_MAX, &st);
  if (fd < 0)
    return errno;
  int error = st.st_size ? 0 : ckjit_trace_begin(fd);
  if (!error)
    error = ckjit_append_file(fd, st.st_size, e->line, e->len);
  close(fd);
  return error;
}

static inline const char *ckjit_trace_why(int error) {
  return ckjit_open_failed(error);
}

/* ---- names and spans ---- */

/* An event "M": KIND is process_name or thread_name. */
static inline void ckjit_event_name_of(struct ckjit_event *e, const char *kind, long process,
                                       long track, const char *name) {
  ckjit_event_begin_of(e, "M", "__metadata", kind, strlen(kind), process, track, 0);
  const struct ckjit_trace_arg arg = {"name", name, strlen(name)};
  ckjit_event_arg(e, &arg);
  ckjit_event_end(e);
}

static inline void ckjit_event_name(struct ckjit_event *e, const char *kind, long track,
                                    const char *name) {
  ckjit_event_name_of(e, kind, getpid(), track, name);
}

/* A span on TRACK of PROCESS from START to END. */
static inline void ckjit_event_span_of(struct ckjit_event *e, const char *category,
                                       const char *name, size_t name_len, long process, long track,
                                       uint64_t start, uint64_t end,
                                       const struct ckjit_trace_arg *args, size_t nargs) {
  ckjit_event_begin_of(e, "X", category, name, name_len, process, track, start);
  ckjit_event_number(e, "dur", end > start ? end - start : 0);
  for (size_t i = 0; i < nargs; i++)
    ckjit_event_arg(e, &args[i]);
  ckjit_event_end(e);
}

static inline void ckjit_event_span(struct ckjit_event *e, const char *category, const char *name,
                                    size_t name_len, long track, uint64_t start, uint64_t end,
                                    const struct ckjit_trace_arg *args, size_t nargs) {
  ckjit_event_span_of(e, category, name, name_len, getpid(), track, start, end, args, nargs);
}

/* One end of the arrow from the span that starts a compile to ckjit-compile's own: PHASE is "s" or
 * "f". Both sides know the build id and the process that starts it. */
static inline void ckjit_event_arrow(struct ckjit_event *e, const char *phase, long track,
                                     uint64_t time, const char *hex, long starter) {
  char id[128];
  snprintf(id, sizeof id, "%s.%ld", hex, starter);
  ckjit_event_begin(e, phase, "compile", "compile", strlen("compile"), track, time);
  if (*phase == 'f')
    ckjit_event_puts(e, ",\"bp\":\"e\"");
  ckjit_event_string(e, "id", id, strlen(id));
  ckjit_event_end(e);
}

#endif
