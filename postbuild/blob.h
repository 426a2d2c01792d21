/* blob.h - one recorded blob, read for forwarding: what a forwarding unit must say so that the compiler gives
 * a stub the name of each function that the blob defines.
 *
 * For each explicit specialisation (or explicit instantiation) in the blob the unit says the same
 * specialisation again, with the aliases and constants that its signature needs. Those get a name of the
 * blob's own, so that thousands of blobs that all call their trait `trait_0` can stand in one unit:
 *
 *     using ckjit_b17_fmha_mask_0 = ck_tile::SimplifiedGenericAttentionMask<true>;
 *     using ckjit_b17_trait_0 = fmha_fwd_traits_<128, …, ckjit_b17_fmha_mask_0, …>;
 *     CKJIT_STUB(31) template<> CKJIT_IS(31) float fmha_fwd_<ckjit_b17_trait_0>(const ck_tile::stream_config&
 * s, fmha_fwd_args a);
 *
 * The text is kept with marks where the blob's and the stubs' numbers go: they are known when the unit is put
 * together.
 */
#ifndef CKJIT_BLOB_H
#define CKJIT_BLOB_H

#include "core/base/argv.h"
#include "core/files/record.h"

/* Marks in forwarding text: MARK_BLOB stands for the blob's number, MARK_STUB + one byte k + 1 for the number
 * of its k-th stub. */
enum { MARK_BLOB = 1, MARK_STUB = 2 };

/* What a blob with -fgpu-rdc may be linked with: fragments.h. */
struct combination {
  char *stem;
  bool *uses; /* for each fragment of the link */
};

struct blob {
  struct record *record; /* borrowed */
  char *why_not;         /* why it cannot be forwarded: it is compiled ahead of time; NULL where it can */
  bool wanted;           /* it can be forwarded, but --aot-list asks for it: compiled ahead of time as well */
  struct buf preamble;   /* directives up to the last #include: headers, and macros that steer them */
  struct buf context;    /* using-directives and the like: they act on a whole unit */
  struct buf forward;    /* the text with marks */
  struct argv functions; /* last names of the function templates, one for each stub, in order of the text */
  struct argv signatures;   /* type of each, in one spelling; "" where the blob's own names are in it */
  struct argv arguments;    /* the words of its template arguments (core/cxx/fragment.h) */
  struct argv uses;         /* names in its function bodies that are followed by "<": templates it may use */
  unsigned char digest[32]; /* BLAKE2b of the source */
  bool includes_within;     /* an #include in a function's body: its headers are its own */
  bool rdc;                 /* compiled with -fgpu-rdc */
  /* set by fragments.c; none where it was not, or where the link has no fragments */
  struct combination *combinations;
  size_t ncombinations;
  unsigned *combination_of; /* each function's */
  /* set by units.c */
  unsigned group, unit, number;
  size_t first_function; /* in the unit */
};

/* Read RECORD's source and fill B. The source that is gone or unreadable is an error: the program ends and
 * names it. */
void blob_read(struct blob *b, struct record *record);
void blob_free(struct blob *b);

#endif
