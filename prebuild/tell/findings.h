/* findings.h - what `doctor` has found: one line each. */
#ifndef CKJIT_PREBUILD_FINDINGS_H
#define CKJIT_PREBUILD_FINDINGS_H

#include "prebuild/prebuild.h"

enum state {
  FOUND_OK,
  FOUND_WARNING, /* something works less well, or not for everybody */
  FOUND_ERROR,   /* something will fail */
};

struct finding {
  const char *name; /* static: "cache", "compiler hip" */
  enum state state;
  char *says;   /* what is so */
  char *advice; /* what to do about it; NULL of FOUND_OK */
};

struct findings {
  struct finding *list;
  size_t n;
};

void found_ok(struct findings *f, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* SAYS and ADVICE belong to F from then on. */
void found(struct findings *f, enum state state, const char *name, char *says, char *advice);

/* ---- what is looked at, each by the file of its name ---- */

/* doctor_tools.c: the programs of ckjit, zstd, compilers, the manifest that R names or that lies beside this program */
void doctor_tools(struct findings *f, const struct request *r);
/* doctor_cache.c: the cache that GIVEN or a variable names or that is the default, the read-only one, limits; TMPDIR */
void doctor_cache(struct findings *f, const char *given);
/* doctor_machine.c: kernel, libc, processors, memory, limits of the process, GPUs */
void doctor_machine(struct findings *f);

#endif
