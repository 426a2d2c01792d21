/* ck_jit_text.h - growing text for messages and command lines in somebody else's process.
 *
 * The runtime runs inside an inference job: running out of memory may neither end the process nor
 * leave half a message. A text that could not grow is marked lost and accepts nothing more. Callers
 * that need all of it call ckjit_whole().
 *
 * A text belongs to one thread.
 */
#ifndef CK_JIT_TEXT_H
#define CK_JIT_TEXT_H

#include "ck_jit_abi.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Start with {0}. data is NUL-terminated, NULL before the first addition; free with
 * ckjit_text_free. */
struct ckjit_text {
  char *data;
  size_t len, cap;
  bool lost;
};

CKJIT_LOCAL void ckjit_text_free(struct ckjit_text *t);
/* Make it "" and keep its memory. */
CKJIT_LOCAL void ckjit_text_clear(struct ckjit_text *t);
/* Room for N bytes and a NUL after the text. The caller fills it and adds to len. NULL: the text is
 * lost. */
CKJIT_LOCAL char *ckjit_text_room(struct ckjit_text *t, size_t n);

CKJIT_LOCAL void ckjit_add_bytes(struct ckjit_text *t, const char *s, size_t n);
CKJIT_LOCAL void ckjit_add(struct ckjit_text *t, const char *s);
CKJIT_LOCAL void ckjit_addf(struct ckjit_text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
CKJIT_LOCAL void ckjit_vaddf(struct ckjit_text *t, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
/* Add S as one word for a shell, so that a command in a message can be pasted. */
CKJIT_LOCAL void ckjit_add_quoted(struct ckjit_text *t, const char *s);

/* The text, "" if nothing was added; NULL if a part of it was lost. */
CKJIT_LOCAL const char *ckjit_whole(const struct ckjit_text *t);
/* WHY, the reason of a failure; an empty or lost one means lack of memory. */
CKJIT_LOCAL const char *ckjit_reason(const struct ckjit_text *why);

#endif
