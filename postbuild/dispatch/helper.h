/* helper.h - helper templates of dispatchers whose template parameters serve only to name functions
 * of blobs, and the functions without template parameters that take these functions' addresses instead.
 * dispatch.h has the idea and an example.
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
  HELPER_CONDS = 3, /* `if constexpr` on template parameters: each doubles what is compiled */
};

/* A use of a function in the body: f<A, B> or n::f<A, B>, the same text once. */
struct use {
  struct range text;
  uint32_t tparams; /* bit k: mentions template parameter k */
  int cond;         /* used only where this condition ... */
  bool arm;         /* ... is this; cond is -1 where it is always used */
};

struct helper {
  const struct cxx_text *t;
  char *name;
  unsigned number;        /* of ckjit_erased_N; one translation unit counts all its helpers */
  bool member, in_header; /* of a class; not in the dispatcher's own text */
  bool elsewhere;         /* the dispatcher says something of it too: it is only for calls of its own */
  uint32_t begin, end;    /* the whole definition */
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

/* The helpers that one translation unit can call. Start with {0}. */
struct helpers {
  struct helper *all;
  size_t n;
  /* what the helpers' token ranges refer to: scans of headers, and their texts */
  struct cxx_scan **scans;
  char **texts;
  size_t nscans;
};

/* Find the helpers of S (whose text is the dispatcher's, or with IN_HEADER one of its headers'): templates of
 * functions whose every mention of a template parameter is an argument of one of F's functions, or of a
 * helper found before. S must stay. */
void helpers_find(struct helpers *hs, const struct cxx_scan *s, const struct functions *f, bool in_header);
/* With the helpers of headers already in HS: leave those alone that T specialises or declares again. */
void helpers_check(struct helpers *hs, const struct cxx_text *t);
/* Does T anywhere use the name of one of them? */
bool helpers_used(const struct helpers *hs, const struct cxx_text *t);
/* the helper that the call at token I (its name) of T names, or NULL where there is none or several */
const struct helper *helpers_at(const struct helpers *hs, const struct cxx_text *t, uint32_t i);
/* Take over scan S, made by malloc, of TEXT, which helpers of HS refer to. */
void helpers_keep(struct helpers *hs, struct cxx_scan *s, char *text);
/* forget all but the first N */
void helpers_cut(struct helpers *hs, size_t n);
void helpers_free(struct helpers *hs);

/* Append the erased function and the helper, which now calls it, to OUT. */
void helper_write(const struct helper *h, struct buf *out);

#endif
