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
  bool expanded; /* the preprocessor wrote the text */
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

/* ---- what forward.c and forwardneeds.c share ---- */

/* The blob cannot be forwarded, because of REASON, which is taken over. */
static inline void forward_cannot(struct blob_reader *r, char *reason) {
  blob_settle(r->b, BLOB_AHEAD, reason);
}

/* Does the unit give IT a name with the blob's number in it? */
static inline bool forward_renames(const struct cxx_item *it) {
  return it->kind == ITEM_ALIAS || it->kind == ITEM_CONSTANT;
}

static inline const struct cxx_tok *tok(const struct cxx_text *t, uint32_t i) {
  return &t->toks[i];
}

static inline bool same_word(const struct cxx_text *a, uint32_t i, const struct cxx_text *b, uint32_t k) {
  return tok(a, i)->len == tok(b, k)->len &&
         memcmp(a->text + tok(a, i)->at, b->text + tok(b, k)->at, tok(a, i)->len) == 0;
}

/* Does word I of T, which is the file or a macro's body, name item K? A qualified name does only if
 * the qualifier is the item's namespace, or may be: `ck_tile::sequence` is not the blob's own
 * `sequence`. */
bool forward_names_item(const struct blob_reader *r, const struct cxx_text *t, uint32_t i, size_t k);

#endif
