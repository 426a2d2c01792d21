/* cxxwords.h - the words of a text: runs of ASCII letters, digits and underscores, in comments and
 * strings as well. For questions about every source of a link, where a text is searched for a few
 * names and the lexer would take longer.
 *
 * Thread safety: no shared state.
 */
#ifndef CKJIT_CXXWORDS_H
#define CKJIT_CXXWORDS_H

#include <stddef.h>

struct cxx_word {
  /* borrowed; the end of the text if there is none */
  const char *p;
  size_t n; /* bytes; 0: there is none */
};

/* The first word at P or after it, in a text that ends with 0. */
struct cxx_word cxx_word(const char *p);

#endif
