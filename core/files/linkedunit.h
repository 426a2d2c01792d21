/* linkedunit.h - a lazy unit of CUDA whose device code is linked with that of others (-rdc=true; docs/fragments.md, "CUDA").
 *
 * ckjit-unit writes beside the text of such a unit what a device linker would read in its object: for each architecture what it defines and needs, and
 * its tag if it has one. By that the device link is judged (postbuild/devicejudge.c). The link of a library makes of all its units one *list*, and of that for each unit with kernels a text (unittext.h): in place of the preprocessed source it has, for
 * each architecture, the list, the unit itself first. So all that reads a unit's text finds its key, kernels and architectures there.
 * docs/formats.md has the lines of both.
 *
 * Ownership: a list owns its words. Thread safety: no shared state. Never reads outside of a text, whatever it holds.
 */
#ifndef CKJIT_LINKEDUNIT_H
#define CKJIT_LINKEDUNIT_H

#include "core/base/argv.h"

/* What the code of a unit for one architecture has, mangled names of each. */
struct linkedcode {
  char *arch;            /* compute_90 */
  struct argv strong;    /* functions that no other unit may define */
  struct argv weak;      /* functions that others may define as well: of templates, inline ones */
  struct argv needs;     /* functions and variables of other units; what the toolkit has is left out */
  struct argv variables; /* that may be written, and that others may define as well: of functions in `weak` */
  struct argv fixed;     /* the same, if this unit does not write them */
  struct argv statics;   /* that may be written, and that no other unit can name */
};

struct linkedunit {
  char *key, *stem, *tag; /* tag NULL: every kernel may have it */
  struct argv device, defines;
  struct linkedcode *code; /* of a unit, not of a list */
  size_t ncode;
};

struct linkedunits {
  char *linker; /* the word of core/cc/ltolinker.h, and a digest behind it */
  struct linkedunit *list;
  size_t n;
};

/* The tag that the preprocessed TEXT of a unit gives itself, `using ckjit_fragment = …;`, without spaces; NULL: none. free() it. */
char *linkedunit_tag(const char *text);
/* May a kernel with the mangled name KERNEL have the units of TAG: is it one of its template arguments? */
bool linkedunit_is_chosen(const char *tag, const char *kernel);

/* Is ASKED, which a program asks for, the TAG of a unit? Namespaces may be left out on either side. */
bool linkedunit_is_tag(const char *tag, const char *asked);
/* A combination that a program asks for by tags is called KERNEL+TAG+TAG…, which no function is. The name of its kernel, free() it; its
 * tags are added to TAGS. */
char *linkedunit_combination(const char *name, struct argv *tags);

/* Write what stands beside the text FILE. False with errno. */
bool linkedunit_write(const char *file, const char *tag, struct linkedcode *code, size_t n);
/* Read that into U's tag, defines (all functions of all architectures) and code. False: there is none, or of another version of ckjit. */
bool linkedunit_read(struct linkedunit *u, const char *file);

/* Append what a list begins with; then each of its units. */
void linkedunits_put_head(struct buf *out, const char *linker);
void linkedunits_put(struct buf *out, const struct linkedunit *u);
/* Is TEXT a list? */
bool linkedunits_is_list(const char *text);
/* Read it. False: it is not understood. linkedunits_free in either case. */
bool linkedunits_read(struct linkedunits *all, const char *text);
void linkedcode_free(struct linkedcode *c);
void linkedunit_free(struct linkedunit *u);
void linkedunits_free(struct linkedunits *all);

#endif
