/* blob.h - one recorded blob, read for forwarding: what a forwarding unit must declare so that the compiler
 * says the name of each function that the blob defines.
 *
 * A unit declares each explicit specialisation (or explicit instantiation) of the blob again, with the
 * aliases and constants that its signature needs. These get a name with the blob's number in it, so that
 * thousands of blobs that all call their trait `trait_0` can stand in one unit:
 *
 *     using ckjit_b17_fmha_mask_0 = ck_tile::SimplifiedGenericAttentionMask<true>;
 *     using ckjit_b17_trait_0 = fmha_fwd_traits_<128, …, ckjit_b17_fmha_mask_0, …>;
 *     CKJIT_STUB(31) template<> CKJIT_IS(31)
 *     float fmha_fwd_<ckjit_b17_trait_0>(const ck_tile::stream_config& s, fmha_fwd_args a);
 *
 * The text is kept with marks in place of the blob's number and the stubs' numbers, which are known when the
 * unit is put together.
 *
 * Thread safety: a struct blob belongs to one thread at a time.
 */
#ifndef CKJIT_BLOB_H
#define CKJIT_BLOB_H

#include "core/base/argv.h"
#include "core/cxx/definitions.h"
#include "core/files/record.h"

#include <stdlib.h>

/* Marks in forwarding text: MARK_BLOB stands for the blob's number; MARK_STUB and one byte k + 1 for the
 * number of its k-th stub. MARK_EITHER, MARK_OR and MARK_END surround two forms of a function: declared again,
 * and by its address. */
enum { MARK_BLOB = 1, MARK_STUB, MARK_EITHER, MARK_OR, MARK_END };

/* What a blob with -fgpu-rdc may be linked with: fragments.h. */
struct combination {
  char *stem;
  bool *uses; /* for each fragment of the link */
};

/* What becomes of a blob. A fate gives way only to a later one of this list. */
enum blob_fate {
  BLOB_LAZY,       /* forwarded: compiled on its first call */
  BLOB_WANTED,     /* could be, but --aot-list has it: in a unit, without stubs, and compiled ahead of time */
  BLOB_AHEAD,      /* cannot be forwarded, and so is compiled ahead of time */
  BLOB_UNIT,       /* cannot be forwarded, and has become an ordinary unit (instead.c) */
  BLOB_UNUSED,     /* the link demands none of its functions, and nobody can look for them later */
  BLOB_DISPATCHER, /* no blob after all: it uses the templates that others specialise, and is a dispatcher */
};

struct blob {
  struct record *record; /* borrowed */
  enum blob_fate fate;   /* set by blob_settle alone */
  char *reason;          /* why BLOB_AHEAD or BLOB_UNIT; else NULL */
  struct buf preamble;   /* directives up to the last #include: headers, and macros that steer them */
  struct buf context;    /* using-directives and the like: they act on a whole unit */
  struct buf forward;    /* the text with marks */
  /* functions are said by their addresses: an `extern template` of a header allows no other form */
  bool by_address;
  struct argv functions;  /* last names of the function templates, one for each stub, in order of the text */
  struct argv signatures; /* type of each, in one spelling; "" if it has the blob's own names in it */
  struct argv arguments;  /* the words of its template arguments (core/cxx/fragment.h) */
  struct argv uses;       /* names in its function bodies that are followed by "<": templates it may use */
  struct argv calls;      /* the same of those that are followed by "(": functions it may call */
  /* Its functions are those that the link demands (demand.c): no forwarding unit names them. */
  bool late;
  struct definitions defines; /* of one that is late */
  bool doubt;                 /* the preprocessor is asked what it defines (ownheaders.c) */
  bool doubt_in_headers;      /* and what its headers do */
  struct argv in_headers;     /* last names of functions that headers of it may define; sorted */
  /* If its command hides functions: names of those, or of their namespaces and classes, that are visible all the same,
   * "NAME<" for instances of a template alone; and one of which that is not clear, or NULL. Set by ownheaders.c */
  struct argv shown;
  char *unclear;
  /* the mangled name of each of its functions, and "NAME OBJECT" with an object that needs it; set by demand.c */
  struct argv demanded, demanded_by;
  /* of one that is late: "NAME REASON" for each function of which it, or a header, may take the address. If others
   * need the function, they have the address of its stub, another one */
  struct argv addressed;
  struct argv weak;    /* those of the demanded that a header declares weak */
  struct argv certain; /* those that an object demands, and not only a member of an archive or a library */
  unsigned char digest[32]; /* BLAKE2b of the source */
  struct argv parts;        /* files that its text is in, besides the source: core/cxx/cxxunit.h */
  bool includes_within;     /* an #include in a function's body: its headers are its own */
  bool rdc;                 /* compiled with -fgpu-rdc */
  bool apart; /* set by settle.c: an archive has its object, so its stubs are an object of their own */
  /* set by fragments.c; none if the link has no fragments, or the blob was compiled without -fgpu-rdc */
  struct combination *combinations;
  size_t ncombinations;
  unsigned *combination_of; /* each function's */
  /* set by units.c */
  unsigned group, unit, number;
  size_t first_function; /* in the unit */
  char *stubs;           /* the object with its stubs if it is apart; else NULL */
};

/* Read RECORD's source and fill B. HARMLESS: the profile's types (cxxscan.h). A source that is gone or unreadable ends the
 * program with its name. */
void blob_read(struct blob *b, struct record *record, const struct argv *harmless);
/* Read B, which is late, again: its text as the preprocessor leaves it is TEXT, LEN bytes. */
void blob_read_again(struct blob *b, const char *text, size_t len, const struct argv *harmless);
/* Give B the fate FATE; for BLOB_AHEAD and BLOB_UNIT because of REASON, which is taken over, else NULL. Of two reasons the
 * first one stays. */
static inline void blob_settle(struct blob *b, enum blob_fate fate, char *reason) {
  if (fate <= b->fate) {
    free(reason);
    return;
  }
  free(b->reason);
  b->fate = fate;
  b->reason = reason;
}
/* Is the stub of function I of B, which is late, in the library for certain? An archive's member is there if an object
 * of the link needs it: what a member needs may be left out with that. */
bool blob_links_stub(const struct blob *b, size_t i);
/* Does B stand in a forwarding unit? */
static inline bool blob_is_forwarded(const struct blob *b) {
  return b->fate <= BLOB_WANTED;
}
/* How many entries of the cache B can become: one for each combination. */
static inline size_t blob_entries(const struct blob *b) {
  return b->ncombinations ? b->ncombinations : 1;
}
/* Does B show what has the components NAMES to other libraries? TEMPLATED: it is an instance of a template. */
bool blob_shows(const struct blob *b, const struct argv *names, bool templated);
/* Does the link demand all functions that B, which is late, defines under NAME? Each has a stub then. */
bool blob_is_demanded(const struct blob *b, const char *name);
/* Why the address that B, which is late, or a header of it has of its function NAME may be compared with that of a stub;
 * NULL: none has it. */
const char *blob_why_addressed(const struct blob *b, const char *name);
/* How well B defines SYMBOL, whose components are NAMES, by its text (definition_fits). A name of C has no namespaces, and a
 * header may have said that it is one. *WHICH: what fits best; NULL: nothing. */
unsigned blob_fits(const struct blob *b, const struct argv *names, const char *symbol,
                   const struct definition **which);
void blob_free(struct blob *b);

#endif
