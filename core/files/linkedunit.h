/* linkedunit.h - a lazy unit of CUDA whose device code is linked with that of others (-rdc=true; docs/fragments.md, "CUDA").
 *
 * ckjit-unit writes beside the text of such a unit what others may call of it, and its tag if it has one. The link of a library makes
 * of all its units one *list*, and of that for each unit with kernels a text (unittext.h): in place of the preprocessed source it has, for
 * each architecture, the list, the unit itself first. So all that reads a unit's text finds its key, kernels and architectures there.
 *
 *     ckjit-linked 1
 *     unit KEY STEM                the text is the file KEY.text beside this one
 *     device WORD…                 the words of the device's command
 *     tag search::euclidean        if it has one
 *     defines SYMBOL…              mangled
 *
 * Ownership: a list owns its words. Thread safety: no shared state. Never reads outside of a text, whatever it holds.
 */
#ifndef CKJIT_LINKEDUNIT_H
#define CKJIT_LINKEDUNIT_H

#include "core/base/argv.h"

struct linkedunit {
  char *key, *stem, *tag; /* tag NULL: every kernel may have it */
  struct argv device, defines;
};

struct linkedunits {
  struct linkedunit *list;
  size_t n;
};

/* The tag that the preprocessed TEXT of a unit gives itself, `using ckjit_fragment = …;`, without spaces; NULL: none. free() it. */
char *linkedunit_tag(const char *text);
/* May a kernel with the mangled name KERNEL have the units of TAG: is it one of its template arguments? */
bool linkedunit_is_chosen(const char *tag, const char *kernel);

/* Write what stands beside the text FILE. False with errno. */
bool linkedunit_write(const char *file, const char *tag, const struct argv *defines);
/* Read that. False: there is none. */
bool linkedunit_read(struct linkedunit *u, const char *file);

void linkedunits_put(struct buf *out, const struct linkedunit *u);
/* Is TEXT a list? */
bool linkedunits_is_list(const char *text);
/* Read it. False: it is not understood. linkedunits_free in either case. */
bool linkedunits_read(struct linkedunits *all, const char *text);
void linkedunit_free(struct linkedunit *u);
void linkedunits_free(struct linkedunits *all);

#endif
