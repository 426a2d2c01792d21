/* check.h - CHECK(CONDITION, FORMAT, …): if it does not hold, what the words say and the condition are printed, and the test goes on; `bad`, its exit
 * status, is 1 then. */
#ifndef CKJIT_TEST_CHECK_H
#define CKJIT_TEST_CHECK_H

#include <stdio.h>

static int bad;

#define CHECK(ok, ...)                                                                                       \
  do {                                                                                                       \
    if (!(ok)) {                                                                                             \
      fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                                        \
      fprintf(stderr, __VA_ARGS__);                                                                          \
      fprintf(stderr, ": not so: %s\n", #ok);                                                                \
      bad = 1;                                                                                               \
    }                                                                                                        \
  } while (0)

#endif
