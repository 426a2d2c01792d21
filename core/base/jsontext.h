/* jsontext.h - JSON, value by value, without a library and without a tree: for the wrapper, a
 * static program that starts thousands of times in one build, and for manifests of ten thousands of
 * rows.
 *
 * A text that was torn by a full disk, or written by another program, must not be half understood.
 * So the parser is strict, and keeps the first error; then all further calls fail. Text that is not
 * UTF-8 stands as lone surrogates U+DC80…U+DCFF (core/files/record.h). A struct belongs to one
 * thread.
 */
#ifndef CKJIT_JSONTEXT_H
#define CKJIT_JSONTEXT_H

#include "argv.h"

struct json_text {
  const char *start, *p, *end;
  char *why; /* the first error; the caller frees it */
};

/* Note that EXPECTED is not at IN->p; returns false. */
bool json_expected(struct json_text *in, const char *expected);
void json_skip_space(struct json_text *in);
/* Take the character C if it comes next, after space. */
bool json_take(struct json_text *in, char c);
/* The same; another one is an error. */
bool json_want(struct json_text *in, char c);
/* Take a string; free() it. NULL: there is none. */
char *json_take_string(struct json_text *in);
/* Append an array of strings to LIST. */
bool json_take_strings(struct json_text *in, struct argv *list);
/* Skip a number, true, false or null; not checked closely. */
bool json_skip_word(struct json_text *in);
/* Skip any value. */
bool json_skip(struct json_text *in);

/* Append TEXT as a string to OUT, so that json_take_string gives the same bytes. */
void json_put_string(struct buf *out, const char *text);
void json_put_strings(struct buf *out, const struct argv *list);

#endif
