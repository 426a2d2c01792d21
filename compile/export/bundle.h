/* bundle.h - clang's offload bundle, which the fat binary of HIP is.
 *
 * Never reads outside of its bytes, whatever they hold.
 */
#ifndef CKJIT_COMPILE_EXPORT_BUNDLE_H
#define CKJIT_COMPILE_EXPORT_BUNDLE_H

#include "core/base/base.h"

/* The code object for ARCH (N bytes); NULL: there is none. Points into BYTES. */
const char *bundle_find(const char *bytes, size_t size, const char *arch, size_t n, size_t *length);
/* whether it is compressed: then only clang-offload-bundler can read it */
bool bundle_is_compressed(const char *bytes, size_t size);

/* Append a bundle of code objects, with nothing for the host, as clang-offload-bundler makes it of the N architectures
 * in PARTS. */
struct bundle_part {
  const char *arch, *bytes;
  size_t len;
};
void bundle_write(struct buf *out, const struct bundle_part *parts, size_t n);

#endif
