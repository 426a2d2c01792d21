/* nvcc.h - the steps of an nvcc command, as nvcc itself prints them.
 *
 * nvcc is a driver: `nvcc --dryrun …` prints what it would run, each line after "#$ ": first the
 * variables of its steps' environment, then the commands. With CUDA 13 and one architecture, for
 * `nvcc -c a.cu -o a.o`:
 *
 *     gcc -E … a.cu -o X.cpp4.ii                         the host's text
 *     cudafe++ … --gen_c_file_name X.cudafe1.cpp …       the host side: kernel launches become calls
 *     gcc -D__CUDA_ARCH__=900 -E … a.cu -o X.cpp1.ii     the device's text, once per virtual architecture
 *     cicc … --stub_file_name X.cudafe1.stub.c … -o X.ptx
 *     ptxas … -o X.cubin
 *     fatbinary … --embedded-fatbin=X.fatbin.c
 *     gcc -c -x c++ … X.cudafe1.cpp -o a.o               includes X.cudafe1.stub.c, which includes X.fatbin.c
 *
 * The steps are taken over word by word, so that we run what this nvcc would run, whatever its
 * release. Temporary files are named below the TMPDIR of the calling process.
 *
 * Ownership: a plan owns its words. Thread safety: no shared state.
 */
#ifndef CKJIT_NVCC_H
#define CKJIT_NVCC_H

#include "core/base/argv.h"

enum nvcc_kind {
  NVCC_HOST_TEXT, /* gcc -E for the host */
  NVCC_FRONT,     /* cudafe++ */
  /* gcc -E for one virtual architecture */
  NVCC_DEVICE_TEXT,
  NVCC_CICC,
  NVCC_PTXAS,
  NVCC_FATBINARY,
  NVCC_HOST, /* gcc -c of the output of cudafe++ */
  NVCC_REMOVE,
  NVCC_OTHER, /* nvlink, the host's linker */
  NVCC_KINDS
};

struct nvcc_step {
  enum nvcc_kind kind;
  /* the program first, as a path if it was found */
  struct argv words;
  char *output; /* NULL if unknown */
};

struct nvcc_plan {
  /* NAME=VALUE, as nvcc sets for its steps */
  struct argv env;
  struct nvcc_step *steps;
  size_t n;
  struct nvcc_step *first[NVCC_KINDS]; /* of each kind; NULL: there is none */
  size_t count[NVCC_KINDS];
};

/* The error for a plan that lacks a step which the caller needs, or has several of it. */
#define NVCC_UNKNOWN_STEPS "nvcc has other steps than are known; it may be newer than this ckjit supports"

/* Parse TEXT, the output of `nvcc --dryrun`. Free P even if this fails. */
bool nvcc_plan_read(struct nvcc_plan *p, const char *text, char **err);
void nvcc_plan_free(struct nvcc_plan *p);
/* Ask for the steps of COMMAND, in the environment ENV (NULL: this process's). Returns the status
 * that nvcc ended with. If that is not 0, *SAID is its words, if P is empty, why they are not
 * understood, else NULL; free() it. Free P in either case. */
int nvcc_plan_ask(struct nvcc_plan *p, const struct argv *command, char *const *env, char **said);
/* The steps of NVCC for an empty unit, architecture ARCH (core/cc/compiler.h; NULL or "": nvcc's
 * default) and host compiler CCBIN (NULL: nvcc's choice). P is empty if NVCC fails. */
void nvcc_ask(struct nvcc_plan *p, const char *nvcc, const char *arch, const char *ccbin);
/* The one step of KIND; NULL: there is none, or there are several. */
static inline struct nvcc_step *nvcc_only(const struct nvcc_plan *p, enum nvcc_kind kind) {
  return p->count[kind] == 1 ? p->first[kind] : NULL;
}
/* The value of variable NAME; NULL if P has none. Borrowed. */
const char *nvcc_variable(const struct nvcc_plan *p, const char *name);
/* Set the variables in ENV, an environment. */
void nvcc_environment(const struct nvcc_plan *p, struct argv *env);
/* The value after OPTION, or joined to it with '='; NULL if S has none. Borrowed. */
const char *nvcc_value(const struct nvcc_step *s, const char *option);
/* Replace the value of OPTION in WORDS. Returns the old one; free() it. NULL if WORDS lack the
 * option. */
char *nvcc_exchange_value(struct argv *words, const char *option, const char *value);

#endif
