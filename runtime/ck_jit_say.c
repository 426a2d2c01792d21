/* ck_jit_say.c - prints the runtime's messages on standard error. */
#include "ck_jit_say.h"
#include "ck_jit_file.h"
#include "ck_jit_lock.h"
#include "ck_jit_settings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CKJIT_LAST_WORDS = 1000 }; /* ms that an error waits for a full standard error */

/* On a terminal with colours, unless NO_COLOR is set and not empty (no-color.org). */
static bool ckjit_in_colour(void) {
  const char *term = ckjit_env("TERM");
  return term && strcmp(term, "dumb") != 0 && !ckjit_env("NO_COLOR") && isatty(STDERR_FILENO);
}

static struct iovec ckjit_part(const char *text, size_t n) {
  return (struct iovec){(char *)text, n};
}

/* ---- logger ---- */

/* A thread that is in the logger; on its stack. */
struct ckjit_logging {
  struct ckjit_logging *next;
  pthread_t thread;
  unsigned generation; /* of the logger */
};

/* Guarded by the mutex. */
static ckjit_api_logger *ckjit_logger; /* also atomic: without a logger nothing is locked */
static void *ckjit_logger_user;
static unsigned ckjit_logger_generation; /* counts the loggers that were set */
static struct ckjit_logging *ckjit_logging;
static uint32_t ckjit_logged; /* counts threads that have left one; futex */

void ckjit_loggers_forget(void) {
  ckjit_logging = NULL;
}

/* Whether a thread, or this one, is in a logger of another generation than NEW. The mutex is
 * held. */
static bool ckjit_is_in_logger(bool this_one, unsigned new) {
  bool is = false;
  for (const struct ckjit_logging *l = ckjit_logging; l; l = l->next)
    is |= l->generation != new && (!this_one || pthread_equal(l->thread, pthread_self()));
  return is;
}

bool ckjit_set_logger_(ckjit_api_logger *logger, void *user) {
  ckjit_lock();
  unsigned generation = ckjit_logger_generation + 1;
  bool inside = ckjit_is_in_logger(true, generation);
  if (!inside) {
    ckjit_logger_generation = generation;
    ckjit_logger_user = user;
    __atomic_store_n(&ckjit_logger, logger, __ATOMIC_RELEASE);
    while (ckjit_is_in_logger(false, generation))
      ckjit_wait(&ckjit_logged, ckjit_logged);
  }
  ckjit_unlock();
  return !inside;
}

/* Give TEXT to the logger; false: there is none. The mutex is not held while it runs, so it may
 * call anything. */
static bool ckjit_log(enum ckjit_severity severity, const char *text) {
  if (!__atomic_load_n(&ckjit_logger, __ATOMIC_ACQUIRE))
    return false;
  struct ckjit_logging us = {.thread = pthread_self()};
  ckjit_prepare_fork();
  ckjit_lock();
  ckjit_api_logger *logger = ckjit_logger;
  void *user = ckjit_logger_user;
  if (logger) {
    us.generation = ckjit_logger_generation;
    us.next = ckjit_logging;
    ckjit_logging = &us;
  }
  ckjit_unlock();
  if (!logger)
    return false;
  logger((int)severity, text, user);
  ckjit_lock();
  struct ckjit_logging **at = &ckjit_logging;
  while (*at && *at != &us)
    at = &(*at)->next;
  if (*at) /* absent in the child of a fork by the logger */
    *at = us.next;
  ckjit_logged++;
  ckjit_wake(&ckjit_logged);
  ckjit_unlock();
  return true;
}

/* ---- standard error ---- */

/* The form is that of ckjit's programs (core/base/message.c) and of clang: the first of several
 * lines is bold. */
void ckjit_say(enum ckjit_severity severity, const char *text, size_t n) {
  if (ckjit_log(severity, text) && severity != CKJIT_ERROR)
    return;
  const char *word = "", *bold = "", *plain = "";
  bool colour = severity != CKJIT_PROGRESS && ckjit_in_colour();
  if (severity == CKJIT_NOTE)
    word = colour ? "\033[0;1;36mnote: \033[0m" : "note: ";
  else if (severity == CKJIT_WARNING)
    word = colour ? "\033[0;1;35mwarning: \033[0m" : "warning: ";
  else if (severity == CKJIT_ERROR)
    word = colour ? "\033[0;1;31merror: \033[0m" : "error: ";
  if (colour && severity != CKJIT_NOTE) { /* clang's notes are not bold */
    bold = "\033[1m";
    plain = "\033[0m";
  }
  const char *newline = memchr(text, '\n', n);
  size_t first = newline ? (size_t)(newline - text) : n;
  struct iovec parts[] = {ckjit_part("ckjit: ", 7),
                          ckjit_part(word, strlen(word)),
                          ckjit_part(bold, strlen(bold)),
                          ckjit_part(text, first),
                          ckjit_part(plain, strlen(plain)),
                          ckjit_part(text + first, n - first),
                          ckjit_part("\n", 1)};
  /* After an error the process ends: waiting a moment for a reader is worth it. */
  ckjit_write_host(STDERR_FILENO, parts, sizeof parts / sizeof *parts,
                   severity == CKJIT_ERROR ? CKJIT_LAST_WORDS : 0);
}

void ckjit_warn_once(int *said, const char *fmt, ...) {
  struct ckjit_text line = {0};
  va_list ap;
  if (__atomic_exchange_n(said, 1, __ATOMIC_RELAXED))
    return;
  va_start(ap, fmt);
  ckjit_vaddf(&line, fmt, ap);
  va_end(ap);
  if (ckjit_whole(&line))
    ckjit_say(CKJIT_WARNING, line.data, line.len);
  ckjit_text_free(&line);
}
