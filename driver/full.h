/* full.h - the parts of `ckjit full`: the request, its checks, and the builds. */
#ifndef CKJIT_BUILD_FULL_H
#define CKJIT_BUILD_FULL_H

#include "realtools.h"
#include "relink.h"
#include "profile.h"
#include "common.h"

/* aiter's own build of its attention libraries, below a checkout. */
#define BUILD_SCRIPT "op_tests/cpp/mha/compile.py"

/* QOLA builds the libraries of a manifest, in place of the other two. */
enum { FWD, BWD, QOLA, APIS };
static const char *const api_names[APIS] = {"fwd", "bwd", "qola"};

#define BF16_OF_AITER "aiter" /* --ck-tile-bf16, the default: aiter's build decides on rounding */

struct full {
  char *archs; /* separated by ';' */
  const char *bf16;
  char *aiter, *tmp, *install_dir; /* absolute */
  bool api[APIS];                  /* built by this call */
  /* not built, but installed where this call installs */
  bool stays[APIS];
  bool verbose, anew;
  bool with_qola;
  char *qola_dir, *qola_manifest, *qola_output; /* absolute; NULL without QoLA */
  char *trace;                                  /* absolute, or NULL */
  unsigned jobs;                                /* 0: not given */
  struct aot_list aot;
  struct tools tools;
  struct profile *profile;
  char *home;
  struct argv facts; /* the inputs of the build (built.h) */
  /* digest of the checkout's files, once they are read */
  char *contents;
  struct timespec began;
};

/* The copy of the checkout in which library API is built; free() it. */
static inline char *shadow_of(const struct full *f, int api) {
  return xasprintf("%s/src_%s", f->tmp, api_names[api]);
}

/* The copy of an earlier call until it is removed; free() it. */
static inline char *old_shadow_of(const struct full *f, int api) {
  return xasprintf("%s/.ckjit-tmp-old-%s", f->tmp, api_names[api]);
}

/* The directory of library API in the work directory; for QOLA, of the facts of its build. free()
 * it. */
static inline char *library_dir(const struct full *f, int api) {
  return xasprintf("%s/libmha_%s", f->tmp, api_names[api]);
}

/* The name of what the build of API makes, for messages; free() it. */
static inline char *made_by(int api) {
  return api == QOLA ? xstrdup("QoLA's libraries") : xasprintf("libmha_%s.so", api_names[api]);
}

/* workdir.c: make and lock the work directory; dies if it belongs to another user, or conflicts
 * with the checkout. */
void make_work_dir(struct full *f);
/* Has an earlier call built everything from the present inputs? Prints that, or the reason why
 * not. */
bool is_unchanged(struct full *f);
/* Copy the checkout for each library that is built, and remove the remains of an earlier build of
 * other inputs; prints why. */
void begin_build(struct full *f);

/* check.c: the architectures of TEXT, separated as in CK_JIT_ARCH, as a list with ';'; dies if
 * there is none. free() it. */
char *read_archs(const char *text);
/* Dies unless there is an aiter checkout and a Python. */
void check_aiter(const struct full *f);
/* Dies unless the real compiler knows each architecture. */
void check_archs(const struct full *f);
/* aiterbuilds.c: run the builds of all requested libraries, in parallel; dies if one fails or
 * leaves no library. */
void run_builds(const struct full *f);

#endif
