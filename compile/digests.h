/* digests.h - the digests of headers, each read once in a compile.
 *
 * A header is asked for three times: by the list of inputs, and by the precompiled header of either
 * pass, under two names (/usr/include/c++/12/cmath,
 * /usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/cmath). It is known by the file that
 * it is, and read again if its stamp has changed meanwhile.
 */
#ifndef CKJIT_COMPILE_DIGESTS_H
#define CKJIT_COMPILE_DIGESTS_H

#include "core/cache/key.h"

/* As digest_file(): what FILE is now, or was a moment ago with the same stamp. Who must know that
 * it did not change in between reads it himself. */
bool header_digest(char hex[DIGEST_HEX], const char *file);

#endif
