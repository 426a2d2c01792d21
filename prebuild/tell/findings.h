/* findings.h - the findings of `doctor`, one line each. */
#ifndef CKJIT_PREBUILD_FINDINGS_H
#define CKJIT_PREBUILD_FINDINGS_H

#include "core/base/vec.h"
#include "prebuild/prebuild.h"

enum state {
  FOUND_OK,
  FOUND_WARNING, /* slower, or does not work for everybody */
  FOUND_ERROR,   /* will fail */
};

struct finding {
  const char *name; /* static: "cache", "compiler hip" */
  enum state state;
  char *says;         /* the finding */
  const char *advice; /* NULL for FOUND_OK */
};

struct findings {
  struct finding *list;
  size_t n;
};

/* Add the finding about NAME that the format says. ADVICE, unless it is NULL, is borrowed. */
#define found(f, of_state, of_name, of_advice, ...)                                                \
  vec_push((f)->list, (f)->n,                                                                      \
           (struct finding){.name = of_name,                                                       \
                            .state = of_state,                                                     \
                            .advice = of_advice,                                                   \
                            .says = xasprintf(__VA_ARGS__)})
#define found_ok(f, name, ...) found(f, FOUND_OK, name, NULL, __VA_ARGS__)

/* ---- the checks, each in the file of its name ---- */

/* doctor_tools.c: the programs of ckjit, compilers, the manifest that R names or that is beside
 * this program. */
void doctor_tools(struct findings *f, const struct request *r);
/* doctor_cache.c: the cache that GIVEN or a variable names, or the default one; the read-only
 * cache, limits; TMPDIR. */
void doctor_cache(struct findings *f, const char *given);
/* doctor_machine.c: kernel, libc, processors, memory, limits of the process, GPUs. */
void doctor_machine(struct findings *f);

/* All of them as one JSON object (docs/inside.md); free() it. */
char *doctor_json(const struct request *r);

#endif
