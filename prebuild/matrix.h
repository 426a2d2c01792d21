/* matrix.h - a matrix of kernel variants: a JSON document, and the product that it stands for.
 *
 *     {"_data": [{"type": "float", "abbrev": "f"},
 *                {"type": "__half", "abbrev": "h", "veclen": ["4", "8"]}],
 *      "capacity": ["1", "2"]}
 *
 * Objects multiply and lists add. An object combines each combination of a member with those of all
 * other members; a list offers its elements one after the other; a value is one combination of one
 * variable. The variable of a value is the nearest key above it, through any number of lists. A key
 * above an object only groups and is in no combination. So the example has (1 + 2) * 2
 * combinations: type, abbrev and capacity for float, and veclen as well for __half. The first
 * member varies slowest, as in nested loops in document order.
 *
 * {} is one combination without variables: a kernel without variants.
 *
 * The rules are those of RAPIDS cuVS
 * (https://docs.nvidia.com/cuvs/developer-guide/link-time-optimization, "How JSON Cross-Product
 * Works"), but stricter in one point: a variable that a combination would get twice is an error;
 * there the later value wins. And the order is the document's, not alphabetical.
 *
 * The product is counted but never expanded: each combination is made from its number. Thread
 * safety: reading a struct matrix does not change it; a struct combination belongs to one thread.
 */
#ifndef CKJIT_MATRIX_H
#define CKJIT_MATRIX_H

#include "core/base/intern.h"

#include <jansson.h>

/* More than any family of kernels has. A larger number means that the user has multiplied instead
 * of added. */
#define MATRIX_MAX 1000000

/* The characters that CMake accepts in a variable name between two @. */
#define MATRIX_NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_.+-"

/* The value of a variable in one combination. */
struct matrix_value {
  /* as it is substituted: the string, 12, ON, OFF, empty for null */
  const char *text;
  char *json; /* as written in the document */
};

struct matrix_node;

struct matrix {
  char *file;   /* its name in messages */
  size_t count; /* combinations, 1 to MATRIX_MAX */
  /* about names and values, each without the file's name */
  struct argv warnings;
  /* in the order of their first appearance, which numbers them */
  struct intern variables;
  struct matrix_value **values; /* all of the document */
  size_t nvalues;
  struct matrix_node *nodes; /* the document; the first is its top */
  size_t nnodes;
  json_t *json; /* owns the keys and strings */
};

/* A combination; start with combination_new. */
struct combination {
  size_t number; /* from 0 */
  /* by variable number; NULL if this combination lacks the variable. Borrowed. */
  const struct matrix_value **values;
  /* numbers of its variables, in document order */
  size_t *order;
  size_t n;
};

/* Read FILE, "-" for standard input. On failure NULL, with *ERR set to a message that names the
 * file and, as a JSON pointer, the place; free() it. Errors: not JSON, a key given twice, a key
 * that cannot name a variable, a value without a key, a variable with two sources in one
 * combination, no combination, too many. */
struct matrix *matrix_read(const char *file, char **err);
/* The same from N bytes at TEXT; FILE is only for messages. */
struct matrix *matrix_parse(const char *file, const char *text, size_t n, char **err);
void matrix_free(struct matrix *m);

struct combination *combination_new(const struct matrix *m);
/* Set C to combination NUMBER of M, below m->count. */
void combination_set(struct combination *c, const struct matrix *m, size_t number);
void combination_free(struct combination *c);
/* Append C as a JSON object on one line, without a newline. */
void combination_json(struct buf *out, const struct combination *c, const struct matrix *m);

#endif
