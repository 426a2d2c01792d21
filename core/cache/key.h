/* key.h - the content key of a blob: 16 bytes of BLAKE2b over everything that determines its
 * compiled form.
 *
 * Part of the key: the source, the contents of the headers (those named by the compiler's
 * depfiles), the flags that affect the code, the link flags, the compiler's own files, and ckjit's
 * format. Not part of it: names of files and directories, warning flags, and the order of flags
 * that are known to commute (commute.h): aiter passes its HIP flags through a Python set, so their
 * order differs from build to build.
 */
#ifndef CKJIT_KEY_H
#define CKJIT_KEY_H

#include "core/cc/ccargs.h"

/* Append to OUT the FLAGS, of a command line of DIALECT, that affect the code, in a canonical
 * order. */
void key_flags(struct argv *out, enum cc_dialect dialect, char *const *flags);

/* In place of link flags, in the key of a fragment: a late unit's object with its host side has the
 * same text. */
#define KEY_OF_DEVICE_SIDE "device side"
/* Compute the KEY of a blob. DIGEST: BLAKE2b-256 of the source; FLAGS: key_flags joined; HEADERS,
 * COMPILER: any text. */
void key_blob(unsigned char key[16], const unsigned char digest[32], const char *flags,
              const char *headers, const char *link, const char *compiler);

/* Digest of a file's contents: 16 bytes of BLAKE2b in hexadecimal. */
enum { DIGEST_SIZE = 16, DIGEST_HEX = 2 * DIGEST_SIZE + 1 };
#define DIGEST_NONE "00000000000000000000000000000000" /* of a file that does not exist */
void digest_bytes(char hex[DIGEST_HEX], const void *bytes, size_t n);
/* False, with DIGEST_NONE in HEX, if PATH cannot be read. */
bool digest_file(char hex[DIGEST_HEX], const char *path);

#endif
