/* overlay.h - helpers of dispatchers that stand in headers.
 *
 * The compiler is given other texts for these headers under their own names, through clang's file
 * system overlay (-ivfsoverlay). Nothing of the user's is changed, and whatever includes them gets
 * the same text. Newer CK has `fmha_bwd_launcher::init<…>`, and the function that it stores, in
 * fmha_bwd.hpp.
 */
#ifndef CKJIT_OVERLAY_H
#define CKJIT_OVERLAY_H

#include "postbuild/dispatch/dispatch.h"

#include "core/files/record.h"

struct overlay {
  struct helpers *helpers; /* for dispatch_rewrite */
  /* for -ivfsoverlay; NULL if no header is replaced */
  char *file;
  /* of the new texts, which no depfile names */
  uint64_t digest;
  size_t nhelpers;
};

/* Look through the headers that R, a dispatcher whose text is TEXT, includes. The new texts are
 * written to DIR, an absolute name, under names that begin with R's stem. Errors end the
 * program. */
void overlay_make(struct overlay *o, const struct record *r, const char *text, size_t len,
                  const struct functions *f, const char *dir);
void overlay_free(struct overlay *o);

#endif
