/* key.h - the content key of a blob: 16 bytes of BLAKE2b over all that decides what its compiled form is.
 *
 * In it: the source, the headers' content (as the compiler's depfiles named them), the flags that matter, the
 * link flags, the compiler's own files, and ckjit's format. Not in it: names of files and
 * directories, flags of warnings, and the order of flags that commute: aiter passes its HIP flags through a
 * Python set, so each build says them in another order.
 */
#ifndef CKJIT_KEY_H
#define CKJIT_KEY_H

#include "core/cc/ccargs.h"

/* Reduce FLAGS, of a command line of DIALECT, to what matters, in an order of their own; appended to OUT. */
void key_flags(struct argv *out, enum cc_dialect dialect, char *const *flags);

/* KEY of a blob. DIGEST: BLAKE2b-256 of the source; FLAGS: key_flags joined; HEADERS, COMPILER: any text. */
void key_blob(unsigned char key[16], const unsigned char digest[32], const char *flags, const char *headers,
              const char *link, const char *compiler);

/* The content of files: BLAKE2b of 16 bytes, in hexadecimal. */
enum { DIGEST_SIZE = 16, DIGEST_HEX = 2 * DIGEST_SIZE + 1 };
#define DIGEST_NONE "00000000000000000000000000000000" /* of a file that is not there */
void digest_bytes(char hex[DIGEST_HEX], const void *bytes, size_t n);
/* false, and DIGEST_NONE, if PATH cannot be read */
bool digest_file(char hex[DIGEST_HEX], const char *path);

#endif
