/* intern.h - a set of strings that numbers them: each distinct string gets the next number, from 0.
 *
 * It is the only hash table of the programs: for names, included files, handled patterns, nodes of
 * a diagram. Open addressing over the 64-bit FNV-1a hash of abi/ck_jit_abi.h. Strings do not move
 * when the set grows, so callers may keep pointers to them.
 *
 * Thread safety: a struct intern belongs to one thread at a time.
 */
#ifndef CKJIT_INTERN_H
#define CKJIT_INTERN_H

#include "argv.h"

/* Start with {0}; texts.n is the number of strings. */
struct intern {
  struct argv texts; /* by number, each NUL-terminated */
  size_t *lengths;
  /* number + 1, at the hash's slot or after it; 0: free */
  uint32_t *buckets;
  /* a power of two, more than twice the number of texts */
  size_t nbuckets;
};

/* The number of TEXT, which is added (copied) if it is new. */
size_t intern(struct intern *in, const char *text);
/* The same for N arbitrary bytes. */
size_t intern_bytes(struct intern *in, const void *bytes, size_t n);
/* Add TEXT; true if it is new. */
bool intern_new(struct intern *in, const char *text);
/* The number of TEXT; SIZE_MAX if it is not in the set. */
size_t intern_find(const struct intern *in, const char *text);
/* The same for N arbitrary bytes. */
size_t intern_find_bytes(const struct intern *in, const void *bytes, size_t n);
void intern_free(struct intern *in);
#define autofree_intern __attribute__((cleanup(intern_free))) struct intern

#endif
