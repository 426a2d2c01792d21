/* matrix.h - a matrix of kernel variants: a JSON document, and the product that it stands for.
 *
 *     {"_data": [{"type": "float", "abbrev": "f"},
 *                {"type": "__half", "abbrev": "h", "veclen": ["4", "8"]}],
 *      "capacity": ["1", "2"]}
 *
 * Objects multiply, lists add: an object combines each combination of a member with each of all others, a
 * list is one of its elements after the other, a value is one combination of one variable. The variable of a
 * value is the nearest key above it, through any number of lists; a key above an object only groups, and
 * stands in no combination. So the above is (1 + 2) * 2 combinations: type, abbrev, capacity for float, and
 * veclen as well for __half. The first member varies slowest, as nested loops in the document's order would.
 *
 * {} is one combination, of nothing: a kernel without variants.
 *
 * The rules are those of RAPIDS cuVS (https://docs.nvidia.com/cuvs/developer-guide/link-time-optimization,
 * "How JSON Cross-Product Works"). Stricter: a variable that a combination would get twice is an error, not
 * the later one's; and the order is the document's, not the alphabet's.
 *
 * A product is counted, never laid out: combinations are made one at a time, from their number.
 * Thread safety: a struct matrix is not changed by reading it; a struct combination belongs to one thread.
 */
#ifndef CKJIT_MATRIX_H
#define CKJIT_MATRIX_H

#include "core/base/intern.h"

#include <jansson.h>

/* More than any family of kernels has: who gets there has multiplied what was meant to be added. */
#define MATRIX_MAX 1000000

/* the characters between two @ that CMake takes for the name of a variable */
#define MATRIX_NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_.+-"

/* what a variable is in one combination */
struct matrix_value {
  const char *text; /* as it is substituted: a string's characters, 12, ON, OFF, nothing for null */
  char *json;       /* as it stands in the document */
};

struct matrix_node;

struct matrix {
  char *file;                   /* as errors name it */
  size_t count;                 /* combinations, 1 to MATRIX_MAX */
  struct argv warnings;         /* on names and values, each without the file's name */
  struct intern variables;      /* by number, as they first appear */
  struct matrix_value **values; /* of the document */
  size_t nvalues;
  struct matrix_node *nodes; /* the document; the first is its top */
  size_t nnodes;
  json_t *json; /* owns the keys and strings */
};

/* one combination; start with combination_new */
struct combination {
  size_t number;                      /* from 0 */
  const struct matrix_value **values; /* by number of the variable; NULL if it has none. Borrowed */
  size_t *order;                      /* numbers of the variables that it has, in the document's order */
  size_t n;
};

/* Read FILE, "-" for standard input. NULL with *ERR set to a message that names the file and the place as a
 * JSON pointer: no JSON, a key given twice, a key that cannot name a variable, a value without a key, a
 * variable from two places, no combination, too many; free() it. */
struct matrix *matrix_read(const char *file, char **err);
/* the same from N bytes at TEXT; FILE is only named */
struct matrix *matrix_parse(const char *file, const char *text, size_t n, char **err);
void matrix_free(struct matrix *m);

struct combination *combination_new(const struct matrix *m);
/* make C the combination NUMBER of M, below m->count */
void combination_set(struct combination *c, const struct matrix *m, size_t number);
void combination_free(struct combination *c);
/* append C as a JSON object in one line, without a newline */
void combination_json(struct buf *out, const struct combination *c, const struct matrix *m);

#endif
