/* compiler.h - the kinds of compiler that ckjit stands in for, as data: what one calls otherwise than
 * another.
 *
 *     kind    is         reads a line as   compiles for a GPU
 *     hip     hipcc      gcc               every C++ source
 *     cuda    nvcc       nvcc              every .cu
 *     clang   clang++    gcc               a source that is HIP: `-x hip`, .hip
 *     c++     g++        gcc               nothing
 *
 * Which kind a program is, is known where it is called: the wrapper knows its home's `kind`, and the name
 * that it was called by. A record says it (core/files/record.h), and so do the manifest, the library's tables
 * and `--kind` of ckjit-compile and ckjit-link. Nobody looks at a file's name again: /opt/my-nvcc is nvcc to
 * the end. What was written before records said it is told by name, in compiler_by_name() alone.
 *
 * What differs in more than words has a module of its own: steps of HIP are read in compile/plan.c, those of
 * CUDA in core/cc/nvcc.c.
 *
 * Thread safety: constants only.
 */
#ifndef CKJIT_COMPILER_H
#define CKJIT_COMPILER_H

#include "ccargs.h"

enum compiler_device { DEVICE_NEVER, DEVICE_IF_HIP, DEVICE_ALWAYS };

struct compiler {
  const char *kind; /* as a record says it */
  enum cc_dialect dialect;
  enum compiler_device device; /* which sources are compiled for a GPU */
  /* The home of such compilers; of clang and c++, which have none of their own, ROCm's. */
  const char *name;         /* of the program, in bin/ */
  const char *variable;     /* that names the real one */
  const char *home_vars[4]; /* variables that name the home; NULL behind the last */
  const char *homes[4];     /* directories where it is looked for; NULL behind the last */
  const char *package;      /* what to install if there is none */
};

/* the row of KIND; NULL if there is none */
const struct compiler *compiler_of_kind(const char *kind);
/* The row that `kind` of a profile or of a fake home means, hip or cuda; of NULL HIP's. NULL if there is
 * none. */
const struct compiler *compiler_of_home(const char *kind);
/* What PROGRAM, a path or a base name, is by its name. Only for what does not say the kind: records,
 * manifests and command lines from before they did. Never NULL. */
const struct compiler *compiler_by_name(const char *program);
/* What PROGRAM is, which a user has named (CK_JIT_HIPCC, CK_JIT_CXX) to be a compiler of kind MEANT. nvcc is
 * nvcc whatever it is called; of the others hipcc, clang++ and g++ are what their names say. */
const struct compiler *compiler_meant(const struct compiler *meant, const char *program);

/* Does the name of PROGRAM say that it is hipcc, a clang, or a C++ compiler of the host? */
bool compiler_has_telling_name(const char *program);
/* Is it hipcc, which takes every C++ source for HIP and reads variables of its own? */
static inline bool compiler_is_hipcc(const struct compiler *c) {
  return c->dialect == CC_GNU && c->device == DEVICE_ALWAYS;
}
/* Is a compile by C with arguments A for a GPU as well? */
bool compiler_has_device(const struct compiler *c, const struct ccargs *a);

/* Append the architectures that A asks for, once each and in order: gfx942 of HIP; of CUDA sm_90 for
 * code=sm_90, compute_90 for PTX, and sm_86:compute_80 if code is of another architecture than the one that
 * it is made from. The words of A that say so have CC_ROLE_ARCH. */
void compiler_archs(struct argv *out, const struct ccargs *a);
/* Append the option by which DIALECT asks for architecture ARCH of N bytes, one of the above. */
void compiler_add_arch(struct argv *out, enum cc_dialect dialect, const char *arch, size_t n);

#endif
