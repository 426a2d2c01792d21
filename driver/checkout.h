/* checkout.h - the copy of the aiter checkout in which a library is built.
 *
 * Functions end the program with a message and status 1 if they fail. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_DRIVER_CHECKOUT_H
#define CKJIT_DRIVER_CHECKOUT_H

#include "core/base/argv.h"

#include <sys/types.h>

/* A copied file: a line "DIGEST SIZE TIME PATH", the path relative to the checkout. */
struct checkout {
  struct argv files; /* sorted by path */
};

/* Copy the checkout AITER to TO, which is replaced. WORK, the work directory, may be in it. */
void checkout_copy(struct checkout *c, const char *aiter, const char *to, const char *work);
/* The same list, without a copy. */
void checkout_list(struct checkout *c, const char *aiter, const char *work);
/* A digest of the paths and contents; free() it. */
char *checkout_digest(const struct checkout *c);
/* The commit of AITER in git: "" if it is not a clone; free() it. */
char *checkout_commit(const char *aiter);
/* The same digest for the files of the CK checkout CK that builds read: its headers, and its
 * generators of kernels. CK is used in place. free() it. */
char *checkout_digest_of_ck(const char *ck);
/* Do time stamps show each difference between WAS and IS? Not if a file was added or removed, or
 * has other content with the old size and time, as files of two unpacked archives may. */
bool checkout_stamps_tell(const struct checkout *was, const struct checkout *is);

void checkout_read(struct checkout *c, const char *file);
void checkout_write(const struct checkout *c, const char *file);

#endif
