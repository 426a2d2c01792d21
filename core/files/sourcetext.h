/* sourcetext.h - the sources of a library as they were when its objects were compiled.
 *
 * A compiler reads a source once, at `-c`. ckjit reads it again at the link and at the first call,
 * when make may have removed it, or a script may have written another text to the same temporary
 * name. So a stub object keeps the text (struct record, source_text), and a link keeps the texts of
 * its blobs and fragments beside the lists of their inputs. docs/formats.md, "The kept sources",
 * describes the file.
 *
 * A text that is compiled in place of its source is written to a file of the same name elsewhere.
 * It begins with a #line directive, so that __FILE__, messages and debug information name the
 * build's source, and is compiled with the source's directory as the first one of quoted includes.
 *
 * Ownership: results are the caller's to free(). Thread safety: no shared state.
 */
#ifndef CKJIT_SOURCETEXT_H
#define CKJIT_SOURCETEXT_H

#include "core/base/intern.h"
#include "core/cc/ccargs.h"

#define SOURCETEXT_FILE "ck_jit_sources" /* in INPUTS_DIR of a library's directory */

/* Sources to be kept, each by its base name. Start with {0}. */
struct sourcetexts {
  struct unittext *list;
  size_t n;
};

/* Add TEXT of SOURCE, a path; TEXT is borrowed until sourcetext_write. */
void sourcetext_add(struct sourcetexts *s, const char *source, const char *text);
/* Write them to FILE, which keeps its time stamp if its content would not change, and free the
 * list. False with *ERR. */
bool sourcetext_write(struct sourcetexts *s, const char *file, char **err);
/* The text of SOURCE in FILE, *LEN bytes and a NUL. NULL: FILE has none. */
char *sourcetext_read(const char *file, const char *source, size_t *len);

/* The digests (digest_bytes) of the texts in a file, without the texts. Start with {0}. */
struct sourcetext_digests {
  struct intern names;
  struct argv digests;
};
/* Add those of FILE; none if it cannot be read. */
void sourcetext_digests_read(struct sourcetext_digests *d, const char *file);
/* The digest of SOURCE's text; NULL: it has none. */
const char *sourcetext_digest(const struct sourcetext_digests *d, const char *source);

/* Write TEXT, of the source PLACE, to COPY. COPY keeps its time stamp if its content would not
 * change. False with errno. */
bool sourcetext_copy(const char *copy, const char *place, const char *text);
/* Append the words, always SOURCETEXT_WORDS, with which a compiler of DIALECT finds the quoted
 * includes of a copy of PLACE. They must precede all other words. False: these words cannot express
 * the name of PLACE. */
bool sourcetext_words(struct argv *out, enum cc_dialect dialect, const char *place);
enum { SOURCETEXT_WORDS = 2 };

#endif
