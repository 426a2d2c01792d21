/* head.h - the leading #include block of a source: what stands before the first line that is
 * neither empty, a comment nor a plain #include. */
#ifndef CKJIT_COMPILE_HEAD_H
#define CKJIT_COMPILE_HEAD_H

#include "core/base/base.h"

struct head {
  struct buf text; /* its #include lines; buf_free it */
  size_t bytes;    /* where it ends in the source */
};

/* False if SOURCE has none. A quoted name that lies beside the source becomes an absolute one. */
bool head_read(struct head *h, const char *source);

#endif
