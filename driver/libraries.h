/* libraries.h - the libraries that a build left in a work directory.
 *
 * Functions end the program with a message and status 1 if they fail. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_DRIVER_LIBRARIES_H
#define CKJIT_DRIVER_LIBRARIES_H

#include "core/files/state.h"

/* A library that a build left in a work directory. */
struct library {
  char *dir;           /* <work>/libmha_fwd */
  struct state *state; /* its ck_jit_quick_rebuild.json */
};

/* The libraries in work directory WORK, each with a valid state file, ordered by name. NULL if
 * there is none. */
struct library *libraries_find(const char *work, size_t *n);
/* The same for a command that works in WORK: it is locked first (worklock.h). Dies if
 * there is none. */
struct library *libraries_open(const char *work, size_t *n);
/* The library whose directory is DIR; dies if it has no valid state file. */
struct library library_read(const char *dir);
/* Print the name of LIB and the summary of its link step: if VERBOSE, all of it. */
void library_show(const struct library *lib, bool verbose);

#endif
