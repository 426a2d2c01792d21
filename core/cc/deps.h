/* deps.h - the depfile that a build asked for (-MD, -MMD), for a unit that is recorded and not
 * compiled.
 *
 * ninja with `deps = gcc` fails a step whose depfile is missing, and make without one rebuilds too
 * little. So the wrapper writes it from its own scan, which is cached between calls: every #include
 * of the source and, transitively, of the files found through the including file's directory,
 * -iquote, -I, -isystem and -idirafter.
 *
 * The scan finds a superset of the compiler's list, because conditionals and comments are not
 * evaluated, minus headers in the compiler's built-in directories and names made by macros; a macro
 * that is just a name (`#define LIB "lib.hpp"`, in any of the files or as -D) is followed. So a
 * unit is never rebuilt too rarely for the build's own headers.
 *
 * A superfluous header may be one that is written by a program of this build which contains the
 * object: ninja then reports a cycle. So if only conditions lead to some of the build's own
 * headers, the compiler is asked which of these it reads. It is asked once for all units with the
 * same options, directives and headers, and not at all if the build.ninja of this compile names
 * none of these headers.
 */
#ifndef CKJIT_DEPS_H
#define CKJIT_DEPS_H

#include "ccargs.h"

#define DEPS_CACHE ".includes" /* in the work directory */

/* Asks a compiler. */
struct deps_asker {
  /* Append the files that the compiler reads for this call to FILES. False: it does not say. */
  bool (*ask)(void *user, struct argv *files);
  void *user;
  /* of the compiler, with the words of the call: what the answer depends on besides files */
  const char *identity;
};

/* Append the rule for A's one source to OUT. TEXT is the source's content. CACHE is the directory
 * of the include cache (depcache.h); if NULL, every call scans. Names are as the compiler would
 * print them: relative to the directory CWD of the compile (NULL: the current one) if they were
 * given so. -MMD leaves out, and does not scan, headers found through -isystem or -idirafter.
 * ASKER names the files that a compiler reads; NULL: none is asked. */
void deps_format(struct buf *out, const struct ccargs *a, const char *cwd, const char *text, size_t len,
                 const char *cache, const struct deps_asker *asker);

/* Append the files of that rule, the source first, with the same names. */
void deps_list(struct argv *files, const struct ccargs *a, const char *cwd, const char *text, size_t len,
               const char *cache);

/* Write the rule to the depfile; false with errno. CACHE, TEXT and ASKER as above. */
bool deps_write(const struct ccargs *a, const char *text, size_t len, const char *cache,
                const struct deps_asker *asker);

/* Is FILE, an absolute name, a header of the system or of a package of Python, and so none that a
 * build writes? */
bool deps_is_installed(const char *file);

/* Append the prerequisites of the first rule of a make depfile: "\ " is a space in a name, "$$" a
 * dollar, "\#" a hash; other backslashes are literal. */
void deps_read(struct argv *out, const char *text);

/* Append NAME to a depfile, as make and ninja read it back. */
void deps_put_name(struct buf *out, const char *name);

/* Append FILES after the targets of a rule, and for those after the first N a rule of their own: one
 * that is gone is no error of make's then. */
void deps_put_files(struct buf *out, const struct argv *files, size_t n);

#endif
