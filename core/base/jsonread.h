/* jsonread.h - reads a JSON file member by member, strictly, with errors that a user can act on.
 *
 * jsontext.h reports errors of syntax; this module reports which member of which file has the wrong
 * type. The first error is kept and every later call does nothing, so a reader is a plain list of
 * its members with one check at the end. Members that a reader does not ask for are ignored: the
 * format number guards against other formats.
 *
 *     struct json_reader r = {.file = file, .hint = "run `ckjit full` again"};
 *     struct json_members top = {0};
 *     json_reader_open(&r, &top);
 *     out->name = json_reader_string(&r, &top, "", "name");
 *     json_reader_close(&r, &top);
 *     if (r.err) …
 *
 * A manifest has ten thousands of small objects, and `ckjit ready` has to answer at once. So there
 * is no tree: members are places in the text. Thread safety: a reader belongs to one thread.
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
  char *own; /* the text that was read */
};

/* The members of an object, or the elements of an array, whose keys are NULL. Start with {0};
 * free() the list. It lives as long as the text. */
struct json_members {
  struct json_member {
    const char *key; /* LEN bytes between the quotes, as in the text */
    size_t len;
    const char *value; /* its first character */
  } * list;
  size_t n;
};

/* jansson's message for an error, as one line: it quotes the text near it, with newlines. Valid as
 * long as E. */
const char *json_error_words(json_error_t *e);
/* TEXT as a value to print, null for NULL. Each byte beyond ASCII is `\xNN` in a text that is not
 * UTF-8, which jansson refuses. What is read back has json_put_string instead (jsontext.h). */
json_t *json_printable(const char *text);
/* The file's top-level object; none on error. A key that occurs twice is an error. */
void json_reader_open(struct json_reader *r, struct json_members *top);
/* In any case. */
void json_reader_close(struct json_reader *r, struct json_members *top);
/* Record an error about the member at WHERE ("blobs.x", "" for the file); the first one is kept. */
void json_reader_fail(struct json_reader *r, const char *where, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* What VALUE consists of, an object or, if LIST, an array at WHERE, in place of what M held. The
 * caller looks for keys that occur twice in an object of many, where TWICE. */
void json_reader_members(struct json_reader *r, const char *value, const char *where, bool list,
                         bool twice, struct json_members *m);
/* The key of a member as text; free() it. */
char *json_reader_key(struct json_reader *r, const struct json_member *m);
/* Is there a member KEY? Its value; NULL: no. */
const char *json_member(const struct json_members *obj, const char *key);

/* Member KEY of OBJ, which is at WHERE; NULL (0 for a number) on error. */
/* free() it */
char *json_reader_string(struct json_reader *r, const struct json_members *obj, const char *where,
                         const char *key);
/* Append an array of strings to OUT. */
void json_reader_strings(struct json_reader *r, const struct json_members *obj, const char *where,
                         const char *key, struct argv *out);
/* A whole number, at least 0. */
long long json_reader_number(struct json_reader *r, const struct json_members *obj,
                             const char *where, const char *key);
/* A member that may be missing, which is false. */
bool json_reader_flag(struct json_reader *r, const struct json_members *obj, const char *where,
                      const char *key);
/* An object, or if LIST an array, into M. */
void json_reader_inner(struct json_reader *r, const struct json_members *obj, const char *where,
                       const char *key, bool list, bool twice, struct json_members *m);

#endif
