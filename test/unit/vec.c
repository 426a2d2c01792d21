/* vec.c - arrays that grow: what was added is there, also behind each move, and behind elements taken off again.
 * The sanitizers see a write behind the array. */
// tier: check
#include "core/base/vec.h"

#include <stdio.h>
#include <stdlib.h>

static int bad;

static void check(bool ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "vec: %s\n", what);
    bad = 1;
  }
}

struct pair {
  uint32_t a;
  char b;
};

static bool counts_up(const struct pair *list, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (list[i].a != i || list[i].b != 'b')
      return false;
  return true;
}

int main(void) {
  struct pair *list = NULL;
  size_t n = 0, moves = 0;
  for (uint32_t i = 0; i < 5000; i++) {
    struct pair *before = list;
    size_t cap = vec_capacity(n);
    vec_push(list, n, (struct pair){i, 'b'});
    moves += list != before;
    check(n == i + 1 && vec_capacity(n) >= n && vec_capacity(n) >= cap, "one more each time");
  }
  check(counts_up(list, n) && moves <= 11, "5000 elements, moved with each power of two");
  for (; n > 3; n--)
    ;
  for (uint32_t i = 3; i < 40; i++)
    vec_push(list, n, (struct pair){i, 'b'});
  check(counts_up(list, 40), "taken off and added again");
  free(list);

  uint8_t *bytes = NULL, few = 0; /* a count of another type */
  for (unsigned i = 0; i < 200; i++)
    *vec_add(bytes, few) = (uint8_t)i;
  check(few == 200 && bytes[199] == 199, "an address for each");
  free(bytes);

  struct pair *many = NULL;
  n = 0;
  check(vec_add(many, n)->b == 0 && n == 1, "a new element is zero");
  vec_reserve(many, n, 100);
  for (uint32_t i = 1; i <= 100; i++)
    many[i] = (struct pair){i, 'b'};
  n += 100;
  vec_push(many, n, many[100]);
  check(n == 102 && many[101].a == 100 && many[100].a == 100, "room for many at once, and one more");
  free(many);
  return bad;
}
