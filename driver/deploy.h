/* deploy.h - the install tree of a library of kernels (--install-dir).
 *
 * Functions end the program with a message and status 1 if they fail. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_DRIVER_DEPLOY_H
#define CKJIT_DRIVER_DEPLOY_H

#include "libraries.h"

/* Write the install tree of LIBS into DEST, replacing the files of an earlier install. */
void deploy_tree(const struct library *libs, size_t n, const char *dest);
/* Die if DEST has an installed library that is not among NAMES: it would lose its sources. */
void deploy_check(const struct argv *names, const char *dest);
/* Whether DEST is an install tree with library NAME in it. */
bool deploy_has(const char *dest, const char *name);
/* Replace the libraries and programs in install tree DEST, and nothing else. */
void deploy_libraries(const struct library *libs, size_t n, const char *dest);

#endif
