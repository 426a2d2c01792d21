/* signature.h - signatures of entries: who made an entry, if others could have written it.
 *
 * A signature is 80 bytes between the ELF file of an entry and its seal, which covers it: the
 * magic, the id of a key, and an Ed25519 signature (libsodium). What is signed is "ckjit entry 1\n"
 * and the BLAKE2b-512 hash of the ELF file, which has the build id. So readers that know nothing of
 * signatures read a signed entry as any other.
 *
 * A key is a line of a file: "ckjit-secret-key 1 HEX" or "ckjit-public-key 1 HEX", and a comment
 * after another blank.
 *
 * Errors: a message in *ERR, which is the caller's to free(). Thread safety: none.
 */
#ifndef CKJIT_SIGNATURE_H
#define CKJIT_SIGNATURE_H

#include "core/base/base.h"

#include <stdint.h>

struct signature_keys {
  unsigned char (*list)[32]; /* public keys */
  size_t n;
};

/* Make a pair of keys: FILE, readable by its owner only, and FILE.pub. Neither may exist. */
bool signature_keygen(const char *file, char **err);

/* Sign the entry FILE with the secret key in the file KEY: FILE is replaced whole. It is no longer
 * signed by another key then. */
bool signature_add(const char *file, const char *key, char **err);

/* The keys of the file that CK_JIT_TRUST_KEYS names; nobody but root and the user may be able to
 * write to it. No keys if the variable is unset. */
bool signature_trusted(struct signature_keys *keys, char **err);
void signature_keys_free(struct signature_keys *keys);

/* Why the entry open at FD, whose seal was checked, is not signed by one of KEYS, as text that
 * follows its name. NULL: it is. */
const char *signature_why(int fd, const struct signature_keys *keys);

#endif
