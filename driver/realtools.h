/* realtools.h - finds the real compilers that a fake home replaces.
 *
 * Functions end the program with a message and status 1 if they fail. Thread safety: for the main
 * thread.
 */
#ifndef CKJIT_DRIVER_REALTOOLS_H
#define CKJIT_DRIVER_REALTOOLS_H

#include "abi/ck_jit_machine.h"
#include "core/cc/compiler.h"

/* Paths are absolute. */
struct tools {
  const struct compiler *kind;
  char *home;     /* the real home */
  char *compiler; /* the real compiler: hipcc, nvcc */
  char *cxx;      /* the real C++ compiler */
  /* its target; NULL: not known, or ckjit has no stubs for it */
  const struct ckjit_machine *machine;
  /* the clang++ that hipcc starts; NULL if not known, or for another kind */
  char *clang;
};

/* Find the real tools of KIND by the variable that names its compiler, HOME (NULL if not given;
 * MEANT: the kind that its option is for), the variables that name its home, the PATH, the usual
 * directories, in that order. Fake homes are skipped. */
void tools_find(struct tools *t, const struct compiler *kind, const struct compiler *meant,
                const char *home);
/* Append the names of the host's compilers, any of which may link a library or a program of a C
 * build: the default of profiles. c++, g++, clang++, gcc and cc are always among them, others if
 * they are on the PATH. */
void tools_linkers(struct argv *names);
/* Is there a compiler of KIND on this machine: named by its variable, or where tools_find() would
 * look? */
bool tools_has(const struct compiler *kind);
/* Is PATH a fake home, its bin/, or a program there? */
bool tools_is_fake(const char *path);

#endif
