/* linkedunit.h - a lazy CUDA unit whose device code is linked with that of others (-rdc=true;
 * docs/fragments.md, "CUDA").
 *
 * Beside the text of such a unit, ckjit-unit writes the facts that a device linker would read in
 * its object: for each architecture its definitions and needs, and its tag if it has one.
 * postbuild/devicejudge.c judges the device link by these. The link of a library makes one *list*
 * of all its units, and from that, for each unit with kernels, a text (unittext.h) that has, for
 * each architecture, the list instead of the preprocessed source, the unit itself first. So every
 * reader of a unit's text finds its key, kernels and architectures there. docs/formats.md has the
 * lines of both.
 *
 * Ownership: a list owns its words. Thread safety: no shared state. It never reads outside a text,
 * whatever that contains.
 */
#ifndef CKJIT_LINKEDUNIT_H
#define CKJIT_LINKEDUNIT_H

#include "core/base/argv.h"

/* The symbols of a unit's code for one architecture, all mangled. */
struct linkedcode {
  char *arch; /* compute_90 */
  /* functions that no other unit may define */
  struct argv strong;
  /* functions that others may define as well: of templates, inline ones */
  struct argv weak;
  /* functions and variables of other units, except the toolkit's */
  struct argv needs;
  /* writable ones that others may define as well: of functions in `weak` */
  struct argv variables;
  /* such variables that this unit does not write */
  struct argv fixed;
  /* writable ones that no other unit can name */
  struct argv statics;
};

struct linkedunit {
  char *key, *stem, *tag; /* tag NULL: every kernel may have it */
  struct argv device, defines;
  /* of a program (linkedunit_choices), "NAME\nTEXT"; NULL: the text is in the unit's file */
  char *program_text;
  struct linkedcode *code; /* of a unit, not of a list */
  size_t ncode;
};

struct linkedunits {
  /* the word of core/cc/ltolinker.h, followed by a digest */
  char *linker;
  struct linkedunit *list;
  size_t n;
};

/* The tag of a unit in its preprocessed TEXT, `using ckjit_fragment = …;`, without spaces; NULL:
 * none. free() it. */
char *linkedunit_tag(const char *text);
/* May units with TAG be linked to a kernel with the mangled name KERNEL: is TAG one of its template
 * arguments? */
bool linkedunit_is_chosen(const char *tag, const char *kernel);

/* Does ASKED, from a program, match the TAG of a unit? Namespaces may be omitted on either side. */
bool linkedunit_is_tag(const char *tag, const char *asked);
/* What a program requests by a combination's name (abi/ck_jit_protocol.h). */
struct linkedunit_choices {
  char *kernel;
  struct argv tags, options;
  struct argv texts; /* each "NAME\nTEXT" */
};
void linkedunit_choices_read(struct linkedunit_choices *c, const char *name);
void linkedunit_choices_free(struct linkedunit_choices *c);

/* Write the facts beside the text FILE. False with errno. */
bool linkedunit_write(const char *file, const char *tag, struct linkedcode *code, size_t n);
/* Read them into U's tag, defines (all functions of all architectures) and code. False: there is no
 * such file, or another version of ckjit wrote it. */
bool linkedunit_read(struct linkedunit *u, const char *file);

/* Append the head of a list; its units follow. */
void linkedunits_put_head(struct buf *out, const char *linker);
void linkedunits_put(struct buf *out, const struct linkedunit *u);
/* Is TEXT a list? */
bool linkedunits_is_list(const char *text);
/* Read TEXT. False: it is not understood. Call linkedunits_free in either case. */
bool linkedunits_read(struct linkedunits *all, const char *text);
void linkedcode_free(struct linkedcode *c);
void linkedunit_free(struct linkedunit *u);
void linkedunits_free(struct linkedunits *all);

#endif
