/* unitkey.h - the key of a lazy unit. It covers the device's text for each architecture, the words
 * of the device's command, and the compiler's files, but nothing of the host side, and no header:
 * the text includes them.
 *
 * ckjit-unit computes it, and ckjit-compile computes it again from the text that it gets: code is
 * not stored under a key that it was not made for. Thread safety: no shared state.
 */
#ifndef CKJIT_UNITKEY_H
#define CKJIT_UNITKEY_H

#include "unittext.h"

#include "core/base/argv.h"
#include "core/cache/key.h"

/* The beginning of one of CUDA's device words, followed by the prefix that the front ends of the
 * unit give to names with internal linkage. Only a preprocessor would read it. */
#define UNITKEY_MODULE "-DCKJIT_MODULE_ID="

/* Append the parts of a key for the N TEXTS to LINES. */
void unitkey_texts(struct buf *lines, const struct unittext *texts, size_t n);
/* The same for the texts in FILE, from its head: unittext_read compares a text with that. False
 * with *ERR. */
bool unitkey_file(struct buf *lines, const char *file, char **err);
/* The same for TEXT of a program, which is not preprocessed yet (linkedunit.h). */
void unitkey_program_text(struct buf *lines, const char *text);
/* The key. DEVICE: the words of the device's command, of DIALECT; COMPILER: "compiler" of a list of
 * inputs. */
void unitkey_make(char key[DIGEST_HEX], const struct buf *lines, enum cc_dialect dialect,
                  char *const *device, const char *compiler);

#endif
