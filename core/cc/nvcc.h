/* nvcc.h - the steps of an nvcc command, as nvcc itself prints them.
 *
 * nvcc is a driver: `nvcc --dryrun …` prints what it would run, each line after "#$ ", first the variables
 * that its steps run with, then the commands. With CUDA 13 and one architecture, for `nvcc -c a.cu -o a.o`:
 *
 *     gcc -E … a.cu -o X.cpp4.ii                         the host's text
 *     cudafe++ … --gen_c_file_name X.cudafe1.cpp …       the host's side: launches of kernels are calls
 *     gcc -D__CUDA_ARCH__=900 -E … a.cu -o X.cpp1.ii     the device's text, once for each virtual architecture
 *     cicc … --stub_file_name X.cudafe1.stub.c … -o X.ptx
 *     ptxas … -o X.cubin
 *     fatbinary … --embedded-fatbin=X.fatbin.c
 *     gcc -c -x c++ … X.cudafe1.cpp -o a.o               includes X.cudafe1.stub.c, which includes X.fatbin.c
 *
 * They are taken over word by word, so that what we run is what this nvcc would, whatever its release.
 * Temporary files are named below TMPDIR of the process that asks.
 *
 * Ownership: a plan owns its words. Thread safety: none of it is shared.
 */
#ifndef CKJIT_NVCC_H
#define CKJIT_NVCC_H

#include "core/base/argv.h"

enum nvcc_kind {
  NVCC_HOST_TEXT,   /* gcc -E for the host */
  NVCC_FRONT,       /* cudafe++ */
  NVCC_DEVICE_TEXT, /* gcc -E for one virtual architecture */
  NVCC_CICC,
  NVCC_PTXAS,
  NVCC_FATBINARY,
  NVCC_HOST, /* gcc -c of what cudafe++ made */
  NVCC_REMOVE,
  NVCC_OTHER, /* nvlink, the host's linker */
};

struct nvcc_step {
  enum nvcc_kind kind;
  struct argv words; /* the program first, as a path if it was found */
  char *output;      /* NULL if none is known */
};

struct nvcc_plan {
  struct argv env; /* NAME=VALUE of what nvcc sets for its steps */
  struct nvcc_step *steps;
  size_t n;
};

/* Read TEXT, which `nvcc --dryrun` printed. P is to be freed also if it is not understood. */
bool nvcc_plan_read(struct nvcc_plan *p, const char *text, char **err);
void nvcc_plan_free(struct nvcc_plan *p);
/* The steps of NVCC for an empty unit and architecture ARCH (core/cc/compiler.h; NULL or "": nvcc's default).
 * P is empty if NVCC does not answer. */
void nvcc_ask(struct nvcc_plan *p, const char *nvcc, const char *arch);
/* the value of variable NAME; NULL if P has none. Borrowed. */
const char *nvcc_variable(const struct nvcc_plan *p, const char *name);
/* put the variables into ENV, an environment */
void nvcc_environment(const struct nvcc_plan *p, struct argv *env);
/* the first step of KIND from step FROM on; p->n if there is none */
size_t nvcc_plan_find(const struct nvcc_plan *p, enum nvcc_kind kind, size_t from);
/* the value after OPTION, or joined to it with '='; NULL if S has none. Borrowed. */
const char *nvcc_value(const struct nvcc_step *s, const char *option);
/* Give OPTION in WORDS another value. The old one, free() it; NULL if WORDS do not have the option. */
char *nvcc_exchange_value(struct argv *words, const char *option, const char *value);

#endif
