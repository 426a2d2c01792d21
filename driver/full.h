/* full.h - the parts of `ckjit full`: the request, its checks, and the builds. */
#ifndef CKJIT_BUILD_FULL_H
#define CKJIT_BUILD_FULL_H

#include "tools.h"
#include "relink.h"
#include "profile.h"
#include "build.h"

/* aiter's own build of its attention libraries, below a checkout */
#define BUILD_SCRIPT "op_tests/cpp/mha/compile.py"

enum { FWD, BWD, APIS };
static const char *const api_names[APIS] = {"fwd", "bwd"};

#define BF16_OF_AITER "aiter" /* --ck-tile-bf16, the default: rounding is left to aiter's build */

struct full {
  char *archs; /* separated by ';' */
  const char *bf16;
  char *aiter, *tmp, *install_dir; /* absolute */
  bool api[APIS];                  /* built by this call */
  bool stays[APIS];                /* not built, but installed where this call installs */
  bool verbose, anew;
  char *trace;   /* absolute, or NULL */
  unsigned jobs; /* 0: not given */
  struct aot_list aot;
  struct tools tools;
  struct profile *profile;
  char *home;
  struct argv facts; /* what the build is made from (built.h) */
  char *contents;    /* digest of the checkout's files, once they are read */
  struct timespec began;
};

/* the copy of the checkout in which library API is built; free() it */
static inline char *shadow_of(const struct full *f, int api) {
  return xasprintf("%s/src_%s", f->tmp, api_names[api]);
}

/* where that of an earlier call is until it is removed; free() it */
static inline char *old_shadow_of(const struct full *f, int api) {
  return xasprintf("%s/.ckjit-tmp-old-%s", f->tmp, api_names[api]);
}

/* the directory of library API in the work directory; free() it */
static inline char *library_dir(const struct full *f, int api) {
  return xasprintf("%s/libmha_%s", f->tmp, api_names[api]);
}

/* workdir.c: make and lock the work directory; dies if it is somebody else's, or in the checkout's way */
void make_work_dir(struct full *f);
/* Has an earlier call built all that is asked for, from what is there now? Says so if it has, and if not, why. */
bool is_unchanged(struct full *f);
/* Copy the checkout for each library that is built, and remove what is left of an earlier build of other
 * things; prints why. */
void begin_build(struct full *f);

/* check.c: the architectures of TEXT, separated as in CK_JIT_ARCH, as a list with ';'; dies if there is
 * none. free() it. */
char *read_archs(const char *text);
/* dies unless there is an aiter checkout and a Python */
void check_aiter(const struct full *f);
/* dies unless the real compiler knows each architecture */
void check_archs(const struct full *f);
/* run.c: run the builds of all libraries asked for, in parallel; dies if one fails or leaves no library */
void run_builds(const struct full *f);

#endif
