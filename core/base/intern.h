/* intern.h - a set of strings that numbers them: each distinct one gets the next number, from 0.
 *
 * It is the one hash table of the programs: what has been looked up, what was included, which patterns are
 * done, the nodes of a diagram. Open addressing over the 64-bit FNV-1a hash of abi/ck_jit_abi.h. Strings stay
 * where they are as the set grows, so that callers may keep pointers to them.
 *
 * Thread safety: a struct intern belongs to one thread at a time.
 */
#ifndef CKJIT_INTERN_H
#define CKJIT_INTERN_H

#include "argv.h"

/* Start with {0}; texts.n is how many there are. */
struct intern {
  struct argv texts; /* by number, a NUL after each */
  size_t *lengths;
  uint32_t *buckets; /* number + 1, at the hash or after it; 0: free */
  size_t nbuckets;   /* a power of two, more than twice as many as texts */
};

/* the number of TEXT, which is copied if it is new */
size_t intern(struct intern *in, const char *text);
/* the same of N bytes, which may be any */
size_t intern_bytes(struct intern *in, const void *bytes, size_t n);
/* add TEXT; whether it is new */
bool intern_new(struct intern *in, const char *text);
/* the number of TEXT; SIZE_MAX if it has none */
size_t intern_find(const struct intern *in, const char *text);
void intern_free(struct intern *in);

#endif
