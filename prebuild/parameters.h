/* parameters.h - the names of kernels' parameters, from the sources.
 *
 * A mangled name has types and no names, and neither have code objects. So the definitions are
 * searched for in the source of a blob and in the headers of its key. Nothing is preprocessed: a
 * name is known if all functions that are __global__, have the kernel's name and as many parameters
 * agree on it.
 *
 * Ownership: see below. Errors: none; a file that cannot be read adds nothing. It never reads
 * outside a text, whatever that contains. Thread safety: main thread only, for parameters_of_blob;
 * no shared state otherwise.
 */
#ifndef CKJIT_PREBUILD_PARAMETERS_H
#define CKJIT_PREBUILD_PARAMETERS_H

#include "prebuild.h"

/* A function that is __global__: its name without namespaces, and those of its parameters, "" if
 * one has none. */
struct global_function {
  char *name;
  struct argv parameters;
};
struct global_functions {
  struct global_function *list; /* core/base/vec.h */
  size_t n;
  const struct global_functions *more; /* to be searched as well; borrowed */
};

/* Append the functions that TEXT, LEN bytes of C++, declares or defines. Functions with a parameter
 * pack are omitted. */
void parameters_read(struct global_functions *functions, const char *text, size_t len);
/* The same for preprocessed text, where __global__ is __attribute__((global)) or
 * __location__(global). */
void parameters_read_preprocessed(struct global_functions *functions, const char *text, size_t len);
void parameters_free(struct global_functions *functions);
/* The name of parameter INDEX of COUNT of the kernel NAME, without namespaces; NULL if it is
 * unknown. Borrowed. */
const char *parameters_name(const struct global_functions *functions, const char *name,
                            size_t index, size_t count);

/* The functions in BLOB's source and headers; parameters_free it. Headers are read once, and kept
 * in R. */
void parameters_of_blob(struct global_functions *functions, struct request *r,
                        const struct manifest_blob *blob);

#endif
