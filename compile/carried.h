/* carried.h - a library that was given away (--bundle): its sources, a compiler and compiled kernels
 * on a machine that has no build.
 *
 * Errors: false with *ERR; free() it. Thread safety: none, one thread per process. */
#ifndef CKJIT_COMPILE_CARRIED_H
#define CKJIT_COMPILE_CARRIED_H

#include "task.h"

/* A compiler of KIND in a Python package beside LIBRARY (NULL: none), in the environment of that
 * Python, or in conda's; NULL: there is none. free() it. */
char *carried_compiler(const struct compiler *kind, const char *library);

/* Make T's root what the bundle in FILE has; *RELEASE becomes that of the build's compiler; free()
 * it. */
bool carried_unpack(struct compile_task *t, const char *file, char **release, char **err);
/* Is T's compiler one of those that the library takes: of the major release of the build's, RELEASE,
 * or one that the user has named? Its runtime's library has that number in its name. */
bool carried_takes(const struct compile_task *t, const char *file, const char *release, char **err);

/* Take from T's command what this machine lacks. Of its link the libraries: the library that asks
 * needs the shared ones itself, and the runtime finds their symbols there (ck_jit_imports.c); a bundle
 * brings archives. Of its flags the places of the toolchain, such as -ccbin: what a compiler chooses
 * by itself takes their place. Where the build's directories are, nothing changes. */
void carried_adapt(struct compile_task *t);

/* There is no compiler: add the compiled kernels to T's cache that are beside the library FILE or
 * that Python packages have for it, whose entry points are of the group ckjit.packs. */
void carried_add_packs(const struct compile_task *t, const char *file);
/* Append to *ERR what a user can do without a compiler. */
void carried_tell_ways(const struct compile_task *t, const char *file, char **err);
/* Append to MESSAGE, of a compile that failed, the headers of the build's machine that it lacks. */
void carried_tell_missing(const struct compile_task *t, struct buf *message);

#endif
