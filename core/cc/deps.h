/* deps.h - the depfile that a build asked for (-MD, -MMD), for a unit that is recorded and not compiled.
 *
 * ninja with `deps = gcc` fails a step whose depfile is missing, and make without one rebuilds too little. So
 * the wrapper writes it from a scan of its own, kept from one call to the next: every #include of the source
 * and, transitively, of what is found through the including file's directory, -iquote, -I, -isystem and
 * -idirafter. It is a superset of the compiler's answer (conditionals and comments are not looked at) minus
 * the compiler's built-in directories and names made by macros: one rebuild too many at worst, for the
 * build's own headers none too few.
 */
#ifndef CKJIT_DEPS_H
#define CKJIT_DEPS_H

#include "ccargs.h"

#define DEPS_CACHE ".includes" /* in the work directory */

/* Append the rule for A's one source to OUT. TEXT is the source's content. CACHE is the directory of the
 * include cache (depcache.h), or NULL: every call scans. Names are as the compiler would print them: relative
 * to the directory CWD of the compile (NULL: the current one) if they were given so. -MMD leaves out, and
 * does not look into, headers found through -isystem or -idirafter. */
void deps_format(struct buf *out, const struct ccargs *a, const char *cwd, const char *text, size_t len,
                 const char *cache);

/* Write it to the depfile's name; false with errno. */
bool deps_write(const struct ccargs *a, const char *text, size_t len, const char *cache);

/* Append the prerequisites of the first rule of a make depfile: "\ " is a space in a name, "$$" a dollar,
 * "\#" a hash; other backslashes are a name's own. */
void deps_read(struct argv *out, const char *text);

#endif
