/* home.h - H/ckjit.conf, what makes a directory a fake home of ROCm or CUDA (docs/formats.md, "The fake
 * home").
 *
 * ckjit-build writes it once from a profile; the wrapper reads it at each of its thousands of starts. So it
 * is flat text that one read and one pass over the lines take in, and the YAML stays with ckjit-build.
 *
 * Ownership: a struct home owns all its strings. Errors: *ERR is a message that names file and line; free()
 * it. Thread safety: none needed; each function works on what it is given.
 */
#ifndef CKJIT_HOME_H
#define CKJIT_HOME_H

#include "core/base/argv.h"

#define HOME_FILE "ckjit.conf"

/* the name of clang++ in ROCm's bin/, and in a fake home's also where the real one has none */
#define CLANG_NAME "amdclang++"

struct home {
  char *dir;              /* H itself, absolute; not in the file */
  char *real_home;        /* the real home */
  char *real_compiler;    /* what the names in `compilers` stand for */
  char *real_cxx;         /* what the names in `cxx` stand for */
  char *work;             /* work directory; CK_JIT_TMP_DIR overrides it in whoever uses it */
  char *link;             /* the post-build linker */
  struct argv home_vars;  /* "NAME": unset in every child; "NAME=VALUE": set */
  struct argv compilers;  /* names that mean real_compiler */
  struct argv kind;       /* of compiler (core/cc/compiler.h): one word; none: HIP's */
  struct argv keep;       /* "sources": copied into the work directory; none: not */
  struct argv clang;      /* the clang++ that real_compiler starts, if it is known: one path or none */
  struct argv cxx;        /* names that mean real_cxx; "ckjit-cxx" always does */
  struct argv tools;      /* names passed to real_home/bin/NAME */
  struct argv yes, no;    /* globs on a source's base name: a blob, a host source, whatever its content */
  struct argv family;     /* globs on the base name: a blob if the content is no proof */
  struct argv dispatcher; /* globs on the base name: an API dispatcher */
  struct argv generated;  /* globs on the whole path that narrow `family`; none: no narrowing */
};

/* the home that the running program is installed in: the parent of the directory of /proc/self/exe. free()
 * it. */
char *home_find(void);

/* Read DIR/ckjit.conf. NULL with *ERR if it is missing, of another format, or damaged. */
struct home *home_read(const char *dir, char **err);

/* Write H->dir/ckjit.conf atomically. false with *ERR if it cannot be written, or a value holds a newline,
 * which the format cannot express. */
bool home_write(const struct home *h, char **err);

void home_free(struct home *h);

/* Change this process's environment to what it was without H: variables put back or unset, H/bin off the
 * PATH. Not thread-safe (setenv). */
void home_leave(const struct home *h);
/* only take H/bin off the PATH */
void home_leave_path(const struct home *h);
/* Leave the fake home that one of the variables for homes names now, if any: a kernel may be called for the
 * first time in the very shell that its library was built in. */
void home_leave_any(void);

#endif
