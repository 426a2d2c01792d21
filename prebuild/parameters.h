/* parameters.h - what the parameters of kernels are called, as the sources say it.
 *
 * A mangled name has types and no names, and neither have code objects. So the definitions are looked for in the source of a blob and in
 * the headers that its key was made from. Nothing is preprocessed: a name is told if all functions that are __global__, have the kernel's
 * name and as many parameters call that parameter the same.
 *
 * Ownership: said below. Errors: none; what cannot be read tells nothing. Whatever a text holds, nothing outside of it is read. Thread
 * safety: main thread only, for parameters_of_blob; no shared state otherwise.
 */
#ifndef CKJIT_PREBUILD_PARAMETERS_H
#define CKJIT_PREBUILD_PARAMETERS_H

#include "prebuild.h"

/* a function that is __global__: its name without namespaces, and those of its parameters, "" if one has none */
struct global_function {
  char *name;
  struct argv parameters;
};
struct global_functions {
  struct global_function *list; /* core/base/vec.h */
  size_t n;
  const struct global_functions *more; /* to be looked into as well; borrowed */
};

/* Append what TEXT, LEN bytes of C++, declares or defines. A function with a parameter pack is left out. */
void parameters_read(struct global_functions *functions, const char *text, size_t len);
/* The same of preprocessed text, where __global__ is __attribute__((global)) or __location__(global). */
void parameters_read_preprocessed(struct global_functions *functions, const char *text, size_t len);
void parameters_free(struct global_functions *functions);
/* What parameter INDEX of COUNT is called, of the kernel NAME without namespaces; NULL if it is not known. Borrowed. */
const char *parameters_name(const struct global_functions *functions, const char *name, size_t index,
                            size_t count);

/* What BLOB's source and headers have; parameters_free it. Headers are read once, and kept in R until parameters_forget. */
void parameters_of_blob(struct global_functions *functions, struct request *r,
                        const struct manifest_blob *blob);
void parameters_forget(struct request *r);

#endif
