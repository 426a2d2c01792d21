/* cxxunit.h - a translation unit as it is judged: its own text (cxxscan.h), and the relevant parts
 * of the files that it includes. These are read only if the text alone leaves a doubt, so most
 * units cost nothing more:
 *
 *     #include "a.cu"              a source file: its definitions are the unit's. flash-attention 3
 *     #include "b.cu"              has units of nothing else
 *     #include "impl/NAME.cuh"     in NAME.cpp, which defines nothing itself: aiter's batched GEMM
 *                                  is generated like this
 *     namespace a {                what a late unit includes within a namespace is its own text
 *     #include "part.inl"
 *     }
 *     INSTANTIATE(256, V1)         a macro of a header, at namespace scope: aiter's MoE
 *
 * The result is a text with these files and macros written out, and its scan. The rest of ckjit
 * works on that.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_CXXUNIT_H
#define CKJIT_CXXUNIT_H

#include "cxxscan.h"

#include "core/base/argv.h"

/* The path of the file that NAME means in an #include of the file FROM; ANGLED: <NAME>. NULL if
 * there is none that is worth reading: the standard library's are not. free() it. */
typedef char *cxx_find(void *user, const char *from, const char *name, bool angled);

struct cxx_unit {
  /* The scan of the text with everything written out. */
  struct cxx_scan scan;
  enum cxx_verdict verdict;
  /* Its line is one of the source: for a place in a part it is the line of the first #include of a
   * part, and the text begins with the part's name and line. */
  struct reason why;
  /* that text, if it is not the unit's own */
  char *text;
  size_t len; /* of it, or of the unit's own */
  /* files whose text is in it: paths as FIND gave them */
  struct argv parts;
  /* Definitions that were written out, as they were found: "RUN(n) template <> …". Another file may
   * define the macro again; forward.c lets the compiler report that. */
  struct argv macros;
  /* the file that defines a macro which could not be written out; NULL: none is known */
  char *unclear;
};

/* Read the unit SOURCE, LEN bytes of TEXT, which must stay valid until cxx_unit_free. HARMLESS:
 * cxx_scan_with. LATE: macros are written out though the unit is no blob already, for
 * definitions.h. FIND is called with USER; if it is NULL, no other file is looked into. */
void cxx_unit_read(struct cxx_unit *u, const char *source, const char *text, size_t len,
                   const struct argv *harmless, bool late, cxx_find *find, void *user);
void cxx_unit_free(struct cxx_unit *u);
/* Returns the text to which UNIT's scan belongs. */
static inline const char *cxx_unit_text(const struct cxx_unit *u) {
  return u->scan.code.text;
}

#endif
