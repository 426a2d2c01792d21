/* forward.h - the forwarding text of one blob (blob.h has an example), written while the blob is
 * read.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_FORWARD_H
#define CKJIT_FORWARD_H

#include "blob.h"

#include "core/cxx/cxxunit.h"

/* One blob while it is read. */
struct blob_reader {
  struct blob *b;
  struct cxx_unit unit;
  struct cxx_scan s; /* the unit's */
  /* For each item: the text of a #define after its #, as tokens; n is 0 for others. */
  struct cxx_text *macros;
  /* The index of the item after the last #include; 0: none. */
  size_t last_include;
  /* for each item: a signature needs it, or something that a signature needs */
  bool *needed;
};

/* is the item one of the functions that get a stub? */
static inline bool forward_is_function(const struct cxx_item *it) {
  return it->kind == ITEM_SPECIALISATION || it->kind == ITEM_INSTANTIATION || it->kind == ITEM_NAMESAKE;
}

/* Find out which of the blob's own names its signatures need (needed). If one of these cannot be
 * repeated in a unit, the blob cannot be forwarded. */
void forward_needs(struct blob_reader *r);
/* Write the blob's preamble: the directives up to the last #include. */
void forward_preamble(struct blob_reader *r);
/* Write preamble, context and forward of the blob, and its functions, signatures and arguments. */
void forward_write(struct blob_reader *r);

#endif
