/* unitkey.h - the key of a lazy unit: of its device's text for each architecture, the words of the device's command, and what the compiler
 * consists of. Nothing of the host's side is in it, and no header: the text has them.
 *
 * ckjit-unit makes it, and ckjit-compile makes it again of the text that it is given: code is not stored under a key that it was not made
 * for. Thread safety: no shared state.
 */
#ifndef CKJIT_UNITKEY_H
#define CKJIT_UNITKEY_H

#include "unittext.h"

#include "core/base/argv.h"
#include "core/cache/key.h"

/* The beginning of one of the device's words, of CUDA: behind it is the name that the front ends of the unit give to what is internal to it.
 * Only a preprocessor would read it. */
#define UNITKEY_MODULE "-DCKJIT_MODULE_ID="

/* Append to LINES what a key has of the N TEXTS. */
void unitkey_texts(struct buf *lines, const struct unittext *texts, size_t n);
/* The same of those in FILE, by what its head says of them: unittext_read compares a text with that. False with *ERR. */
bool unitkey_file(struct buf *lines, const char *file, char **err);
/* The key. DEVICE: the words of the device's command, of DIALECT; COMPILER: "compiler" of a list of inputs. */
void unitkey_make(char key[DIGEST_HEX], const struct buf *lines, enum cc_dialect dialect, char *const *device,
                  const char *compiler);

#endif
