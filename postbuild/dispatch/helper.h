/* helper.h - helper templates of dispatchers whose template parameters only serve to name functions
 * of blobs, and the erased functions that take these functions' addresses instead. dispatch.h has
 * the idea and an example.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_DISPATCH_HELPER_H
#define CKJIT_DISPATCH_HELPER_H

#include "dispatch.h"
#include "text.h"

enum {
  HELPER_TPARAMS = 16,
  HELPER_PARAMS = 16,
  HELPER_USES = 32,
  /* `if constexpr` on template parameters: each doubles what is compiled */
  HELPER_CONDS = 3,
};

/* A use of a function in the body: f<A, B> or n::f<A, B>, the same text once. */
struct use {
  struct range text;
  /* bit k: mentions template parameter k */
  uint32_t tparams;
  /* it is used only if this condition … */
  int cond;
  /* … is this. cond is -1: it is always used */
  bool arm;
};

struct helper {
  const struct cxx_text *t;
  char *name;
  /* of ckjit_erased_N; one translation unit counts all its helpers */
  unsigned number;
  bool member;    /* of a class */
  bool in_header; /* not in the dispatcher's own text */
  /* the dispatcher specialises it or declares it again: its own calls stay as they are */
  bool elsewhere;
  uint32_t begin, end; /* the whole definition */
  uint32_t name_at;
  struct range header;     /* template <…> */
  struct range result;     /* specifiers and return type */
  struct range qualifiers; /* const, noexcept */
  struct range body;       /* {…}, braces included */
  uint32_t tparams[HELPER_TPARAMS];
  size_t ntparams;
  struct {
    struct range type;
    uint32_t name;
  } params[HELPER_PARAMS];
  size_t nparams;
  struct use uses[HELPER_USES];
  size_t nuses;
  struct range conds[HELPER_CONDS];
  size_t nconds;
};

/* ---- helper.c ---- */

/* The names that a use may contain. */
struct helper_names {
  const struct functions *f;
  const struct helpers *hs; /* found before */
};

/* ---- erase.c ---- */

/* Append the erased function and the helper, which now calls it, to OUT. */
void helper_write(const struct helper *h, struct buf *out);

/* ---- helper.c ---- */

/* The helpers that one translation unit can call. Start with {0}. */
struct helpers {
  struct helper *all;
  size_t n;
  /* what the token ranges of helpers in headers refer to: scans, and their texts */
  struct cxx_scan **scans;
  char **texts;
  size_t nscans;
};

/* Append the helpers of S, which is the dispatcher or, with IN_HEADER, one of its headers: function
 * templates that mention their template parameters nowhere but in arguments of F's functions and of
 * helpers found before. S must outlive them. */
void helpers_find(struct helpers *hs, const struct cxx_scan *s, const struct functions *f, bool in_header);
/* HS has the helpers of T's headers: mark those that T specialises or declares again
 * (elsewhere). */
void helpers_check(struct helpers *hs, const struct cxx_text *t);
/* Does T anywhere use the name of one of them? */
bool helpers_used(const struct helpers *hs, const struct cxx_text *t);
/* the helper that is called by the name that is token I of T; NULL if there is none, or several */
const struct helper *helpers_at(const struct helpers *hs, const struct cxx_text *t, uint32_t i);
/* Take over the scan S, from malloc, and its TEXT, which helpers of HS refer to. */
void helpers_keep(struct helpers *hs, struct cxx_scan *s, char *text);
/* forget all but the first N */
void helpers_cut(struct helpers *hs, size_t n);
void helpers_free(struct helpers *hs);

#endif
