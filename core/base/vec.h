/* vec.h - growing arrays: a pointer and a count, without a field for the capacity.
 *
 *     struct step *steps = NULL;
 *     size_t n = 0;
 *     vec_push(steps, n, (struct step){.kind = COMPILE});
 *     struct step *s = vec_add(steps, n); // zeroed; does not move until the array grows again
 *     free(steps);
 *
 * The capacity follows from the count: an array of N elements has room for the next power of two,
 * and for VEC_FIRST at least. So it moves only when N reaches a power of two, and appending N
 * elements copies fewer than 2 N of them. TinyCC's dynarray_add and FFmpeg's av_dynarray_add do the
 * same. A struct with three lists then has three counts, not six, and there is one way to grow an
 * array.
 *
 * The catch: an array of n elements from xcalloc(n) has no room to spare. An array that these
 * macros grow must have been grown only by them. Removing elements from the end is fine.
 *
 * N may have any unsigned type; N and LIST are evaluated more than once. Thread safety: as for any
 * array.
 */
#ifndef CKJIT_VEC_H
#define CKJIT_VEC_H

#include "base.h"

#include <string.h>

enum { VEC_FIRST = 8 };

/* Make room for MORE elements after the N of LIST. */
#define vec_reserve(list, n, more) ((list) = vec_grown((list), (n), (more), sizeof *(list)))

/* Append VALUE, an expression that must not change the array itself. */
#define vec_push(list, n, ...)                                                                     \
  do {                                                                                             \
    vec_reserve(list, n, 1);                                                                       \
    (list)[n] = (__VA_ARGS__);                                                                     \
    (n)++;                                                                                         \
  } while (0)

/* Append a zeroed element; returns its address. */
#define vec_add(list, n)                                                                           \
  ({                                                                                               \
    vec_reserve(list, n, 1);                                                                       \
    memset((list) + (n), 0, sizeof *(list));                                                       \
    (list) + (n)++;                                                                                \
  })

/* The capacity of an array of N elements. */
static inline size_t vec_capacity(size_t n) {
  size_t cap = n ? VEC_FIRST : 0;
  while (cap < n)
    cap *= 2;
  return cap;
}

/* Used by the macros. */
static inline void *vec_grown(void *list, size_t n, size_t more, size_t size) {
  bool full = more != 1 || n < VEC_FIRST ? vec_capacity(n) < n + more : (n & (n - 1)) == 0;
  return full ? xrealloc(list, vec_capacity(n + more) * size) : list;
}

#endif
