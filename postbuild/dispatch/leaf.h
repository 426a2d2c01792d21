/* leaf.h - the body of a branch, with what is particular to it taken out: the template arguments of
 * the functions that it calls.
 *
 *     using trait_ = fmha_fwd_traits_<32, FmhaFwdFp16, …>;
 *     return fmha_fwd_<trait_>(s, a);                          is     return ckjit_p0_0(s, a);
 *
 * with fmha_fwd_ and its arguments in hole 0. Branches whose text is then the same share it as
 * their shape (table.h).
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_LEAF_H
#define CKJIT_DISPATCH_LEAF_H

#include "helper.h"

/* A call in the body. The pointers that it needs are the local variables ckjit_p<hole>_<use>, and
 * for the conditions of its helper ckjit_c<hole>_<condition>. */
struct leaf_hole {
  /* or NULL: a function of blobs, named */
  const struct helper *helper;
  char *function; /* as written, with its qualifiers */
  /* its template arguments, aliases resolved */
  struct argv args;
};

struct leaf {
  char *shape;
  /* it must not share its text with others */
  bool alone;
  struct leaf_hole *holes;
  size_t n;
};

/* Read BODY; leaf_free it either way. False if it cannot stand in a table at all. */
bool leaf_read(struct leaf *l, const struct cxx_scan *s, struct range body, const struct functions *f,
               const struct helpers *hs);
void leaf_free(struct leaf *l);

#endif
