/* linkscript.h - the files that a script of the linker names: INPUT (libu.a), GROUP (a.o AS_NEEDED (-lv)).
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_LINKSCRIPT_H
#define CKJIT_LINKSCRIPT_H

#include "core/base/argv.h"

/* Is FILE, an input of a link, what the linker takes for a script: text? */
bool linkscript_is(const char *file);

struct linkscript_word {
  /* where it is in the text, with its quotes */
  size_t at, len;
  /* a file, -lNAME, or a directory as -LDIR; the caller's until the call returns */
  const char *text;
};

/* Called for each word. Return false to stop. */
typedef bool linkscript_each(const struct linkscript_word *word, void *user);

/* Calls EACH for the words of the script TEXT. Returns whether it has nothing but files, directories
 * and formats: what else a script may contain can change what a link needs. */
bool linkscript_read(const char *text, linkscript_each *each, void *user);
/* Is FILE a script that has nothing else? */
bool linkscript_only_names(const char *file);

#endif
