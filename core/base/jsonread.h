/* jsonread.h - reads a JSON file member by member, strictly, with errors that a user can act on.
 *
 * jansson reports errors of syntax; this module reports which member of which file has the wrong
 * type. The first error is kept and every later call does nothing, so a reader is a plain list of
 * its members with one check at the end. Members that a reader does not ask for are ignored: the
 * format number guards against other formats.
 *
 *     struct json_reader r = {.file = file, .hint = "run `ckjit full` again"};
 *     json_t *top = json_reader_open(&r);
 *     out->name = json_reader_string(&r, top, "", "name");
 *     json_reader_close(&r);
 *     if (r.err) …
 *
 * A manifest has ten thousands of small objects, and `ckjit ready` has to answer at once. So
 * between open and close jansson takes its memory from one area, which close frees at once: one
 * reader is open at a time, and nothing else may make JSON meanwhile. Thread safety: main thread
 * only.
 */
#ifndef CKJIT_JSONREAD_H
#define CKJIT_JSONREAD_H

#include "argv.h"

#include <jansson.h>

struct json_reader {
  const char *file; /* named in every error */
  /* its LEN bytes, if the caller has read it; else NULL */
  const char *text;
  size_t len;
  /* advice about a bad file; may be NULL */
  const char *hint;
  char *err; /* the first error; the caller frees it */
};

/* jansson's message for an error, as one line: it quotes the text near it, with newlines. Valid as
 * long as E. */
const char *json_error_words(json_error_t *e);
/* The file's top-level object, which lives until json_reader_close(); NULL on error. A key that
 * occurs twice is an error. */
json_t *json_reader_open(struct json_reader *r);
/* In any case. */
void json_reader_close(struct json_reader *r);
/* Record an error about the member at WHERE ("blobs.x", "" for the file); the first one is kept. */
void json_reader_fail(struct json_reader *r, const char *where, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Member KEY of OBJ, which is at WHERE; NULL (0 for a number) on error. */
/* borrowed */
json_t *json_reader_object(struct json_reader *r, json_t *obj, const char *where, const char *key);
json_t *json_reader_array(struct json_reader *r, json_t *obj, const char *where, const char *key);
/* free() it */
char *json_reader_string(struct json_reader *r, json_t *obj, const char *where, const char *key);
/* Append an array of strings to OUT. */
void json_reader_strings(struct json_reader *r, json_t *obj, const char *where, const char *key,
                         struct argv *out);
/* A whole number, at least 0. */
long long json_reader_number(struct json_reader *r, json_t *obj, const char *where,
                             const char *key);
/* A member that may be missing, which is false. */
bool json_reader_flag(struct json_reader *r, json_t *obj, const char *where, const char *key);

#endif
