/* compiler.h - the kinds of compiler that ckjit stands in for, as data: what another calls otherwise.
 *
 * A row is all that the parts of ckjit know of a kind; which one a program is, is told by its name, as a
 * profile (share/profiles) names it. What differs in more than words has a module of its own: steps of HIP
 * are read in compile/plan.c, those of CUDA in core/cc/nvcc.c.
 *
 * Thread safety: constants only.
 */
#ifndef CKJIT_COMPILER_H
#define CKJIT_COMPILER_H

#include "ccargs.h"

struct compiler {
  const char *kind;     /* as the key `kind` of a profile says it */
  const char *name;     /* of the program, in bin/ of its home; others begin like it */
  const char *variable; /* that names the real one */
  enum cc_dialect dialect;
  const char *home_vars[4]; /* variables that name its home; NULL behind the last */
  const char *homes[4];     /* directories where it is looked for; NULL behind the last */
  const char *package;      /* what to install where there is none */
};

/* The kind that the program NAME, a path or a base name, is of; NULL: a C++ compiler for the host alone. */
const struct compiler *compiler_of(const char *name);
/* the row of KIND, NULL where there is none; of NULL: HIP's */
const struct compiler *compiler_named(const char *kind);
/* The row of the program NAME; of a C++ compiler HIP's: what is looked for then has always been hipcc. Never
 * NULL. */
const struct compiler *compiler_meant(const char *name);
/* How the command line of program NAME is written. */
enum cc_dialect compiler_dialect(const char *name);

/* Take what nvcc would add to a command line from this process's environment out of it: a recorded command
 * has it already. Not thread-safe (unsetenv). */
void compiler_clean_environment(void);

/* Append the architectures that the words ARGS of a compile by NAME ask for, once each and in order: gfx942
 * of HIP; of CUDA sm_90 for code=sm_90, compute_90 for PTX, and sm_86:compute_80 where code is of another
 * architecture than the one that it is made from. */
void compiler_archs(struct argv *out, const char *name, char *const *args);
/* Whether word W of ARGS says for which architectures. */
bool compiler_is_arch(const char *name, const struct cc_word *w, char *const *args);
/* Append the option that asks for architecture ARCH of N bytes, one of the above. */
void compiler_add_arch(struct argv *out, const char *name, const char *arch, size_t n);

#endif
