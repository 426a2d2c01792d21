/* ccheader.h - which file an #include means, by the search paths of a command line. Thread safety:
 * no shared state. */
#ifndef CKJIT_CCHEADER_H
#define CKJIT_CCHEADER_H

#include "ccargs.h"

/* where a compile looks for headers; all is borrowed */
struct cc_headers {
  const struct ccargs *args;
  /* base of relative names; NULL: the current directory */
  const char *cwd;
};

/* The path of the file that NAME means in an #include of the file FROM: beside it, unless it is
 * ANGLED, then in the directories of -iquote and -I. NULL if it is in none of them: those of
 * -isystem are other projects' headers, PyTorch's and CUDA's, and nothing in them says what a unit
 * of this build is. free() it. USER is a struct cc_headers: a cxx_find of core/cxx/cxxunit.h. */
char *cc_header_find(void *user, const char *from, const char *name, bool angled);

#endif
