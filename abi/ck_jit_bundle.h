/* ck_jit_bundle.h - what the kernels of a library are compiled from, within the library or in a
 * file beside it (docs/formats.md, "Bundles").
 *
 * The head is followed by the program ckjit-compile, ready to be run and with a seal at its end
 * (ck_jit_seal.h), by the index and by the files, both compressed with zstd. The runtime writes the
 * program into the cache and starts it, and the program unpacks the rest: so the runtime needs no
 * zstd. Numbers are little endian.
 */
#ifndef CK_JIT_BUNDLE_H
#define CK_JIT_BUNDLE_H

#include <stdint.h>

#define CKJIT_BUNDLE_MAGIC "ckjit-bundle 1\n"
#define CKJIT_BUNDLE_SECTION ".ckjit.bundle" /* of a library, allocated: no strip removes it */
#define CKJIT_BUNDLE_FILE "ck_jit.bundle"    /* beside libraries that have no such section */
#define CKJIT_BUNDLES ".bundles"             /* <digest>/, in a cache directory: an unpacked one */

/* In a library with a bundle, flags and the lists of inputs begin with this, and have it in place
 * of each slash: conda replaces the names of its build's prefix in all files that it installs, and
 * a key is of the flags of the build. */
#define CKJIT_SLASH '\1'

struct ckjit_bundle {
  char magic[16];
  /* 32 hexadecimal digits and a NUL, of the content: the digest of all that follows the head */
  char digest[40];
  uint64_t program, index, files; /* bytes of the parts, in this order */
};

#endif
