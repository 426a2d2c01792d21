/* cxxstd.h - the parts of the standard library that touch only the objects that they are given: for
 * cxxstate.c. This table is the only list of them; a build's own types are in `harmless_types` of
 * its profile.
 *
 * Thread safety: constants.
 */
#ifndef CKJIT_CXXSTD_H
#define CKJIT_CXXSTD_H

#include <stdbool.h>

/* When a constructor makes elements, so that their types matter. Comparators and allocators always
 * do. */
enum cxx_elements {
  /* std::unique_ptr<T>, std::function<R(A)> */
  CXX_NEVER,
  /* std::vector<T>: an empty one has none */
  CXX_FILLED,
  CXX_ALWAYS, /* std::pair<T, U> */
};

struct cxx_std_type {
  const char *name; /* without std:: */
  unsigned char nelements;
  /* enum cxx_elements: of the first nelements template arguments */
  unsigned char elements;
  /* Whether the arguments after these are numbers: std::array<T, 3>. */
  bool values;
};

extern const struct cxx_std_type cxx_std_types[]; /* the last one's name is NULL */
/* Names without std::, and without what follows the first ::. They end with NULL. */
extern const char *const cxx_std_functions[], *const cxx_std_values[];
/* Members of these types that may be called, and macros that are constants. */
extern const char *const cxx_std_members[], *const cxx_std_macros[];

#endif
