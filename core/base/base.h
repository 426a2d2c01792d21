/* base.h - the base of every program of ckjit: memory allocation that does not fail, growing text,
 * messages.
 *
 * How functions of core/ fail. One that can fail returns false, or NULL if it returns a pointer. If
 * it has a parameter ERR, *ERR is the reason: a text that names the object, the expected state and
 * the next step; free() it. Without that parameter, errno is the reason. *ERR is set on failure
 * only; a function that accepts a NULL ERR says so. Only running out of memory and bugs in ckjit
 * end the program.
 *
 * Thread safety: a struct buf belongs to one thread at a time; everything else may be called from
 * any thread. Nothing here is linked into a user's library; that part is runtime/ and uses libc
 * only.
 */
#ifndef CKJIT_BASE_H
#define CKJIT_BASE_H

#include "message.h"

/* Those of the C library that nearly every file uses. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CKJIT_VERSION "0.1.0"

/* Exit statuses of every program; docs/exit-status.md is the table for users. */
enum {
  EXIT_OK = 0,
  /* the input or the environment is bad, or a compiler failed */
  EXIT_FAILED = 1,
  EXIT_USAGE = 2, /* the command line is wrong */
};

/* malloc and friends, which end the program if memory runs out; free() their results. */
void *xmalloc(size_t bytes);
void *xcalloc(size_t count, size_t bytes);
void *xrealloc(void *p, size_t bytes);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t bytes);
/* A formatted string; free() it. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap);

/* Sets *ERR to a formatted string, and returns false. */
bool err_fail(char **err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A local variable that frees itself when its scope ends, on whichever way:
 *
 *     autofree char *dir = path_dir(file), *name = NULL;
 *     autofree_buf line = {0};
 *
 * It has a value from its declaration on. It is not returned, and what it holds is given to nobody;
 * a function that hands its result on uses a plain variable. autofree_argv is in argv.h,
 * autofree_intern in intern.h. */
#define autofree __attribute__((cleanup(autofree_pointer)))
void autofree_pointer(void *variable);

/* A growing byte buffer. Start with {0}; once something has been added, data has a NUL after len
 * bytes; before, it is NULL. */
struct buf {
  char *data;
  size_t len, cap;
};

void buf_add(struct buf *b, const void *bytes, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Make room for N more bytes and return where they go; the caller adds the number of bytes written
 * to len. */
char *buf_room(struct buf *b, size_t n);
void buf_free(struct buf *b);
#define autofree_buf __attribute__((cleanup(buf_free))) struct buf

/* A descriptor, or -1, that closes itself in the same way, and keeps errno:
 *
 *     autoclose fd = open(file, O_RDONLY | O_CLOEXEC);
 *
 * Not where the error of close(2) counts, or where something has to follow it, such as the removal
 * of the file's directory. autoclose_dir is in directory.h. */
void autoclose_descriptor(const int *fd);
#define autoclose __attribute__((cleanup(autoclose_descriptor))) int

bool str_starts(const char *s, const char *prefix);
/* Are A and B one text, or both NULL? */
bool str_same(const char *a, const char *b);
bool str_ends(const char *s, const char *suffix);

#endif
