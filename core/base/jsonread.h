/* jsonread.h - reading a JSON file member by member, strictly, with errors that a user can act on.
 *
 * jansson says what is wrong with the syntax; which member of which file has the wrong type is ours to say.
 * The first error is kept and every later call does nothing, so that a reader is a plain list of its members
 * and asks once, at the end. Members that a reader does not ask for are ignored: the format number guards
 * against other formats.
 *
 *     struct json_reader r = {.file = file, .hint = "run `ckjit-build full` again"};
 *     json_t *top = json_reader_open(&r);
 *     out->name = json_reader_string(&r, top, "", "name");
 *     json_decref(top);
 *     if (r.err) …
 */
#ifndef CKJIT_JSONREAD_H
#define CKJIT_JSONREAD_H

#include "argv.h"

#include <jansson.h>

struct json_reader {
  const char *file; /* named in each error */
  const char *hint; /* what the user should do about a bad file; may be NULL */
  char *err;        /* the first error; the caller frees it */
};

/* the file's top-level object, a reference of the caller's; NULL on error. A key given twice is an error. */
json_t *json_reader_open(struct json_reader *r);
/* note an error about the member at WHERE ("blobs.x", "" for the file); the first one wins */
void json_reader_fail(struct json_reader *r, const char *where, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Member KEY of OBJ, which lies at WHERE; NULL (0 for a number) on error. */
/* borrowed */
json_t *json_reader_object(struct json_reader *r, json_t *obj, const char *where, const char *key);
json_t *json_reader_array(struct json_reader *r, json_t *obj, const char *where, const char *key);
/* the caller's to free() */
char *json_reader_string(struct json_reader *r, json_t *obj, const char *where, const char *key);
/* append an array of strings to OUT */
void json_reader_strings(struct json_reader *r, json_t *obj, const char *where, const char *key,
                         struct argv *out);
/* a whole number of at least 0 */
long long json_reader_number(struct json_reader *r, json_t *obj, const char *where, const char *key);

#endif
