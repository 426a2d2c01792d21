/* built.h - the inputs of a library in a work directory: a list of facts, lines "NAME VALUE"
 * (core/base/lines.h).
 *
 * Functions end the program with a message and status 1 if they fail. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_DRIVER_BUILT_H
#define CKJIT_DRIVER_BUILT_H

#include "full.h"

/* Beside a library's state file (docs/formats.md). */
#define BUILT_FILE "ck_jit_built.txt"
#define CHECKOUT_FILE "ck_jit_checkout.txt" /* written by checkout_write */

/* Append all facts that F has about a build; the contents of the checkout, and of CK_DIR, are known
 * when it is copied. */
void built_facts(struct argv *facts, const struct full *f);
void built_add(struct argv *facts, const char *name, const char *value);
/* The facts of the library whose directory is DIR; false if there are none, or of another
 * version. */
bool built_read(struct argv *facts, const char *dir);
void built_write(const struct argv *facts, const char *dir);
/* How WAS differs from IS: "architectures gfx90a, now gfx942; …"; NULL if it does not. EXCEPT: a
 * fact that does not count, or NULL. Facts that IS lacks do not count either. free() it. */
char *built_difference(const struct argv *was, const struct argv *is, const char *except);
/* Die if LIBS, of the work directory WORK, come from builds that differ: they do not belong in one
 * install tree. */
void built_require_alike(const struct library *libs, size_t n, const char *work);

#endif
