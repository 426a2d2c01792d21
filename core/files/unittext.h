/* unittext.h - the file with the device's text of a lazy unit, from which its kernels are compiled
 * when they are first launched (docs/formats.md, "The text of a unit").
 *
 * Each unit has one file, with the preprocessed text for each architecture. A kernel needs nothing
 * else of the build's tree: no source and no header is read again. Texts of ComposableKernel have 7
 * to 15 MB, compressed a tenth of that.
 *
 * Units: bytes. Ownership: results are the caller's to free(). Errors: false or NULL with *ERR,
 * which names the file and the next step; free() it. Thread safety: no shared state.
 */
#ifndef CKJIT_UNITTEXT_H
#define CKJIT_UNITTEXT_H

#include "core/base/argv.h"

#define UNITTEXT_DIR ".units" /* in the work directory */
#define UNITTEXT_EXT ".text"

#define UNITTEXT_LINKED                                                                            \
  ".linked" /* Beside a text whose code is linked with that of other units (linkedunit.h). */

/* Precedes an architecture's name: the output of the compiler's front end for that text, if the
 * build has kept it. Such an entry is not a text. */
#define UNITTEXT_FRONT "front:"

/* The last line of a CUDA text may list its variables that the host's text does not name: only
 * kernels decide their values. It is a comment. */
#define UNITTEXT_DEVICE_ONLY "// ckjit: only device code names: "
/* Append the names in the last line of TEXT, if it has any. The names are the caller's. */
void unittext_device_only(const char *text, size_t len, struct argv *names);

/* the text for one architecture */
struct unittext {
  const char *arch, *text;
  size_t len;
};

/* Write the N texts to FILE, and the mangled names of the KERNELS that the unit's host code
 * registers, atomically. If the content would not change, FILE keeps its time stamp. */
bool unittext_write(const char *file, const struct unittext *texts, size_t n,
                    const struct argv *kernels, char **err);

/* BYTES, N of them, are such a file without names of kernels. Append it to OUT with those of
 * KERNELS, if any. False: it is not such a file. */
bool unittext_named(struct buf *out, const char *bytes, size_t n, const struct argv *kernels);

/* The text for ARCH in FILE, *LEN bytes and a NUL; compared with its digest. */
char *unittext_read(const char *file, const char *arch, size_t *len, char **err);

/* Append the names of the kernels to KERNELS, in the order of their registration. Reads no text. */
bool unittext_kernels(const char *file, struct argv *kernels, char **err);

/* Call EACH for each architecture of FILE, with the digest of its text in hexadecimal digits, from
 * the head of the file. */
typedef void unittext_one(const char *arch, const char *digest, void *user);
bool unittext_each(const char *file, unittext_one *each, void *user, char **err);

#endif
