/* full.h - the parts of `ckjit-build full`: the request, its checks, and the builds. */
#ifndef CKJIT_BUILD_FULL_H
#define CKJIT_BUILD_FULL_H

#include "tools.h"
#include "relink.h"
#include "profile.h"
#include "build.h"

/* aiter's own build of its attention libraries, below a checkout */
#define BUILD_SCRIPT "op_tests/cpp/mha/compile.py"

enum { FWD, BWD, APIS };
extern const char *const api_names[APIS];

struct full {
  const char *archs, *bf16, *install_dir;
  char *aiter, *tmp; /* absolute */
  bool api[APIS], verbose;
  unsigned jobs; /* 0: not given */
  struct aot_list aot;
  struct tools tools;
  struct profile *profile;
  char *home;
};

/* the copy of the checkout in which library API is built; free() it */
char *shadow_of(const struct full *f, int api);

/* check.c: dies unless there is an aiter checkout and a Python */
void check_aiter(const struct full *f);
/* dies unless the real compiler knows each architecture */
void check_archs(const struct full *f);
/* run.c: run the builds of all libraries asked for, in parallel; dies if one fails or leaves no library */
void run_builds(const struct full *f);

#endif
