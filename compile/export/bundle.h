/* bundle.h - clang's offload bundle, which the fat binary of HIP is.
 *
 * Never reads outside of its bytes, whatever they hold.
 */
#ifndef CKJIT_COMPILE_EXPORT_BUNDLE_H
#define CKJIT_COMPILE_EXPORT_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

/* The code object for ARCH (N bytes); NULL: there is none. Points into BYTES. */
const char *bundle_find(const char *bytes, size_t size, const char *arch, size_t n, size_t *length);
/* whether it is compressed: then only clang-offload-bundler can read it */
bool bundle_is_compressed(const char *bytes, size_t size);

#endif
