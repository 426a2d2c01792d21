/* unittext.h - the file that keeps the device's text of a lazy unit: what its kernels are compiled from when they are
 * first launched (docs/formats.md, "The text of a unit").
 *
 * One file for each unit, with the preprocessed text of each architecture. It is all that a kernel needs of the
 * build's tree: no source and no header is read again. Texts of ComposableKernel have 7 to 15 MB, compressed a tenth
 * of that.
 *
 * Units: bytes. Ownership: what is returned is the caller's to free(). Errors: false or NULL with *ERR, which names
 * the file and says what to do; free() it. Thread safety: no shared state. zstd is Debian's libzstd.
 */
#ifndef CKJIT_UNITTEXT_H
#define CKJIT_UNITTEXT_H

#include "core/base/argv.h"

#define UNITTEXT_DIR ".units" /* in the work directory */
#define UNITTEXT_EXT ".text"

#define UNITTEXT_LINKED                                                                                      \
  ".linked" /* beside a text whose code is linked with that of other units (linkedunit.h) */

/* Before an architecture's name: what the front end of the compiler made of that text, if the build has kept it. Such an entry is no text. */
#define UNITTEXT_FRONT "front:"

/* The last line of a text of CUDA may say which of its variables the host's text does not name:
 * kernels alone decide what is in them. It is a comment. */
#define UNITTEXT_DEVICE_ONLY "// ckjit: only device code names: "
/* Append the names that the last line of TEXT says, if it says any. The names are the caller's. */
void unittext_device_only(const char *text, size_t len, struct argv *names);

/* the text for one architecture */
struct unittext {
  const char *arch, *text;
  size_t len;
};

/* Write the N texts to FILE, and the mangled names of the KERNELS that the unit's host code registers, atomically. If that is what FILE
 * holds, it keeps its time stamp. */
bool unittext_write(const char *file, const struct unittext *texts, size_t n, const struct argv *kernels,
                    char **err);

/* Append to OUT the N BYTES of such a file that has no names of kernels, with those of KERNELS if there are any. False: they are none. */
bool unittext_named(struct buf *out, const char *bytes, size_t n, const struct argv *kernels);

/* The text for ARCH in FILE, *LEN bytes and a NUL; compared with its digest. */
char *unittext_read(const char *file, const char *arch, size_t *len, char **err);

/* Append the names of the kernels to KERNELS, in the order of their registration. Reads no text. */
bool unittext_kernels(const char *file, struct argv *kernels, char **err);

/* Call EACH for each architecture of FILE, with the digest of its text in hexadecimal digits, as the head of the file says it. */
typedef void unittext_one(const char *arch, const char *digest, void *user);
bool unittext_each(const char *file, unittext_one *each, void *user, char **err);

#endif
