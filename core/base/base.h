/* base.h - what every program of ckjit stands on: memory that does not fail, growing text, messages.
 *
 * How a function of core/ fails. One that can fail returns false, or NULL if it returns a pointer. If it has
 * a parameter ERR, *ERR says why: a text that names the object, what was expected and what to do, to be
 * free()d. Without that parameter errno says why. *ERR is set on failure only; a function that takes a NULL
 * for ERR says so. Only memory that is gone, and bugs of ckjit's own, end the program.
 *
 * Thread safety: a struct buf belongs to one thread at a time; everything else may be called from any thread.
 * Nothing here is linked into a user's library; that part is runtime/ and is libc only.
 */
#ifndef CKJIT_BASE_H
#define CKJIT_BASE_H

#include "message.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CKJIT_VERSION "0.1.0"

/* Exit statuses of every program; docs/exit-status.md is the table for users. */
enum {
  EXIT_OK = 0,
  EXIT_FAILED = 1, /* the input or the environment is bad, or a compiler failed */
  EXIT_USAGE = 2,  /* the command line is wrong */
};

/* malloc and friends that end the program when memory is gone; free() what they return */
void *xmalloc(size_t bytes);
void *xcalloc(size_t count, size_t bytes);
void *xrealloc(void *p, size_t bytes);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t bytes);
/* a formatted string; free() it */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap);

/* Growing bytes. Start with {0}; data is NUL-terminated after len once anything was added, NULL before. */
struct buf {
  char *data;
  size_t len, cap;
};

void buf_add(struct buf *b, const void *bytes, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* make room for N more bytes and return where they go; the caller adds to len what it wrote */
char *buf_room(struct buf *b, size_t n);
void buf_free(struct buf *b);

bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);

#endif
